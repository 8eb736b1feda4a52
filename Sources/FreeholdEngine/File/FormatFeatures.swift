/// The features that a file needs beyond version 1 of the format: a bit for each feature that code for version 1 does
/// not know.
///
/// ```
/// header   bits of the file, as long as it exists
/// roots    bits of a version: the writer that set one wrote data that needs it, and later versions keep it
/// ```
/// 1. Code that does not know all read features must not read, nor judge: a block of an unknown kind would count as
///    damage, and recovery would take an older version for the newest.
/// 2. Code that does not know all write features may read, and must not write.
/// 3. A bit of the one word says nothing about the same bit of the other: each has numbers of its own.
struct FormatFeatures: Equatable {
    /// The read features that a program knows.
    let knownToRead: UInt64
    /// The write features that it knows.
    let knownToWrite: UInt64

    /// Write feature 0: derived indexes, which a writer has to keep up to date.
    static let derivedIndexes: UInt64 = 1 << 0

    /// Write feature 1: derived indexes of places.
    static let places: UInt64 = 1 << 1

    /// Write feature 2: derived indexes in a collation.
    static let collations: UInt64 = 1 << 2

    /// Write feature 3: derived indexes of vectors.
    static let vectors: UInt64 = 1 << 3

    /// Write feature 4: full-text indexes with options, such as a language.
    static let textOptions: UInt64 = 1 << 4

    /// Write feature 5: synced classes, whose changes a writer has to capture.
    static let sync: UInt64 = 1 << 5

    /// What this code knows.
    static let current = FormatFeatures(knownToRead: 0,
                                        knownToWrite: derivedIndexes | places | collations | vectors | textOptions | sync)

    /// Whether a program with these features must not use a file or version with the given ones.
    @inline(__always)
    func refuses(read: UInt64, write: UInt64, forWriting: Bool) -> Bool {
        read & ~knownToRead | (forWriting ? write & ~knownToWrite : 0) != 0
    }

    /// The reason why a program with these features must not use such a file or version, and what to do instead; nil
    /// if there is none.
    func refusal(read: UInt64, write: UInt64, forWriting: Bool) -> String? {
        if read & ~knownToRead != 0 {
            return "it uses \(Self.named(read & ~knownToRead)), which this Freehold does not support; open it with a newer Freehold"
        }
        if forWriting, write & ~knownToWrite != 0 {
            return "writing to it needs \(Self.named(write & ~knownToWrite)), which this Freehold does not support; "
                + "open it for reading only, or with a newer Freehold"
        }
        return nil
    }

    /// The numbers of the bits, as text.
    private static func named(_ features: UInt64) -> String {
        let numbers = (0..<64).filter { features >> UInt64($0) & 1 == 1 }
        return "feature\(numbers.count == 1 ? "" : "s") \(numbers.map(String.init).joined(separator: ", ")) of the format"
    }
}

extension Root {
    /// Throws if this version needs a feature that this code does not know.
    @inline(__always)
    func requireKnownFeatures(forWriting: Bool, _ path: @autoclosure () -> String) throws(FreeholdError) {
        if FormatFeatures.current.refuses(read: readFeatures, write: writeFeatures, forWriting: forWriting) {
            throw unknownFeatures(forWriting, path())
        }
    }

    @inline(never)
    private func unknownFeatures(_ forWriting: Bool, _ path: String) -> FreeholdError {
        let refusal = FormatFeatures.current.refusal(read: readFeatures, write: writeFeatures, forWriting: forWriting)
        return FreeholdError(.unsupportedFormat, refusal ?? "", path: path)
    }
}
