@testable import FreeholdEngine

/// What a database should hold, kept in the plainest way: the model that tests compare with.
public struct NaiveDatabase: Equatable, Sendable {
    /// One class: its properties, its objects by key, and the next key it would give.
    public struct Class: Equatable, Sendable {
        /// Its place among all classes there ever were.
        public var number: Int
        public var schema: ClassSchema
        public var objects: [Int64: [Value]] = [:]
        public var nextKey: Int64 = 0
        /// What tells this class and its properties from all others, whatever they are called.
        public var identity = 0
        public var properties: [Int] = []
        /// What tells an object from all others, those under the same key included.
        public var births: [Int64: Int] = [:]
        /// The last number of each sequence.
        public var sequences: [String: Int64] = [:]

        func index(_ property: String) -> Int { schema.properties.firstIndex { $0.name == property }! }
    }

    public var classes: [String: Class] = [:]
    /// Class names in the order they were made.
    public var order: [String] = []
    private var identities = 0
    /// How many classes there ever were.
    private var created = 0

    public init() {}

    public mutating func createClass(_ schema: ClassSchema) {
        // What it inherits are the very same properties.
        let inherited = schema.superclass.map { classes[$0]!.properties } ?? []
        classes[schema.name] = Class(number: created, schema: whole(schema), identity: newIdentity(),
                                     properties: inherited + schema.properties.map { _ in newIdentity() })
        order.append(schema.name)
        created += 1
    }

    /// A number that nothing had before.
    mutating func newIdentity() -> Int {
        identities += 1
        return identities
    }

    /// The key of the object whose primary key is `value`.
    func find(_ name: String, primaryKey value: Value) -> Int64? {
        guard let found = classes[name], let key = found.schema.primaryKey else { return nil }
        let place = found.index(key)
        return found.objects.first { $0.value[place] == value }?.key
    }

    public mutating func insert(_ name: String, _ values: [Value]) -> Int64 {
        let key = newKey(name, values), root = root(of: name)
        classes[root]!.nextKey = max(classes[root]!.nextKey, key + 1)
        classes[name]!.objects[key] = values
        classes[name]!.births[key] = newIdentity()
        return key
    }

    private func newKey(_ name: String, _ values: [Value]) -> Int64 {
        let stored = classes[name]!, next = classes[root(of: name)]!.nextKey
        guard let place = stored.schema.primaryKey.map(stored.index) else { return next }
        // One that may be null is no object key.
        if case .int(let wanted) = values[place], !stored.schema.properties[place].isNullable { return wanted }
        return next
    }

    public mutating func set(_ name: String, _ key: Int64, _ property: Int, _ value: Value) {
        classes[name]!.objects[key]![property] = value
    }
}
