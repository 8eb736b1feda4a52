/// What the engine knows of a property type wherever it stores values of any type: one row for each type.
///
/// Leaves, rows of the tail, collections, mixed values and checks follow from the row and from the two words of a value (`Value.words`).
/// What is left to each type is how its values compare, how they are ordered in an index, and how they read as text.
struct TypeTraits {
    /// The type's name in schemas, messages and on the command line.
    let name: String
    /// How a leaf holds the values of a column.
    let leaf: LeafForm
    /// The bytes of a value in a row, a leaf of fixed rows or a mixed value; 0 for strings, data and mixed values, which have any length.
    let width: Int
    /// Whether values identify objects well: equal ones are the same to the last bit, so the type may be that of a primary key.
    let canBeKey: Bool

    init(_ name: String, _ leaf: LeafForm, width: Int, canBeKey: Bool = false) {
        self.name = name
        self.leaf = leaf
        self.width = width
        self.canBeKey = canBeKey
    }
}

/// The forms in which a leaf holds the values of a column.
enum LeafForm {
    /// Packed integers.
    case integers
    case floats
    case doubles
    /// Two runs of packed integers: seconds and nanoseconds.
    case dates
    /// Rows of the type's width.
    case fixed
    /// Bytes of any length.
    case texts
}

extension PropertyType {
    /// The type's row of the table.
    @inline(__always)
    var traits: TypeTraits {
        switch self {
        case .bool: TypeTraits("bool", .integers, width: 1)
        case .int: TypeTraits("int", .integers, width: 8, canBeKey: true)
        case .float: TypeTraits("float", .floats, width: 4)
        case .double: TypeTraits("double", .doubles, width: 8)
        case .string: TypeTraits("string", .texts, width: 0, canBeKey: true)
        case .data: TypeTraits("data", .texts, width: 0)
        case .date: TypeTraits("date", .dates, width: 12, canBeKey: true)
        case .uuid: TypeTraits("uuid", .fixed, width: 16, canBeKey: true)
        case .objectId: TypeTraits("objectId", .fixed, width: 12, canBeKey: true)
        case .link: TypeTraits("link", .integers, width: 8)
        case .decimal: TypeTraits("decimal", .fixed, width: 16)
        case .mixed: TypeTraits("mixed", .texts, width: 0)
        }
    }

    /// How a leaf holds values of the type.
    @inline(__always) var leaf: LeafForm { traits.leaf }
    /// The bytes of a value; 0 for values of any length.
    @inline(__always) var width: Int { traits.width }

    /// The type's name in schemas, messages and on the command line.
    public var name: String { traits.name }

    /// Whether its values are byte strings of any length.
    @inline(__always) var isBytes: Bool { leaf == .texts }

    /// Whether values are links, or may be.
    var mayLink: Bool { self == .link || self == .mixed }
}
