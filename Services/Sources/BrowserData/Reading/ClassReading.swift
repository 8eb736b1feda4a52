import Dispatch
import FreeholdEngine
import FreeholdImport

/// Answers about a class that help to ask for its objects: values for completion, objects to link to, the plan of a query.
public struct ClassReading {
    let snapshot: Snapshot
    let table: Table

    public init(_ className: String, _ snapshot: Snapshot) throws {
        self.snapshot = snapshot
        table = try snapshot.table(className)
    }

    private func property(_ name: String) throws -> (Column, PropertySchema) {
        let schema = table.schema
        guard let place = schema.properties.firstIndex(where: { $0.name.isSame(as: name) }) else {
            throw FreeholdError(.unknownProperty, "class '\(schema.name)' has no property '\(name)'")
        }
        return (table.columns[place], schema.properties[place])
    }

    // MARK: values for completion

    /// Objects looked at where no index gives the values.
    private static let sample = 5000
    private static let valueLimit = 50

    public func values(_ name: String, _ prefix: String, _ limit: Int) throws -> [UInt8] {
        let (column, property) = try property(name), limit = max(0, min(limit, Self.valueLimit))
        guard property.collections.isEmpty, ![.link, .data, .mixed].contains(property.type) else {
            return JSONOutput.object { $0.array("values") { _ in }; $0.field("complete", true) }
        }
        let (values, isComplete) = property.isIndexed && property.type == .string
            ? try indexed(column, prefix, limit) : try sampled(column, prefix, limit)
        return JSONOutput.object { output in
            output.array("values") { output in
                for (value, count) in values {
                    output.elementObject { output in
                        output.field("text", ValueText.format(value))
                        output.field("literal", QueryLiteral.text(value))
                        if let count { output.field("count", count) }
                    }
                }
            }
            output.field("complete", isComplete)
        }
    }

    /// By the index: from one value to the next one, however many objects have it.
    private func indexed(_ column: Column, _ prefix: String, _ limit: Int) throws -> ([(Value, Int?)], Bool) {
        var values: [(Value, Int?)] = [], range = prefix.isEmpty ? ValueRange.all : .prefix(prefix)
        while values.count < limit {
            guard let key = try table.keys(column, in: range, limit: 1).first, let row = try table.row(key) else { return (values, true) }
            let value = try row.value(column)
            guard case .string(let text) = value else {
                // Null comes first.
                range = ValueRange(from: .excluding(.null))
                continue
            }
            if !text.utf8.starts(with: prefix.utf8) { return (values, true) }
            values.append((value, try table.count(column, equals: value)))
            range = ValueRange(from: .excluding(value))
        }
        return (values, false)
    }

    private func sampled(_ column: Column, _ prefix: String, _ limit: Int) throws -> ([(Value, Int?)], Bool) {
        var counts: [ExactText: (value: Value, count: Int)] = [:], left = Self.sample
        let start = prefix.lowercased()
        var cursor = try table.rows()
        while left > 0, let row = try cursor.next() {
            left -= 1
            if column.type == .string, try row.byteCount(column) > 1000 { continue }
            let value = try row.value(column)
            if case .null = value { continue }
            let text = ValueText.format(value)
            guard start.isEmpty || text.lowercased().hasPrefix(start) else { continue }
            counts[ExactText(text), default: (value, 0)].count += 1
        }
        let isComplete = try cursor.next() == nil
        let sorted = counts.sorted { ($1.value.count, $0.key.text) < ($0.value.count, $1.key.text) }.prefix(limit)
        return (sorted.map { ($0.value.value, isComplete ? $0.value.count : nil) }, isComplete && counts.count <= limit)
    }

    // MARK: objects to link to

    public func find(_ text: String, _ limit: Int) throws -> [UInt8] {
        let schema = table.schema, limit = max(0, min(limit, Self.valueLimit)), cells = CellWriter(snapshot)
        return try JSONOutput.object { output in
            try output.array("objects") { output in
                for key in try found(text, schema, limit) {
                    try output.elementObject { try cells.reference(key, of: schema.name, to: &$0) }
                }
            }
        }
    }

    /// How long objects are looked through for a text, after those whose key begins with it.
    private static let searchNanoseconds: UInt64 = 150_000_000

    private func found(_ text: String, _ schema: ClassSchema, _ limit: Int) throws -> [ObjectKey] {
        if text.isEmpty { return try table.keys(limit: limit) }
        var keys: [ObjectKey] = []
        for property in schema.properties where schema.primaryKeys.has(property.name) {
            if property.type == .int, let number = Int64(text) {
                keys += try table.keys(matching: ObjectQuery(QueryLiteral.condition(property.name, .equal, .int(number)), [.limit(limit)]))
            } else if property.type == .string {
                let begins = QueryLiteral.condition(property.name, .beginsWith, .string(text))
                keys += try table.keys(matching: ObjectQuery(begins, [.limit(limit)]))
            }
        }
        // A class without a key is asked for the object's own number.
        if schema.primaryKeys.isEmpty, let number = Int64(text), try table.contains(ObjectKey(number)) { keys.append(ObjectKey(number)) }
        var known = Set(keys)
        let label = LabelColumns(table), sought = SoughtText(text), end = DispatchTime.now().uptimeNanoseconds + Self.searchNanoseconds
        var cursor = try table.rows(), looked = 0
        while keys.count < limit, let row = try cursor.next() {
            looked += 1
            if looked % 64 == 0, DispatchTime.now().uptimeNanoseconds > end { break }
            if try sought.isIn(label.text(of: row)), known.insert(row.key).inserted { keys.append(row.key) }
        }
        return Array(keys.prefix(limit))
    }

    // MARK: the plan

    public func explanation(_ query: String, running: Bool) throws -> [UInt8] {
        let prepared = try table.prepare(ObjectQuery(query))
        return try JSONOutput.object { output in
            output.field("text", try prepared.explanation(running: running))
            output.field("notes", prepared.notes)
        }
    }
}

/// A text that is looked for without regard to case. By its bytes: Foundation's `String.contains` traps where what is sought ends in U+0000
/// and the rest of it stands at the end of a text with letters beyond ASCII.
private struct SoughtText {
    private let bytes: [UInt8]

    init(_ text: String) { bytes = Array(text.lowercased().utf8) }

    func isIn(_ text: String) -> Bool {
        let text = Array(text.lowercased().utf8)
        guard let first = bytes.first else { return true }
        return text.indices.dropLast(bytes.count - 1).contains { place in
            text[place] == first && text[place...].starts(with: bytes)
        }
    }
}

/// Values and comparisons as a person writes them in the query language.
enum QueryLiteral {
    static func text(_ value: Value) -> String {
        if case .date(let time) = value { return DateText.format(time) }
        return QueryExpression.value(value).description
    }

    /// A comparison of a property with a value.
    static func condition(_ property: String, _ relation: QueryComparison.Relation, _ value: Value) -> QueryCondition {
        .comparison(QueryComparison(.path(PropertyPath(property)), relation, .value(value)))
    }

    static func text(_ property: String, _ relation: QueryComparison.Relation, _ value: Value) -> String {
        "\(PropertyPath(property)) \(relation.rawValue) \(text(value))"
    }
}
