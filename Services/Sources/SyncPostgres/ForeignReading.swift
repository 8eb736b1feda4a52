import FreeholdEngine
import FreeholdMerge

/// Compares what the tables have of objects with what a server would have written of their rows.
struct ForeignReading {
    private let connection: PostgresConnection
    private let tables: ClassTables
    private let writer: ClassTableWriter
    private var found: [SyncObject: FoundObject] = [:]
    /// What PostgreSQL makes of numbers and JSON.
    private var normal: [ColumnType: [[UInt8]: [UInt8]]] = [:]

    struct Change {
        var made: SyncForeignChange
        var found: FoundObject
        var refused: [ForeignRefusal] = []
    }

    init(_ connection: PostgresConnection, _ tables: ClassTables, writer: ClassTableWriter) {
        (self.connection, self.tables, self.writer) = (connection, tables, writer)
    }

    // MARK: Reading

    mutating func read(_ objects: [SyncObject]) throws(FreeholdError) {
        for (number, table) in tables.tables.enumerated() {
            let own = objects.filter { $0.type == number }
            guard let table, !own.isEmpty else { continue }
            for object in own { found[object] = FoundObject(columns: nil, collections: table.collections.map { _ in [] }) }
            var keys = StatementRows([table.key])
            for object in own { keys.add([table.key.type.image(of: object.key)]) }
            let which = "IN (SELECT \(keys.values) FROM \(keys.source))"
            let names = ([table.key] + table.columns).map(Self.sent).joined(separator: ", ")
            let rows = try keys.query("SELECT \(names) FROM \(table.name) WHERE \(table.key.name) \(which)", on: connection)
            for place in 0..<rows.count {
                guard let object = object(rows, place, Int32(number), table) else { continue }
                found[object]?.columns = table.columns.indices.map { rows.isNull(place, $0 + 1) ? nil : rows.bytes(place, $0 + 1) }
            }
            for (index, one) in table.collections.enumerated() {
                let name = one.kind == .map ? "key, " : one.kind == .list ? "place, " : ""
                let rows = try keys.query("SELECT owner, \(name)\(Self.sent(one.values)) FROM \(one.name) WHERE owner \(which)",
                                          on: connection)
                for place in 0..<rows.count {
                    guard let object = object(rows, place, Int32(number), table) else { continue }
                    let images = (1...(name.isEmpty ? 1 : 2)).map { rows.isNull(place, $0) ? nil : rows.bytes(place, $0) }
                    found[object]?.collections[index].append(.init(name: images[0], value: images.count > 1 ? images[1] : nil))
                }
            }
        }
    }

    private static func sent(_ column: ClassTables.Column) -> String {
        column.type.sentName == column.type.rawValue ? column.name : "\(column.name)::\(column.type.sentName)"
    }

    private func object(_ rows: PostgresRows, _ place: Int, _ type: Int32, _ table: ClassTables.Table) -> SyncObject? {
        table.key.type.key(of: rows.bytes(place, 0)).map { SyncObject(type: type, key: $0) }
    }

    /// Numbers and JSON are sent as text, and read as PostgreSQL prints them: the rows' values are compared as it would print them.
    mutating func normalise(_ rows: [StoredRow?]) throws(FreeholdError) {
        for type in [ColumnType.numeric, .jsonb] {
            var texts: Set<[UInt8]> = []
            for (object, row) in zip(found.keys.sorted(), rows) {
                guard let row, row.isAlive, let table = tables.tables[Int(object.type)] else { continue }
                for (column, image) in zip(table.columns, images(row, object, table)) where column.type == type {
                    if let image { texts.insert(image) }
                }
                let shown = ClassTableWriter.Shown(row)
                for one in table.collections where one.values.type == type {
                    texts.formUnion(writer.entries(shown, one).compactMap { one.kind == .set ? $0.name : $0.value })
                }
            }
            let all = Array(texts)
            if all.isEmpty { continue }
            let made = try connection.run("""
                SELECT array_agg((x::\(type.rawValue))::text ORDER BY o) FROM unnest($1::text[]) WITH ORDINALITY u(x, o)
                """, .images(element: 25, array: 1009, all)).byteArrays(0, 0)
            normal[type] = Dictionary(zip(all, made.map { $0 ?? [] }), uniquingKeysWith: { one, _ in one })
        }
    }

    private func images(_ row: StoredRow, _ object: SyncObject, _ table: ClassTables.Table) -> [[UInt8]?] {
        writer.images(of: row, table, tables.schema.classes[Int(object.type)]) ?? []
    }

    private func normal(_ image: [UInt8]?, _ type: ColumnType) -> [UInt8]? { image.map { normal[type]?[$0] ?? $0 } }

    // MARK: Comparing

