import FreeholdEngine
import Testing

@testable import FreeholdImport

/// Files written by Realm itself, against their descriptions in JSON.
@Suite struct RealmSampleTests {
    @Test("each value of a file written by Realm is read as its description says", arguments: RealmSamples.names)
    func everyValueIsAsDescribed(name: String) throws {
        let described = try RealmSamples.described(name)
        let store = try RealmFileStore(path: RealmSamples.path("\(name).realm"), key: RealmSamples.key(described))
        let reading = try RealmReading(store)
        let sample = RealmSampleClasses(described, reading)
        let classes = described["classes"]?.array ?? []
        #expect(classes.count == store.classes.count)
        var compared = 0
        for described in classes.compactMap(\.object) {
            let name = described["name"]?.text ?? ""
            let place = try #require(store.classes.firstIndex { $0.schema.name == name })
            let schema = store.classes[place].schema
            expectSame(schema, described)
            let objects = described["objects"]?.array.compactMap(\.object) ?? []
            let isEmbedded = described["embedded"]?.isTrue ?? false
            #expect(reading.rows[place].count == (isEmbedded ? 0 : objects.count))
            #expect(store.classes[place].count == reading.rows[place].count)
            for (row, object) in zip(reading.rows[place], objects) where !isEmbedded {
                for (property, value) in zip(schema.properties, row.values) {
                    let wanted = sample.text(object[property.name] ?? .text("missing"), property, isElement: false)
                    #expect(RealmSampleClasses.plain(value, property) == wanted, "\(name).\(property.name) of \(row.key)")
                    compared += 1
                }
            }
        }
        #expect(compared == (name == "encrypted" ? 214 : 7904))
        try store.checkUnchanged()
    }

    private func expectSame(_ schema: ClassSchema, _ described: ImportedObject) {
        #expect(schema.isEmbedded == (described["embedded"]?.isTrue ?? false))
        let properties = described["properties"]?.array.compactMap(\.object) ?? []
        #expect(schema.properties.map(\.name) == properties.map { $0["name"]?.text ?? "" })
        for (property, described) in zip(schema.properties, properties) {
            let place = "\(schema.name).\(property.name)", type = described["type"]?.text ?? ""
            #expect(property.type.name == (type == "object" ? "link" : type), "\(place)")
            let collection = described["collection"]?.text
            #expect(property.collections.map(\.name) == (collection.map { [$0 == "dictionary" ? "map" : $0] } ?? []), "\(place)")
            #expect(property.linkTarget == described["target"]?.text, "\(place)")
            let isOptional = described["optional"]?.isTrue ?? false
            #expect(property.isNullable == (isOptional || property.type == .mixed), "\(place)")
            #expect(property.isIndexed == (described["indexed"]?.isTrue ?? false), "\(place)")
            #expect((schema.primaryKey == property.name) == (described["primary"]?.isTrue ?? false), "\(place)")
        }
    }
}

/// The values of a description as `RealmReading` writes values.
struct RealmSampleClasses {
    private let reading: RealmReading
    private let embedded: [[ImportedObject]]
    private let names: [String]

    init(_ described: ImportedObject, _ reading: RealmReading) {
        self.reading = reading
        let classes = described["classes"]?.array.compactMap(\.object) ?? []
        names = classes.map { $0["name"]?.text ?? "" }
        embedded = classes.map { described in
            (described["embedded"]?.isTrue ?? false) ? described["properties"]?.array.compactMap(\.object) ?? [] : []
        }
    }

    /// A value as it was read; decimal numbers by value, whatever their digits.
    static func plain(_ text: String, _ property: PropertySchema) -> String {
        text.split(separator: "m", omittingEmptySubsequences: false).count < 2 || property.type != .decimal && property.type != .mixed
            ? text : replacingDecimals(text)
    }

