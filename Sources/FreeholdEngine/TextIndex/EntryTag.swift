/// The last byte of an entry's key: sign · 128 + field · 8 + class.
struct EntryTag: Hashable, Sendable {
    let byte: UInt8

    static let signBit: UInt8 = 128
    static let fieldLimit = 16

    @inline(__always) init(byte: UInt8) { self.byte = byte }

    @inline(__always) init(field: Int, _ occurrences: OccurrenceClass, cancels: Bool = false) {
        assert(field >= 0 && field < Self.fieldLimit, "a field is 0…15")
        byte = (cancels ? Self.signBit : 0) | UInt8(truncatingIfNeeded: field) << 3 | occurrences.number
    }

    /// Whether the entry cancels one of an older run.
    @inline(__always) var cancels: Bool { byte & Self.signBit != 0 }
    var field: Int { Int(byte & 0x7f) >> 3 }
    var occurrences: OccurrenceClass { OccurrenceClass(number: byte & 7) }
    /// The tag of the entry that a canceling one cancels.
    @inline(__always) var unsigned: EntryTag { EntryTag(byte: byte & ~Self.signBit) }
    /// The tag of the entry that cancels this one.
    @inline(__always) var canceling: EntryTag { EntryTag(byte: byte | Self.signBit) }
}

/// The key of an entry: the term, a zero byte, the tag.
///
/// Terms have no zero byte, so the entries of a term are neighbours, and the term's next bytes decide whether a longer term
/// comes after all of them.
///
/// Safe throughout: targets have room for `longest` bytes, terms at most `TextTerm.longest`; reads stay below `count`.
enum EntryKey {
    /// The maximum length in bytes.
    static let longest = TextTerm.longest + 2

    /// Writes the key of a term and returns its length. The target may hold the term already.
    @inline(__always)
    static func write(_ term: IndexKey, _ tag: EntryTag, to target: UnsafeMutableRawPointer) -> Int {
        assert(term.count > 0 && term.count <= TextTerm.longest, "a term of \(term.count) bytes")
        if UnsafeRawPointer(target) != term.start { target.copyMemory(from: term.start, byteCount: term.count) }
        target.storeBytes(of: 0, toByteOffset: term.count, as: UInt8.self)
        target.storeBytes(of: tag.byte, toByteOffset: term.count &+ 1, as: UInt8.self)
        return term.count &+ 2
    }

    /// The key of a term, for tests and messages.
    static func bytes(_ term: [UInt8], _ tag: EntryTag) -> [UInt8] { term + [0, tag.byte] }

    /// The length of the key's term and the tag; nil if the bytes are no key of an entry.
    @inline(__always)
    static func parts(_ key: IndexKey) -> (termLength: Int, tag: EntryTag)? {
        let length = key.count &- 2
        guard length > 0, length <= TextTerm.longest, key.start.load(fromByteOffset: length, as: UInt8.self) == 0 else { return nil }
        return (length, EntryTag(byte: key.start.load(fromByteOffset: length &+ 1, as: UInt8.self)))
    }

    /// Whether a term has a byte that no term has.
    static func hasZero(_ term: IndexKey) -> Bool {
        for place in 0..<term.count where term.start.load(fromByteOffset: place, as: UInt8.self) == 0 { return true }
        return false
    }
}
