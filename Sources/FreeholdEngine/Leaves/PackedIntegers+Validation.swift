/// Safe throughout: the header is read only when `bytes` holds it, the rest after the length was checked.
extension PackedIntegers {
    /// The length of the integers at the front of `bytes`, which come from a file; nil if they are invalid. Afterwards
    /// no accessor can read outside them for a row below the count.
    static func validatedLength(_ bytes: UnsafeRawBufferPointer) -> Int? {
        guard bytes.count >= headerLength, let start = bytes.baseAddress else { return nil }
        let head = LeafHead(start)
        guard head.isPlausible(allowing: [.hasNulls, .looseBounds]) else { return nil }
        let width = Int(head.shape)
        guard width <= 64, width & (width - 1) == 0 else { return nil }
        let minimum: Int64 = start.little(minimumOffset)
        let maximum: Int64 = start.little(maximumOffset)
        guard minimum <= maximum, width >= Self.width(of: minimum, maximum) else { return nil }
        let length = headerLength + head.nullBytes + dataBytes(head.count, width: width)
        return length <= bytes.count ? length : nil
    }

    /// Whether exactly `length` bytes at `start` are packed integers.
    static func validate(_ start: UnsafeRawPointer, length: Int) -> Bool {
        validatedLength(UnsafeRawBufferPointer(start: start, count: length)) == length
    }

    /// The first violation of the layout in validated integers, for the checker; nil if none.
    func problem() -> String? {
        if head.hasNulls {
            if !Bitmap.hasCleanTail(nulls, rows: count) { return "null bits are set past the last row" }
            if Bitmap.population(nulls, rows: count) != nullCount { return "the null count is not the number of null bits" }
        }
        let used = count * width
        if used & 63 != 0, words.little((used >> 6) * 8, as: UInt64.self) & ~Bitmap.lastWordMask(used) != 0 {
            return "bits are set past the last row"
        }
        return rowProblem()
    }

    private func rowProblem() -> String? {
        var low = Int64.max
        var high = Int64.min
        for row in 0..<count {
            let value = self[row]
            if isNull(row) {
                if value != base { return "the field of null row \(row) is not 0" }
            } else {
                low = min(low, value)
                high = max(high, value)
            }
        }
        guard let zone else { return nil }
        if low < zone.lowerBound || high > zone.upperBound { return "a value lies outside the zone map" }
        if !hasLooseBounds && (low != zone.lowerBound || high != zone.upperBound) { return "the zone map is not tight" }
        return nil
    }
}
