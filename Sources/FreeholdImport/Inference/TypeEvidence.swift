import FreeholdEngine

/// The kinds of values seen in a property, and the type that holds them all.
///
/// | seen (besides null) | type |
/// |---|---|
/// | integers | int; in JSON also those beyond 64 bits, which loading then reports |
/// | integers and other numbers | double |
/// | booleans | bool |
/// | ISO 8601 dates, with or without a time | date |
/// | UUIDs | uuid |
/// | objects | link |
/// | in JSON: values of several of these types, except arrays and objects | mixed |
/// | nothing | string |
/// | anything else, any mixture | string |
///
/// In CSV, TSV and control files, where every value is text, a text that reads as an integer, number or boolean counts
/// as one. `007`, `+49` and integers beyond 64 bits remain strings, because a number would not preserve them. In JSON a
/// string remains a string unless it is a date or a UUID.
struct TypeEvidence: OptionSet {
    let rawValue: UInt16

    static let int = TypeEvidence(rawValue: 1)
    static let double = TypeEvidence(rawValue: 2)
    static let bool = TypeEvidence(rawValue: 4)
    static let date = TypeEvidence(rawValue: 8)
    static let uuid = TypeEvidence(rawValue: 16)
    static let text = TypeEvidence(rawValue: 32)
    static let object = TypeEvidence(rawValue: 64)
    static let array = TypeEvidence(rawValue: 128)
    /// A value whose type is explicit.
    static let tagged = TypeEvidence(rawValue: 256)
    /// Types that JSON itself has.
    private static let typed: TypeEvidence = [.int, .double, .bool, .tagged]

    /// Returns the kind of a value.
    /// - Parameter isAllText: whether the format has only strings.
    init(_ value: ImportedValue, isAllText: Bool) {
        switch value {
        case .null: self = []
        case .bool: self = .bool
        case .int, .longInt: self = .int
        case .double: self = .double
        case .object: self = value.tagged == nil ? .object : .tagged
        case .array: self = .array
        case .text(var text): self = text.withUTF8 { Self.text($0, isAllText: isAllText) }
        }
    }

    init(rawValue: UInt16) { self.rawValue = rawValue }

    private static func text(_ bytes: UnsafeBufferPointer<UInt8>, isAllText: Bool) -> TypeEvidence {
        if isAllText {
            switch NumberText(bytes) {
            case .int: return .int
            case .double: return .double
            default: break
            }
            switch String(decoding: bytes.prefix(6), as: UTF8.self) {
            case "true", "false", "TRUE", "FALSE", "True", "False": return .bool
            default: break
            }
        }
        if DateText.parse(bytes) != nil { return .date }
        return IdentifierText.uuid(bytes) != nil ? .uuid : .text
    }

    /// The type that holds everything seen.
    /// - Parameter isAllText: whether the format has only strings.
    func type(isAllText: Bool) -> PropertyType {
        switch self {
        case .int: .int
        case .double, [.int, .double]: .double
        case .bool: .bool
        case .date: .date
        case .uuid: .uuid
        case .object: .link
        default: isAllText || !isDisjoint(with: [.object, .array]) || isDisjoint(with: Self.typed) ? .string : .mixed
        }
    }
}
