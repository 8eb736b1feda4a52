import CShims

/// Snowball's libstemmer, loaded on first use.
///
/// Safe throughout: the stemmer lives as long as its object; buffers belong to the calls they are passed to.
final class LibStemmer: Stemmer {
    private let stemmer: UnsafeMutableRawPointer

    init(_ algorithm: String) throws(SystemError) {
        var stemmer: UnsafeMutableRawPointer?
        let result = freehold_shim_stemmer_new(algorithm, &stemmer)
        guard result == 0, let stemmer else { throw SystemError(code: -result, call: "sb_stemmer_new", path: algorithm) }
        self.stemmer = stemmer
    }

    deinit { freehold_shim_stemmer_free(stemmer) }

    func stem(_ word: UnsafeRawBufferPointer, to stem: UnsafeMutableRawBufferPointer) -> Int {
        guard let start = word.baseAddress, let target = stem.baseAddress, word.count <= Int(Int32.max) else { return 0 }
        return freehold_shim_stem(
            stemmer, start.assumingMemoryBound(to: UInt8.self), word.count, target.assumingMemoryBound(to: UInt8.self), stem.count)
    }
}

extension LinuxSystem {
    public func makeStemmer(_ algorithm: String) throws(SystemError) -> any Stemmer { try LibStemmer(algorithm) }
}
