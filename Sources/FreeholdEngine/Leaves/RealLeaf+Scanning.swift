import CShims

/// Operations on a whole leaf.
///
/// Safe throughout: the kernels get the rows and bitmap of a validated leaf and its count; results have the room their
/// description asks for.
extension RealLeaf {
    struct Summary {
        /// The sum of the rows that are not null; added in eight lanes, in the same order on every processor.
        var sum: Double
        /// The minimum of the rows that are numbers; minimum is +infinity and maximum -infinity if there are none.
        var minimum: Double
        var maximum: Double
    }

    private var nullWords: UnsafePointer<UInt64>? {
        head.hasNulls ? nulls.assumingMemoryBound(to: UInt64.self) : nil
    }

    /// Sum, minimum and maximum in one pass.
    func summary() -> Summary {
        let found = isDouble ? freehold_kernel_summary_double(rows, nullWords, count)
            : freehold_kernel_summary_float(rows, nullWords, count)
        return Summary(sum: found.sum, minimum: found.minimum, maximum: found.maximum)
    }

    /// The exact minimum and maximum; nil if there is no number.
    func bounds() -> ClosedRange<Double>? {
        guard hasLooseBounds else { return zone }
        let found = summary()
        return found.minimum <= found.maximum ? found.minimum...found.maximum : nil
    }

    /// Sets the bits of the rows that lie in `range`, clears all others, in `Bitmap.words(count)` words. Null rows and
    /// NaN never match.
    func select(_ range: ClosedRange<Double>, into matches: UnsafeMutablePointer<UInt64>) {
        let words = Bitmap.words(count)
        guard let zone, zone.overlaps(range) else { return matches.update(repeating: 0, count: words) }
        if isDouble {
            freehold_kernel_select_double(rows, count, range.lowerBound, range.upperBound, matches)
        } else {
            let (low, high) = floats(inside: range)
            freehold_kernel_select_float(rows, count, low, high, matches)
        }
        if let nullWords {
            for word in 0..<words { matches[word] &= ~nullWords[word] }
        }
    }

    /// The floats nearest to the bounds of `range` that still lie in it; low > high if there is none.
    private func floats(inside range: ClosedRange<Double>) -> (low: Float, high: Float) {
        let low = Float(range.lowerBound)
        let high = Float(range.upperBound)
        return (Double(low) < range.lowerBound ? low.nextUp : low, Double(high) > range.upperBound ? high.nextDown : high)
    }
}
