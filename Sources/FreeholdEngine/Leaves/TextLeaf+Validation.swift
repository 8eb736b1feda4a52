/// Safe throughout: the header is read only when `bytes` holds it, bitmaps and table after their lengths were checked,
/// external entries after the offsets were.
extension TextLeaf {
    /// The length of the leaf at the front of `bytes`, which come from a file and belong to a block with that many
    /// references; nil if there is no valid leaf. Afterwards no accessor can read outside it for a row below the count,
    /// and every external row names one of the references.
    static func validatedLength(_ bytes: UnsafeRawBufferPointer, references: Int = 0) -> Int? {
        guard bytes.count >= codesOffset, let start = bytes.baseAddress else { return nil }
        let head = LeafHead(start)
        guard let form = Form(rawValue: head.shape) else { return nil }
        if form == .codes { return validatedCodes(bytes, head) }
        guard head.isPlausible(allowing: [.hasNulls, .isText, .hasExternal]), bytes.count >= headerLength else { return nil }
        let bitmaps = head.nullBytes + (head.flags.contains(.hasExternal) ? Bitmap.byteCount(head.count) : 0)
        let blobOffset = headerLength + bitmaps + tableBytes(head.count, form: head.shape)
        let blobLength = Int(start.little(blobLengthOffset, as: UInt32.self))
        guard blobLength <= Int(UInt16.max), blobOffset + blobLength <= bytes.count else { return nil }
        let leaf = TextLeaf(start)
        let isGapless = form == .short ? leaf.hasGaplessGroups(blobLength) : leaf.hasRisingEnds(blobLength)
        guard isGapless, !leaf.hasExternal || leaf.hasGoodExternals(references) else { return nil }
        return blobOffset + blobLength
    }

    static func validate(_ start: UnsafeRawPointer, length: Int, references: Int = 0) -> Bool {
        validatedLength(UnsafeRawBufferPointer(start: start, count: length), references: references) == length
    }

    private static func validatedCodes(_ bytes: UnsafeRawBufferPointer, _ head: LeafHead) -> Int? {
        let rest = UnsafeRawBufferPointer(rebasing: bytes[codesOffset...])
        guard head.isPlausible(allowing: .isText), let length = PackedIntegers.validatedLength(rest),
              let codes = rest.baseAddress, PackedIntegers(codes).count == head.count else { return nil }
        return codesOffset + length
    }

    private func hasGaplessGroups(_ blobLength: Int) -> Bool {
        var offset = 0
        for first in stride(from: 0, to: count, by: Self.groupRows) {
            let group = table + first / Self.groupRows * Self.groupBytes
            if Int(group.little(0, as: UInt16.self)) != offset { return false }
            for row in 0..<Self.groupRows {
                let length = Int(group.little(2 + row, as: UInt8.self))
                if first + row >= count && length != 0 { return false }
                offset += length
            }
        }
        return offset == blobLength
    }

    private func hasRisingEnds(_ blobLength: Int) -> Bool {
        var offset = 0
        for row in 0..<count {
            let end = Int(table.little(row * 2, as: UInt16.self))
            if end < offset { return false }
            offset = end
        }
        return offset == blobLength
    }

    private func hasGoodExternals(_ references: Int) -> Bool {
        for row in 0..<count where isExternal(row) {
            if extent(row).length != Self.externalEntryLength || external(row).reference >= references { return false }
        }
        return true
    }

    /// The first violation of the layout in a validated leaf, for the checker; nil if none.
    func problem() -> String? {
        if isCodes {
            if let problem = codes.problem() { return "codes: \(problem)" }
            if let zone = codes.zone, zone.lowerBound < 0 { return "a dictionary position is negative" }
            return nil
        }
        if hasNulls {
            if !Bitmap.hasCleanTail(nulls, rows: count) { return "null bits are set past the last row" }
            if Bitmap.population(nulls, rows: count) != nullCount { return "the null count is not the number of null bits" }
        }
        if hasExternal && !Bitmap.hasCleanTail(start + (Self.headerLength + head.nullBytes), rows: count) {
            return "external bits are set past the last row"
        }
        for row in 0..<count {
            if isNull(row) && !self[row].isEmpty { return "null row \(row) has bytes" }
            if isText && !isExternal(row) && String(validating: self[row], as: UTF8.self) == nil {
                return "row \(row) is not UTF-8"
            }
        }
        return nil
    }
}
