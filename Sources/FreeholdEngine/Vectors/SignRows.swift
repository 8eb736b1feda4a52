import CShims

/// The sign bits of the rotated vectors of neighbouring object keys, as the key of one entry of the tree.
///
/// ```
/// object key / keys per group, rounded down: sign bit flipped, big-endian u64 | which keys have a vector: u64, little-endian |
/// for each of these a row: sign i at bit i mod 64 of word i / 64, little-endian
/// ```
/// A group without a vector is not written.
struct SignRows: Equatable {
    let shape: SignShape
    /// The object keys, divided by the keys of a group and rounded down.
    let group: Int64
    private(set) var present: UInt64 = 0
    /// The rows of the keys that are present, one after the other.
    private(set) var words: [UInt64] = []

    init(_ shape: SignShape, group: Int64) {
        self.shape = shape
        self.group = group
    }

    /// Sets the row of an object, or removes it.
    mutating func set(_ object: Int64, _ row: [UInt64]?) {
        let bit = UInt64(1) << UInt64(shape.place(of: object)), at = (present & (bit - 1)).nonzeroBitCount * shape.words
        if present & bit != 0 { words.removeSubrange(at..<at + shape.words) }
        present &= ~bit
        guard let row else { return }
        precondition(row.count == shape.words, "a row of the shape")
        words.insert(contentsOf: row, at: at)
        present |= bit
    }

    /// The object keys, ascending, with the place of the row of each in `words`.
    func forEach(_ body: (_ object: Int64, _ row: ArraySlice<UInt64>) throws(FreeholdError) -> Void) throws(FreeholdError) {
        var left = present, at = 0
        while left != 0 {
            try body(shape.object(group, left.trailingZeroBitCount), words[at..<at + shape.words])
            at += shape.words
            left &= left - 1
        }
    }

    /// The key of the group; nil if it has no vector.
    var key: [UInt8]? {
        if present == 0 { return nil }
        var key = SignShape.prefix(group)
        for word in [present] + words { for byte in 0..<8 { key.append(UInt8(truncatingIfNeeded: word >> UInt64(byte * 8))) } }
        return key
    }

    /// Reads a key; nil if it is none that would be written.
    init?(_ shape: SignShape, key: [UInt8]) {
        guard key.count >= SignShape.headBytes + 8, key.count % 8 == 0 else { return nil }
        let number = key[..<8].reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        var words = stride(from: 8, to: key.count, by: 8).map { at in
            (0..<8).reduce(UInt64(0)) { $0 | UInt64(key[at + $1]) << UInt64($1 * 8) }
        }
        group = Int64(bitPattern: number ^ 1 << 63)
        present = words.removeFirst()
        self.words = words
        self.shape = shape
        guard shape.isValid(group, present), words.count == present.nonzeroBitCount * shape.words else { return nil }
    }
}

/// How many bits a vector has, and how many object keys one entry.
struct SignShape: Equatable {
    let dimensions: Int
    /// The words of 64 bits of one vector: a bit for each dimension, rounded up.
    let words: Int
    /// The keys of a group are 2 to this power: as many, at most 64, as 4 KiB hold.
    private let shift: Int64

    static let headBytes = 16
    private static let longestKey = 4096

    init(dimensions: Int) {
        self.dimensions = dimensions
        words = (dimensions + 63) / 64
        var shift: Int64 = 6
        while shift > 0, Self.headBytes + words << (3 + Int(shift)) > Self.longestKey { shift -= 1 }
        self.shift = shift
    }

    func group(of object: Int64) -> Int64 { object >> shift }
    func place(of object: Int64) -> Int { Int(object & (1 << shift - 1)) }
    func object(_ group: Int64, _ place: Int) -> Int64 { group << shift | Int64(place) }

    /// The bits of one vector.
    var bits: Int { words * 64 }
    /// The object keys of one group.
    var groupSize: Int { 1 << Int(shift) }

    /// Whether a group and its keys are some that objects may have.
    func isValid(_ group: Int64, _ present: UInt64) -> Bool {
        group >= Int64.min >> shift && group <= Int64.max >> shift && present != 0 && (shift == 6 || present >> (1 << UInt64(shift)) == 0)
    }

    /// The group of a key of `length` bytes and which of its keys are present, by the first 16 bytes; nil if the rows cannot
    /// follow that belong to them.
    ///
    /// Safe: the caller has 16 bytes.
    @inline(__always)
    func head(_ bytes: UnsafeRawPointer, length: Int) -> (group: Int64, present: UInt64)? {
        let number = UInt64(bigEndian: bytes.loadUnaligned(as: UInt64.self))
        let present = UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: 8, as: UInt64.self))
        let group = Int64(bitPattern: number ^ 1 << 63)
        guard isValid(group, present), length == Self.headBytes + present.nonzeroBitCount * words * 8 else { return nil }
        return (group, present)
    }

    /// What the keys of all entries of a group begin with, as a big-endian number.
    static func number(_ group: Int64) -> UInt64 { UInt64(bitPattern: group) ^ 1 << 63 }

    static func prefix(_ group: Int64) -> [UInt8] { (0..<8).map { UInt8(truncatingIfNeeded: number(group) >> UInt64(56 - 8 * $0)) } }

    /// The signs of a stored vector, of numbers of `width` bytes, after the rotation; and the sum of the squares of its numbers.
    ///
    /// The signs of two vectors differ in a part of the bits that estimates the angle between them, whatever the vectors are: for
    /// vectors with many zeros, without negative numbers or with few dimensions the signs of the numbers themselves tell nothing.
    func row(_ bytes: UnsafeRawBufferPointer, width: Int) -> (signs: [UInt64], squares: Float) {
        precondition(bytes.count == dimensions * width, "a vector of the shape")
        var signs = [UInt64](repeating: 0, count: words)
        // Safe: the vector has as many numbers, and there is room for as many floats as signs.
        let squares = withUnsafeTemporaryAllocation(of: Float.self, capacity: bits) { room in
            freehold_kernel_signs(bytes.baseAddress, UInt32(width), dimensions, room.baseAddress, &signs)
        }
        return (signs, squares)
    }
}
