/// A test of one property of the objects of a table, evaluated for a whole cluster at a time.
///
/// `comparison` is the equivalent comparison, for rows of the tail and whatever the fast path does not handle.
final class ColumnTest {
    enum Kind {
        /// The value is null.
        case null
        /// A bool, integer or link in one of these ascending ranges.
        case integers([ClosedRange<Int64>])
        case reals(ClosedRange<Double>)
        /// A bool, integer or link that is one of these ascending values.
        case members([Int64])
        case dates(ClosedRange<Timestamp>)
        case uuids(UniqueIdentifier, UniqueIdentifier)
        case objectIds(ObjectIdentifier12, ObjectIdentifier12)
        /// The object's key in one of these ascending ranges.
        case keys([ClosedRange<Int64>])
        /// A string or data that one of these matches.
        case texts([TextMatcher])
        /// A string or data between two others.
        case textRange(TextRange)
        /// A link to one of these objects.
        case links(KeySet)
    }

    let column: Column
    let kind: Kind
    let comparison: BoundComparison
    /// A bit for each string of a dictionary, set if the string matches; and for how many strings it is known.
    // Safe: a query is answered on one thread.
    @exclusivity(unchecked) private var answers: [UInt64] = []
    @exclusivity(unchecked) private var answered = 0
    private let space = UnsafeMutablePointer<UInt64>.allocate(capacity: 4)

    init(_ column: Column, _ kind: Kind, _ comparison: BoundComparison) {
        self.column = column
        self.kind = kind
        self.comparison = comparison
    }

    deinit { space.deallocate() }

    var cost: Int {
        switch kind {
        case .keys: 0
        case .null, .integers, .reals: 1
        case .dates, .members, .uuids, .objectIds: 2
        case .links: 3
        case .textRange: 8
        case .texts(let matchers): matchers.allSatisfy(\.isByBytes) ? 8 * matchers.count : 100
        }
    }
}

/// Safe throughout: each leaf was checked to have a row for each row of the cluster, at most 256, and `space` has a bit
/// for each.
extension ColumnTest {
    /// The candidates that match.
    @inline(__always)
    func select(_ cluster: ClusterView, _ candidates: RowMask, in state: TableState, _ context: QueryContext) throws(FreeholdError) -> RowMask {
        if case .keys(let ranges) = kind { return Self.keys(cluster, ranges) & candidates }
        let index = try state.index(of: column)
        guard let body = try state.leaf(cluster, cluster.count - 1, index) else {
            // All rows have the same value.
            guard let first = candidates.first else { return candidates }
            context.rows = [Row(state: state, place: .cluster(cluster, first), key: ObjectKey(cluster.key(first)))]
            return try comparison.holds(context) ? candidates : .none
        }
        if let tally = context.tally { tally.add(isToldByBounds(body)) }
        switch kind {
        case .null: return Self.nulls(body, state.stored.properties[index].storageType) & candidates
        case .integers(let ranges): return integers(PackedIntegers(body), ranges) & candidates
        case .reals(let range):
            RealLeaf(body).select(range, into: space)
            return taken(RealLeaf(body).count) & candidates
        case .dates(let range):
            DateLeaf(body).select(range, into: space)
            return taken(DateLeaf(body).count) & candidates
        case .members(let values):
            PackedIntegers(body).select(anyOf: values, into: space)
            return taken(LeafHead(body).count) & candidates
        case .uuids(let low, let high):
            FixedLeaf(body).select(low, high, into: space)
            return taken(FixedLeaf(body).count) & candidates
        case .objectIds(let low, let high):
            FixedLeaf(body).select(low, high, into: space)
            return taken(FixedLeaf(body).count) & candidates
        case .links(let set):
            set.select(PackedIntegers(body), into: space)
            return taken(LeafHead(body).count) & candidates
        case .texts(let matchers):
            return try texts(TextLeaf(body), matchers, cluster, index, candidates, in: state) { text in matchers.contains { $0.matches(text) } }
        case .textRange(let range): return try texts(TextLeaf(body), range, cluster, index, candidates, in: state)
        case .keys: return candidates
        }
    }

    /// Whether the leaf's min/max alone decide the test: no row matches, or all do.
    private func isToldByBounds(_ body: UnsafeRawPointer) -> Bool {
        switch kind {
        case .integers(let ranges):
            guard let zone = PackedIntegers(body).zone else { return true }
            return !ranges.contains { $0.overlaps(zone) } || ranges.contains { $0.contains(zone.lowerBound) && $0.contains(zone.upperBound) }
        case .members(let values):
            guard let zone = PackedIntegers(body).zone, let first = values.first, let last = values.last else { return true }
            return !zone.overlaps(first...last)
        case .reals(let range): return !(RealLeaf(body).zone.map { $0.overlaps(range) } ?? false)
        case .dates(let range): return !(DateLeaf(body).seconds.zone.map { $0.overlaps(range.lowerBound.seconds...range.upperBound.seconds) } ?? false)
        default: return false
        }
    }

    /// The mask of `count` rows that was written to `space`.
    @inline(__always)
    private func taken(_ count: Int) -> RowMask {
        var rows = RowMask.none
        for word in 0..<min(4, Bitmap.words(count)) { rows[word: word] = space[word] }
        return rows
    }

    @inline(__always)
    private func integers(_ leaf: PackedIntegers, _ ranges: [ClosedRange<Int64>]) -> RowMask {
        var rows = RowMask.none
        for range in ranges {
            leaf.select(range, into: space)
            rows |= taken(leaf.count)
        }
        return rows
    }

