/// The sections of a schema after its classes.
///
/// ```
/// section 1, derived indexes:
///   u32 tables that have or had some, in the order of their numbers, for each:
///     u32 number of the table's class · u32 number of the derived index added next
///     u32 derived indexes, for each:
///       u32 number · u8 kind · u8 flags (0) · u32 subclass that declares it + 1
///       u32 fields, for each: u32 number of the link + 1 · u32 table with the property · u32 its number · options
///       options
/// options: u32 bytes · bytes of the kind
/// ```
extension SchemaCodec {
    private static let derivedSection: UInt32 = 1

    /// Appends what the schema has beyond its classes: nothing, if no class has or had a derived index, or is synced.
    static func putSections(_ schema: StoredSchema, _ writer: inout SchemaWriter) {
        putDerived(schema, &writer)
        putSynced(schema, &writer)
    }

    private static func putDerived(_ schema: StoredSchema, _ writer: inout SchemaWriter) {
        let tables = schema.classes.filter { $0.nextDerivedNumber > 0 }
        if tables.isEmpty { return }
        var section = SchemaWriter()
        section.put(UInt32(tables.count))
        for table in tables {
            section.put(table.number)
            section.put(table.nextDerivedNumber)
            section.put(UInt32(table.derived.count))
            for index in table.derived { put(index, &section) }
        }
        writer.put(derivedSection)
        writer.put(bytes: section.bytes)
    }

    private static func put(_ index: StoredDerived, _ writer: inout SchemaWriter) {
        writer.put(index.number)
        writer.bytes += [index.kind, index.flags]
        writer.put(index.owner.map { $0 + 1 } ?? 0)
        writer.put(UInt32(index.fields.count))
        for field in index.fields {
            writer.put(field.link.map { $0 + 1 } ?? 0)
            writer.put(field.table)
            writer.put(field.property)
            writer.put(bytes: field.options)
        }
        writer.put(bytes: index.options)
    }

    /// Reads the sections to the end of the schema, and gives the classes what they say.
    static func readSections(_ reader: inout SchemaReader, into classes: inout [StoredClass]) throws(FreeholdError) {
        var isDerivedRead = false, isSyncRead = false
        while !reader.isAtEnd {
            let number = try reader.integer()
            var section = SchemaReader(bytes: try reader.counted())
            switch number {
            case derivedSection:
                guard !isDerivedRead else { throw SchemaReader.damaged }
                isDerivedRead = true
                try readDerived(&section, into: &classes)
            case syncSection:
                guard !isSyncRead else { throw SchemaReader.damaged }
                isSyncRead = true
                try readSynced(&section, into: &classes)
            default: continue
            }
            guard section.isAtEnd else { throw SchemaReader.damaged }
        }
    }

    private static func readDerived(_ reader: inout SchemaReader, into classes: inout [StoredClass]) throws(FreeholdError) {
        var last = -1
        for _ in 0..<(try reader.integer()) {
            let table = Int(try reader.integer()), next = try reader.integer()
            guard table > last, table < classes.count, !classes[table].isDropped else { throw SchemaReader.damaged }
            last = table
            var indexes: [StoredDerived] = []
            for _ in 0..<(try reader.integer()) { indexes.append(try derived(&reader)) }
            classes[table] = classes[table].with(derived: indexes, nextDerivedNumber: next)
        }
    }

    private static func derived(_ reader: inout SchemaReader) throws(FreeholdError) -> StoredDerived {
        let number = try reader.integer(), kind = try reader.byte(), flags = try reader.byte(), owner = try reader.integer()
        var fields: [DerivedField] = []
        for _ in 0..<(try reader.integer()) {
            let link = try reader.integer(), table = try reader.integer(), property = try reader.integer()
            fields.append(DerivedField(link: link == 0 ? nil : link - 1, table: table, property: property, options: try reader.counted()))
        }
        return StoredDerived(number: number, kind: kind, flags: flags, owner: owner == 0 ? nil : owner - 1, fields: fields,
                             options: try reader.counted())
    }
}
