/// Resolves a path step by step through the schema.
struct PathBinder {
    /// What the steps so far lead to.
    private enum Standing {
        case object(Table)
        /// A property not yet read: the next step decides how to read it.
        case property(Column, Table)
        /// A value, and the table of its object if it is a link.
        case value(PropertyType, Table?)
        /// A collection within a collection.
        case nested(CollectionShape, Table?)
    }

    private var standing: Standing
    private var steps: [BoundStep] = []
    private var isToMany = false
    private let path: PropertyPath

    init(_ table: Table, _ path: PropertyPath) {
        standing = .object(table)
        self.path = path
    }

    /// - Parameter binder: the binder of the whole query.
    mutating func add(_ step: PathStep, _ binder: borrowing QueryBinder) throws(FreeholdError) {
        switch step {
        case .property(let name): try addProperty(name)
        case .backlinks(let name, let property): try addBacklinks(name, property)
        case .links: try addLinks()
        case .key(let key): try addPart(.key(key), step)
        case .position(let position): try addPart(.position(position), step)
        case .first: try addPart(.first, step)
        case .last: try addPart(.last, step)
        case .each, .values: try addEach(step)
        case .keys: try addKeys()
        case .size: try addSize()
        case .type:
            try readProperty(isWhole: true)
            steps.append(.part(.type))
            standing = .value(.string, nil)
        case .score: try addScore(binder)
        case .distance: throw wrong("a distance at the end of a path is for SORT only")
        case .aggregate: break
        }
    }

    mutating func finish(origin: Int) throws(FreeholdError) -> BoundPath {
        if case .object(let table) = standing {
            return BoundPath(origin: origin, steps.isEmpty ? [.own] : steps, type: .link, targets: table, isToMany: isToMany, source: path)
        }
        try readProperty(isWhole: false)
        switch standing {
        case .value(let type, let table):
            return BoundPath(origin: origin, steps, type: type, targets: table, isToMany: isToMany, source: path)
        case .nested:
            return BoundPath(origin: origin, steps, type: .mixed, targets: nil, isToMany: isToMany, isCollection: true, source: path)
        case .object, .property: throw wrong("'\(path.written)' does not lead to a value")
        }
    }

    private func wrong(_ message: String) -> FreeholdError { QueryBinder.error(.typeMismatch, message, at: path.place) }

    // MARK: steps

    private mutating func addProperty(_ name: String) throws(FreeholdError) {
        let table = try object(for: "'\(name)'")
        let column: Column
        do {
            column = try table.column(name)
        } catch {
            throw path.unknownProperty(name, of: (try? table.className) ?? table.state.stored.name, among: table.schema.properties.map(\.name))
        }
        standing = .property(column, table)
    }

    /// The table of the object that the path leads to so far; a link is followed.
    private mutating func object(for what: @autoclosure () -> String) throws(FreeholdError) -> Table {
        if case .object(let table) = standing { return table }
        if case .property(let column, let table) = standing, !column.isCollection, column.type == .link {
            let target = try table.target(of: column)
            steps.append(.link(column, target))
            return target
        }
        try readProperty(isWhole: false)
        if case .value(.link, let table?) = standing {
            steps.append(.target(table))
            return table
        }
        throw wrong("\(what()) in '\(path.written)' must follow an object")
    }

    /// Reads the pending property, if there is one: all elements of a collection.
    private mutating func readProperty(isWhole: Bool) throws(FreeholdError) {
        guard case .property(let column, let table) = standing else { return }
        let stored = table.state.stored.properties[try table.own(column).index]
        let target = column.type == .link ? try table.target(of: column) : nil
        guard let shape = stored.shape else {
            steps.append(.value(column))
            standing = .value(column.type, target)
            return
        }
        if isWhole { throw wrong("@type in '\(path.written)' needs a value, not a collection; add [*] for its elements") }
        steps.append(.elements(column))
        isToMany = true
        standing = shape.inner.map { .nested($0, target) } ?? .value(column.type, target)
    }

    private mutating func addBacklinks(_ name: String, _ property: String) throws(FreeholdError) {
        let table = try object(for: "@links")
        let sources: Table
        do {
            sources = try table.sibling(name)
        } catch {
            throw QueryBinder.error(.unknownClass, error.message, at: path.place)
        }
        let column: Column
        do {
            column = try sources.column(property)
        } catch {
            throw QueryBinder.error(.unknownProperty, "property '\(property)' not found in \(name)"
                + QueryText.suggestion(for: property, among: sources.schema.properties.map(\.name)), at: path.place)
        }
        let target = column.type == .link ? try sources.target(of: column) : nil
        guard let target, target.state.stored.number == table.state.stored.number else {
            throw wrong("property '\(property)' of \(name) does not link to \(try table.className)")
        }
        steps.append(.backlinks(sources, column))
        isToMany = true
        standing = .object(sources)
    }

