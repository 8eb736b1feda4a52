import FreeholdEngine
import TestKit

/// Tables, the top of the file, and the ways in which a file lies on disk.
extension RealmWriter {
    /// A column as a table describes it.
    struct StoredColumn {
        var name: String
        var type: Int64
        var attributes: Int64 = 0
        var key: Int64 = 0
        /// The reference to the distinct strings.
        var enumeration: Int64 = 0
    }

    /// The bytes of a plain file.
    static func file(
        _ model: RealmModel, _ random: SeededRandom, clusterLimit: Int = 256, leafLimit: Int = 1000, isStream: Bool = false
    ) -> RealmWriter {
        var writer = RealmWriter(format: model.format, random)
        writer.clusterLimit = clusterLimit
        writer.leafLimit = leafLimit
        writer.write(model, isStream: isStream)
        return writer
    }

    private mutating func write(_ model: RealmModel, isStream: Bool) {
        var names = ["metadata"] + model.tables.map { "class_\($0.name)" }, tables = [metadata()]
        for table in model.tables.indices { tables.append(self.table(model, table)) }
        if model.format < 11, model.tables.contains(where: { $0.primaryKey != nil }) {
            names.append("pk")
            tables.append(olderKeys(model))
        }
        // A table that was removed.
        names.insert("", at: 1)
        tables.insert(random.oneIn(2) ? 0 : Self.tagged(77), at: 1)
        let nameArray = short(names.map { Array($0.utf8) }), tableArray = refs(tables)
        var top = [nameArray, tableArray, Self.tagged(Int64(bytes.count + 200)), ints([]), ints([]), ints([]), Self.tagged(9)]
        if model.isSynchronised || random.oneIn(2) {
            top += [Self.tagged(model.isSynchronised ? 3 : 2), ints([1, 2]), Self.tagged(12), Self.tagged(1)]
        }
        let reference = refs(top)
        finish(UInt64(reference), isStream: isStream)
    }

    private mutating func finish(_ top: UInt64, isStream: Bool) {
        let slot = isStream ? 0 : random.below(2)
        let tops: [UInt64] = isStream ? [.max, 0] : slot == 0 ? [top, 64] : [32, top]
        var header = Self.little(tops[0]) + Self.little(tops[1]) + Array("T-DB".utf8)
        header += slot == 0 ? [UInt8(format), isStream ? 0 : 9] : [9, UInt8(format)]
        bytes.replaceSubrange(0..<24, with: header + [0, UInt8(slot)])
        if isStream { bytes += Self.little(top) + Self.little(0x3034_1252_37E5_26C8) }
    }

    private mutating func metadata() -> Int64 {
        let clusters = clusters([0]) { writer, _ in [writer.ints([3])] }
        return tableTop([StoredColumn(name: "version", type: 0)], backlinks: 0, clusters, key: 0, targets: [-1], primaryKey: 0, flags: 0)
    }

    private mutating func olderKeys(_ model: RealmModel) -> Int64 {
        let owners = model.tables.filter { $0.primaryKey != nil }
        let clusters = clusters(owners.indices.map { Int64($0) }) { writer, range in
            let names = writer.strings(owners[range].map { Array($0.name.utf8) })
            return [names, writer.strings(owners[range].map { Array($0.columns[$0.primaryKey ?? 0].name.utf8) })]
        }
        let columns = [StoredColumn(name: "pk_table", type: 2, key: 2 << 16), StoredColumn(name: "pk_property", type: 2, key: 2 << 16 | 1)]
        return tableTop(columns, backlinks: 0, clusters, key: 1 << 20, targets: [-1, -1], primaryKey: 0, flags: 0)
    }

