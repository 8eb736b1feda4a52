import FreeholdEngine

/// Finds the objects that embedded objects belong to.
struct SQLOwners {
    /// A property that holds embedded objects.
    private struct Place {
        let table: Table
        let column: Column
        let property: String
    }

    /// The properties that may hold objects of a class or of its subclasses, by the topmost class.
    private let places: TextMap<[Place]>
    private let roots: TextMap<String>

    init(_ classes: [ClassSchema], in snapshot: Snapshot) throws {
        var roots: TextMap<String> = [:], places: TextMap<[Place]> = [:]
        // Superclasses come before those that extend them.
        for schema in classes { roots[schema.name] = schema.superclass.flatMap { roots[$0] } ?? schema.name }
        let embedded = Set<ExactText>(exact: classes.filter(\.isEmbedded).map(\.name))
        for schema in classes {
            let table = try snapshot.table(schema.name)
            for property in schema.properties {
                guard let target = property.linkTarget, embedded.contains(target), let root = roots[target] else { continue }
                places[root, default: []].append(Place(table: table, column: try table.column(property.name), property: property.name))
            }
        }
        self.roots = roots
        self.places = places
    }

    /// The class, property and key of an embedded object's owner.
    func owner(of key: ObjectKey, in name: String) throws -> (class: String, property: String, key: ObjectKey)? {
        for place in roots[name].flatMap({ places[$0] }) ?? [] {
            guard let owner = try place.table.backlinks(to: key, from: place.column).first else { continue }
            return (place.table.schema.name, place.property, owner)
        }
        return nil
    }

    /// Whether an object is one of `table`, or is embedded in such an object, over any number of others.
    func isWithin(_ table: Table, _ key: ObjectKey, of name: String) throws -> Bool {
        if roots[name].isSame(as: roots[table.schema.name]), try table.contains(key) { return true }
        guard let owner = try owner(of: key, in: name) else { return false }
        return try isWithin(table, owner.key, of: owner.class)
    }
}
