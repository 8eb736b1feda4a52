import FreeholdEngine

/// A value of the text, before the type of its property is known.
public enum ImportedValue: Sendable, Equatable {
    case null
    case bool(Bool)
    /// A number without fraction and exponent that fits 64 bits.
    case int(Int64)
    /// A number without fraction and exponent beyond 64 bits: its digits, with an optional sign.
    case longInt(String)
    /// Any other number.
    case double(Double)
    /// Text; in CSV, TSV and control files every value that is not missing.
    case text(String)
    case object(ImportedObject)
    case array([ImportedValue])

    /// The value's name in messages.
    public var kindName: String {
        switch self {
        case .null: "null"
        case .bool: "a boolean"
        case .int, .longInt: "an integer"
        case .double: "a number"
        case .text: "text"
        case .object: "an object"
        case .array: "an array"
        }
    }
}

/// Named values in the order of the text.
public struct ImportedObject: Sendable, Equatable {
    /// The names, shared by all objects with the same names.
    public let shape: RecordShape
    /// One value per name.
    public var values: [ImportedValue]

    /// Combines names with as many values.
    public init(shape: RecordShape, values: [ImportedValue]) {
        self.shape = shape
        self.values = values
    }

    /// The member that names the class of an object, in places where a superclass is expected.
    public static let classMember = "$class"

    /// The class that the object names; nil if it names none.
    public var className: ImportedValue? { shape.classPlace.map { values[$0] } }

    /// The value of a name; the last one if the text repeats the name.
    public subscript(name: String) -> ImportedValue? {
        shape.names.lastIndex(of: name).map { values[$0] }
    }

    public static func == (left: ImportedObject, right: ImportedObject) -> Bool {
        (left.shape === right.shape || left.shape.names.elementsEqual(right.shape.names) { $0.isSame(as: $1) }) && left.values == right.values
    }
}

/// An object and its position.
public struct ImportedRecord: Sendable, Equatable {
    /// Its names and values.
    public var object: ImportedObject
    /// The line on which it begins, from 1.
    public let line: Int

    /// Combines an object with its first line.
    public init(object: ImportedObject, line: Int) {
        self.object = object
        self.line = line
    }
}
