/// The schema's encoding, stored as one large value.
///
/// ```
/// u32 format (0, or 1 with a version) · in format 1: u64 version
/// u32 classes, for each:
///   text name · u8 flags (1 embedded) · u32 superclass + 1 · u32 next property number · u32 next index number
///   u32 properties of the primary key, for each its place u32
///   u32 properties, for each:
///     u32 number · text name · u8 type · u8 flags (1 nullable, 2 indexed, 4 unique, 8 object key) · u32 link target + 1
///     u32 subclass that declares it + 1 · u8 delete rule · u8 collections, for each its kind u8
///   u32 indexes, for each: u32 number · u8 flags (1 unique) · u32 subclass + 1 · u32 properties, for each its place u32
/// sections to the end: u32 number · u32 bytes · the bytes; 1 derived indexes (`SchemaCodec+Derived`), 2 synced
///   classes (`SchemaCodec+Sync`)
/// text: u32 bytes · UTF-8
/// ```
/// Version 1 of the format ended after the last class, and its decoder ignores what follows. A reader skips a section
/// that it does not know; a writer never meets one, as its feature bit refuses it.
///
/// A class's number is its position in the list; one without name and properties was dropped. A subclass has no
/// properties: those it declares are in its table's class, and a property without a name is the hidden column with the
/// class of each object there.
enum SchemaCodec {
    static func encode(_ schema: StoredSchema) -> [UInt8] {
        var writer = SchemaWriter()
        writer.put(UInt32(schema.version == nil ? 0 : 1))
        if let version = schema.version {
            writer.put(UInt32(truncatingIfNeeded: version))
            writer.put(UInt32(truncatingIfNeeded: version >> 32))
        }
        writer.put(UInt32(schema.classes.count))
        for stored in schema.classes {
            writer.put(stored.name)
            writer.put(flags: [stored.isEmbedded])
            writer.put(stored.superclass.map { $0 + 1 } ?? 0)
            writer.put(stored.nextPropertyNumber)
            writer.put(stored.nextIndexNumber)
            writer.put(places: stored.primaryKeys)
            writer.put(UInt32(stored.properties.count))
            for property in stored.properties { put(property, &writer) }
            writer.put(UInt32(stored.indexes.count))
            for index in stored.indexes {
                writer.put(index.number)
                writer.put(flags: [index.isUnique])
                writer.put(index.owner.map { $0 + 1 } ?? 0)
                writer.put(places: index.columns)
            }
        }
        putSections(schema, &writer)
        return writer.bytes
    }

    private static func put(_ property: StoredProperty, _ writer: inout SchemaWriter) {
        writer.put(property.number)
        writer.put(property.name)
        writer.bytes.append(property.type.rawValue)
        writer.put(flags: [property.isNullable, property.isIndexed, property.isUnique, property.isObjectKey])
        writer.put(property.linkTarget.map { $0 + 1 } ?? 0)
        writer.put(property.owner.map { $0 + 1 } ?? 0)
        writer.bytes.append(property.deleteRule.rawValue)
        writer.bytes.append(UInt8(property.collections.count))
        writer.bytes += property.collections.map(\.rawValue)
    }

    static func decode(_ bytes: [UInt8]) throws(FreeholdError) -> StoredSchema {
        var reader = SchemaReader(bytes: bytes)
        let format = try reader.integer()
        guard format <= 1 else {
            throw FreeholdError(.unsupportedFormat, "the schema has a newer format; open the file with a newer Freehold")
        }
        let version = format == 0 ? nil : UInt64(try reader.integer()) | UInt64(try reader.integer()) << 32
        let count = try reader.integer()
        var classes: [StoredClass] = []
        for number in 0..<count {
            classes.append(try storedClass(number, &reader, classes: count))
        }
        try readSections(&reader, into: &classes)
        // A name identifies one class.
        let present = classes.filter { !$0.isDropped }
        guard Set<ExactText>(exact: present.map(\.name)).count == present.count else { throw SchemaReader.damaged }
        let schema = StoredSchema(classes, version: version)
        guard schema.complaint() == nil, schema.synced.complaint(schema) == nil else { throw SchemaReader.damaged }
        return schema
    }

    private static func storedClass(_ number: UInt32, _ reader: inout SchemaReader, classes: UInt32) throws(FreeholdError) -> StoredClass {
        let name = try reader.text()
        let flags = try reader.flags(below: 2)
        // A class is created after the one it extends.
        let superclass = try reader.integer()
        guard superclass <= number else { throw SchemaReader.damaged }
        let nextProperty = try reader.integer(), nextIndex = try reader.integer()
        let keys = try reader.places()
        var properties: [StoredProperty] = [], indexes: [StoredIndex] = []
        for _ in 0..<(try reader.integer()) { properties.append(try property(&reader, classes: classes)) }
        for _ in 0..<(try reader.integer()) {
            let number = try reader.integer(), flags = try reader.flags(below: 2), owner = try reader.integer()
            indexes.append(StoredIndex(number: number, columns: try reader.places(), isUnique: flags != 0, owner: owner == 0 ? nil : owner - 1))
        }
        guard (keys + indexes.flatMap(\.columns)).allSatisfy({ $0 < properties.count }) else { throw SchemaReader.damaged }
        return StoredClass(number: number, name: name, properties: properties, primaryKeys: keys,
                           superclass: superclass == 0 ? nil : superclass - 1, isEmbedded: flags != 0, indexes: indexes,
                           nextPropertyNumber: nextProperty, nextIndexNumber: nextIndex)
    }

    private static func property(_ reader: inout SchemaReader, classes: UInt32) throws(FreeholdError) -> StoredProperty {
        let number = try reader.integer()
        let name = try reader.text()
        guard let type = PropertyType(rawValue: try reader.byte()) else { throw SchemaReader.damaged }
        let flags = try reader.flags(below: 16)
        let target = try reader.integer(), owner = try reader.integer()
        guard let rule = DeleteRule(rawValue: try reader.byte()), target <= classes else { throw SchemaReader.damaged }
        var collections: [CollectionKind] = []
        for _ in 0..<(try reader.byte()) {
            guard let kind = CollectionKind(rawValue: try reader.byte()) else { throw SchemaReader.damaged }
            collections.append(kind)
        }
        return StoredProperty(number: number, name: name, type: type, isNullable: flags & 1 != 0,
                              isIndexed: flags & 2 != 0, isUnique: flags & 4 != 0, isObjectKey: flags & 8 != 0,
                              linkTarget: target == 0 ? nil : target - 1, deleteRule: rule, collections: collections,
                              owner: owner == 0 ? nil : owner - 1)
    }
}
