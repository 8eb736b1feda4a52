import FreeholdEngine

/// One run of the driver: where its files are, and the workloads it has, in order.
struct Bench {
    let arguments: Arguments

    init(_ arguments: Arguments) { self.arguments = arguments }

    static let workloads: [(name: String, run: @Sendable (Bench) throws -> Void)] = [
        ("bulk_insert", { try $0.bulkInsert() }),
        ("bulk_insert_columns", { try $0.bulkInsertColumns() }),
        ("file_size", { $0.fileSize() }),
        ("open", { try $0.openFresh() }),
        ("commit_durable", { try $0.commit("commit_durable", count: 1000, .full) }),
        ("commit_fast", { try $0.commit("commit_fast", count: 20_000, .processCrash) }),
        ("commit_heard", { try $0.commitHeard() }),
        ("pk_lookup", { try $0.lookUp() }),
        ("traverse", { try $0.traverse() }),
        ("scan_count", { try $0.scan("scan_count", "age > 50 AND active == true") }),
        ("scan_prefix", { try $0.scan("scan_prefix", "name BEGINSWITH 'Al'") }),
        ("scan_contains", { try $0.scan("scan_contains", "name CONTAINS 'son-9'") }),
        ("index_eq", { try $0.indexEquality() }),
        ("sort_double", { try $0.sort("sort_double", by: \.score) }),
        ("sort_string", { try $0.sort("sort_string", by: \.name) }),
        ("query_by_index", { try $0.queryByIndex() }),
        ("top_by_scan", { try $0.topByScan() }),
        ("link_path", { try $0.linkPath() }),
        ("groups", { try $0.groups() }),
        ("aggregate", { try $0.aggregate() }),
        ("update", { try $0.update() }),
        ("savepoint", { try $0.savepoints() }),
        ("commit_pauses", { try $0.commitPauses() }),
        ("link_walk", { try $0.linkWalk() }),
        ("delete", { try $0.delete() }),
        ("change_feed", { try $0.changeFeed() }),
        ("changeset", { try $0.changeset() }),
        ("observers", { try $0.observers() }),
        ("watched", { try $0.watched() }),
        ("list_append", { try $0.listAppend() }),
        ("list_changes", { try $0.listChanges() }),
        ("list_insert", { try $0.listInsert() }),
        ("list_scan", { try $0.listScan() }),
        ("snapshot", { try $0.snapshot() }),
        ("snapshot_contended", { try $0.snapshotContended() }),
        ("notify", { try $0.notify() }),
        ("idle_watch", { try $0.idleWatch() }),
        ("sleeping_watch", { try $0.sleepingWatch() }),
        ("mixed", { try $0.mixed() }),
        ("encrypted", { try $0.encrypted() }),
        ("blob", { try $0.blob() }),
        ("full_text", { try $0.fullText() }),
        ("geography", { try $0.geography() }),
        ("vectors", { try $0.vectors() }),
        ("collation", { try $0.collation() }),
        ("synced", { try $0.synced() }),
    ]

    var count: Int { arguments.count }

    /// The file that `bulk_insert` makes and the reading workloads use.
    var file: String { arguments.path("freehold") }

    func makeFileIfMissing(unless isMadeByWorkload: Bool) throws {
        if !isMadeByWorkload, !Files.exists(file) { try makeFile(PersonSet(from: 0, count: count)) }
    }

    /// Makes the file anew; returns how long the one transaction took.
    @discardableResult
    func makeFile(_ set: PersonSet) throws -> Double { try makeFile(set, at: file, OpenOptions()) }

    func makeFile(_ set: PersonSet, at path: String, schema: ClassSchema = PersonTable.schema, _ options: OpenOptions) throws -> Double {
        try Files.remove(path)
        let database = try Database.open(path, options)
        defer { database.close() }
        try database.write { try $0.createClass(schema) }
        return try seconds {
            try database.write { transaction in
                let persons = try PersonTable(in: transaction)
                for person in set.persons { try persons.insert(person, of: set, in: transaction) }
            }
        }
    }

    /// Opens the file for reading by `body`.
    func reading(_ body: (PersonTable) throws -> Void) throws {
        try opening(file) { try withPersons($0, body) }
    }

    /// Opens a copy of the file for `body`, and removes it after.
    func withCopy(_ name: String, _ options: OpenOptions = OpenOptions(), _ body: (Database) throws -> Void) throws {
        let path = arguments.path(name)
        try Files.copy(file, to: path)
        try opening(path, options, body)
        try Files.remove(path)
    }

    /// Opens a database for `body`.
    func opening(_ path: String, _ options: OpenOptions = OpenOptions(), _ body: (Database) throws -> Void) throws {
        let database = try Database.open(path, options)
        defer { database.close() }
        try body(database)
    }
}

/// What a snapshot taken now says about the persons.
func withPersons<R>(_ database: Database, _ body: (PersonTable) throws -> R) throws -> R {
    let snapshot = try database.snapshot()
    defer { snapshot.end() }
    return try body(try PersonTable(in: snapshot))
}
