import CShims

/// A property by which the first objects are searched, cluster by cluster.
///
/// Safe throughout: leaves were checked to have a row for each of the cluster's, at most 256, and `space` has a bit for
/// each of these.
final class TopColumn {
    private let column: Column
    private let type: PropertyType
    private let flip: TopWord
    private let initial: TopWord
    /// The order of strings; nil for that of their bytes.
    private let collation: LanguageOrder?
    private let space = UnsafeMutablePointer<UInt64>.allocate(capacity: 4)
    /// The words of a dictionary's strings, by code.
    // Safe: one thread uses this, and nothing here re-enters it.
    @exclusivity(unchecked) private var words: [TopWord] = []

    /// Nil for a type without words.
    init?(_ term: CheckedTerm, of table: Table) {
        let property = table.state.stored.properties[term.column.index]
        guard term.links.isEmpty, [.bool, .int, .float, .double, .date, .string].contains(property.type) else { return nil }
        column = term.column
        collation = term.collation
        type = property.type
        space.initialize(repeating: 0, count: 4)
        flip = term.isAscending ? 0 : ~0
        switch property.defaultValue {
        case .null: initial = .null
        case .float, .double: initial = TopWord(real: 0)
        case .date(let date): initial = TopWord(seconds: date.seconds, nanoseconds: date.nanoseconds)
        case .string: initial = Self.word(of: UnsafeRawBufferPointer(start: nil, count: 0), term.collation)
        default: initial = TopWord(number: 0)
        }
    }

    deinit { space.deallocate() }

    var index: Int { column.isObjectKey ? -1 : column.index }
    /// Whether leaves give a bound for their first object.
    var hasBounds: Bool { type != .string }
    /// Whether objects with equal words are equal.
    func isExact(_ word: TopWord) -> Bool { type != .string || !(word ^ flip).isCutText }

    /// No row of the cluster has a smaller word than this.
    func bound(_ cluster: ClusterView, in state: TableState) throws(FreeholdError) -> TopWord {
        if column.isObjectKey { return TopWord(number: flip == 0 ? cluster.firstKey : cluster.key(cluster.count - 1)) ^ flip }
        guard let body = try state.leaf(cluster, cluster.count - 1, index) else { return initial ^ flip }
        switch type {
        case .bool, .int:
            let leaf = PackedIntegers(body)
            return bound(leaf.zone.map { TopWord(number: $0.lowerBound)...TopWord(number: $0.upperBound) }, hasNulls: leaf.head.hasNulls, hasOthers: false)
        case .float, .double:
            let leaf = RealLeaf(body)
            return bound(leaf.zone.map { TopWord(real: $0.lowerBound)...TopWord(real: $0.upperBound) }, hasNulls: leaf.head.hasNulls, hasOthers: leaf.mayHaveNotANumber)
        case .date:
            let leaf = PackedIntegers(body)
            let zone = leaf.zone.map { TopWord(seconds: $0.lowerBound, nanoseconds: 0)...TopWord(seconds: $0.upperBound, nanoseconds: 999_999_999) }
            return bound(zone, hasNulls: leaf.head.hasNulls, hasOthers: false)
        default: return 0
        }
    }

    private func bound(_ zone: ClosedRange<TopWord>?, hasNulls: Bool, hasOthers: Bool) -> TopWord {
        if flip == 0 { return hasNulls ? .null : hasOthers ? TopWord(real: .nan) : zone?.lowerBound ?? .null }
        return ~(zone?.upperBound ?? (hasOthers ? TopWord(real: .nan) : .null))
    }

