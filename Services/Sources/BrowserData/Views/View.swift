import FreeholdEngine

/// A query whose answer a tab shows, and how its positions are found.
///
/// All objects of a class in the order of their keys need no list of keys: the tree of a class counts, so the object at a
/// position is one descent, among ten million as among ten. Every other answer is kept, eight bytes an object, and follows
/// the commits.
final class View {
    enum Answer {
        /// All objects of a class, by their position in its tree.
        case table(TablePositions?)
        case objects(LiveQuery)
        case groups(LiveGroups)
    }

    let name: String
    let className: String
    let query: ObjectQuery
    /// What the answer is sorted by first, in sections.
    let section: QuerySort?
    private(set) var answer: Answer
    private var sections: [Section]?
    /// Whether a commit touched the answer since it was told so.
    var hasChanged = false
    /// Set when a commit made the query impossible: a class or property of it was dropped.
    private(set) var failure: FreeholdError?

    /// A value of the section's property, and where its objects begin.
    struct Section {
        let value: Value
        let from: Int
        let count: Int
    }

    /// More sections than this are not told.
    static let sectionLimit = 10_000

    init(_ name: String, _ text: String, of className: String, section: QuerySort?, at snapshot: Snapshot) throws {
        self.name = name
        self.className = className
        self.section = section
        let table = try snapshot.table(className)
        var query = try ObjectQuery(text)
        if let section {
            guard query.steps.allSatisfy(\.isSort) else {
                throw FreeholdError(.malformedInput, "sections need a query without LIMIT, OFFSET, DISTINCT and GROUP")
            }
            query.steps.append(.sort([section]))
        }
        self.query = query
        answer = try Self.ask(query, table, className, snapshot)
    }

    private static func ask(_ query: ObjectQuery, _ table: Table, _ className: String, _ snapshot: Snapshot) throws -> Answer {
        if query.steps.contains(where: \.isGroup) { return .groups(try LiveGroups(query, of: className, at: snapshot)) }
        let isFamily = try table.schema.superclass != nil || snapshot.classes.contains { $0.superclass?.isSame(as: className) ?? false }
        if query.condition == .constant(true), query.steps.isEmpty, !isFamily { return .table(nil) }
        // Modified are objects with other values of their own; what is behind links is read anew when it is shown.
        let own = table.schema.properties.map { PropertyPath($0.name) }
        return .objects(try LiveQuery(query, of: className, at: snapshot, observing: own))
    }

    // MARK: reading, at the snapshot that the view stands at

    func count(_ snapshot: Snapshot) throws -> Int {
        if let failure { throw failure }
        return switch answer {
        case .table: try snapshot.table(className).count
        case .objects(let query): query.count
        case .groups(let groups): groups.groups.count
        }
    }

    /// The keys at positions that exist.
    func keys(in range: Range<Int>, _ snapshot: Snapshot) throws -> [ObjectKey] {
        switch answer {
        case .groups: return []
        case .objects(let query): return query.keys(in: range)
        case .table: return try keys(in: range, positions(snapshot), snapshot)
        }
    }

    /// The first by its position, the others behind it.
    private func keys(in range: Range<Int>, _ positions: TablePositions, _ snapshot: Snapshot) throws -> [ObjectKey] {
        guard let first = try positions.key(at: range.lowerBound) else { return [] }
        var cursor = try snapshot.table(className).rows(from: first), keys: [ObjectKey] = []
        while keys.count < range.count, let row = try cursor.next() { keys.append(row.key) }
        return keys
    }

    /// The position of an object; nil if it is not in the answer.
    func position(of key: ObjectKey, _ snapshot: Snapshot) throws -> Int? {
        switch answer {
        case .groups: return nil
        case .objects(let query): return query.keys.firstIndex(of: key)
        case .table: return try positions(snapshot).position(of: key)
        }
    }

    private func positions(_ snapshot: Snapshot) throws -> TablePositions {
        if case .table(let known?) = answer { return known }
        let positions = try snapshot.table(className).positions()
        answer = .table(positions)
        return positions
    }

    var groups: [QueryGroup] { if case .groups(let groups) = answer { groups.groups } else { [] } }

    // MARK: sections

    /// The sections; nil without any.
    func sections(_ snapshot: Snapshot) throws -> [Section]? {
        guard let section else { return nil }
        if let sections { return sections }
        let table = try snapshot.table(className)
        let count = QueryStep.group(by: [section.path], select: [QueryAggregate(.count)])
        let groups = try table.prepare(ObjectQuery(query.condition, [count])).groups()
        var made: [Section] = [], from = 0
        for group in (section.isAscending ? groups : groups.reversed()).prefix(Self.sectionLimit) {
            guard case .int(let count)? = group.figures.first else { continue }
            made.append(Section(value: group.values[0], from: from, count: Int(count)))
            from += Int(count)
        }
        sections = made
        return made
    }

    // MARK: following

    /// The tables of the objects that links of the class lead to, whose names the cells of links show.
    private func linkedTables(_ snapshot: Snapshot) throws -> Set<Int> {
        let targets = try snapshot.table(className).schema.properties.compactMap(\.linkTarget)
        return Set(try targets.map { try snapshot.tableNumber(of: $0) })
    }

    /// Moves on with a step between two versions.
    func advance(_ step: VersionStep, touched: Set<Int>?) throws {
        // What is behind links is not followed object by object: sections by it are counted anew, and rows shown anew.
        if let section, section.path.steps.count > 1 { sections = nil }
        try note {
            if let touched, try !touched.isDisjoint(with: linkedTables(step.newer)) { hasChanged = true }
            switch answer {
            case .table:
                answer = .table(nil)
                return try touched?.contains(step.newer.tableNumber(of: className)) ?? true
            case .objects(let query): return try !query.advance(step).isEmpty
            case .groups(let groups): return try !groups.advance(step).isEmpty
            }
        }
    }

    /// Asks again, because the version before is gone.
    func restart(at snapshot: Snapshot) throws {
        try note {
            switch answer {
            case .table:
                answer = .table(nil)
                _ = try snapshot.table(className)
            case .objects(let query): _ = try query.restart(at: snapshot)
            case .groups(let groups): _ = try groups.restart(at: snapshot)
            }
            return true
        }
    }

    private func note(_ move: () throws -> Bool) throws {
        if failure != nil { return }
        do {
            if try move() {
                hasChanged = true
                sections = nil
            }
        } catch let error as FreeholdError where [.unknownClass, .unknownProperty, .typeMismatch, .malformedInput].contains(error.code) {
            failure = error
            hasChanged = true
        }
    }
}

extension QueryStep {
    fileprivate var isSort: Bool { if case .sort = self { true } else { false } }
    fileprivate var isGroup: Bool { if case .group = self { true } else { false } }
}
