/// What of a term tells quickly that it is far from another: how many characters it has, and which.
///
/// An edit changes the number of characters by at most one, and takes at most one character out of the set and puts one
/// into it. So terms whose numbers, or whose sets, differ by more than some edits are farther apart.
struct LetterSet {
    private let count: Int
    /// The characters modulo 64. Characters that share a bit make sets more alike, never less.
    private let bits: UInt64

    init(_ bytes: UnsafeRawBufferPointer) {
        var count = 0, bits: UInt64 = 0
        for scalar in String(decoding: bytes, as: UTF8.self).unicodeScalars {
            count += 1
            bits |= 1 << UInt64(scalar.value & 63)
        }
        (self.count, self.bits) = (count, bits)
    }

    /// Whether terms with these characters may be at most so many edits apart.
    func mayBe(within distance: Int, of other: LetterSet) -> Bool {
        abs(count - other.count) <= distance && (bits & ~other.bits).nonzeroBitCount <= distance
            && (other.bits & ~bits).nonzeroBitCount <= distance
    }
}
