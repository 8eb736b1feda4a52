/// The section of a schema with its synced classes.
///
/// ```
/// section 2, synced classes:
///   u32 synced classes, in the order of their numbers, for each:
///     u32 number · u8 changes against a deletion: 0 the deletion wins, 1 the changes win
///     u32 properties of a kind that their type does not imply, in the order of their numbers, for each:
///       u32 number · u8 kind: 1 counter, 2 merged by the application
/// ```
extension SchemaCodec {
    static let syncSection: UInt32 = 2

    /// Appends the section, if a class is synced.
    static func putSynced(_ schema: StoredSchema, _ writer: inout SchemaWriter) {
        let synced = schema.classes.filter { $0.sync != nil }
        if synced.isEmpty { return }
        var section = SchemaWriter()
        section.put(UInt32(synced.count))
        for stored in synced {
            guard let sync = stored.sync else { continue }
            section.put(stored.number)
            section.bytes.append(sync.onConflict.rawValue)
            section.put(UInt32(sync.kinds.count))
            for (number, kind) in sync.kinds.sorted(by: { $0.key < $1.key }) {
                section.put(number)
                section.bytes.append(kind.rawValue)
            }
        }
        writer.put(syncSection)
        writer.put(bytes: section.bytes)
    }

    static func readSynced(_ reader: inout SchemaReader, into classes: inout [StoredClass]) throws(FreeholdError) {
        var last = -1
        for _ in 0..<(try reader.integer()) {
            let number = Int(try reader.integer())
            guard number > last, number < classes.count, !classes[number].isDropped,
                  let conflict = SyncConflict(rawValue: try reader.byte()) else { throw SchemaReader.damaged }
            last = number
            var sync = StoredSync(onConflict: conflict), lastProperty = -1
            for _ in 0..<(try reader.integer()) {
                let property = try reader.integer()
                guard Int(property) > lastProperty, classes[number].column(numbered: property) != nil,
                      let kind = StoredSync.Kind(rawValue: try reader.byte()) else { throw SchemaReader.damaged }
                lastProperty = Int(property)
                sync.kinds[property] = kind
            }
            classes[number] = classes[number].with(sync: sync)
        }
    }
}