    /// Selects the rows whose word may be at most the given one.
    func rows(_ cluster: ClusterView, upTo word: TopWord, in state: TableState) throws(FreeholdError) -> RowMask {
        let all = RowMask.first(cluster.count), last = word ^ flip
        guard index >= 0, !last.isNull, let body = try state.leaf(cluster, cluster.count - 1, index) else { return all }
        switch type {
        case .bool, .int:
            let leaf = PackedIntegers(body), value = OrderedKey.int(orderedBits: last.bits)
            if flip == 0, leaf.head.hasNulls { return all }
            leaf.select(flip == 0 ? .min ... value : value ... .max, into: space)
        case .float, .double:
            let leaf = RealLeaf(body), value = OrderedKey.double(orderedBits: last.bits)
            if value.isNaN || flip == 0 && (leaf.head.hasNulls || leaf.mayHaveNotANumber) { return all }
            leaf.select(flip == 0 ? -.infinity ... value : value ... .infinity, into: space)
        case .date:
            let leaf = PackedIntegers(body), value = OrderedKey.int(orderedBits: (last >> 32).bits)
            if flip == 0, leaf.head.hasNulls { return all }
            leaf.select(flip == 0 ? .min ... value : value ... .max, into: space)
        case .string:
            let leaf = TextLeaf(body)
            if collation != nil || leaf.isCodes || leaf.hasNulls && flip == 0 || leaf.hasExternal { return all }
            select(leaf, last.textBytes)
        default: return all
        }
        return RowMask(UnsafeRawPointer(space)) & all
    }

    /// Selects rows that begin with these bytes, padded with zeros, or come before (after, if descending).
    private func select(_ leaf: TextLeaf, _ bytes: [UInt8]) {
        var end = bytes
        if flip != 0 {
            while end.last == 0 { end.removeLast() }
        } else {
            while let last = end.popLast() {
                if last < 0xFF {
                    end.append(last + 1)
                    break
                }
            }
        }
        end.withUnsafeBytes { end in
            let bound = TextLeaf.Bound(bytes: end, isExcluded: flip == 0)
            leaf.select(from: flip == 0 ? nil : bound, to: flip == 0 && !end.isEmpty ? bound : nil, into: space)
        }
    }

    /// The word of a row.
    func word(_ cluster: ClusterView, _ row: Int, in state: TableState) throws(FreeholdError) -> TopWord {
        if column.isObjectKey { return TopWord(number: cluster.key(row)) ^ flip }
        guard let body = try state.leaf(cluster, row, index) else { return initial ^ flip }
        return try plainWord(body, cluster, row, in: state) ^ flip
    }

    private func plainWord(_ body: UnsafeRawPointer, _ cluster: ClusterView, _ row: Int, in state: TableState) throws(FreeholdError) -> TopWord {
        switch type {
        case .bool, .int:
            let leaf = PackedIntegers(body)
            return leaf.isNull(row) ? .null : TopWord(number: leaf[row])
        case .float, .double:
            let leaf = RealLeaf(body)
            return leaf.isNull(row) ? .null : TopWord(real: leaf[row])
        case .date:
            let leaf = DateLeaf(body)
            if leaf.isNull(row) { return .null }
            let date = leaf[row]
            return TopWord(seconds: date.seconds, nanoseconds: date.nanoseconds)
        default:
            let leaf = TextLeaf(body)
            if leaf.isNull(row) { return .null }
            if leaf.isCodes { return try word(ofCode: leaf.codes[row], in: state) }
            return Self.word(of: leaf.isExternal(row) ? try state.text(cluster, row, index) : leaf[row], collation)
        }
    }

    private func word(ofCode code: Int64, in state: TableState) throws(FreeholdError) -> TopWord {
        if code >= 0, code < words.count { return words[Int(code)] }
        let dictionary = try state.dictionary(index)
        while words.count < dictionary.count { words.append(Self.word(of: try dictionary.bytes(Int64(words.count)), collation)) }
        return code >= 0 && code < words.count ? words[Int(code)] : Self.word(of: try dictionary.bytes(code), collation)
    }

    private static func word(of text: UnsafeRawBufferPointer, _ collation: LanguageOrder?) -> TopWord {
        collation?.withKey(of: text) { TopWord(text: $0) } ?? TopWord(text: text)
    }
}
