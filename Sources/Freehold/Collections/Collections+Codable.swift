import FreeholdEngine

/// Encodes collections as arrays and dictionaries.
extension List: Encodable where Element: Encodable {
    public func encode(to encoder: any Encoder) throws { try encoder.encode(self) }
}

extension List: Decodable where Element: Decodable {
    public convenience init(from decoder: any Decoder) throws {
        self.init()
        own = try [Element](from: decoder)
    }
}

extension MutableSet: Encodable where Element: Encodable {
    public func encode(to encoder: any Encoder) throws { try encoder.encode(self) }
}

extension MutableSet: Decodable where Element: Decodable {
    public convenience init(from decoder: any Decoder) throws {
        self.init()
        insert(objectsIn: try [Element](from: decoder))
    }
}

extension Results: Encodable where Element: Encodable {
    public func encode(to encoder: any Encoder) throws { try encoder.encode(self) }
}

extension Encoder {
    fileprivate func encode(_ elements: some Sequence<some Encodable>) throws {
        try requireDepth(elements)
        var container = unkeyedContainer()
        for element in elements { try container.encode(element) }
    }
}

extension Map: Encodable where Value: Encodable {
    public func encode(to encoder: any Encoder) throws {
        try encoder.requireDepth(self)
        var container = encoder.container(keyedBy: AnyKey.self)
        for (key, value) in entries { try container.encode(value, forKey: AnyKey(key._text)) }
    }
}

extension Map: Decodable where Value: Decodable {
    public convenience init(from decoder: any Decoder) throws {
        self.init()
        let container = try decoder.container(keyedBy: AnyKey.self)
        for key in container.allKeys { own[key.stringValue] = try container.decode(Value.self, forKey: key) }
    }
}

/// Any string as a coding key.
struct AnyKey: CodingKey {
    let stringValue: String
    var intValue: Int? { nil }

    init(_ text: String) { stringValue = text }
    init?(stringValue: String) { self.init(stringValue) }
    init?(intValue: Int) { nil }
}

/// Linking objects repeat what links store: as an object's property they are neither encoded nor decoded.
extension LinkingObjects: Codable {
    /// Encodes the objects; throws `EncodingError.invalidValue` if their class is not encodable.
    public func encode(to encoder: any Encoder) throws {
        try encoder.requireDepth(self)
        var container = encoder.unkeyedContainer()
        for object in self {
            guard let object = object as? any Encodable else {
                throw EncodingError.invalidValue(object, EncodingError.Context(codingPath: encoder.codingPath, debugDescription: "class '\(object.className)' is not Encodable"))
            }
            try container.encode(object)
        }
    }

    /// Creates empty linking objects; decodes nothing.
    public init(from decoder: any Decoder) throws { self = LinkingObjects._zero }
}

extension KeyedEncodingContainer {
    /// Skips linking objects.
    public mutating func encode<Element>(_ property: Persisted<LinkingObjects<Element>>, forKey key: Key) throws {}
}

extension KeyedDecodingContainer {
    /// Returns empty linking objects; decodes nothing.
    public func decode<Element>(_ type: Persisted<LinkingObjects<Element>>.Type, forKey key: Key) throws -> Persisted<LinkingObjects<Element>> { Persisted() }
}
