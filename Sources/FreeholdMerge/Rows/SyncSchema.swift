import FreeholdEngine

/// The synced classes of a server.
public struct SyncSchema: Sendable {
    /// What a deletion does to changes that did not know of it.
    public enum Conflict: Sendable {
        /// They are lost with the object, and reported.
        case deletionWins
        /// They bring the object back.
        case updateWins
    }

    /// How concurrent changes of a property are merged.
    public enum Kind: Sendable {
        /// The later stamp wins. Properties of embedded objects are plain, too.
        case plain
        /// Sums of increments.
        case counter
        case set
        case list
        case map
        /// A function of the application merges on the device; the server refuses what did not know the present value.
        case merged
    }

    /// A property; one of an embedded object has a dotted name (`address.city`).
    public struct Property: Sendable {
        /// Its name.
        public let name: String
        /// How it is merged.
        public let kind: Kind
        /// Whether two objects of the class cannot have the same value, other than null.
        public let isUnique: Bool
        /// The type of its values, or of a collection's elements. Nil where it is not known: the merge does not need it, tables with typed
        /// columns do.
        public let type: PropertyType?
        /// The class that it links to.
        public let target: String?

        public init(_ name: String, _ kind: Kind = .plain, isUnique: Bool = false, type: PropertyType? = nil, target: String? = nil) {
            (self.name, self.kind, self.isUnique, self.type, self.target) = (name, kind, isUnique, type, target)
        }
    }

    /// The primary key of a class.
    public struct Key: Sendable {
        /// The property's name.
        public let name: String
        /// Its type: an integer, a string, a UUID or an ObjectId.
        public let type: PropertyType

        public init(_ name: String = "id", _ type: PropertyType = .string) { (self.name, self.type) = (name, type) }
    }

    /// A class; its place in `classes` is its number, and so for properties.
    public struct Class: Sendable {
        /// Its name.
        public let name: String
        /// What a deletion does to concurrent changes.
        public let conflict: Conflict
        /// Its primary key.
        public let key: Key
        /// Its properties and those of its embedded objects.
        public let properties: [Property]
        /// For properties of embedded objects, the number of the property that embeds; -1 for others.
        let owners: [Int32]
        let uniqueProperties: [Int32]
        /// Whether a property's embedded object has properties.
        public let embeds: [Bool]

        public init(_ name: String, conflict: Conflict = .deletionWins, key: Key = Key(), properties: [Property]) {
            self.name = name
            self.conflict = conflict
            self.key = key
            self.properties = properties
            let owners = properties.map { property -> Int32 in
                guard let dot = property.name.utf8.lastIndex(of: UInt8(ascii: ".")) else { return -1 }
                let owner = property.name[..<dot]
                return Int32(properties.firstIndex { $0.name == owner } ?? -1)
            }
            self.owners = owners
            embeds = properties.indices.map { owners.contains(Int32($0)) }
            uniqueProperties = properties.indices.filter { properties[$0].isUnique }.map { Int32($0) }
        }
    }

    /// The classes.
    public let classes: [Class]
    /// Their names, for answers.
    let names: SyncNames

    public init(classes: [Class]) {
        self.classes = classes
        names = SyncNames(classes: classes.map { .init(name: $0.name, properties: $0.properties.map(\.name)) })
    }

    subscript(_ object: SyncObject) -> Class { classes[Int(object.type)] }
}
