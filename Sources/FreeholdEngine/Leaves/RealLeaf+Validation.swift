/// Safe throughout: the header is read only when `bytes` holds it, the rest after the length was checked.
extension RealLeaf {
    /// The length of the leaf at the front of `bytes`, which come from a file; nil if there is no valid leaf.
    /// Afterwards no accessor can read outside it for a row below the count.
    static func validatedLength(_ bytes: UnsafeRawBufferPointer) -> Int? {
        guard bytes.count >= headerLength, let start = bytes.baseAddress else { return nil }
        let head = LeafHead(start)
        guard head.isPlausible(allowing: [.hasNulls, .looseBounds, .hasNotANumber]) else { return nil }
        guard head.shape == 4 || head.shape == 8 else { return nil }
        let minimum = Double(bitPattern: start.little(minimumOffset))
        let maximum = Double(bitPattern: start.little(maximumOffset))
        guard !minimum.isNaN, !maximum.isNaN else { return nil }
        let length = headerLength + head.nullBytes + dataBytes(head.count, width: Int(head.shape))
        return length <= bytes.count ? length : nil
    }

    static func validate(_ start: UnsafeRawPointer, length: Int) -> Bool {
        validatedLength(UnsafeRawBufferPointer(start: start, count: length)) == length
    }

    /// The first violation of the layout in a validated leaf, for the checker; nil if none.
    func problem() -> String? {
        if head.hasNulls {
            if !Bitmap.hasCleanTail(nulls, rows: count) { return "null bits are set past the last row" }
            if Bitmap.population(nulls, rows: count) != nullCount { return "the null count is not the number of null bits" }
        }
        if count * Int(head.shape) & 7 != 0, rows.little(count * 4, as: UInt32.self) != 0 {
            return "bytes are set past the last row"
        }
        return rowProblem()
    }

    private func rowProblem() -> String? {
        let found = summary()
        if found.minimum <= found.maximum {
            guard let zone, zone.contains(found.minimum), zone.contains(found.maximum) else {
                return "a number lies outside the zone map"
            }
            if !hasLooseBounds && (zone.lowerBound != found.minimum || zone.upperBound != found.maximum) {
                return "the zone map is not tight"
            }
        } else if !hasLooseBounds && zone != nil {
            return "the zone map is not tight"
        }
        for row in 0..<count {
            let value = self[row]
            if isNull(row) && !(value == 0 && value.sign == .plus) { return "null row \(row) does not hold 0" }
            if value.isNaN && !mayHaveNotANumber { return "row \(row) is not a number, and the head does not say so" }
        }
        return nil
    }
}
