import CShims

/// Selects the rows between two ids, in byte order; for UUIDs and ObjectIds, not for decimal numbers.
///
/// Safe throughout: the kernel gets the rows of a validated leaf, its count and width, and bounds of that width.
extension FixedLeaf {
    /// Sets the bits of the rows between two UUIDs, both inclusive, clears all others, in `Bitmap.words(count)` words.
    /// Null rows never match; no row matches if the first UUID is after the second.
    func select(_ low: UniqueIdentifier, _ high: UniqueIdentifier, into matches: UnsafeMutablePointer<UInt64>) {
        guard (low.high, low.low) <= (high.high, high.low) else { return clear(matches) }
        var bounds = (low.high.bigEndian, low.low.bigEndian, high.high.bigEndian, high.low.bigEndian)
        withUnsafeBytes(of: &bounds) { select($0, into: matches) }
    }

    /// Sets the bits of the rows between two ObjectIds, under the same rules as for UUIDs.
    func select(_ low: ObjectIdentifier12, _ high: ObjectIdentifier12, into matches: UnsafeMutablePointer<UInt64>) {
        guard (low.high, low.low) <= (high.high, high.low) else { return clear(matches) }
        var bounds = (low.high.bigEndian, UInt64(low.low.bigEndian), high.high.bigEndian, UInt64(high.low.bigEndian))
        withUnsafeBytes(of: &bounds) { select($0, into: matches) }
    }

    /// - Parameter bounds: both bounds, the second one from byte 16 on.
    private func select(_ bounds: UnsafeRawBufferPointer, into matches: UnsafeMutablePointer<UInt64>) {
        guard count > 0, let low = bounds.baseAddress?.assumingMemoryBound(to: UInt8.self) else { return }
        freehold_kernel_select_ids(rows, count, UInt32(width), low, low + 16, matches)
        guard head.hasNulls else { return }
        for word in 0..<Bitmap.words(count) { matches[word] &= ~nulls.little(word << 3, as: UInt64.self) }
    }

    private func clear(_ matches: UnsafeMutablePointer<UInt64>) { matches.update(repeating: 0, count: Bitmap.words(count)) }
}
