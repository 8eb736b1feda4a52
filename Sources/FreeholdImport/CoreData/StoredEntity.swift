import FreeholdEngine

/// An entity of a store with its number and the table that has its objects: that of its root, which all entities that
/// inherit from one another share.
struct StoredEntity {
    let name: String
    /// What `Z_ENT` has in the rows of its objects.
    let number: Int64
    /// The entity whose properties it inherits, by its place.
    var parent: Int?
    /// The outermost of its parents, or itself.
    var root = 0
    /// The table, by its place in the file.
    var table = 0
    let isAbstract: Bool
    /// Its own properties.
    var properties: [StoredProperty] = []
}

/// A property of an entity and where its values are.
struct StoredProperty {
    enum Source {
        /// A value in a column of the entity's table.
        case attribute(column: Int, AttributeReading)
        /// The key of an object in a column of the entity's table.
        case link(column: Int, target: Int)
        /// Keys of objects, from the rows of some table.
        case links(LinkRows, target: Int, isOrdered: Bool)
    }

    let name: String
    let source: Source
    var isOptional = true
    var deleteRule = DeleteRule.nullify
    /// Whether the model does not know it: a column that no attribute explains.
    var isUnexplained = false
}

/// How the values of an attribute are read.
enum AttributeReading: Equatable {
    case int, bool, double, float, decimal, date, string, data, uuid
    /// Archives and property lists in a blob.
    case archive
    /// Values of whatever kind is stored.
    case any
}

/// The rows that say which objects a relationship leads to.
struct LinkRows: Equatable {
    /// Where a row has the key of an object.
    enum Place: Equatable {
        case rowid
        case column(Int)
    }

    /// The table, by its place in the file.
    let table: Int
    let owner: Place
    let target: Place
    /// The column whose ascending values are the order.
    let order: Int?
    /// Whether a row leads in both directions: a relationship that is its own inverse.
    var isSymmetric = false
}

/// What a name in the schema of a store consists of: `Z_26ASSETS` of the number 26 and the name ASSETS.
struct NumberedName {
    let number: Int64
    let name: Substring

    /// - Parameter prefix: what stands before the number.
    init?(_ text: String, prefix: String) {
        guard text.hasPrefix(prefix) else { return nil }
        let rest = text.dropFirst(prefix.count)
        let digits = rest.prefix { $0.isASCII && $0.isNumber }
        guard !digits.isEmpty, let number = Int64(digits) else { return nil }
        self.number = number
        name = rest.dropFirst(digits.count)
    }

    /// Whether it has this name, or this name and a number that tells it from others of the same name.
    func isNamed(_ wanted: String) -> Bool { Self.isNamed(String(name), wanted) }

    static func isNamed(_ name: String, _ wanted: String) -> Bool {
        if name.isSame(as: wanted) { return true }
        guard name.hasPrefix(wanted) else { return false }
        return name.dropFirst(wanted.count).allSatisfy { $0.isASCII && $0.isNumber }
    }
}
