/// What is read of an object, and of others that links lead to from it: a graph of places, of which the first is the
/// object itself.
///
/// 1. Ways lead from a place to one with a higher number, so that places are evaluated backwards one after the other.
/// 2. Each place is of one table; what is read there are some of its columns, or all of them.
/// 3. Columns are those of `schema`. Another version may have a property at another position, or not at all: a caller
///    that follows a step to a version of another schema takes the reach `moved` there.
struct Reach {
    /// A hop from the objects of one place to those of another.
    enum Hop: Hashable {
        /// By a link, or links, in this column of the first place.
        case link(Int)
        /// By a link, or links, in this column of the second place.
        case backlink(Int)
    }

    struct Way: Hashable {
        let from: Int
        let hop: Hop
    }

    struct Place {
        let table: Int
        var columns = ColumnSet()
        var hasAllColumns = false
        var ways: [Way] = []

        /// Whether a changed object differs in what is read at this place.
        func isTouched(by difference: ObjectDifference) -> Bool {
            difference.kind != .changed || hasAllColumns || columns.intersects(difference.columns)
        }
    }

    private(set) var places: [Place]
    /// The schema of the places' columns.
    private(set) var schema: StoredSchema

    init(table: Int, in schema: StoredSchema) {
        places = [Place(table: table)]
        self.schema = schema
    }

    mutating func look(at column: Int, of place: Int) { places[place].columns.insert(column) }

    /// The place that a hop leads to.
    mutating func place(from: Int, _ hop: Hop, table: Int) -> Int {
        let way = Way(from: from, hop: hop)
        if let known = places.indices.first(where: { places[$0].ways == [way] && places[$0].table == table }) { return known }
        places.append(Place(table: table, ways: [way]))
        return places.count - 1
    }
}

extension Reach {
    /// The number of links followed from objects that are read as a whole.
    static let depth = 4

    /// Everything an object holds, and what its links lead to, `depth` links deep.
    init(everythingOf table: Int, in schema: StoredSchema) {
        self.init(table: table, in: schema)
        places[0].hasAllColumns = true
        var level = [table: 0]
        for _ in 0..<Self.depth {
            var next: [Int: Int] = [:]
            for target in schema.classes.indices where schema.tables[target] == target {
                let ways = schema.incoming[target].compactMap { link in level[link.table].map { Way(from: $0, hop: .link(link.column)) } }
                if ways.isEmpty { continue }
                places.append(Place(table: target, hasAllColumns: true, ways: ways))
                next[target] = places.count - 1
            }
            level = next
        }
    }
}

// MARK: in another version

extension Reach {
    /// The property of a table's column; nil if there is none.
    func property(_ column: Int, ofTable table: Int) -> StoredProperty? {
        guard let stored = schema.find(number: table), stored.properties.indices.contains(column) else { return nil }
        return stored.properties[column]
    }

    /// The reach with the columns of another schema. Columns that it does not have are not read, and nothing leads over
    /// them.
    func moved(to other: StoredSchema) -> Reach {
        if other === schema { return self }
        func column(_ old: Int, _ table: Int) -> Int? {
            guard let property = property(old, ofTable: table) else { return nil }
            return other.find(number: table)?.place(of: property)
        }
        var moved = self
        moved.schema = other
        for (number, place) in places.enumerated() {
            moved.places[number].columns = ColumnSet()
            for old in schema.find(number: place.table)?.properties.indices ?? 0..<0 where place.columns.contains(old) {
                if let new = column(old, place.table) { moved.places[number].columns.insert(new) }
            }
            moved.places[number].ways = place.ways.compactMap { way in
                switch way.hop {
                case .link(let old): column(old, places[way.from].table).map { Way(from: way.from, hop: .link($0)) }
                case .backlink(let old): column(old, place.table).map { Way(from: way.from, hop: .backlink($0)) }
                }
            }
        }
        return moved
    }
}

extension StoredClass {
    /// The position in this version of a property of another version; nil if it was dropped, or did not exist yet.
    func place(of property: StoredProperty) -> Int? {
        properties.firstIndex { $0.number == property.number && $0.type == property.type && $0.collections == property.collections }
    }
}

// MARK: from a query

extension Reach {
    mutating func add(_ condition: BoundCondition, origins: [Int] = [0]) throws(FreeholdError) {
        switch condition {
        case .constant: return
        case .all(let parts), .any(let parts): for part in parts { try add(part, origins: origins) }
        case .not(let part): try add(part, origins: origins)
        case .test(let test): try add(test.comparison, origins)
        case .comparison(let comparison): try add(comparison, origins)
        case .search(let search): for path in search.paths { try add(path, origins: origins) }
        case .within(let within): try add(within.place, origins)
        }
    }

    private mutating func add(_ comparison: BoundComparison, _ origins: [Int]) throws(FreeholdError) {
        try add(comparison.left, origins)
        for expression in comparison.right { try add(expression, origins) }
    }

    private mutating func add(_ expression: BoundExpression, _ origins: [Int]) throws(FreeholdError) {
        switch expression {
        case .constant: return
        case .path(let path), .figure(_, let path): try add(path, origins: origins)
        case .subquery(let path, let condition, let slot):
            let end = try add(path, origins: origins)
            try add(condition, origins: origins.prefix(slot) + [end])
        case .arithmetic(_, let left, let right):
            try add(left, origins)
            try add(right, origins)
        case .negation(let inner): try add(inner, origins)
        case .distance(let distance): try add(distance.place, origins)
        }
    }

    /// Adds what is read of places: also of the objects that they are stored in.
    private mutating func add(_ place: BoundPlace, _ origins: [Int]) throws(FreeholdError) {
        switch place.source {
        case .degrees(let latitude, let longitude):
            try add(latitude, origins: origins)
            try add(longitude, origins: origins)
        case .objects(let path, _, let type, let coordinates):
            let end = try add(path, origins: origins)
            look(at: type.index, of: end)
            look(at: coordinates.index, of: end)
        }
    }

    /// Adds a path. Returns the place of the objects that the path ends at, or whose values it reads.
    @discardableResult
    mutating func add(_ path: BoundPath, origins: [Int] = [0]) throws(FreeholdError) -> Int {
        var place = origins[path.origin], last: Int?
        for step in path.steps {
            switch step {
            case .value(let column), .elements(let column), .element(let column, _), .keys(let column), .size(let column):
                look(at: column.index, of: place)
                last = column.index
            case .link(let column, let target):
                look(at: column.index, of: place)
                place = self.place(from: place, .link(column.index), table: target.tableNumber)
            case .target(let target):
                guard let column = last else { continue }
                place = self.place(from: place, .link(column), table: target.tableNumber)
            case .backlinks(let sources, let column):
                place = self.place(from: place, .backlink(column.index), table: sources.tableNumber)
                look(at: column.index, of: place)
            case .links(_, let ways):
                for way in ways {
                    let source = self.place(from: place, .backlink(way.column.index), table: way.sources.tableNumber)
                    look(at: way.column.index, of: source)
                }
            // A score depends on the strings of all objects: the searches are parts of the condition, which is read, too.
            case .part, .own, .score: continue
            case .distance(let distance): try add(distance.place, origins)
            }
        }
        // Links at the end of a path are values; the objects they lead to matter only to callers that ask about these.
        guard let last, let target = path.targets else { return place }
        switch path.steps.last {
        case .value, .elements, .element, .part: return self.place(from: place, .link(last), table: target.tableNumber)
        default: return place
        }
    }
}
