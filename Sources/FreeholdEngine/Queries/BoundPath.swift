/// The objects that a condition is evaluated for: the tested one, then those that the variables of subqueries stand
/// for.
final class QueryContext {
    // Safe: a query is answered on one thread, and no access is held over a call that comes back here.
    @exclusivity(unchecked) var rows: [Row] = []
    /// Counts what the query reads; nil if that is not needed.
    let tally: QueryTally?

    init(_ tally: QueryTally? = nil) { self.tally = tally }

    /// Continues with another tested object.
    func look(at row: Row) {
        if rows.isEmpty { rows.append(row) } else { rows[0] = row }
    }
}

/// Counters of what a query reads.
final class QueryTally {
    // Safe (all exclusivity below): a query that counts what it reads is answered on one thread.
    /// Clusters that a scan visited.
    @exclusivity(unchecked) var clusters = 0
    /// Leaves that tests were evaluated on, and how many of them their min/max decided.
    @exclusivity(unchecked) var leaves = 0
    @exclusivity(unchecked) var leavesByBounds = 0
    /// Objects tested one by one.
    @exclusivity(unchecked) var objects = 0
    /// Objects named by indexes.
    @exclusivity(unchecked) var indexed = 0
    /// Objects whose vectors NEAREST read.
    @exclusivity(unchecked) var vectors = 0
    /// Objects that were sorted by values read one by one.
    @exclusivity(unchecked) var sorted = 0

    func add(_ isToldByBounds: Bool) {
        leaves += 1
        if isToldByBounds { leavesByBounds += 1 }
    }
}

/// A path with resolved names, from an object to one value or to many.
final class BoundPath {
    /// The number of the context's object at which the path begins.
    let origin: Int
    let steps: [BoundStep]
    /// The type of the values at the end of the path.
    let type: PropertyType
    /// The table of the objects at the end of the path, if the values are links of one class.
    let targets: Table?
    /// Whether the path leads to any number of values, not to exactly one.
    let isToMany: Bool
    /// Whether the value is a whole collection, of which only aggregates and elements can be read.
    let isCollection: Bool
    /// The path as it was written.
    let source: PropertyPath

    init(origin: Int, _ steps: [BoundStep], type: PropertyType, targets: Table?, isToMany: Bool, isCollection: Bool = false, source: PropertyPath) {
        self.origin = origin
        self.steps = steps
        self.type = type
        self.targets = targets
        self.isToMany = isToMany
        self.isCollection = isCollection
        self.source = source
    }

    var text: String { source.description }

    /// The property, if the path is a single property of the tested object.
    var column: Column? {
        guard origin == 0, steps.count == 1, case .value(let column) = steps[0] else { return nil }
        return column
    }

    /// The distance that the path is; nil for any other value.
    var distance: BoundDistance? { if case .distance(let distance) = steps.first { distance } else { nil } }

    /// The scores that the path reads; nil if it reads none.
    var scores: (any ObjectScores)? { if case .score(let scores) = steps.first { scores } else { nil } }
}

/// One step of a path, from an object or a value to the next ones.
enum BoundStep {
    /// A plain property.
    case value(Column)
    /// A link to an object of a table.
    case link(Column, Table)
    /// The elements of a collection.
    case elements(Column)
    /// The keys of a map.
    case keys(Column)
    /// One element of a collection.
    case element(Column, ValueStep)
    /// The objects that link to this one, each once for every link.
    case backlinks(Table, Column)
    /// The object itself, once for every link to it.
    case links(Table, [LinkWay])
    /// The number of elements or bytes.
    case size(Column)
    /// A part of a value.
    case part(ValueStep)
    /// The object of a link that was read as a value.
    case target(Table)
    /// The object itself, as a link.
    case own
    /// The object's score.
    case score(any ObjectScores)
    /// The distance of the object's place.
    case distance(BoundDistance)
}

/// A property that may link to an object.
struct LinkWay {
    let sources: Table
    let column: Column
}

/// A step within a value.
enum ValueStep: Equatable {
    case key(String)
    case position(Int)
    case first
    case last
    case each
    case size
    case type
}

extension BoundPath {
    typealias Visit = (Value) throws(FreeholdError) -> Bool

    /// The value of a path to one value.
    func value(_ context: QueryContext) throws(FreeholdError) -> Value {
        if steps.count == 1, case .value(let column) = steps[0] { return try context.rows[origin].value(column) }
        var found = Value.null
        _ = try forEach(context) { value throws(FreeholdError) in
            found = value
            return false
        }
        return found
    }

    /// The value of a path to one value; nil if a link that the path continues from is null.
    func reachedValue(_ context: QueryContext) throws(FreeholdError) -> Value? {
        var row = context.rows[origin]
        for step in steps.dropLast() {
            guard case .link(let column, let table) = step else { break }
            guard let key = try row.link(column), let next = try table.row(key) else { return nil }
            row = next
        }
        return try value(context)
    }

    /// Calls `body` with each value until it returns false; returns whether it never did. A null link or a missing
    /// element yields null.
    @discardableResult
    func forEach(_ context: QueryContext, _ body: Visit) throws(FreeholdError) -> Bool {
        try walk(context.rows[origin], 0, body)
    }