    private mutating func table(_ model: RealmModel, _ place: Int) -> Int64 {
        let table = model.tables[place], backlinks = random.below(3)
        // Leaves are in no order, with those of backlinks among them.
        let leaves = Array((0..<table.columns.count + backlinks).map { $0 }.shuffled(using: &random))
        var enumerations: [Int: [[UInt8]?: Int64]] = [:], columns: [StoredColumn] = []
        var targets = [Int64](repeating: 0x7FFF_FFFF, count: leaves.count)
        for (index, column) in table.columns.enumerated() {
            let isLinkList = column.type == 12 && column.isList && format < 24
            let type: Int64 = isLinkList ? 13 : column.type
            let key = Int64(leaves[index]) | type << 16 | (column.attributes & 0xFF) << 22 | Int64(random.below(1 << 20)) << 30
            if let target = column.target { targets[leaves[index]] = RealmModel.key(of: target) }
            var enumeration: Int64 = 0
            if column.isEnumerated {
                var seen: Set<[UInt8]?> = [], distinct: [[UInt8]?] = []
                for text in table.rows.map(\.cells[index].plain.bytes) where seen.insert(text).inserted { distinct.append(text) }
                distinct.shuffle(using: &random)
                enumerations[index] = Dictionary(uniqueKeysWithValues: distinct.enumerated().map { ($0.element, Int64($0.offset)) })
                enumeration = strings(distinct)
            }
            let isIndexed = index % 5 == 0 && !column.isCollection
            columns.append(StoredColumn(
                name: column.name, type: type | (column.isDictionary ? 2 << 16 : 0), attributes: column.attributes | (isIndexed ? 1 : 0),
                key: key, enumeration: enumeration))
        }
        let clusters = clusters(table.rows.map(\.key)) { writer, range in
            var references = [Int64](repeating: 0, count: leaves.count)
            for (index, column) in table.columns.enumerated() {
                let cells = table.rows[range].map { $0.cells[index] }
                references[leaves[index]] = writer.column(column, cells, enumerations[index])
            }
            for leaf in leaves[table.columns.count...] { references[leaf] = writer.refs([Int64](repeating: 0, count: range.count)) }
            return references
        }
        let primaryKey = format >= 11 ? table.primaryKey.map { columns[$0].key } ?? 0 : 0
        return tableTop(columns, backlinks: backlinks, clusters, key: RealmModel.key(of: place), targets: targets, primaryKey: primaryKey,
                        flags: table.flags)
    }

    private mutating func column(_ column: RealmModel.Column, _ cells: [Cell], _ enumeration: [[UInt8]?: Int64]?) -> Int64 {
        if let enumeration {
            return ints(cells.map { enumeration[$0.plain.bytes] ?? -1 })
        }
        guard column.isCollection else { return leaf(column.type, isNullable: column.isNullable, cells, isElement: false) }
        let collections = cells.map { cell -> Int64 in
            switch cell {
            case .list(let cells): return cells.isEmpty && random.oneIn(2) ? 0 : list(column.type, isNullable: column.isNullable, cells)
            case .dictionary(let entries): return entries.isEmpty && random.oneIn(2) ? 0 : dictionary(linked(entries, column))
            default: return 0
            }
        }
        return refs(collections)
    }

    /// In dictionaries of links the links name their table, in files of some versions.
    private mutating func linked(_ entries: [(key: String, value: Cell)], _ column: RealmModel.Column) -> [(key: String, value: Cell)] {
        guard let target = column.target, random.oneIn(2) else { return entries }
        return entries.map { entry in
            if case .link(let key) = entry.value, key >= 0 { return (entry.key, .typedLink(table: target, key: key)) }
            return (entry.key, .value(.null))
        }
    }

    private mutating func tableTop(
        _ columns: [StoredColumn], backlinks: Int, _ clusters: Int64,
        key: Int64, targets: [Int64], primaryKey: Int64, flags: Int64
    ) -> Int64 {
        let taken = Set(columns.map { $0.key & 0xFFFF })
        let free = (0..<Int64(columns.count + backlinks)).filter { !taken.contains($0) }
        let names = strings(columns.map { Array($0.name.utf8) })
        let types = ints(columns.map(\.type) + free.map { _ in 14 }), attributes = ints(columns.map(\.attributes) + free.map { _ in 0 })
        let keys = ints(columns.map(\.key) + free.map { $0 | 14 << 16 | 1 << 30 })
        let enumeration = columns.contains { $0.enumeration != 0 } ? refs(columns.map(\.enumeration) + free.map { _ in 0 }) : 0
        let spec = refs([types, names, attributes, 0, enumeration, keys])
        let indexes = refs([Int64](repeating: 0, count: columns.count + backlinks))
        var top = [spec, 0, clusters, Self.tagged(key), indexes, Self.tagged(1), Self.tagged(1), ints(targets),
                   ints(targets.map { _ in 0 }), Self.tagged(1000), 0]
        if format >= 11 || random.oneIn(2) { top.append(primaryKey == 0 ? 0 : Self.tagged(primaryKey)) }
        if top.count == 12, format >= 20 {
            top.append(Self.tagged(flags))
            // Tombstones: objects that are no more.
            if random.oneIn(2) { top.append(self.clusters([5]) { writer, _ in [writer.ints([1])] }) }
        }
        return refs(top)
    }
}
