/// The values of the objects in one column, position by position, in sortable form.
///
/// 1. Positions have ranks as soon as one differs from `SortRank.value`, a high word unless the column has only texts,
///    a low word if the type is wide, and a text if there are texts.
/// 2. Texts stay where they were read, or are copied to memory of this column if their block's memory may be released.
///
/// Safe throughout: rows are read below their leaf's count, which was compared with the cluster's; rows of words have as many elements
/// as positions were appended.
final class SortColumn {
    let index: Int
    let type: PropertyType
    /// Whether the column holds links to follow.
    let isLink: Bool
    let isObjectKey: Bool
    
    let initial: Value
    /// Whether blocks' memory may be released while others are read.
    let copiesTexts: Bool
    var count = 0
    // Safe (all exclusivity below): one thread uses a column, and nothing here re-enters it.
    @exclusivity(unchecked) var ranks: RowArray<UInt8>
    @exclusivity(unchecked) var hasRanks = false
    @exclusivity(unchecked) var highs: RowArray<UInt64>
    @exclusivity(unchecked) var lows: RowArray<UInt64>
    @exclusivity(unchecked) var texts: RowArray<SortText>
    /// The text of each position by number; as many as positions once there are codes.
    @exclusivity(unchecked) var places: RowArray<Int>
    @exclusivity(unchecked) var hasCodes = false
    @exclusivity(unchecked) var placesOfCodes: [Int] = []
    @exclusivity(unchecked) var rankWords: RowArray<UInt64>
    private let arena = IndexArena()

    init(_ column: Column, of table: Table, count: Int) {
        let property = table.state.stored.properties[column.index]
        index = column.index
        type = property.type
        isLink = property.type == .link
        isObjectKey = property.isObjectKey
        initial = property.defaultValue
        copiesTexts = table.state.access.shadow != nil
        let hasTexts = [.string, .mixed].contains(type)
        highs = RowArray(capacity: type == .string ? 16 : count)
        lows = RowArray(capacity: SortCode.isWide(type) ? count : 16)
        texts = RowArray(capacity: hasTexts ? count : 16)
        ranks = RowArray(capacity: 16)
        rankWords = RowArray(capacity: 16)
        places = RowArray(capacity: 16)
    }

    /// The key that a position links to; nil if the link, or an earlier one, is null.
    func link(_ position: Int) -> Int64? {
        if hasRanks && ranks[position] != SortRank.value { return nil }
        return Int64(bitPattern: highs[position])
    }

    // MARK: appending

    @inline(__always)
    func note(_ rank: UInt8) {
        if hasRanks { ranks.append(rank) } else if rank != SortRank.value { begin(rank) }
        count &+= 1
    }

    /// The first rank that differs from all before.
    func begin(_ rank: UInt8) {
        hasRanks = true
        ranks.extend(by: count).update(repeating: SortRank.value, count: count)
        ranks.append(rank)
    }

    @inline(__always)
    func append(_ rank: UInt8, _ code: SortCode) {
        if type != .string { highs.append(code.high) }
        if SortCode.isWide(type) { lows.append(code.low) }
        note(rank)
    }

    func append(text: UnsafeRawBufferPointer) {
        if hasCodes { places.append(texts.count) }
        texts.append(kept(text, copied: copiesTexts))
    }

    func kept(_ text: UnsafeRawBufferPointer, copied: Bool) -> SortText {
        // An address that is never read.
        guard let start = text.baseAddress else { return SortText(start: UnsafeRawPointer(bitPattern: 64)!, count: 0) }
        if !copied { return SortText(start: start, count: text.count) }
        let copy = arena.allocate(text.count)
        copy.copyMemory(from: start, byteCount: text.count)
        return SortText(start: copy, count: text.count)
    }

    /// Appends a position without a value: there is no object, or it has null.
    func appendNothing(_ rank: UInt8) {
        if type == .string || type == .mixed { append(text: UnsafeRawBufferPointer(start: nil, count: 0)) }
        append(rank, SortCode.zero)
    }

    /// Appends one object, in a cluster or the tail.
    func append(_ place: RowPlace, _ key: Int64, in state: TableState) throws(FreeholdError) {
        if isObjectKey { return append(SortRank.value, SortCode(key)) }
        switch type {
        case .string:
            if try state.isNull(place, index) { return appendNothing(SortRank.null) }
            try append(text: place, in: state)
        case .mixed: append(mixed: try state.value(place, index))
        default: append(try state.value(place, index))
        }
    }

    func append(text place: RowPlace, in state: TableState) throws(FreeholdError) {
        let text = try state.bytes(place, index)
        if hasCodes { places.append(texts.count) }
        // A value assembled from several blocks is valid only until the next such value.
        texts.append(kept(text, copied: copiesTexts || text.baseAddress == state.assembled.bytes.baseAddress))
        note(SortRank.value)
    }

