import FreeholdEngine

/// A class being filled: its table in the current transaction, and the property of each value of a shape.
final class LoadedClass {
    let table: Table
    let schema: ClassSchema
    let columns: [Column]
    /// By property its type, if its values can be converted without a lookup; nil for links, collections and mixed
    /// values, which may refer to objects.
    let plainTypes: [PropertyType?]
    /// By property whether it accepts integers that it rounds: true if its type was declared.
    let rounds: [Bool]
    /// Null for every property.
    let emptyValues: [Value]
    private let placeOf: TextMap<Int>
    private let requiredTexts: [Int]
    private var bindings: [ObjectIdentifier: (shape: RecordShape, places: [Int?])] = [:]
    private var last: (shape: RecordShape, places: [Int?])?

    /// - Parameter isStated: whether the type of a property was declared.
    init(_ table: Table, isStated: (String) -> Bool) {
        self.table = table
        schema = table.schema
        columns = table.columns
        plainTypes = schema.properties.map { property in
            property.linkTarget == nil && property.collections.isEmpty && property.type != .mixed && property.type != .link ? property.type : nil
        }
        rounds = schema.properties.map { ![.float, .double].contains($0.type) || isStated($0.name) }
        emptyValues = Array(repeating: .null, count: schema.properties.count)
        placeOf = TextMap(uniqueKeysWithValues: schema.properties.enumerated().map { ($1.name, $0) })
        requiredTexts = schema.properties.indices.filter { [properties = schema.properties] index in
            properties[index].type == .string && !properties[index].isNullable && properties[index].collections.isEmpty
        }
    }

    /// The property of each value of an object. An object that names its class may have null for names that its class
    /// lacks: their entry is nil, as is the entry of `$class`.
    func binding(for object: ImportedObject) throws(LoadFault) -> [Int?] {
        let places = try binding(for: object.shape)
        guard let classPlace = object.shape.classPlace else { return places }
        for (index, place) in places.enumerated() where place == nil && index != classPlace && object.values[index] != .null {
            throw noProperty(object.shape.names[index])
        }
        return places
    }

    private func noProperty(_ name: String) -> LoadFault {
        .record("class '\(schema.name)' has no property '\(name)'; no record had it when the types were inferred")
    }

    /// The property of each of a shape's values.
    private func binding(for shape: RecordShape) throws(LoadFault) -> [Int?] {
        if let last, last.shape === shape { return last.places }
        if let known = bindings[ObjectIdentifier(shape)] {
            last = known
            return known.places
        }
        var places: [Int?] = []
        for name in shape.names {
            guard let place = placeOf[name] else {
                if shape.classPlace == nil { throw noProperty(name) }
                places.append(nil)
                continue
            }
            places.append(place)
        }
        // Shapes are retained so that their identities stay unique; text without regular shapes must not retain them
        // all.
        if bindings.count >= 1024 { bindings.removeAll() }
        bindings[ObjectIdentifier(shape)] = (shape, places)
        last = (shape, places)
        return places
    }

    /// In a format that has no other way to write it, an empty field of a required string is the empty string.
    func fillRequiredTexts(_ values: inout [Value]) {
        for place in requiredTexts where values[place] == .null { values[place] = .string("") }
    }

    /// A value by which an object of this class can be found: of the primary key's type, or an object key.
    func keyValue(_ imported: ImportedValue, for property: String) throws(LoadFault) -> Value {
        let key = schema.properties.first { $0.name.isSame(as: schema.primaryKey) }
        do {
            return try imported.converted(to: key?.type ?? .int)
        } catch {
            throw .record("property '\(property)': \(error.message)")
        }
    }

    /// Finds the object with this primary key, or with this object key if the class has no primary key.
    func find(_ value: Value) throws(FreeholdError) -> ObjectKey? {
        if schema.primaryKey != nil { return try table.key(primaryKey: value) }
        guard case .int(let number) = value, try table.contains(ObjectKey(number)) else { return nil }
        return ObjectKey(number)
    }

    /// "property 'city': there is no City with the primary key 7"
    func noTarget(of target: String, _ property: Int, _ value: Value) -> String {
        "property '\(schema.properties[property].name)': class '\(target)' has no object \(ValueText.format(value))"
    }
}
