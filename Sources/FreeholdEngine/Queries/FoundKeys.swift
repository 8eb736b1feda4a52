/// The objects found so far, while the steps are applied one after the other.
struct FoundKeys {
    private let table: Table
    private let isContinued: Bool
    private let tally: QueryTally?
    /// Nil while these are all objects of the table, in key order.
    private var found: [ObjectKey]?

    /// - Parameters:
    ///   - found: nil for all objects of the table.
    ///   - isContinued: as `PreparedQuery.isContinued`.
    init(_ table: Table, _ found: [ObjectKey]?, isContinued: Bool = false, _ tally: QueryTally? = nil) {
        self.table = table
        self.tally = tally
        self.isContinued = isContinued
        self.found = found
    }

    func keys() throws(FreeholdError) -> [ObjectKey] {
        if let found { return found }
        return try table.keys()
    }

    mutating func apply(_ steps: [BoundQueryStep]) throws(FreeholdError) {
        var place = 0
        while place < steps.count {
            switch steps[place] {
            case .sort:
                let sorts = steps[place...].prefix { if case .sort = $0 { true } else { false } }
                place = sorts.endIndex
                try sort(Self.merged(sorts), limit: Self.limit(steps, place))
                continue
            case .distinct(let paths): try keepDistinct(paths)
            case .limit(let count): if let some = found { found = Array(some.prefix(count)) } else { found = try table.keys(limit: count) }
            case .offset(let count): if let some = found { found = Array(some.dropFirst(count)) } else { found = try table.keys(offset: count) }
            case .nearest(let nearest): found = try VectorScores(nearest, table).best(of: found, requiringLength: !isContinued, tally)
            case .fuse(let fusion): found = try fusion.best(of: found, tally, isContinued: isContinued)
            case .group: return
            }
            place += 1
        }
    }

    /// Merges several sorts into one: the last is the major key, the earlier ones break ties.
    static func merged(_ sorts: ArraySlice<BoundQueryStep>) -> [BoundSort] {
        var keys: [BoundSort] = []
        for case .sort(let more) in sorts { keys = keys.isEmpty ? more : more + keys }
        return keys
    }

    /// The number of sorted objects that the steps after the sort need.
    static func limit(_ steps: [BoundQueryStep], _ place: Int) -> Int? {
        var skipped = 0
        for step in steps[place...] {
            switch step {
            case .offset(let count): skipped = skipped > Int.max - count ? .max : skipped + count
            case .limit(let count): return count > Int.max - skipped ? nil : count + skipped
            default: return nil
            }
        }
        return nil
    }

    private mutating func keepDistinct(_ paths: [BoundPath]) throws(FreeholdError) {
        var seen: Set<[DistinctValue]> = [], kept: [ObjectKey] = []
        let distinct = DistinctValues(table, paths)
        for key in try keys() {
            if let values = try distinct.values(of: key), seen.insert(values).inserted { kept.append(key) }
        }
        found = kept
    }

    /// The scores, if the objects are sorted by these alone, the best first.
    static func bestFirst(_ keys: [BoundSort]) -> (any ObjectScores)? {
        keys.count == 1 && !keys[0].isAscending ? keys[0].path.scores : nil
    }

    /// The distance, if the objects are sorted by it alone, the nearest first.
    static func nearestFirst(_ keys: [BoundSort]) -> BoundDistance? {
        keys.count == 1 && keys[0].isAscending ? keys[0].path.distance : nil
    }

    private mutating func sort(_ keys: [BoundSort], limit: Int?) throws(FreeholdError) {
        let terms = keys.compactMap(\.term)
        guard terms.count == keys.count else { return try sortByValues(keys, limit: limit) }
        if let some = found { found = try table.sorted(some, by: terms, limit: limit) } else { found = try table.sorted(by: terms, limit: limit) }
    }

    /// Sorts by values that are not a property at the end of links: elements of collections, parts of mixed values,
    /// sizes.
    private mutating func sortByValues(_ keys: [BoundSort], limit: Int?) throws(FreeholdError) {
        let context = QueryContext(), found = try self.keys()
        // Scores are computed for many objects together.
        var scores: [[Double]?] = []
        for key in keys {
            if let of = key.path.scores { scores.append(try of.scores(of: found)) } else { scores.append(nil) }
        }
        let needsRows = scores.contains { $0 == nil }
        if needsRows { tally?.sorted += found.count }
        var rows: [(key: ObjectKey, values: [SortValue])] = []
        for (place, key) in found.enumerated() {
            if needsRows {
                guard let row = try table.row(key) else { continue }
                context.rows = [row]
            }
            var values: [SortValue] = []
            for (number, key) in keys.enumerated() {
                guard let scores = scores[number] else {
                    values.append(try key.value(context))
                    continue
                }
                values.append(.value(.double(scores[place])))
            }
            rows.append((key, values))
        }
        let order = rows.indices.sorted { left, right in
            for (place, key) in keys.enumerated() {
                let order = SortValue.order(rows[left].values[place], rows[right].values[place])
                if order != 0 { return key.isAscending ? order < 0 : order > 0 }
            }
            return left < right
        }
        self.found = order.prefix(limit ?? .max).map { rows[$0].key }
    }
}

