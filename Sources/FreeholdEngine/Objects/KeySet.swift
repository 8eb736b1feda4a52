/// Object keys that links are compared with: a bitmap over their span, if the span is not much larger than their
/// number.
final class KeySet {
    /// The keys, ascending.
    let keys: [Int64]
    private let first: Int64
    private let bits: [UInt64]

    /// - Parameter found: the keys, ascending.
    init(_ found: [ObjectKey]) {
        var ascending = found.map(\.rawValue)
        // A damaged file may yield its objects out of order.
        if !zip(ascending, ascending.dropFirst()).allSatisfy(<=) { ascending.sort() }
        keys = ascending
        first = keys.first ?? 0
        let (span, isFar) = (keys.last ?? 0).subtractingReportingOverflow(first)
        guard !keys.isEmpty, !isFar, span / 64 <= 16 * keys.count + 1024 else {
            bits = []
            return
        }
        var bits = [UInt64](repeating: 0, count: Int(span) / 64 + 1)
        for key in keys { bits[Int(key - first) >> 6] |= 1 << UInt64((key - first) & 63) }
        self.bits = bits
    }

    func contains(_ key: ObjectKey) -> Bool {
        if bits.isEmpty {
            var low = 0, high = keys.count
            while low < high {
                let middle = (low + high) / 2
                if keys[middle] < key.rawValue { low = middle + 1 } else { high = middle }
            }
            return low < keys.count && keys[low] == key.rawValue
        }
        let (place, isFar) = key.rawValue.subtractingReportingOverflow(first)
        return !isFar && place >= 0 && place / 64 < bits.count && bits[Int(place / 64)] >> UInt64(place & 63) & 1 == 1
    }

    /// Sets the bits of the rows whose link leads to one of the keys, and clears all others.
    ///
    /// Safe: the bits are held while the leaf is read.
    func select(_ leaf: PackedIntegers, into matches: UnsafeMutablePointer<UInt64>) {
        if bits.isEmpty { return leaf.select(anyOf: keys, into: matches) }
        bits.withUnsafeBufferPointer { leaf.select(members: $0, from: first, into: matches) }
    }
}