    /// What has been written: also that it is not there, or there again. What no property can have is left out, and said.
    func change(of object: SyncObject, row: StoredRow?, wasDeleted: Bool) -> Change {
        var change = Change(made: SyncForeignChange(object), found: found[object]!)
        change.made.wasDeleted = wasDeleted && row?.isAlive == true
        change.made.isThere = change.found.columns != nil
        guard change.made.isThere, let table = tables.tables[Int(object.type)] else { return change }
        // What is of a life that has ended is nothing to compare with.
        let old = row.flatMap { $0.isAlive && !wasDeleted ? $0 : nil }
        compareColumns(&change, old, table)
        let shown = ClassTableWriter.Shown(old)
        for (place, one) in table.collections.enumerated() where one.kind != .list {
            if one.kind == .set { compareSet(&change, shown, one, place) } else { compareMap(&change, shown, one, place) }
        }
        return change
    }

    private func compareColumns(_ change: inout Change, _ row: StoredRow?, _ table: ClassTables.Table) {
        let type = tables.schema.classes[Int(change.made.object.type)]
        let expected = row.map { images($0, change.made.object, table) } ?? Array(repeating: nil, count: table.columns.count)
        for (place, column) in table.columns.enumerated() {
            let image = change.found.columns![place]
            if image == normal(expected[place], column.type) {
                change.found.columns![place] = expected[place]
            } else if column.isCounter {
                let old = row?.counters[column.property] ?? 0
                // Safe: counters are sums modulo 2⁶⁴ on every device.
                if let image { change.made.amounts.append((column.property, Self.int(image) &- old)) }
            } else if type.embeds[Int(column.property)] {
                change.made.values.append((column.property, image == [1] ? .embedded(.none) : .null))
            } else if let value = value(image, column, change.made.object) {
                change.made.values.append((column.property, value))
            } else {
                refuse(&change, column)
            }
        }
    }

    private static func int(_ bytes: [UInt8]) -> Int64 { Int64(bitPattern: bytes.reduce(0) { $0 << 8 | UInt64($1) }) }

    /// Nil for what the property cannot have.
    private func value(_ image: [UInt8]?, _ column: ClassTables.Column, _ object: SyncObject) -> SyncValue? {
        let property = tables.schema.classes[Int(object.type)].properties[Int(column.property)]
        return column.type.value(of: image, property.type, linkTo: column.target, tables.schema)
    }

    private func refuse(_ change: inout Change, _ column: ClassTables.Column) {
        let name = tables.schema.classes[Int(change.made.object.type)].properties[Int(column.property)].name
        let reason = "the property cannot have this value; the old one is back"
        change.refused.append(.init(object: change.made.object, place: name, reason: reason))
    }

    private func compareSet(_ change: inout Change, _ shown: ClassTableWriter.Shown, _ one: ClassTables.Elements, _ place: Int) {
        let property = one.values.property
        var expected: [[UInt8]?: (raw: [UInt8]?, members: [SyncValue])] = [:]
        for member in shown.members[property] ?? [] {
            let raw = writer.image(of: member, one)
            expected[normal(raw, one.values.type), default: (raw, [])].members.append(member)
        }
        let elements = Set(change.found.collections[place].map(\.name))
        for (image, known) in expected where !elements.contains(image) {
            change.made.members += known.members.map { (property, $0, false) }
        }
        for image in elements where expected[image] == nil {
            if image != nil, let value = value(image, one.values, change.made.object) {
                change.made.members.append((property, value, true))
            } else {
                refuse(&change, one.values)
            }
        }
        change.found.collections[place] = change.found.collections[place].map { .init(name: expected[$0.name]?.raw ?? $0.name) }
    }

    private func compareMap(_ change: inout Change, _ shown: ClassTableWriter.Shown, _ one: ClassTables.Elements, _ place: Int) {
        let property = one.values.property, old = writer.entries(shown, one), entries = change.found.collections[place]
        let expected = Dictionary(old.map { ($0.name, $0.value) }, uniquingKeysWith: { first, _ in first })
        let values = Dictionary(grouping: entries, by: \.name)
        func key(_ name: [UInt8]?) -> SyncValue { .string(String(decoding: name ?? [], as: UTF8.self)) }
        for name in expected.keys where values[name] == nil { change.made.entries.append((property, key(name), .absent)) }
        for (name, found) in values {
            // Of several for one key, one that a server has not written.
            let known = expected[name].map { normal($0, one.values.type) }
            guard let new = found.first(where: { known == nil || $0.value != known! }) else { continue }
            if let value = value(new.value, one.values, change.made.object) {
                change.made.entries.append((property, key(name), value))
            } else {
                refuse(&change, one.values)
            }
        }
        change.found.collections[place] = entries.map { entry in
            let raw = expected[entry.name] ?? nil
            return normal(raw, one.values.type) == entry.value ? .init(name: entry.name, value: raw) : entry
        }
    }
}