    /// Calls `body` with each object that the path leads to.
    func forEachRow(_ context: QueryContext, _ body: (Row) throws(FreeholdError) -> Void) throws(FreeholdError) {
        guard let targets else { return }
        try forEach(context) { value throws(FreeholdError) in
            if case .link(let key) = value, let row = try targets.row(key) { try body(row) }
            return true
        }
    }

    private func walk(_ row: Row, _ step: Int, _ body: Visit) throws(FreeholdError) -> Bool {
        guard step < steps.count else { return try body(.link(row.key)) }
        switch steps[step] {
        case .value(let column): return try walk(row.value(column), step + 1, body)
        case .link(let column, let table):
            guard let key = try row.link(column) else { return try walkNull(step + 1, body) }
            return try walk(key, in: table, step + 1, body)
        case .elements(let column): return try walkElements(of: row, column, step + 1, body)
        case .keys(let column):
            for key in try row.map(column).keys() where try !walk(.string(key), step + 1, body) { return false }
            return true
        case .element(let column, let choice):
            return try walk(Self.element(try row.collection(column), choice), step + 1, body)
        case .backlinks(let sources, let column):
            for key in try sources.links(to: row.key, from: column) where try !walk(key, in: sources, step + 1, body) { return false }
            return true
        case .links(let table, let ways):
            for way in ways {
                for _ in 0..<(try way.sources.countLinks(to: row.key, of: table, from: way.column)) where try !body(.link(row.key)) { return false }
            }
            return true
        case .size(let column):
            let size = column.isCollection ? try row.collection(column).count : try row.byteCount(column)
            if !column.isCollection, try row.isNull(column) { return try walk(.null, step + 1, body) }
            return try walk(.int(Int64(size)), step + 1, body)
        case .own: return try walk(.link(row.key), step + 1, body)
        case .distance(let distance):
            let context = QueryContext()
            context.rows = [row]
            return try walk(distance.value(context), step + 1, body)
        case .score(let scores): return try walk(.double(scores.scores(of: [row.key])[0]), step + 1, body)
        case .part, .target: return try walk(.link(row.key), step, body)
        }
    }

    private func walk(_ key: ObjectKey, in table: Table, _ step: Int, _ body: Visit) throws(FreeholdError) -> Bool {
        if step == steps.count { return try body(.link(key)) }
        guard let row = try table.row(key) else { return try walkNull(step, body) }
        return try walk(row, step, body)
    }

    /// Continues from a value.
    private func walk(_ value: Value, _ step: Int, _ body: Visit) throws(FreeholdError) -> Bool {
        guard step < steps.count else { return try body(value) }
        switch steps[step] {
        case .target(let table):
            guard case .link(let key) = value else { return try walkNull(step + 1, body) }
            return try walk(key, in: table, step + 1, body)
        case .part(.each):
            for element in value.parts where try !walk(element, step + 1, body) { return false }
            return true
        case .part(let choice): return try walk(value.part(choice), step + 1, body)
        default: return try walkNull(step, body)
        }
    }

    /// Continues where an object is missing: its properties are null, its collections empty.
    private func walkNull(_ step: Int, _ body: Visit) throws(FreeholdError) -> Bool {
        for step in steps.dropFirst(step) {
            switch step {
            case .elements, .keys, .backlinks, .links, .part(.each): return true
            case .size(let column): return try body(column.isCollection ? .int(0) : .null)
            default: continue
            }
        }
        return try body(.null)
    }

    private func walkElements(of row: Row, _ column: Column, _ step: Int, _ body: Visit) throws(FreeholdError) -> Bool {
        let collection = try row.collection(column)
        var goesOn = true
        try collection.forEach(in: 0..<collection.count) { value throws(FreeholdError) in
            goesOn = try walk(value, step, body)
            return goesOn
        }
        return goesOn
    }

    private static func element(_ collection: CollectionReader, _ choice: ValueStep) throws(FreeholdError) -> Value {
        switch choice {
        case .key(let key):
            guard collection.shape.kind == .map else { return .null }
            let (position, isFound) = try collection.search(key: key)
            return isFound ? try collection.value(at: position) : .null
        case .position(let position): return position < collection.count ? try collection.value(at: position) : .null
        case .first: return collection.count > 0 ? try collection.value(at: 0) : .null
        case .last: return collection.count > 0 ? try collection.value(at: collection.count - 1) : .null
        case .each, .size, .type: return .null
        }
    }
}

extension Value {
    /// The elements of a collection; empty for any other value.
    var parts: [Value] {
        switch self {
        case .list(let values), .set(let values): values
        case .map(let entries): entries.sortedByKey.map(\.value)
        default: []
        }
    }

    /// A part or an attribute of a value; null if it has no such part.
    func part(_ step: ValueStep) -> Value {
        switch step {
        case .key(let key):
            if case .map(let entries) = self { return entries[key] ?? .null }
            return .null
        case .position(let position):
            guard case .list(let values) = self, values.indices.contains(position) else { return .null }
            return values[position]
        case .first, .last:
            guard case .list(let values) = self else { return .null }
            return (step == .first ? values.first : values.last) ?? .null
        case .size:
            switch self {
            case .string(let text): return .int(Int64(text.utf8.count))
            case .data(let bytes): return .int(Int64(bytes.count))
            default: return collectionKind == nil ? .null : .int(Int64(elementCount))
            }
        case .type: return .string(type?.name ?? collectionKind?.name ?? "null")
        case .each: return .null
        }
    }
}
