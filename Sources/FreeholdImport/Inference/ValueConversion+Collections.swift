import FreeholdEngine

extension ImportedValue {
    /// Converts the value to a collection: an array to a list or set, an object to a map, a string from the JSON in it,
    /// null to an empty collection.
    /// - Parameters:
    ///   - kinds: the collections, the outermost first.
    ///   - element: creates one of the innermost elements.
    public func collection(_ kinds: ArraySlice<CollectionKind>, element: (ImportedValue) throws -> Value) throws -> Value {
        guard let kind = kinds.first else { return try element(self) }
        switch (kind, self) {
        case (.list, .null): return .list([])
        case (.set, .null): return .set([])
        case (.map, .null): return .map([:])
        case (.list, .array(let values)): return .list(try values.map { try $0.collection(kinds.dropFirst(), element: element) })
        case (.set, .array(let values)): return .set(try values.map { try $0.collection(kinds.dropFirst(), element: element) })
        case (.map, .object(let object)):
            var entries: TextMap<Value> = [:]
            for (name, value) in zip(object.shape.names, object.values) {
                entries[name] = try value.collection(kinds.dropFirst(), element: element)
            }
            return .map(entries)
        case (_, .text(let text)):
            guard let read = try? Self.json(text), read.isNested else { throw ConversionError(message: "\(excerpt) is not a \(kind.name)") }
            return try read.collection(kinds, element: element)
        default: throw ConversionError(message: "\(excerpt) is not a \(kind.name)")
        }
    }

    private var isNested: Bool {
        switch self {
        case .array, .object: true
        default: false
        }
    }

    private static func json(_ text: String) throws(ImportError) -> ImportedValue {
        var parser = JSONParser(ByteInput(text))
        let value = try parser.record()
        let behind = try parser.skipBlanks()
        guard behind == 0 else { throw parser.unexpected(behind, "the end of the text") }
        return value
    }
}
