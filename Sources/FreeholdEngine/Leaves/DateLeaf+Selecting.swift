/// Selects the rows between two points in time.
///
/// Safe throughout: bitmaps of as many words as the rows need.
extension DateLeaf {
    /// Sets the bits of the rows that lie in `range`, clears all others, in `Bitmap.words(count)` words. Null rows
    /// never match.
    func select(_ range: ClosedRange<Timestamp>, into matches: UnsafeMutablePointer<UInt64>) {
        let low = range.lowerBound, high = range.upperBound
        seconds.select(low.seconds...high.seconds, into: matches)
        guard let zone = seconds.zone, let parts = nanoseconds.zone else { return }
        // Rows of the first and of the last second may lie outside.
        if zone.contains(low.seconds), Int64(low.nanoseconds) > parts.lowerBound {
            drop(second: low.seconds, Int64.min...Int64(low.nanoseconds) - 1, from: matches)
        }
        if zone.contains(high.seconds), Int64(high.nanoseconds) < parts.upperBound {
            drop(second: high.seconds, Int64(high.nanoseconds) + 1...Int64.max, from: matches)
        }
    }

    /// Clears the bits of rows of a second whose nanoseconds lie in `range`.
    private func drop(second: Int64, _ range: ClosedRange<Int64>, from matches: UnsafeMutablePointer<UInt64>) {
        let words = Bitmap.words(count)
        if words == 0 { return }
        withUnsafeTemporaryAllocation(of: UInt64.self, capacity: 2 * words) { room in
            guard let ofSecond = room.baseAddress else { return }
            let inRange = ofSecond + words
            seconds.select(second...second, into: ofSecond)
            nanoseconds.select(range, into: inRange)
            for word in 0..<words { matches[word] &= ~(ofSecond[word] & inRange[word]) }
        }
    }
}
