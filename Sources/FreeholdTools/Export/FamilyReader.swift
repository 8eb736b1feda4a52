import FreeholdEngine

/// Reads the objects of a class and its subclasses, each with the properties of its own class.
public struct FamilyReader {
    /// The table of the topmost class.
    public let table: Table
    /// The readers, by class.
    private let readers: TextMap<ObjectReader>
    /// The properties of all classes, those of the class itself first; properties with the same name share a column.
    public let names: [String]

    /// Creates the readers; nil for a class without subclasses.
    public init?(_ table: Table, in snapshot: Snapshot) throws {
        let classes = try snapshot.classes
        var members = [table.schema.name]
        // Superclasses come before their subclasses.
        for schema in classes where schema.superclass.map({ members.has($0) }) ?? false { members.append(schema.name) }
        if members.count == 1 { return nil }
        self.table = table
        var readers: TextMap<ObjectReader> = [:], names: [String] = []
        for name in members {
            let reader = try ObjectReader(try snapshot.table(name), in: snapshot)
            readers[name] = reader
            for property in reader.properties where !names.has(property.name) { names.append(property.name) }
        }
        self.readers = readers
        self.names = names
    }

    /// The reader for an object's own class, and that class's name.
    public func reader(of row: Row) throws -> (name: String, reader: ObjectReader) {
        let name = try row.className
        guard let reader = readers[name] else {
            throw FreeholdError(.invalidArgument, "object \(row.key) is of class '\(name)', not of the class requested")
        }
        return (name, reader)
    }

    /// The readers by the names of their classes.
    var all: [(name: String, reader: ObjectReader)] { readers.sortedByKey.map { ($0.key, $0.value) } }
}
