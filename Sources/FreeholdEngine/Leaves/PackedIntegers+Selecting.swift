import CShims

/// Selects rows whose value is one of several. Null rows never match; all bits are set or cleared, in
/// `Bitmap.words(count)` words.
///
/// Safe throughout: the kernels get the words and bitmap of a validated leaf and its count, and a bit set of the stated
/// number of bits.
extension PackedIntegers {
    /// Selects rows whose value, usually a dictionary code, is in a bit set: value v is bit v % 64 of word v / 64.
    /// Values below 0 and past the end of the set are not in it.
    func select(members: UnsafeBufferPointer<UInt64>, into matches: UnsafeMutablePointer<UInt64>) {
        select(members: members, from: 0, into: matches)
    }

    /// Selects rows whose value is one of `values`, which ascend.
    func select(anyOf values: [Int64], into matches: UnsafeMutablePointer<UInt64>) {
        guard let zone, let first = values.first, let last = values.last, zone.overlaps(first...last) else { return clear(matches) }
        let low = max(first, zone.lowerBound), high = min(last, zone.upperBound)
        let start = Self.place(of: low, in: values), end = Self.place(behind: high, in: values)
        if end - start <= 1 { return end > start ? select(values[start]...values[start], into: matches) : clear(matches) }
        let (span, isFar) = high.subtractingReportingOverflow(low)
        if !isFar, span < Self.longestBitSet { return selectNear(values[start..<end], from: low, span: Int(span), into: matches) }
        clear(matches)
        let words = Bitmap.words(count)
        withUnsafeTemporaryAllocation(of: UInt64.self, capacity: max(words, 1)) { found in
            guard let found = found.baseAddress else { return }
            if end - start <= 8 {
                for value in values[start..<end] {
                    select(value...value, into: found)
                    for word in 0..<words { matches[word] |= found[word] }
                }
                return
            }
            for row in 0..<count where !isNull(row) {
                let value = self[row], place = Self.place(of: value, in: values)
                if place < values.count, values[place] == value { matches[row >> 6] |= 1 << UInt64(row & 63) }
            }
        }
    }

    /// The maximum number of bits of a set that is built for one leaf.
    private static let longestBitSet = 4096

    private func selectNear(_ values: ArraySlice<Int64>, from low: Int64, span: Int, into matches: UnsafeMutablePointer<UInt64>) {
        let words = span / 64 + 1
        withUnsafeTemporaryAllocation(of: UInt64.self, capacity: words) { members in
            members.initialize(repeating: 0)
            for value in values {
                let bit = Int(value - low)
                members[bit >> 6] |= 1 << UInt64(bit & 63)
            }
            select(members: UnsafeBufferPointer(members), from: low, into: matches)
        }
    }

    /// The set's first bit stands for the value `low`. Fields are compared with it as what they are counted from has them, wrapping.
    func select(members: UnsafeBufferPointer<UInt64>, from low: Int64, into matches: UnsafeMutablePointer<UInt64>) {
        guard count > 0 else { return }
        guard let first = members.baseAddress else { return clear(matches) }
        freehold_kernel_select_members(words, count, UInt32(width), UInt64(bitPattern: low &- base), first, UInt64(members.count) * 64, matches)
        guard head.hasNulls else { return }
        for word in 0..<Bitmap.words(count) { matches[word] &= ~nulls.little(word << 3, as: UInt64.self) }
    }

    private func clear(_ matches: UnsafeMutablePointer<UInt64>) { matches.update(repeating: 0, count: Bitmap.words(count)) }

    /// The position of the first value that is not less.
    private static func place(of value: Int64, in values: [Int64]) -> Int {
        var low = 0, high = values.count
        while low < high {
            let middle = (low + high) / 2
            if values[middle] < value { low = middle + 1 } else { high = middle }
        }
        return low
    }

    private static func place(behind value: Int64, in values: [Int64]) -> Int {
        value == .max ? values.count : place(of: value + 1, in: values)
    }
}
