/// What an answer depends on: a step that changes nothing of it leaves the answer as it is, and need not be taken.
///
/// Only a change of classes, or a new start, changes the interest of an answer.
public struct Interest: Hashable, Sendable {
    /// Tables of which every object matters.
    public var tables: Set<Int>
    /// Single objects, each with all its properties.
    public var objects: [ObservedPlace]

    public init(tables: Set<Int> = [], objects: [ObservedPlace] = []) { (self.tables, self.objects) = (tables, objects) }
}

/// An object by its table and key.
public struct ObservedPlace: Hashable, Sendable {
    public let table: Int
    public let key: ObjectKey

    public init(table: Int, key: ObjectKey) { (self.table, self.key) = (table, key) }
}

extension LiveQuery {
    /// What the answer depends on: every table within its reach, and the object that has the source collection.
    public var interest: Interest {
        let source = source.flatMap { source in sourceTable.map { ObservedPlace(table: $0, key: source.key) } }
        return Interest(tables: reach.tables, objects: source.map { [$0] } ?? [])
    }
}

extension LiveCollection {
    /// What the collection depends on: its object, and what its elements link to.
    public var interest: Interest { Interest(tables: linkedTables, objects: [ObservedPlace(table: table, key: address.key)]) }
}

extension LiveObject {
    /// What the object depends on: only itself.
    public var interest: Interest { Interest(objects: [ObservedPlace(table: table, key: key)]) }
}
