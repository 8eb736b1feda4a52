import DatabaseKit
@testable import FreeholdEngine

/// Asks a database everything, piece by piece: an error in one place must not hide what another answers.
final class Survey {
    /// Answers that cannot be, and errors that are not the engine's.
    private(set) var complaints: [String] = []
    private(set) var errors = 0
    private(set) var answers = 0
    /// What the answers must be; nil if anything goes.
    private let expected: NaiveDatabase?
    /// A forged count may promise endless rows.
    private static let rowLimit = 20_000

    init(expecting expected: NaiveDatabase?) { self.expected = expected }

    func attempt(_ what: @autoclosure () -> String, _ body: () throws -> Void) {
        do {
            try body()
            answers += 1
        } catch is FreeholdError {
            errors += 1
        } catch {
            complaints.append("\(what()): \(error)")
        }
    }

    private func compare(_ holds: Bool, _ what: @autoclosure () -> String) {
        if expected != nil && !holds { complaints.append(what()) }
    }

    func look(at snapshot: Snapshot) {
        attempt("classes") {
            let classes = try snapshot.classes
            compare(classes.map(\.name) == expected?.order, "classes \(classes.map(\.name))")
            for schema in classes {
                attempt("class \(schema.name)") { look(at: try snapshot.table(schema.name, withSubclasses: false), expected?.classes[schema.name]) }
                guard schema.superclass != nil || classes.contains(where: { $0.superclass == schema.name }) else { continue }
                attempt("family \(schema.name)") {
                    var left = Self.rowLimit
                    try snapshot.table(schema.name).forEach { row in
                        _ = try row.className
                        left -= 1
                        return left > 0
                    }
                }
            }
        }
        guard let expected else { return }
        attempt("comparison") { complaints += try Comparison.differences(expected, snapshot) }
    }

    private func look(at table: Table, _ model: NaiveDatabase.Class?) {
        compare(table.count == model?.objects.count, "\(table.schema.name) counts \(table.count)")
        var keys: [ObjectKey] = []
        attempt("iteration") {
            try table.forEach { row in
                keys.append(row.key)
                if let model { look(at: row, table, model.objects[row.key.rawValue]) } else { look(at: row, table, nil) }
                return keys.count < Self.rowLimit
            }
            if let model { compare(keys.map(\.rawValue) == model.objects.keys.sorted(), "keys of \(table.schema.name)") }
        }
        // What whole classes are walked for: in order, by several threads, and by a condition.
        for (column, property) in zip(table.columns, table.schema.properties) where !column.isCollection {
            let name = property.name
            attempt("sorted") { _ = try table.sorted(by: [SortTerm(column)]) }
            attempt("greatest") { _ = try table.sorted(by: [SortTerm(column, isAscending: false)], limit: 3) }
            attempt("query") { _ = try table.count(matching: ObjectQuery("\(name) != null")) }
            attempt("query in order") { _ = try table.keys(matching: ObjectQuery("\(name) != null SORT(\(name) DESC) LIMIT(5)")) }
        }
        attempt("ranges") { _ = try table.keyRanges(16) }
        attempt("shared scan") { _ = try table.shared(2) { part, range throws(FreeholdError) in try part.keys(limit: 1000).count + (range.isEmpty ? 1 : 0) } }
        for key in [ObjectKey(0), ObjectKey(.max), ObjectKey(.min), ObjectKey(7)] + keys.suffix(3) {
            attempt("object") { _ = try table.row(key).map { look(at: $0, table, model?.objects[key.rawValue]) } }
        }
        for (place, column) in table.columns.enumerated() { look(at: column, place, table, model) }
    }

    private func look(at row: Row, _ table: Table, _ values: [Value]?) {
        for (place, column) in table.columns.enumerated() {
            attempt("value") {
                let value = try row.value(column)
                // Maps are printed in any order, and what is not a number equals only its own text.
                if let values {
                    let holds = value == values[place] || "\(value)" == "\(values[place])"
                    compare(holds, "\(table.schema.name) \(row.key).\(place): \(value)")
                }
                switch column.type {
                case .int: _ = try row.int(column)
                case .bool: _ = try row.bool(column)
                case .float, .double: _ = try row.double(column)
                case .string, .data: try row.withBytes(column) { bytes in _ = bytes.reduce(0) { $0 ^ $1 } }
                case .link: _ = try row.link(column)
                default: _ = try row.isNull(column)
                }
            }
        }
    }

    private func look(at column: Column, _ place: Int, _ table: Table, _ model: NaiveDatabase.Class?) {
        attempt("summary") {
            let summary = try table.summary(column)
            if let model { compare(summary.count == model.objects.values.count { $0[place] != .null }, "count of \(place)") }
        }
        attempt("minimum") { _ = (try table.minimum(column), try table.maximum(column), try table.average(column)) }
        var values: [Value] = [.null]
        attempt("range") {
            let keys = try table.keys(column, from: nil, to: nil, limit: Self.rowLimit)
            compare(keys.count == model?.objects.count || column.type == .link, "\(keys.count) keys in order")
            for key in keys.prefix(3) + keys.suffix(2) { values.append(try table.value(key, column)) }
        }
        attempt("backwards") { _ = try table.keys(column, from: nil, to: nil, descending: true, limit: Self.rowLimit) }
        for value in values {
            attempt("look-up") {
                let keys = try table.keys(column, equals: value)
                if let model { compare(Set(keys.map(\.rawValue)) == Set(model.objects.filter { $0.value[place] == value }.keys), "look-up of \(value) in \(table.schema.name).\(place): \(keys) instead of \(model.objects.filter { $0.value[place] == value }.keys.sorted())") }
            }
            attempt("count") { _ = try table.count(column, equals: value) }
            attempt("from") { _ = try table.keys(column, from: value, to: nil, limit: 50) }
            attempt("to") { _ = try table.keys(column, from: nil, to: value, descending: true, limit: 50) }
        }
        if column.type == .link { attempt("backlinks") { _ = try table.backlinkCount(to: ObjectKey(1), from: column) } }
    }
}
