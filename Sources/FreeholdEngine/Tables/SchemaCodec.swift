/// The schema's bytes, kept as one large value.
///
/// ```
/// u32 format (0) · u32 classes, for each:
///   text name · u32 primary key (index + 1, or 0) · u32 properties, for each:
///     u32 number · text name · u8 type · u8 flags (1 nullable, 2 indexed, 4 unique, 8 object key) · u32 link target + 1
/// text: u32 bytes · UTF-8
/// ```
/// A class's number is its place in the list.
enum SchemaCodec {
    static func encode(_ schema: Schema) -> [UInt8] {
        var writer = SchemaWriter()
        writer.put(UInt32(0))
        writer.put(UInt32(schema.classes.count))
        for stored in schema.classes {
            writer.put(stored.name)
            writer.put(UInt32(stored.primaryKey.map { $0 + 1 } ?? 0))
            writer.put(UInt32(stored.properties.count))
            for property in stored.properties { put(property, &writer) }
        }
        return writer.bytes
    }

    private static func put(_ property: StoredProperty, _ writer: inout SchemaWriter) {
        writer.put(property.number)
        writer.put(property.name)
        writer.bytes.append(property.type.rawValue)
        let flags: [Bool] = [property.isNullable, property.isIndexed, property.isUnique, property.isObjectKey]
        writer.bytes.append(flags.enumerated().reduce(0) { $0 | ($1.element ? 1 << UInt8($1.offset) : 0) })
        writer.put(property.linkTarget.map { $0 + 1 } ?? 0)
    }

    static func decode(_ bytes: [UInt8]) throws(FreeholdError) -> Schema {
        var reader = SchemaReader(bytes: bytes)
        guard try reader.integer() == 0 else {
            throw FreeholdError(.unsupportedFormat, "the schema is of a newer format; open the file with a newer Freehold")
        }
        let count = try reader.integer()
        var classes: [StoredClass] = []
        for number in 0..<count {
            let name = try reader.text()
            let primaryKey = try reader.integer()
            let propertyCount = try reader.integer()
            var properties: [StoredProperty] = []
            for _ in 0..<propertyCount { properties.append(try property(&reader, classes: count)) }
            guard primaryKey <= propertyCount, propertyCount <= StoredClass.maximumProperties else { throw SchemaReader.damaged }
            for (index, property) in properties.enumerated() where property.isObjectKey && index + 1 != Int(primaryKey) {
                throw SchemaReader.damaged
            }
            classes.append(StoredClass(number: number, name: name, properties: properties,
                                       primaryKey: primaryKey == 0 ? nil : Int(primaryKey) - 1))
        }
        guard Set(classes.map(\.name)).count == classes.count else { throw SchemaReader.damaged }
        return Schema(classes)
    }

    private static func property(_ reader: inout SchemaReader, classes: UInt32) throws(FreeholdError) -> StoredProperty {
        let number = try reader.integer()
        let name = try reader.text()
        guard let type = PropertyType(rawValue: try reader.byte()) else { throw SchemaReader.damaged }
        let flags = try reader.byte()
        let target = try reader.integer()
        guard target <= classes, (type == .link) == (target != 0) else { throw SchemaReader.damaged }
        // Only an integer that is never null can be the object key, and nothing else makes that unique.
        guard flags & 8 == 0 || (type == .int && flags & 5 == 0) else { throw SchemaReader.damaged }
        return StoredProperty(number: number, name: name, type: type, isNullable: flags & 1 != 0,
                              isIndexed: flags & 2 != 0, isUnique: flags & 4 != 0, isObjectKey: flags & 8 != 0,
                              linkTarget: target == 0 ? nil : target - 1)
    }
}

private struct SchemaWriter {
    var bytes: [UInt8] = []

    mutating func put(_ number: UInt32) {
        for shift in [0, 8, 16, 24] { bytes.append(UInt8(truncatingIfNeeded: number >> UInt32(shift))) }
    }

    mutating func put(_ text: String) {
        put(UInt32(text.utf8.count))
        bytes.append(contentsOf: text.utf8)
    }
}

private struct SchemaReader {
    let bytes: [UInt8]
    var offset = 0

    static let damaged = FreeholdError(.corrupt, "the schema makes no sense; restore a backup or run `freehold salvage`")

    mutating func byte() throws(FreeholdError) -> UInt8 {
        guard offset < bytes.count else { throw Self.damaged }
        offset += 1
        return bytes[offset - 1]
    }

    mutating func integer() throws(FreeholdError) -> UInt32 {
        guard offset + 4 <= bytes.count else { throw Self.damaged }
        offset += 4
        return (1...4).reduce(0) { $0 << 8 | UInt32(bytes[offset - $1]) }
    }

    mutating func text() throws(FreeholdError) -> String {
        let length = Int(try integer())
        guard length <= bytes.count - offset else { throw Self.damaged }
        defer { offset += length }
        return String(decoding: bytes[offset..<offset + length], as: UTF8.self)
    }
}
