import FreeholdEngine

/// Coding of the properties of `Codable` classes, whose `encode(to:)` and `init(from:)` the compiler writes.
///
/// ```swift
/// class Dog: Object, Codable {
///     @Persisted var name = ""
///     @Persisted var age: Int?
/// }
/// let dog = try JSONDecoder().decode(Dog.self, from: data)
/// let text = try JSONEncoder().encode(realm.objects(Dog.self))
/// ```
/// Decoding creates unmanaged objects. Encoding accepts these and managed ones. A missing key reads as nil if the
/// property is optional; otherwise it throws `DecodingError.keyNotFound`.
extension Persisted: Decodable where Value: Decodable {
    public init(from decoder: any Decoder) throws {
        attributes = 0
        // Through the container: a coder's strategies for dates and data, and JSON's for numbers, are its own.
        value = try decoder.singleValueContainer().decode(Value.self)
    }
}

extension Persisted: Encodable where Value: Encodable {
    /// Encodes the property's value; for a managed object, the stored one.
    ///
    /// - Throws: `EncodingError.invalidValue` for objects that link to each other in a circle.
    public func encode(to encoder: any Encoder) throws {
        if Value._kind.type == .object { try encoder.requireDepth(Value.self) }
        let shown = ManagedPlace.of(attributes).map { Value._read($0, $1) } ?? value ?? Value._zero
        // Objects and collections request their containers from the encoder themselves.
        if Value._kind.type == .object || !Value._kind.collections.isEmpty { return try shown.encode(to: encoder) }
        var container = encoder.singleValueContainer()
        try container.encode(shown)
    }
}

extension KeyedDecodingContainer {
    /// Decodes an optional property, which is nil if its key is missing.
    public func decode<Value: Decodable & ExpressibleByNilLiteral>(_ type: Persisted<Value>.Type, forKey key: Key) throws -> Persisted<Value> {
        try decodeIfPresent(type, forKey: key) ?? Persisted(wrappedValue: nil)
    }
}

/// Replaces the attributes of a property of a managed object whose class is encodable: the address of the object, and
/// the offset of the property in it. A wrapper that encodes itself receives neither.
///
/// ```
/// bits 0–47   address of the object      bit 63   set; clear where there are attributes
/// bits 48–62  where the property begins in it, in words
/// ```
enum ManagedPlace {
    private static let mark: UInt = 1 << 63
    private static let addressBits: UInt = 1 << 48 - 1
    private static let wordLimit = 1 << 15

    /// Records in a managed object where its properties are.
    ///
    /// Safe: properties begin with the word of attributes, which is not read in managed objects.
    static func note(in object: ObjectBase, _ model: ModelClass) {
        let address = UInt(bitPattern: object._address)
        precondition(address & ~addressBits == 0, "addresses of objects have 48 bits")
        for property in model.properties where !property.isDeclared {
            precondition(property.offset / 8 < wordLimit, "class '\(model.name)' has too many properties to be encoded")
            let word = mark | UInt(property.offset / 8) << 48 | address
            (object._address + property.offset).assumingMemoryBound(to: UInt.self).pointee = word
        }
    }

    /// The object and the offset of the property; nil for one of an unmanaged object.
    ///
    /// Safe: a wrapper is private to its object's class, whose `encode(to:)` runs while the object is held.
    static func of(_ word: UInt) -> (ObjectBase, Int)? {
        guard word & mark != 0, let address = UnsafeRawPointer(bitPattern: word & addressBits) else { return nil }
        return (Unmanaged<ObjectBase>.fromOpaque(address).takeUnretainedValue(), Int(word >> 48 & UInt(wordLimit - 1)) * 8)
    }
}

extension Encoder {
    /// Throws if objects are nested more than 256 levels deep: they link to each other in a circle.
    func requireDepth(_ value: Any) throws {
        guard codingPath.count > 512 else { return }
        throw EncodingError.invalidValue(value, EncodingError.Context(
            codingPath: codingPath, debugDescription: "objects that link to each other in a circle cannot be encoded; leave one of the links out of CodingKeys"))
    }
}