    private mutating func addLinks() throws(FreeholdError) {
        guard path.steps.suffix(2) == [.links, .aggregate(.count)] else {
            throw wrong("without a class and a property, @links allows @count only: @links.@count")
        }
        let table = try object(for: "@links")
        var ways: [LinkWay] = []
        for (number, index) in table.schemaOf.incoming[table.tableNumber] {
            let sources = try table.sibling(table.schemaOf.name(ofClass: number))
            ways.append(LinkWay(sources: sources, column: sources.state.stored.column(index)))
        }
        steps.append(.links(table, ways))
        isToMany = true
        standing = .value(.link, nil)
    }

    private mutating func addScore(_ binder: borrowing QueryBinder) throws(FreeholdError) {
        guard path.steps == [.score], path.variable == nil, binder.isInSort else {
            throw wrong("@score stands alone in SORT(…), after a condition with TEXT, as in title TEXT 'tea' SORT(@score DESC)")
        }
        guard let scores = binder.scores else { throw wrong("SORT(@score) needs a condition with TEXT outside of NOT") }
        steps.append(.score(scores))
        standing = .value(.double, nil)
    }

    private mutating func addPart(_ choice: ValueStep, _ step: PathStep) throws(FreeholdError) {
        if case .property(let column, let table) = standing, let shape = table.state.stored.properties[try table.own(column).index].shape {
            try require(choice, of: shape.kind, step)
            steps.append(.element(column, choice))
            let target = column.type == .link ? try table.target(of: column) : nil
            standing = shape.inner.map { .nested($0, target) } ?? .value(column.type, target)
            return
        }
        try readProperty(isWhole: false)
        switch standing {
        case .nested(let shape, let target):
            try require(choice, of: shape.kind, step)
            standing = shape.inner.map { .nested($0, target) } ?? .value(shape.type, target)
        case .value(.mixed, _): break
        default: throw wrong("\(step) in '\(path.written)' must follow a collection")
        }
        steps.append(.part(choice))
    }

    private func require(_ choice: ValueStep, of kind: CollectionKind, _ step: PathStep) throws(FreeholdError) {
        switch (choice, kind) {
        case (.key, .map), (.position, .list), (.first, .list), (.last, .list): return
        default: throw wrong("\(step) in '\(path.written)' does not apply to a \(kind.name)")
        }
    }

    private mutating func addEach(_ step: PathStep) throws(FreeholdError) {
        if case .property(let column, let table) = standing, table.state.stored.properties[try table.own(column).index].shape != nil {
            return try readProperty(isWhole: false)
        }
        try readProperty(isWhole: false)
        switch standing {
        case .nested(let shape, let target): standing = shape.inner.map { .nested($0, target) } ?? .value(shape.type, target)
        case .value(.mixed, _): break
        case .value where isToMany: return
        default: throw wrong("\(step) in '\(path.written)' must follow a collection")
        }
        steps.append(.part(.each))
        isToMany = true
    }

    private mutating func addKeys() throws(FreeholdError) {
        guard case .property(let column, let table) = standing,
              table.state.stored.properties[try table.own(column).index].shape?.kind == .map else { throw wrong("@keys in '\(path.written)' must follow a map") }
        steps.append(.keys(column))
        isToMany = true
        standing = .value(.string, nil)
    }

    private mutating func addSize() throws(FreeholdError) {
        if case .property(let column, _) = standing, column.isCollection || [.string, .data].contains(column.type) {
            steps.append(.size(column))
        } else {
            try readProperty(isWhole: false)
            switch standing {
            case .nested, .value(.string, _), .value(.data, _), .value(.mixed, _): steps.append(.part(.size))
            default: throw wrong("@size in '\(path.written)' must follow a collection, a string or data")
            }
        }
        standing = .value(.int, nil)
    }
}

extension Table {
    /// The table of another class in the same version.
    func sibling(_ name: String) throws(FreeholdError) -> Table { try owner.table(name, withSubclasses: true) }

    /// The class that a property links to.
    func target(of column: Column) throws(FreeholdError) -> Table {
        let property = state.stored.properties[try own(column).index]
        guard let number = property.linkTarget else {
            throw FreeholdError(.typeMismatch, "property '\(property.name)' of class '\(state.stored.name)' is not a link to one class")
        }
        return try sibling(schemaOf.name(ofClass: Int(number)))
    }
}