    private static func keys(_ cluster: ClusterView, _ ranges: [ClosedRange<Int64>]) -> RowMask {
        var rows = RowMask.none
        for range in ranges {
            let low = cluster.lowerBound(range.lowerBound)
            let high = range.upperBound == .max ? cluster.count : cluster.lowerBound(range.upperBound + 1)
            if low < high { rows |= .first(high) & ~.first(low) }
        }
        return rows
    }

    private static func nulls(_ body: UnsafeRawPointer, _ type: PropertyType) -> RowMask {
        var rows = RowMask.none
        let count = min(LeafHead(body).count, ClusterView.maximumRows)
        let leaf = AnyLeaf(body, type.leaf)
        for row in 0..<count where leaf.isNull(row) { rows.insert(row) }
        return rows
    }

    // MARK: texts

    private func texts(_ leaf: TextLeaf, _ matchers: [TextMatcher], _ cluster: ClusterView, _ column: Int, _ candidates: RowMask,
                       in state: TableState, matching: (UnsafeRawBufferPointer) -> Bool) throws(FreeholdError) -> RowMask {
        if leaf.isCodes { return try codes(leaf, column, candidates, in: state, matching: matching) }
        guard matchers.allSatisfy(\.isByBytes) else { return try oneByOne(leaf, cluster, column, candidates, in: state, matching: matching) }
        var found = RowMask.none, open = RowMask.none
        for matcher in matchers {
            select(matcher, leaf)
            found |= taken(leaf.count)
        }
        if leaf.selectExternal(into: space) { open |= taken(leaf.count) }
        if !matchers[0].options.isEmpty, leaf.selectBeyondASCII(into: space) { open |= taken(leaf.count) }
        return try found & candidates & ~open | oneByOne(leaf, cluster, column, candidates & open, in: state, matching: matching)
    }

    private func texts(_ leaf: TextLeaf, _ range: TextRange, _ cluster: ClusterView, _ column: Int, _ candidates: RowMask,
                       in state: TableState) throws(FreeholdError) -> RowMask {
        if leaf.isCodes { return try codes(leaf, column, candidates, in: state, matching: range.contains) }
        range.withBounds { low, high in leaf.select(from: low, to: high, into: space) }
        let found = taken(leaf.count) & candidates
        guard leaf.selectExternal(into: space) else { return found }
        let open = taken(leaf.count) & candidates
        return try found & ~open | oneByOne(leaf, cluster, column, open, in: state, matching: range.contains)
    }

    private func codes(_ leaf: TextLeaf, _ column: Int, _ candidates: RowMask, in state: TableState,
                       matching: (UnsafeRawBufferPointer) -> Bool) throws(FreeholdError) -> RowMask {
        try answerAll(column, in: state, matching: matching)
        answers.withUnsafeBufferPointer { leaf.codes.select(members: $0, into: space) }
        return taken(leaf.count) & candidates
    }

    private func oneByOne(_ leaf: TextLeaf, _ cluster: ClusterView, _ column: Int, _ candidates: RowMask, in state: TableState,
                          matching: (UnsafeRawBufferPointer) -> Bool) throws(FreeholdError) -> RowMask {
        var found = RowMask.none
        try candidates.forEach { row throws(FreeholdError) in
            if leaf.isNull(row) { return true }
            let text = leaf.isExternal(row) ? try state.text(cluster, row, column) : leaf[row]
            if matching(text) { found.insert(row) }
            return true
        }
        return found
    }

    private func select(_ matcher: TextMatcher, _ leaf: TextLeaf) {
        let letters: TextLeaf.Letters = matcher.options.isEmpty ? .exact : .folded
        matcher.needle.withUnsafeBytes { needle in
            switch matcher.relation {
            case .beginsWith: leaf.select(prefix: needle, letters, into: space)
            case .endsWith: leaf.select(suffix: needle, letters, into: space)
            case .contains: leaf.select(containing: needle, letters, into: space)
            default: leaf.select(equalTo: needle, letters, into: space)
            }
        }
    }

    /// Tests each string of the column's dictionary once.
    private func answerAll(_ column: Int, in state: TableState, matching: (UnsafeRawBufferPointer) -> Bool) throws(FreeholdError) {
        let dictionary = try state.dictionary(column)
        if dictionary.count == answered, !answers.isEmpty { return }
        answers = Array(repeating: 0, count: max(1, Bitmap.words(dictionary.count)))
        for code in 0..<dictionary.count where matching(try dictionary.bytes(Int64(code))) { answers[code >> 6] |= 1 << UInt64(code & 63) }
        answered = dictionary.count
    }
}

extension BoundCondition {
    /// The candidates in a cluster for which the condition is true.
    func select(_ cluster: ClusterView, _ candidates: RowMask, in state: TableState, _ context: QueryContext) throws(FreeholdError) -> RowMask {
        switch self {
        case .constant(let flag): return flag ? candidates : .none
        case .test(let test): return try test.select(cluster, candidates, in: state, context)
        case .not(let part): return candidates & ~(try part.select(cluster, candidates, in: state, context))
        case .all(let parts):
            var rows = candidates
            for part in parts {
                if rows.isEmpty { break }
                rows = try part.select(cluster, rows, in: state, context)
            }
            return rows
        case .any(let parts):
            var found = RowMask.none
            for part in parts {
                let left = candidates & ~found
                if left.isEmpty { break }
                found |= try part.select(cluster, left, in: state, context)
            }
            return found
        case .comparison, .search, .within:
            var found = RowMask.none
            context.tally?.objects += candidates.population
            try candidates.forEach { row throws(FreeholdError) in
                context.rows = [Row(state: state, place: .cluster(cluster, row), key: ObjectKey(cluster.key(row)))]
                if try holds(context) { found.insert(row) }
                return true
            }
            return found
        }
    }
}
