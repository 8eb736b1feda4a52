public import Foundation

/// A value of any type, for mixed properties.
///
/// ```swift
/// class Setting: Object {
///     @Persisted var value: AnyRealmValue
///     @Persisted var history: List<AnyRealmValue>
/// }
/// try realm.write {
///     setting.value = .string("blue")
///     setting.value = ["sizes": [1, 2.5, nil]]
///     setting.value.dictionaryValue?["name"] = "large"
/// }
/// ```
/// Lists and dictionaries of a managed object are live: they are changed in place. A link may lead to an object of any
/// class; an unmanaged object is added to the realm along with the value.
public enum AnyRealmValue: Hashable {
    case none
    case int(Int)
    case bool(Bool)
    case float(Float)
    case double(Double)
    case string(String)
    case data(Data)
    case date(Date)
    case object(Object)
    case objectId(ObjectId)
    case decimal128(Decimal128)
    case uuid(UUID)
    case dictionary(Map<String, AnyRealmValue>)
    case list(List<AnyRealmValue>)
}

extension AnyRealmValue {
    /// The number, if it is an `Int`.
    public var intValue: Int? {
        if case .int(let value) = self { return value }
        return nil
    }

    /// The bool, if the value is one.
    public var boolValue: Bool? {
        if case .bool(let value) = self { return value }
        return nil
    }

    /// The number, if it is a `Float`.
    public var floatValue: Float? {
        if case .float(let value) = self { return value }
        return nil
    }

    /// The number, if it is a `Double`.
    public var doubleValue: Double? {
        if case .double(let value) = self { return value }
        return nil
    }

    /// The string, if the value is one.
    public var stringValue: String? {
        if case .string(let value) = self { return value }
        return nil
    }

    /// The bytes, if it is `Data`.
    public var dataValue: Data? {
        if case .data(let value) = self { return value }
        return nil
    }

    /// The date, if the value is one.
    public var dateValue: Date? {
        if case .date(let value) = self { return value }
        return nil
    }

    /// The id, if it is an `ObjectId`.
    public var objectIdValue: ObjectId? {
        if case .objectId(let value) = self { return value }
        return nil
    }

    /// The number, if it is a `Decimal128`.
    public var decimal128Value: Decimal128? {
        if case .decimal128(let value) = self { return value }
        return nil
    }

    /// The id, if it is a `UUID`.
    public var uuidValue: UUID? {
        if case .uuid(let value) = self { return value }
        return nil
    }

    /// The dictionary, if the value is one; live if the value belongs to a managed object.
    public var dictionaryValue: Map<String, AnyRealmValue>? {
        if case .dictionary(let value) = self { return value }
        return nil
    }

    /// The list, if the value is one; live if the value belongs to a managed object.
    public var listValue: List<AnyRealmValue>? {
        if case .list(let value) = self { return value }
        return nil
    }

    /// The object, if the value is one of the requested class.
    public func object<Model: Object>(_ type: Model.Type) -> Model? {
        if case .object(let value) = self { return value as? Model }
        return nil
    }

    /// Creates a mixed value that is a dictionary of these values.
    // Allowed: what programs write.
    public static func fromDictionary(_ values: [String: AnyRealmValue]) -> AnyRealmValue {
        let map = Map<String, AnyRealmValue>()
        for (key, value) in values { map[key] = value }
        return .dictionary(map)
    }

    /// Creates a mixed value that is a list of these values.
    public static func fromArray(_ values: [AnyRealmValue]) -> AnyRealmValue {
        let list = List<AnyRealmValue>()
        list.append(objectsIn: values)
        return .list(list)
    }
}

extension AnyRealmValue: ExpressibleByNilLiteral, ExpressibleByBooleanLiteral, ExpressibleByIntegerLiteral, ExpressibleByFloatLiteral,
    ExpressibleByStringLiteral, ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral {
    public init(nilLiteral: ()) { self = .none }
    public init(booleanLiteral value: Bool) { self = .bool(value) }
    public init(integerLiteral value: Int) { self = .int(value) }
    public init(floatLiteral value: Double) { self = .double(value) }
    public init(stringLiteral value: String) { self = .string(value) }
    public init(arrayLiteral values: AnyRealmValue...) { self = .fromArray(values) }
    public init(dictionaryLiteral values: (String, AnyRealmValue)...) { self = .fromDictionary(Dictionary(values, uniquingKeysWith: { $1 })) }
}
