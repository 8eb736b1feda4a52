/// Sums and extremes over a whole column, leaf by leaf.
extension Table {
    /// The sum of a numeric column; null is skipped. Integers are summed exactly; a sum that does not fit 64 bits
    /// throws `.valueTooLarge`.
    public func sum(_ column: Column) throws(FreeholdError) -> Value {
        let summary = try summary(column, .sum)
        if column.type == .float || column.type == .double { return .double(summary.realSum) }
        guard let sum = Int64(exactly: summary.integerSum) else {
            throw FreeholdError(.valueTooLarge, "the sum of '\(name(column))' does not fit 64 bits")
        }
        return .int(sum)
    }

    /// The mean of a numeric column; nil if all its values are null.
    public func average(_ column: Column) throws(FreeholdError) -> Double? {
        let summary = try summary(column, .sum)
        if summary.count == 0 { return nil }
        return (column.type == .float || column.type == .double ? summary.realSum : Double(summary.integerSum))
            / Double(summary.count)
    }

    /// The minimum of an indexed column of any type, from its index, or of a numeric column; nil if all its values are
    /// null (or NaN).
    public func minimum(_ column: Column) throws(FreeholdError) -> Value? {
        if try answersByIndex(column) { return try extreme(column, descending: false) }
        return try bound(column, \.integerBounds?.lowerBound, \.realBounds?.lowerBound)
    }

    /// The maximum of an indexed column of any type, from its index, or of a numeric column; nil if all its values are
    /// null (or NaN).
    public func maximum(_ column: Column) throws(FreeholdError) -> Value? {
        if try answersByIndex(column) { return try extreme(column, descending: true) }
        return try bound(column, \.integerBounds?.upperBound, \.realBounds?.upperBound)
    }

    private func answersByIndex(_ column: Column) throws(FreeholdError) -> Bool {
        let property = state.stored.properties[try own(column).index]
        return property.filesAll && property.type != .link
    }

    private func extreme(_ column: Column, descending: Bool) throws(FreeholdError) -> Value? {
        let lowest: Value = switch column.type {
        case .float: .float(.nan)
        case .double: .double(.nan)
        case .decimal: .decimal(.nan)
        default: .null
        }
        let key = try keys(column, in: ValueRange(from: .excluding(lowest)), descending: descending, limit: 1).first
        return try key.map { key throws(FreeholdError) in try value(key, column) }
    }

    private func bound(_ column: Column, _ integer: KeyPath<ColumnSummary, Int64?>,
                       _ real: KeyPath<ColumnSummary, Double?>) throws(FreeholdError) -> Value? {
        let summary = try summary(column, .bounds)
        switch column.type {
        case .float: return summary[keyPath: real].map { .float(Float($0)) }
        case .double: return summary[keyPath: real].map { .double($0) }
        default: return summary[keyPath: integer].map { .int($0) }
        }
    }

    /// Count, sum and bounds of a numeric column, in one pass.
    public func summary(_ column: Column) throws(FreeholdError) -> ColumnSummary { try summary(column, .all) }

    /// The parts of a summary: the bounds of whole leaves are known without reading the rows.
    enum SummaryPart { case sum, bounds, all }

    /// - Parameter threads: the number of threads; nil for as many as are worthwhile.
    func summary(_ column: Column, _ part: SummaryPart, threads: Int? = nil) throws(FreeholdError) -> ColumnSummary {
        let column = try own(column)
        guard !column.isCollection, [.int, .bool, .float, .double].contains(column.type) else {
            throw FreeholdError(.typeMismatch, "property '\(name(column))' is a \(column.isCollection ? "collection" : column.type.name); only numbers can be summed")
        }
        var summary = ColumnSummary()
        // Other classes' objects have null there.
        if let scope, !scope.hasAll(of: state.stored.properties[column.index]) { return try summaryInScope(column) }
        let threads = threads ?? (state.root.sealedCount >= Self.sharedFrom ? threadCount : 1)
        if threads > 1 {
            let parts = try shared(threads) { table, range throws(FreeholdError) in try table.summary(of: range, column, part) }
            for part in parts { summary.add(part) }
        } else {
            summary.add(try self.summary(of: .min ... .max, column, part))
        }
        try state.forEachTailRow { row throws(FreeholdError) in
            try include(Row(state: state, place: .tail(row), key: ObjectKey(row.key)), column, in: &summary)
        }
        return summary
    }

    /// The number of objects from which on other threads are worth waking.
    private static let sharedFrom = 1 << 18

    /// The summary of the sealed objects with keys of a range.
    private func summary(of keys: ClosedRange<Int64>, _ column: Column, _ part: SummaryPart) throws(FreeholdError) -> PartialSummary {
        var summary = PartialSummary()
        let lines = part == .bounds ? ClusterCursor.headOfLeaf : ClusterCursor.wholeLeaf
        try forEachCluster(keys, reading: column.index, lines: lines) { cluster, state throws(FreeholdError) in
            try include(cluster, of: state, column, part, in: &summary.rest)
            summary.takeSum()
            return true
        }
        return summary
    }

