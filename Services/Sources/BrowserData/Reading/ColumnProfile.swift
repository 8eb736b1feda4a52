import FreeholdEngine
import FreeholdImport

/// How the values of a property are spread over a query's objects: nulls, limits, a histogram, the most frequent values.
public struct ColumnProfile {
    private let snapshot: Snapshot
    private let table: Table
    private let condition: QueryCondition
    private let column: Column
    private let property: PropertySchema

    private static let buckets = 24
    private static let frequent = 12
    /// Bytes of a text that a condition may be written with.
    private static let longestCondition = 1000
    /// Objects looked at before grouping all of them: where most values differ, there are no frequent ones.
    private static let sample = 4000

    /// - Throws: for a property without an order of single values: a collection, a link, data.
    public init(_ query: String, of className: String, _ name: String, _ snapshot: Snapshot) throws {
        table = try snapshot.table(className)
        self.snapshot = snapshot
        condition = try ObjectQuery(query).condition
        let schema = table.schema
        guard let place = schema.properties.firstIndex(where: { $0.name.isSame(as: name) }) else {
            throw FreeholdError(.unknownProperty, "class '\(schema.name)' has no property '\(name)'")
        }
        (column, property) = (table.columns[place], schema.properties[place])
    }

    /// Whether values can be grouped: one for each object, and comparable.
    private var isSingle: Bool { property.collections.isEmpty && ![.data, .mixed].contains(property.type) }
    private var isNumber: Bool { [.int, .float, .double, .decimal].contains(property.type) }

    public func json() throws -> [UInt8] {
        let cells = CellWriter(snapshot), count = try number(condition)
        return try JSONOutput.object { output in
            output.field("version", snapshot.version)
            output.field("count", count)
            guard isSingle else {
                output.field("nulls") { $0.raw("null") }
                output.array("buckets") { _ in }
                output.array("top") { _ in }
                return output.field("sampled", false)
            }
            output.field("nulls", property.isNullable || property.type == .link
                ? try number(condition && QueryLiteral.condition(property.name, .equal, .null)) : 0)
            let limits = try self.limits()
            try output.field("minimum") { try cells.value(limits.minimum, nil, to: &$0) }
            try output.field("maximum") { try cells.value(limits.maximum, nil, to: &$0) }
            if isNumber { try output.field("average") { try cells.value(limits.average, nil, to: &$0) } }
            try output.array("buckets") { try histogram(limits.minimum, limits.maximum, to: &$0) }
            try frequent(cells, to: &output)
        }
    }

    private func number(_ condition: QueryCondition) throws -> Int { try table.prepare(ObjectQuery(condition)).count() }

    private func limits() throws -> (minimum: Value, maximum: Value, average: Value) {
        guard isNumber || property.type == .date else { return (.null, .null, .null) }
        let path = PropertyPath(property.name)
        var figures = [QueryAggregate(.min, path), QueryAggregate(.max, path)]
        if isNumber { figures.append(QueryAggregate(.avg, path)) }
        let found = try table.prepare(ObjectQuery(condition, [.group(by: [], select: figures)])).groups().first?.figures ?? []
        guard found.count == figures.count else { return (.null, .null, .null) }
        return (found[0], found[1], isNumber ? found[2] : .null)
    }

    // MARK: the histogram

    private func histogram(_ minimum: Value, _ maximum: Value, to output: inout JSONOutput) throws {
        let bounds = Self.bounds(minimum, maximum)
        guard bounds.count > 1 else { return }
        for (place, (low, high)) in zip(bounds, bounds.dropFirst()).enumerated() {
            let isLast = place == bounds.count - 2
            let end = isLast ? QueryComparison.Relation.lessOrEqual : .less
            let part = QueryLiteral.condition(property.name, .greaterOrEqual, low) && QueryLiteral.condition(property.name, end, high)
            let count = try number(condition && part)
            output.elementObject { output in
                output.field("from", ValueText.format(low))
                output.field("to", ValueText.format(high))
                output.field("count", count)
                let from = QueryLiteral.text(property.name, .greaterOrEqual, low), to = QueryLiteral.text(property.name, end, high)
                output.field("condition", "\(from) AND \(to)")
            }
        }
    }

    /// The ends of parts of about the same width.
    private static func bounds(_ minimum: Value, _ maximum: Value) -> [Value] {
        switch (minimum, maximum) {
        case (.int(let low), .int(let high)) where low < high:
            let width = UInt64(bitPattern: high &- low), parts = min(UInt64(buckets), width)
            return (0...parts).map { .int(low &+ Int64(bitPattern: Self.share(width, $0, parts))) }
        case (.date(let low), .date(let high)) where low < high:
            let width = UInt64(bitPattern: high.seconds &- low.seconds), parts = min(UInt64(buckets), max(width, 1))
            return (0..<parts).map { part in
                .date(part == 0 ? low : Timestamp(seconds: low.seconds &+ Int64(bitPattern: Self.share(width, part, parts))))
            } + [.date(high)]
        default:
            guard let low = real(minimum), let high = real(maximum), low < high, (high - low).isFinite else { return [] }
            let inner = (1..<buckets).map { low + (high - low) * Double($0) / Double(buckets) }
            let ends: [Value] = [minimum] + inner.map { .double($0) } + [maximum]
            return ends
        }
    }

    private static func share(_ width: UInt64, _ part: UInt64, _ parts: UInt64) -> UInt64 {
        let (high, low) = width.multipliedFullWidth(by: part)
        return parts.dividingFullWidth((high, low)).quotient
    }

    private static func real(_ value: Value) -> Double? {
        switch value {
        case .float(let number): number.isFinite ? Double(number) : nil
        case .double(let number): number.isFinite ? number : nil
        case .decimal(let number): Double(number.description).flatMap { $0.isFinite ? $0 : nil }
        default: nil
        }
    }

    // MARK: frequent values

    private func frequent(_ cells: CellWriter, to output: inout JSONOutput) throws {
        let differs = try mostlyDiffers()
        try output.array("top") { output in
            if differs { return }
            let path = PropertyPath(property.name)
            let groups = try table.prepare(ObjectQuery(condition, [.group(by: [path], select: [QueryAggregate(.count)])])).groups()
            let counted = groups.map { (value: $0.values[0], count: Self.integer($0.figures[0])) }
            for (value, count) in counted.sorted(by: { $0.count > $1.count }).prefix(Self.frequent) {
                try output.elementObject { output in
                    try output.field("cell") { try cells.value(value, property.linkTarget, to: &$0) }
                    output.field("count", count)
                    let isShort = if case .string(let text) = value { text.utf8.count <= Self.longestCondition } else { true }
                    if property.type != .link, isShort { output.field("condition", QueryLiteral.text(property.name, .equal, value)) }
                }
            }
        }
        output.field("sampled", differs)
    }

    private static func integer(_ value: Value) -> Int { if case .int(let number) = value { Int(number) } else { 0 } }

    /// Whether most of the first objects have values of their own: then grouping all of them would show nothing.
    private func mostlyDiffers() throws -> Bool {
        if property.isUnique || table.schema.primaryKey?.isSame(as: property.name) ?? false { return true }
        let keys = try table.keys(matching: ObjectQuery(condition, [.limit(Self.sample)]))
        if keys.count < Self.sample { return false }
        var seen: Set<ExactText> = []
        for key in keys {
            guard let row = try table.row(key) else { continue }
            if property.type == .string, try row.byteCount(column) > 1000 { return true }
            seen.insert(ExactText(ValueText.format(try row.value(column))))
        }
        return seen.count > Self.sample / 2
    }
}
