import FreeholdEngine

/// One value as the text gives it, before any property's type is known.
public enum ImportedValue: Sendable, Equatable {
    case null
    case bool(Bool)
    /// A number written without fraction and exponent that fits.
    case int(Int64)
    /// A number written without fraction and exponent that is beyond 64 bits: its digits, and perhaps a sign before them.
    case longInt(String)
    /// Any other number.
    case double(Double)
    /// Text; in CSV, TSV and control files every value that is not missing.
    case text(String)
    case object(ImportedObject)
    case array([ImportedValue])

    /// What the value is called in messages.
    public var kindName: String {
        switch self {
        case .null: "null"
        case .bool: "a truth value"
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
    /// The names, shared with all objects that have the same ones.
    public let shape: RecordShape
    /// One value a name.
    public var values: [ImportedValue]

    /// Joins names and as many values.
    public init(shape: RecordShape, values: [ImportedValue]) {
        self.shape = shape
        self.values = values
    }

    /// The member that names the class an object is of, where it stands among objects of a class that this one extends.
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

/// An object and where it stands.
public struct ImportedRecord: Sendable, Equatable {
    /// Its names and values.
    public var object: ImportedObject
    /// The line it begins on, from 1.
    public let line: Int

    /// Joins an object and its first line.
    public init(object: ImportedObject, line: Int) {
        self.object = object
        self.line = line
    }
}