    private func summaryInScope(_ column: Column) throws(FreeholdError) -> ColumnSummary {
        var summary = ColumnSummary()
        try forEachRow(from: ObjectKey(.min)) { row throws(FreeholdError) in
            try include(row, column, in: &summary)
            return true
        }
        return summary
    }

    @inline(__always)
    private func include(
        _ cluster: ClusterView, of state: TableState, _ column: Column, _ part: SummaryPart, in summary: inout ColumnSummary
    ) throws(FreeholdError) {
        let isReal = column.type == .float || column.type == .double
        if cluster.isTombstoned || column.isObjectKey {
            for row in 0..<cluster.count where !cluster.isDeleted(row) {
                try include(Row(state: state, place: .cluster(cluster, row), key: ObjectKey(cluster.key(row))), column, in: &summary)
            }
        } else if let body = try state.leaf(cluster, cluster.count - 1, column.index) {
            switch (part, isReal) {
            case (.bounds, true): summary.addBounds(RealLeaf(body))
            case (.bounds, false): summary.addBounds(PackedIntegers(body))
            case (_, true): summary.add(RealLeaf(body))
            case (.sum, false): summary.addSum(PackedIntegers(body))
            case (.all, false): summary.add(PackedIntegers(body))
            }
        } else if !state.stored.properties[column.index].defaultsToNull {
            summary.addZeros(cluster.count, isReal: isReal)
        }
    }

    private func include(_ row: Row, _ column: Column, in summary: inout ColumnSummary) throws(FreeholdError) {
        summary.add(try row.value(column))
    }

    private func name(_ column: Column) -> String { state.stored.properties[column.index].name }
}

/// Count, sum and bounds of a numeric column.
public struct ColumnSummary: Sendable {
    /// The number of values that are not null.
    public private(set) var count = 0
    public private(set) var integerSum: Int128 = 0
    public private(set) var realSum: Double = 0
    public private(set) var integerBounds: ClosedRange<Int64>?
    /// NaN is left out.
    public private(set) var realBounds: ClosedRange<Double>?

    /// A summary of no values.
    public init() {}

    /// Adds a value; values that are not numbers are left out.
    public mutating func add(_ value: Value) {
        switch value {
        case .int(let number): add(number)
        case .bool(let flag): add(Int64(flag ? 1 : 0))
        case .float(let number): add(Double(number))
        case .double(let number): add(number)
        default: break
        }
    }

    mutating func add(_ number: Int64) {
        count += 1
        integerSum += Int128(number)
        widen(number...number)
    }

    mutating func add(_ number: Double) {
        count += 1
        realSum += number
        if !number.isNaN { widen(number...number) }
    }

    /// Adds the summary of a part of the objects, its sums one by one, so that rounding does not depend on the parts.
    mutating func add(_ part: PartialSummary) {
        count += part.rest.count
        integerSum += part.rest.integerSum
        for sum in part.sums { realSum += sum }
        if let bounds = part.rest.integerBounds { widen(bounds) }
        if let bounds = part.rest.realBounds { widen(bounds) }
    }

    mutating func takeRealSum() -> Double {
        defer { realSum = 0 }
        return realSum
    }

    mutating func addZeros(_ zeros: Int, isReal: Bool) {
        count += zeros
        if isReal { widen(0.0...0.0) } else { widen(Int64(0)...0) }
    }

    mutating func add(_ leaf: PackedIntegers) {
        addSum(leaf)
        addBounds(leaf)
    }

    mutating func addSum(_ leaf: PackedIntegers) {
        count += leaf.count - leaf.nullCount
        integerSum += leaf.sum()
    }

    mutating func addBounds(_ leaf: PackedIntegers) {
        if let bounds = leaf.bounds() { widen(bounds) }
    }

    mutating func addBounds(_ leaf: RealLeaf) {
        if let bounds = leaf.bounds() { widen(bounds) }
    }

    mutating func add(_ leaf: RealLeaf) {
        let summary = leaf.summary()
        count += leaf.count - leaf.nullCount
        realSum += summary.sum
        if summary.minimum <= summary.maximum { widen(summary.minimum...summary.maximum) }
    }

    private mutating func widen(_ bounds: ClosedRange<Int64>) {
        integerBounds = integerBounds.map { min($0.lowerBound, bounds.lowerBound)...max($0.upperBound, bounds.upperBound) } ?? bounds
    }

    private mutating func widen(_ bounds: ClosedRange<Double>) {
        realBounds = realBounds.map { min($0.lowerBound, bounds.lowerBound)...max($0.upperBound, bounds.upperBound) } ?? bounds
    }
}

/// A summary of a part of the objects, with the sums of real numbers per leaf.
struct PartialSummary {
    var rest = ColumnSummary()
    private(set) var sums: [Double] = []

    @inline(__always)
    mutating func takeSum() {
        let sum = rest.takeRealSum()
        if sum != 0 { sums.append(sum) }
    }
}