    private static func replacingDecimals(_ text: String) -> String {
        guard let range = text.firstRange(of: #/m(\d+)\.(\d+)/#), let match = text[range].wholeMatch(of: #/m(\d+)\.(\d+)/#),
              let high = UInt64(match.1), let low = UInt64(match.2) else { return text }
        return text[..<range.lowerBound] + decimal(Decimal128(high: high, low: low)) + replacingDecimals(String(text[range.upperBound...]))
    }

    /// A decimal number in one way for all with the same value.
    private static func decimal(_ number: Decimal128) -> String {
        if !number.isFinite { return number.isNaN ? "D nan" : number.isNegative ? "D -inf" : "D inf" }
        let parts = "\(number)".split(separator: "E"), digits = parts[0].filter { $0 != "-" }
        let fraction = digits.split(separator: ".").dropFirst().first?.count ?? 0
        var exponent = (parts.count > 1 ? Int(parts[1]) ?? 0 : 0) - fraction
        var significant = Substring(digits.filter { $0 != "." }).drop { $0 == "0" }
        while significant.last == "0" {
            significant.removeLast()
            exponent += 1
        }
        return significant.isEmpty ? "D 0" : "D \(number.isNegative ? "-" : "")\(significant)e\(exponent)"
    }

    func text(_ value: ImportedValue, _ property: PropertySchema, isElement: Bool) -> String {
        if !isElement, let kind = property.collections.first {
            switch kind {
            case .list: return "[" + value.array.map { text($0, property, isElement: true) }.joined(separator: ",") + "]"
            case .set: return "<" + value.array.map { text($0, property, isElement: true) }.sorted().joined(separator: ",") + ">"
            case .map: return map(value.object, property)
            }
        }
        switch value {
        case .null: return "-"
        case .bool(let flag): return Value.bool(flag).testText
        case .int(let number):
            switch property.type {
            case .double: return Value.double(Double(number)).testText
            case .float: return Value.float(Float(number)).testText
            default: return Value.int(number).testText
            }
        case .double(let number): return property.type == .float ? Value.float(Float(number)).testText : Value.double(number).testText
        case .text(let text): return Value.string(text).testText
        case .object(let object): return tagged(object, property)
        case .array, .longInt: return "unexpected"
        }
    }

    private func map(_ object: ImportedObject?, _ property: PropertySchema) -> String {
        guard let object else { return "no object" }
        let entries = zip(object.shape.names, object.values).map { "\(Value.string($0).testText):" + text($1, property, isElement: true) }
        return "(" + entries.sorted().joined(separator: ",") + ")"
    }

    private func tagged(_ object: ImportedObject, _ property: PropertySchema) -> String {
        let value = object.values[0]
        switch object.shape.names[0] {
        case "$int", "$bool", "$string": return text(value, PropertySchema("", .mixed), isElement: true)
        case "$double", "$float":
            let type: PropertyType = object.shape.names[0] == "$float" || property.type == .float ? .float : .double
            guard case .text(let name) = value else { return text(value, PropertySchema("", type), isElement: true) }
            let number = name == "nan" ? Double.nan : name == "inf" ? .infinity : -.infinity
            return type == .float ? Value.float(Float(number)).testText : Value.double(number).testText
        case "$data": return Value.data(RealmSamples.bytes(value.text)).testText
        case "$date":
            let seconds = value.object?["s"]?.integer ?? 0, nanoseconds = value.object?["ns"]?.integer ?? 0
            let isBackwards = nanoseconds < 0
            return Value.date(Timestamp(seconds: isBackwards ? seconds - 1 : seconds,
                                        nanoseconds: Int32(nanoseconds + (isBackwards ? 1_000_000_000 : 0)))).testText
        case "$oid":
            let (high, low) = words(RealmSamples.bytes(value.text))
            return Value.objectId(ObjectIdentifier12(high: high, low: UInt32(low))).testText
        case "$uuid":
            let (high, low) = words(RealmSamples.bytes(value.text.filter { $0 != "-" }))
            return Value.uuid(UniqueIdentifier(high: high, low: low)).testText
        case "$decimal": return Decimal128(value.text).map(Self.decimal) ?? "no decimal"
        case "$link": return link(value.object, property)
        case "$embedded": return embedded(value.object, property)
        case "$list": return "[" + value.array.map { text($0, PropertySchema("", .mixed), isElement: true) }.joined(separator: ",") + "]"
        case "$dictionary": return map(value.object, PropertySchema("", .mixed))
        case let name: return "unexpected \(name)"
        }
    }

    private func words(_ bytes: [UInt8]) -> (high: UInt64, low: UInt64) {
        (bytes[..<8].reduce(0) { $0 << 8 | UInt64($1) }, bytes[8...].reduce(0) { $0 << 8 | UInt64($1) })
    }

    private func link(_ object: ImportedObject?, _ property: PropertySchema) -> String {
        let name = object?["class"]?.text ?? "", place = Int(object?["index"]?.integer ?? -1)
        guard let owner = reading.names.firstIndex(of: name), reading.rows[owner].indices.contains(place) else { return "no object" }
        let key = reading.rows[owner][place].key
        return property.type == .link && property.collections.isEmpty ? "->\(key)" : "->\(name)/\(key)"
    }

    private func embedded(_ object: ImportedObject?, _ property: PropertySchema) -> String {
        guard let place = names.firstIndex(of: property.linkTarget ?? ""), let object else { return "no class" }
        let values = embedded[place].map { described in
            let type: PropertyType = described["type"]?.text == "int" ? .int : .string
            return text(object[described["name"]?.text ?? ""] ?? .text("missing"), PropertySchema("", type), isElement: true)
        }
        return "\(names[place]){" + values.joined(separator: ",") + "}"
    }
}
