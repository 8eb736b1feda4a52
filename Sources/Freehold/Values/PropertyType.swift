import FreeholdEngine

/// The type of a property, or of the elements of its collection.
public enum PropertyType: Int, Sendable, CustomStringConvertible {
    case int = 0
    case bool = 1
    case string = 2
    case data = 3
    case date = 4
    case float = 5
    case double = 6
    case object = 7
    case linkingObjects = 8
    case any = 9
    case objectId = 10
    case decimal128 = 11
    case UUID = 12

    public var description: String {
        switch self {
        case .int: "int"
        case .bool: "bool"
        case .string: "string"
        case .data: "data"
        case .date: "date"
        case .float: "float"
        case .double: "double"
        case .object: "object"
        case .linkingObjects: "linking objects"
        case .any: "mixed"
        case .objectId: "object id"
        case .decimal128: "decimal128"
        case .UUID: "uuid"
        }
    }

    /// The engine's type; nil for linking objects, which are not stored.
    var stored: FreeholdEngine.PropertyType? {
        switch self {
        case .int: .int
        case .bool: .bool
        case .string: .string
        case .data: .data
        case .date: .date
        case .float: .float
        case .double: .double
        case .object: .link
        case .linkingObjects: nil
        case .any: .mixed
        case .objectId: .objectId
        case .decimal128: .decimal
        case .UUID: .uuid
        }
    }

    init(_ stored: FreeholdEngine.PropertyType) {
        self = switch stored {
        case .int: .int
        case .bool: .bool
        case .string: .string
        case .data: .data
        case .date: .date
        case .float: .float
        case .double: .double
        case .link: .object
        case .mixed: .any
        case .objectId: .objectId
        case .decimal: .decimal128
        case .uuid: .UUID
        }
    }
}
