import FreeholdEngine

/// The top of a Realm file: its tables by name.
///
/// ```
///   0 names   1 tables   2 length of the file   3–5 free space   6 version   7–9 history   10 identity of a synchronised file
/// ```
/// Tables of classes are called `class_` and the name of the class; the others are Realm's own.
struct RealmGroup {
    private static let prefix = "class_"
    /// Tables without anything that is imported.
    private static let internalNames = ["metadata", "pk"]

    private(set) var tables: [RealmTable] = []
    private(set) var remarks: [SourceRemark] = []
    /// Names of primary keys by the names of classes, from the table that old files have for them.
    private(set) var olderKeys = TextMap<String>()

    /// The version of the program's schema; nil if no program has set one.
    private(set) var schemaVersion: UInt64?

    init(_ pages: RealmPages, _ header: RealmHeader) throws(SourceError) {
        // A file in which nothing was ever committed.
        if header.top == 0 { return }
        let top = try pages.references(header.top)
        let names = try RealmTexts(pages, at: top.required(0), isText: true), references = try pages.references(top.required(1))
        guard references.count <= names.count, references.count <= 1 << 16 else {
            throw .damaged("\(references.count) tables have \(names.count) names", references.reference)
        }
        if top.count > 7, let history = try top.tagged(7), history >= 3 {
            remarks.append(SourceRemark(
                .lost, "", "the file was synchronised with a server; its objects are imported as they are here, and whether all "
                    + "changes had been uploaded is not known"))
        }
        for place in 0..<references.count where references.integer(place) & 1 == 0 && references.integer(place) != 0 {
            guard let name = try pages.string(names, place) else { throw .damaged("a table has no name", references.reference) }
            try add(pages, name, references.integer(place), header.format)
        }
    }

    private mutating func add(_ pages: RealmPages, _ name: String, _ reference: Int64, _ format: Int) throws(SourceError) {
        if name.utf8.starts(with: Self.prefix.utf8) {
            let name = String(decoding: name.utf8.dropFirst(Self.prefix.utf8.count), as: UTF8.self)
            tables.append(try RealmTable(pages, name: name, at: reference))
        } else if name.isSame(as: "pk") {
            try readOlderKeys(pages, RealmTable(pages, name: name, at: reference), format)
        } else if name.isSame(as: "metadata") {
            try readVersion(pages, RealmTable(pages, name: name, at: reference), format)
        } else if !Self.internalNames.has(name) {
            remarks.append(SourceRemark(.lost, name, "the table does not belong to a class and is not imported"))
        }
    }

    /// Reads the version from Realm's table of its own data: one row with one integer; all ones in a file without a schema.
    private mutating func readVersion(_ pages: RealmPages, _ table: RealmTable, _ format: Int) throws(SourceError) {
        guard let column = table.columns.first(where: { $0.name.isSame(as: "version") && $0.kind == .int && $0.shape == .single })
        else { return }
        let reader = RealmReader(pages, [table], [:], format: format)
        var walk = RealmClusterWalk(pages, root: table.clusters, after: nil)
        guard let cluster = try walk.next(), !cluster.keys.isEmpty,
              case .value(.int(let version)) = try reader.leaf(column, cluster).item(0), version >= 0 else { return }
        schemaVersion = UInt64(version)
    }

    private mutating func readOlderKeys(_ pages: RealmPages, _ table: RealmTable, _ format: Int) throws(SourceError) {
        guard let owner = table.columns.first(where: { $0.name.isSame(as: "pk_table") && $0.kind == .string && $0.shape == .single }),
              let property = table.columns.first(where: { $0.name.isSame(as: "pk_property") && $0.kind == .string && $0.shape == .single })
        else { return }
        let reader = RealmReader(pages, [table], [:], format: format)
        var walk = RealmClusterWalk(pages, root: table.clusters, after: nil)
        while let cluster = try walk.next() {
            let owners = try reader.leaf(owner, cluster), properties = try reader.leaf(property, cluster)
            for row in cluster.keys.indices {
                guard case .value(.string(let owner)) = try owners.item(row),
                      case .value(.string(let property)) = try properties.item(row) else { continue }
                olderKeys[owner] = property
            }
        }
    }
}