/// The values by which DISTINCT compares objects of a table.
struct DistinctValues {
    private let table: Table
    private let paths: [BoundPath]
    private let context = QueryContext()

    init(_ table: Table, _ paths: [BoundPath]) {
        self.table = table
        self.paths = paths
    }

    /// The object's values at the paths; nil if the table has no such object, or a link on the way to a value is null.
    /// Such an object is left out.
    func values(of key: ObjectKey) throws(FreeholdError) -> [DistinctValue]? {
        guard let row = try table.row(key) else { return nil }
        context.look(at: row)
        var values: [DistinctValue] = []
        for path in paths {
            guard let value = try path.reachedValue(context) else { return nil }
            values.append(DistinctValue(value))
        }
        return values
    }
}

/// A value for DISTINCT: equal numbers are one value, strings are compared by their bytes.
struct DistinctValue: Hashable {
    private let value: Value

    init(_ value: Value) { self.value = Self.plain(value) }

    private static func plain(_ value: Value) -> Value {
        switch value {
        case .string(let text): .data(Array(text.utf8))
        case .float(let number): number.isNaN ? .bool(true) : plain(.double(Double(number)))
        case .double(let number): number.isNaN ? .bool(true) : Int64(exactly: number).map { .int($0) } ?? value
        case .decimal(let number): Int64(exactly: number).map { .int($0) } ?? value
        case .data(let bytes): .list([.data(bytes)])
        case .bool(let flag): .list([.bool(flag)])
        default: value
        }
    }
}

/// A value to sort by; missing if a link on the path is null.
enum SortValue {
    case value(Value)
    /// The sort key of a string; all strings of a sort key have such values, or none.
    case collated([UInt8])
    case missing

    /// Orders null first, NaN before numbers, then by type in the order of `rank`; missing values last.
    static func order(_ left: SortValue, _ right: SortValue) -> Int {
        switch (left, right) {
        case (.missing, .missing): 0
        case (.missing, _): 1
        case (_, .missing): -1
        case (.value(let one), .value(let other)): order(one, other)
        case (.collated(let one), .collated(let other)): one == other ? 0 : one.lexicographicallyPrecedes(other) ? -1 : 1
        case (.collated, .value(let other)): order(.string(""), other)
        case (.value(let one), .collated): order(one, .string(""))
        }
    }

    private static func order(_ left: Value, _ right: Value) -> Int {
        let (one, other) = (rank(left), rank(right))
        if one != other { return one < other ? -1 : 1 }
        if let order = ValueComparison.order(left, right) { return order }
        switch (left, right) {
        case (.link(let one), .link(let other)): return one.rawValue < other.rawValue ? -1 : one.rawValue == other.rawValue ? 0 : 1
        case (.object(let one), .object(let other)):
            return (one.classNumber, one.key.rawValue) < (other.classNumber, other.key.rawValue) ? -1 : one == other ? 0 : 1
        default: return 0
        }
    }

    private static func rank(_ value: Value) -> Int {
        switch value {
        case .null: 0
        case .bool: 1
        case .float(let number): number.isNaN ? 2 : 3
        case .double(let number): number.isNaN ? 2 : 3
        case .decimal(let number): number.isNaN ? 2 : 3
        case .int: 3
        case .string: 4
        case .data: 5
        case .date: 6
        case .objectId: 7
        case .uuid: 8
        case .link, .object: 9
        case .list, .set: 10
        case .map: 11
        }
    }
}

extension BoundPath {
    /// The path in the sorter's form; nil if it is more than links and a property.
    func sortTerm(isAscending: Bool) -> SortTerm? {
        var links: [(column: Column, target: Table)] = []
        for (place, step) in steps.enumerated() {
            switch step {
            case .link(let column, let target) where place < steps.count - 1: links.append((column, target))
            case .value(let column) where place == steps.count - 1:
                return SortTerm(links: links, column: column, isAscending: isAscending)
            default: return nil
            }
        }
        return nil
    }

    /// The value to sort by.
    func sortValue(_ context: QueryContext) throws(FreeholdError) -> SortValue {
        // What is no place comes last.
        if let distance {
            let value = try distance.value(context)
            return value == .null ? .missing : .value(value)
        }
        let value = try value(context)
        guard value == .null, steps.count > 1 else { return .value(value) }
        // A null value may be stored, or come from a null link on the path.
        var row = context.rows[origin]
        for step in steps.dropLast() {
            guard case .link(let column, let table) = step else { return .value(value) }
            guard let key = try row.link(column), let next = try table.row(key) else { return .missing }
            row = next
        }
        return .value(value)
    }
}
