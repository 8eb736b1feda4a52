import FreeholdEngine

/// One difference between the classes of a file and those of the program.
enum SchemaChange {
    case newClass(ClassSchema)
    case newProperty(PropertySchema, of: String)
    case newIndex(String, of: String)
    /// An index that the program does not want.
    case oldIndex(String, of: String)
    /// A property that the program does not have.
    case oldProperty(PropertySchema, of: String)
    case type(PropertySchema, PropertySchema, of: String)
    case optional(PropertySchema, of: String)
    case unique(PropertySchema, of: String)
    case deleteRule(PropertySchema, PropertySchema, of: String)
    case primaryKey(String?, String?, of: String)
    case embedded(Bool, String)
    case superclass(String?, String?, of: String)

    /// What a change needs to be applied.
    enum Kind {
        /// It is applied automatically.
        case addition
        /// The file keeps it until the schema version is raised.
        case removal
        /// Opening is refused until the schema version is raised.
        case difference
    }

    var kind: Kind {
        switch self {
        case .newClass, .newProperty, .newIndex: .addition
        case .oldIndex, .oldProperty: .removal
        default: .difference
        }
    }
}

extension SchemaChange: CustomStringConvertible {
    /// The difference in one sentence, in the wording of object databases.
    var description: String {
        switch self {
        case .newClass(let wanted): "Class '\(wanted.name)' has been added."
        case .newProperty(let property, let name): "Property '\(name).\(property.name)' has been added."
        case .newIndex(let property, let name): "Property '\(name).\(property)' has been made indexed."
        case .oldIndex(let property, let name): "Property '\(name).\(property)' has been made unindexed."
        case .oldProperty(let property, let name): "Property '\(name).\(property.name)' has been removed."
        case .type(let old, let new, let name): "Property '\(name).\(new.name)' has been changed from '\(old.said)' to '\(new.said)'."
        case .optional(let property, let name): "Property '\(name).\(property.name)' has been made \(property.isNullable ? "optional" : "required")."
        case .unique(let property, let name): "Property '\(name).\(property.name)' has been made \(property.isUnique ? "unique" : "not unique")."
        case .deleteRule(let old, let new, let name):
            "Property '\(name).\(new.name)' has changed its delete rule from '\(old.deleteRule.name)' to '\(new.deleteRule.name)'."
        case .primaryKey(nil, _, let name): "Primary Key for class '\(name)' has been added."
        case .primaryKey(_, nil, let name): "Primary Key for class '\(name)' has been removed."
        case .primaryKey(let old, let new, let name): "Primary Key for class '\(name)' has changed from '\(old ?? "")' to '\(new ?? "")'."
        case .embedded(let isEmbedded, let name):
            "Class '\(name)' has been changed from \(isEmbedded ? "top-level to embedded" : "embedded to top-level")."
        case .superclass(let old, let new, let name):
            "Class '\(name)' has changed its superclass from '\(old ?? "Object")' to '\(new ?? "Object")'."
        }
    }
}

extension PropertySchema {
    /// The type in words.
    var said: String {
        var text = linkTarget.map { collections.isEmpty ? "<\($0)>" : $0 } ?? "\(PropertyType(type))"
        for collection in collections.reversed() {
            text = switch collection {
            case .list: "array<\(text)>"
            case .set: "set<\(text)>"
            case .map: "dictionary<string, \(text)>"
            }
        }
        return text
    }
}
