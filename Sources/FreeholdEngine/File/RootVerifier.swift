/// Checks the trees of a root. The floors that know trees implement it for the floors that know only roots.
protocol RootVerifier: Sendable {
    /// Walks every block of `root` that was born after version `birth`, following only references with such births,
    /// and checks each against its reference's checksum. Must not rely on blocks verified before.
    ///
    /// - Parameter visit: called with each such block after it was found intact, and with the copy of its bytes that
    ///   was checked: those in the file may change at any moment, if a page that was never written is dropped. Without
    ///   `visit` nothing is copied.
    /// - Returns: whether all of them are intact.
    func verify(
        _ root: Root, bornAfter birth: UInt64, in file: DataFile, visit: ((BlockReference, UnsafeRawBufferPointer) -> Void)?
    ) -> Bool
}

extension RootVerifier {
    func verify(_ root: Root, bornAfter birth: UInt64, in file: DataFile) -> Bool {
        verify(root, bornAfter: birth, in: file, visit: nil)
    }
}

/// A new database's first version: its blocks' bytes, to be written at `FileLayout.firstData`, and their top.
struct InitialContent: Sendable {
    var bytes: [UInt8]
    /// The top block, with birth 1.
    var top: BlockReference
    var readFeatures: UInt64 = 0
    var writeFeatures: UInt64 = 0
}

/// Creates a new database's content, sealed by its cipher if it is to be encrypted.
typealias MakeInitialContent = (FileCipher?) throws(FreeholdError) -> InitialContent
