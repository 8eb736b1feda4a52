import FreeholdEngine

/// Collections as arrays and dictionaries.
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

/// Any text as a key.
struct AnyKey: CodingKey {
    let stringValue: String
    var intValue: Int? { nil }

    init(_ text: String) { stringValue = text }
    init?(stringValue: String) { self.init(stringValue) }
    init?(intValue: Int) { nil }
}

/// Linking objects say again what links say: as a property of an object they are neither written nor read.
extension LinkingObjects: Codable {
    /// Writes the objects; throws `EncodingError.invalidValue` if their class is not encodable.
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

    /// Reads none.
    public init(from decoder: any Decoder) throws { self = LinkingObjects._zero }
}

extension KeyedEncodingContainer {
    /// Leaves linking objects out.
    public mutating func encode<Element>(_ property: Persisted<LinkingObjects<Element>>, forKey key: Key) throws {}
}

extension KeyedDecodingContainer {
    /// Looks for no linking objects.
    public func decode<Element>(_ type: Persisted<LinkingObjects<Element>>.Type, forKey key: Key) throws -> Persisted<LinkingObjects<Element>> { Persisted() }
}
