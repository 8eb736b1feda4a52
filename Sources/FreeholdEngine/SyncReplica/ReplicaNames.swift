/// The classes and properties that a batch names, numbered as they come up.
struct ReplicaNames {
    private let schema: StoredSchema
    private(set) var names = SyncNames()
    private var types: [Int: Int32] = [:]
    private var properties: [[ExactText: Int32]] = []

    /// The name of the register with the class of an object that is of a subclass.
    static let subclass = SyncNames.subclass

    init(_ schema: StoredSchema) { self.schema = schema }

    /// The number of a table's class.
    mutating func type(_ table: Int) -> Int32 {
        if let known = types[table] { return known }
        let made = Int32(names.classes.count)
        names.classes.append(.init(name: schema.classes[table].name, properties: []))
        properties.append([:])
        types[table] = made
        return made
    }

    /// The number of a property; that of an embedded object has a dotted name.
    mutating func property(_ name: String, of table: Int) -> Int32 {
        let type = Int(type(table)), text = ExactText(name)
        if let known = properties[type][text] { return known }
        let made = Int32(names.classes[type].properties.count)
        names.classes[type].properties.append(name)
        properties[type][text] = made
        return made
    }
}
