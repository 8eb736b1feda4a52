import CShims

/// Operations on a whole leaf; a leaf of 256 rows takes about 10 to 30 ns.
///
/// Safe throughout: the kernels get the words and bitmap of a validated leaf and its count; results have the room their
/// description asks for.
extension PackedIntegers {
    private var nullWords: UnsafePointer<UInt64>? {
        head.hasNulls ? nulls.assumingMemoryBound(to: UInt64.self) : nil
    }

    /// Writes all rows as integers to `count` elements; null rows get some value within the bounds.
    func decode(into values: UnsafeMutablePointer<Int64>) {
        freehold_kernel_unpack(words, count, UInt32(width), base, values)
    }

    /// The exact sum of the rows that are not null.
    func sum() -> Int128 {
        let fields = freehold_kernel_sum(words, count, UInt32(width))
        let total = Int128(fields.high) << 64 | Int128(fields.low)
        return total + Int128(base) * Int128(count - nullCount)
    }

    /// The exact minimum and maximum; nil if every row is null.
    func bounds() -> ClosedRange<Int64>? {
        guard zone != nil, hasLooseBounds, width > 0 else { return zone }
        let fields = freehold_kernel_bounds(words, nullWords, count, UInt32(width))
        if fields.minimum > fields.maximum { return nil }
        return value(ofBound: fields.minimum)...value(ofBound: fields.maximum)
    }

    /// The number of rows in `range`; null rows never match.
    func count(in range: ClosedRange<Int64>) -> Int {
        guard let zone, zone.overlaps(range) else { return 0 }
        if range.lowerBound <= zone.lowerBound && zone.upperBound <= range.upperBound { return count - nullCount }
        let (low, span) = fields(of: range)
        let matches = freehold_kernel_count_range(words, count, UInt32(width), low, span)
        // Null rows hold the field 0; either all of them matched or none.
        return 0 &- low <= span ? max(matches - nullCount, 0) : matches
    }

    /// Sets the bits of the rows that lie in `range`, clears all others, in `Bitmap.words(count)` words.
    func select(_ range: ClosedRange<Int64>, into matches: UnsafeMutablePointer<UInt64>) {
        let words = Bitmap.words(count)
        guard let zone, zone.overlaps(range) else { return matches.update(repeating: 0, count: words) }
        if range.lowerBound <= zone.lowerBound && zone.upperBound <= range.upperBound {
            matches.update(repeating: ~0, count: words)
            if words > 0 { matches[words - 1] &= Bitmap.lastWordMask(count) }
        } else {
            let (low, span) = fields(of: range)
            freehold_kernel_select_range(self.words, count, UInt32(width), low, span, matches)
        }
        if let nullWords {
            for word in 0..<words { matches[word] &= ~nullWords[word] }
        }
    }

    /// The part of `range` that fields can represent, as the lowest field and the distance to the highest. The range
    /// overlaps the zone map but does not contain it, so the width is not 0.
    private func fields(of range: ClosedRange<Int64>) -> (low: UInt64, span: UInt64) {
        if width == 64 {
            return (UInt64(bitPattern: range.lowerBound), UInt64(bitPattern: range.upperBound &- range.lowerBound))
        }
        let low = UInt64(bitPattern: max(range.lowerBound, base) &- base)
        let high = min(UInt64(bitPattern: range.upperBound &- base), mask)
        return (low, high - low)
    }

    /// The value of a bound: bounds of 64-bit fields have the sign bit flipped, others are differences to the base.
    private func value(ofBound bound: UInt64) -> Int64 {
        width == 64 ? Int64(bitPattern: bound ^ 1 << 63) : base &+ Int64(bitPattern: bound)
    }
}
