/// An aggregate of every group: a count, a sum, a minimum or a maximum.
///
/// Safe throughout: each leaf was checked to have a row for each row of the cluster; group numbers are below the count
/// passed to `grow`.
final class GroupAggregate {
    private let kind: AggregateKind
    /// Nil if objects are counted, whatever they hold.
    private let column: Column?
    // Safe (all exclusivity below): one thread uses this, and nothing here re-enters it.
    @exclusivity(unchecked) private var parts: [Part] = []

    private struct Part {
        var count = 0
        var whole: Int128 = 0
        var real = 0.0
        var leastOrGreatest: Int64 = 0
        var extreme = Double.nan
    }

    /// Nil unless the path is a numeric property of the object itself.
    init?(_ kind: AggregateKind, _ path: BoundPath?) {
        self.kind = kind
        guard let path else {
            column = nil
            return
        }
        guard let own = path.column, !own.isCollection, !own.isObjectKey, [.int, .float, .double].contains(own.type) else { return nil }
        column = own
    }

    func grow(to count: Int) { while parts.count < count { parts.append(Part()) } }

    /// Adds rows to their groups.
    func add(_ cluster: ClusterView, _ rows: RowMask, in state: TableState, _ groups: UnsafeMutablePointer<Int>) throws(FreeholdError) {
        guard let column else {
            try rows.forEach { row in
                parts[groups[row]].count += 1
                return true
            }
            return
        }
        guard let body = try state.leaf(cluster, cluster.count - 1, column.index) else {
            let initial = state.stored.properties[column.index].defaultValue
            try rows.forEach { row in
                add(initial, to: groups[row])
                return true
            }
            return
        }
        if column.type == .int {
            let leaf = PackedIntegers(body)
            try rows.forEach { row in
                if !leaf.isNull(row) { add(leaf[row], to: &parts[groups[row]]) }
                return true
            }
        } else {
            let leaf = RealLeaf(body)
            try rows.forEach { row in
                if !leaf.isNull(row) { add(leaf[row], to: &parts[groups[row]]) }
                return true
            }
        }
    }

    /// Adds an object of the tail to a group.
    func add(_ row: Row, to group: Int) throws(FreeholdError) {
        guard let column else {
            parts[group].count += 1
            return
        }
        add(try row.value(column), to: group)
    }

    private func add(_ value: Value, to group: Int) {
        switch value {
        case .int(let number): add(number, to: &parts[group])
        case .float(let number): add(Double(number), to: &parts[group])
        case .double(let number): add(number, to: &parts[group])
        default: break
        }
    }

    @inline(__always)
    private func add(_ number: Int64, to part: inout Part) {
        switch kind {
        case .min: if part.count == 0 || number < part.leastOrGreatest { part.leastOrGreatest = number }
        case .max: if part.count == 0 || number > part.leastOrGreatest { part.leastOrGreatest = number }
        default: part.whole += Int128(number)
        }
        part.count += 1
    }

    @inline(__always)
    private func add(_ number: Double, to part: inout Part) {
        switch kind {
        // NaN is never the minimum or maximum.
        case .min: if !number.isNaN, !(part.extreme <= number) { part.extreme = number }
        case .max: if !number.isNaN, !(part.extreme >= number) { part.extreme = number }
        default: part.real += number
        }
        part.count += 1
    }

    /// The aggregate of all objects of a table, computed leaf by leaf.
    func ofAll(_ table: Table) throws(FreeholdError) -> Value {
        guard let column else { return .int(Int64(table.count)) }
        let summary = try table.summary(column, kind == .min || kind == .max ? .bounds : .sum)
        var part = Part(count: summary.count, whole: summary.integerSum, real: summary.realSum)
        if kind == .min || kind == .max {
            let isLeast = kind == .min
            part.extreme = summary.realBounds.map { isLeast ? $0.lowerBound : $0.upperBound } ?? .nan
            part.leastOrGreatest = summary.integerBounds.map { isLeast ? $0.lowerBound : $0.upperBound } ?? 0
            if column.type == .int { part.count = summary.integerBounds == nil ? 0 : 1 } else { part.count = 1 }
        }
        return value(part)
    }

    /// The aggregate of a group.
    func value(_ group: Int) -> Value { value(parts[group]) }

    private func value(_ part: Part) -> Value {
        guard let column, kind != .count else { return .int(Int64(part.count)) }
        let isReal = column.type != .int
        switch kind {
        case .min, .max:
            if part.count == 0 || isReal && part.extreme.isNaN { return .null }
            if !isReal { return .int(part.leastOrGreatest) }
            return column.type == .float ? .float(Float(part.extreme)) : .double(part.extreme)
        case .avg: return part.count == 0 ? .null : .double((part.real + Double(part.whole)) / Double(part.count))
        default:
            if isReal && part.count > 0 { return .double(part.real + Double(part.whole)) }
            return Int64(exactly: part.whole).map { .int($0) } ?? .double(Double(part.whole))
        }
    }
}