    func append(_ value: Value) {
        switch value {
        case .bool(let flag): append(SortRank.value, SortCode(flag ? 1 : 0 as UInt64))
        case .int(let number): append(SortRank.value, SortCode(number))
        case .float(let number): append(SortRank.value, SortCode(number))
        case .double(let number): append(SortRank.value, SortCode(number))
        case .link(let key): append(SortRank.value, SortCode(UInt64(bitPattern: key.rawValue)))
        case .null: appendNothing(SortRank.null)
        case .string(var text):
            text.withUTF8 { append(copyOf: UnsafeRawBufferPointer($0)) }
            note(SortRank.value)
        default: append(SortRank.value, value.sortCode.code)
        }
    }

    func append(mixed value: Value) {
        switch value {
        case .string(var text): text.withUTF8 { append(copyOf: UnsafeRawBufferPointer($0)) }
        case .data(let bytes): bytes.withUnsafeBytes { append(copyOf: $0) }
        default: append(text: UnsafeRawBufferPointer(start: nil, count: 0))
        }
        let (rank, code) = value.sortCode
        append(rank, code)
    }

    func append(copyOf text: UnsafeRawBufferPointer) {
        if hasCodes { places.append(texts.count) }
        texts.append(kept(text, copied: true))
    }
}

/// The levels of a sort.
///
/// Safe throughout: as above; the words stay where they are once all rows are read, and are not appended to again.
extension SortColumn {
    /// The levels of a term that is sorted by this column, to which nothing is appended afterwards.
    func levels(descending: Bool) -> [Sorter.Level] {
        let flip: UInt64 = descending ? ~0 : 0
        var levels: [Sorter.Level] = []
        if hasCodes { rankTexts() }
        let hasHighs = type != .string || hasCodes
        if hasRanks, !(hasHighs && type != .mixed && mergeRanks()) {
            let words = rankWords.extend(by: count)
            for position in 0..<count { words[position] = UInt64(ranks[position]) ^ flip }
            levels.append(.words(UnsafePointer(words)))
        }
        if hasHighs {
            if descending { for position in 0..<count { highs.start[position] ^= flip } }
            levels.append(.words(UnsafePointer(highs.start)))
        }
        if SortCode.isWide(type) {
            if descending { for position in 0..<count { lows.start[position] ^= flip } }
            levels.append(.words(UnsafePointer(lows.start)))
        }
        if !hasCodes, type == .string || type == .mixed { levels.append(.texts(UnsafePointer(texts.start), isDescending: descending)) }
        return levels
    }

    /// Puts sort keys in the place of strings, before the levels are made; each code's string has one.
    func collate(by collation: LanguageOrder) {
        for place in 0..<texts.count {
            if type == .mixed, !hasRanks || ranks[place] != SortRank.string { continue }
            let text = UnsafeRawBufferPointer(start: texts[place].start, count: texts[place].count)
            var room = LanguageOrder.room(for: text.count), key = arena.allocate(room)
            let length = collation.writeKey(of: text, to: UnsafeMutableRawBufferPointer(start: key, count: room))
            if length >= room {
                arena.giveBack(room)
                room = length + 1
                key = arena.allocate(room)
                _ = collation.writeKey(of: text, to: UnsafeMutableRawBufferPointer(start: key, count: room))
            }
            arena.giveBack(room - length)
            texts[place] = SortText(start: key, count: length)
        }
    }

    /// Encodes ranks in the words if there is room: null before all values, missing objects after them. False if there
    /// is no room.
    private func mergeRanks() -> Bool {
        var least = UInt64.max, greatest: UInt64 = 0
        for position in 0..<count where ranks[position] == SortRank.value {
            least = min(least, highs[position])
            greatest = max(greatest, highs[position])
        }
        if least > greatest { least = greatest }
        if greatest - least > UInt64.max - 2 { return false }
        for position in 0..<count {
            switch ranks[position] {
            case SortRank.null: highs[position] = 0
            case SortRank.missing: highs[position] = .max
            default: highs[position] = highs[position] - least + 1
            }
        }
        return true
    }

    /// Orders the texts, each code's once, and creates words from their positions in that order.
    private func rankTexts() {
        let order = Sorter(count: texts.count, limit: .max)
        order.refine(by: [.texts(UnsafePointer(texts.start), isDescending: false)])
        var repeats = [Bool](repeating: false, count: texts.count)
        for tie in order.ties { for place in tie.dropFirst() { repeats[place] = true } }
        var wordOf = [UInt64](repeating: 0, count: texts.count), word: UInt64 = 0
        for place in 0..<texts.count {
            if !repeats[place] { word += 1 }
            wordOf[order[place]] = word
        }
        for position in 0..<count { highs.append(wordOf[places[position]]) }
    }
}
