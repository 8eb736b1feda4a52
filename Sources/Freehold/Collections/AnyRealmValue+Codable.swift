import Foundation

/// Encodes a mixed value as its content: a number, a string, a list, a dictionary.
///
/// Formats such as JSON have fewer types: decoding returns a bool, an `Int`, a `Double`, a string, a list, or a
/// dictionary. Data, dates and ids decode as their encoded form, and an object as a dictionary.
extension AnyRealmValue: Codable {
    /// - Throws: `EncodingError.invalidValue` for an object whose class is not encodable.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        switch self {
        case .none: try container.encodeNil()
        case .int(let value): try container.encode(value)
        case .bool(let value): try container.encode(value)
        case .float(let value): try container.encode(value)
        case .double(let value): try container.encode(value)
        case .string(let value): try container.encode(value)
        case .data(let value): try container.encode(value)
        case .date(let value): try container.encode(value)
        case .objectId(let value): try container.encode(value)
        case .decimal128(let value): try container.encode(value)
        case .uuid(let value): try container.encode(value)
        case .dictionary(let value): try container.encode(value)
        case .list(let value): try container.encode(value)
        case .object(let object):
            try encoder.requireDepth(object)
            guard let object = object as? any Encodable else {
                throw EncodingError.invalidValue(object, EncodingError.Context(codingPath: encoder.codingPath, debugDescription: "class '\(object.className)' is not Encodable"))
            }
            try container.encode(object)
        }
    }

    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        if container.decodeNil() {
            self = .none
        } else if let value = try? container.decode(Bool.self) {
            self = .bool(value)
        } else if let value = try? container.decode(Int.self) {
            self = .int(value)
        } else if let value = try? container.decode(Double.self) {
            self = .double(value)
        } else if let value = try? container.decode(String.self) {
            self = .string(value)
        } else if let value = try? container.decode(List<AnyRealmValue>.self) {
            self = .list(value)
        } else {
            self = .dictionary(try container.decode(Map<String, AnyRealmValue>.self))
        }
    }
}
