import FreeholdEngine

/// Reads the objects of a class and of those that extend it, each with the properties of its own class.
struct FamilyReader {
    let table: Table
    /// By class.
    private let readers: TextMap<ObjectReader>
    /// The properties of all classes, those of the class itself first; those of one name stand for one another.
    let names: [String]

    /// Nil for a class that no other one extends.
    init?(_ table: Table, in snapshot: Snapshot) throws {
        let classes = try snapshot.classes
        var members = [table.schema.name]
        // A class comes after the one it extends.
        for schema in classes where schema.superclass.map(members.contains) ?? false { members.append(schema.name) }
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

    /// The reader of an object's own class, and that class's name.
    func reader(of row: Row) throws -> (name: String, reader: ObjectReader) {
        let name = try row.className
        guard let reader = readers[name] else { throw Failure("object \(row.key) is a '\(name)', which is of another class than was asked for") }
        return (name, reader)
    }

    /// The readers by the names of their classes.
    var all: [(name: String, reader: ObjectReader)] { readers.sortedByKey.map { ($0.key, $0.value) } }
}
