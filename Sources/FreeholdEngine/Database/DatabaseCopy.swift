import Platform

/// Copies one version, object by object, into a new file. The copy is compact, and every block of the source is checked
/// on the way.
struct DatabaseCopy {
    let source: Database
    let path: String
    let system: any System
    /// The copy's key; nil for a copy that is not encrypted.
    let key: EncryptionKey?
    /// What is copied; nil for the newest version.
    var content: Content?
    /// The options for opening the copy for writing, except its key.
    var options = OpenOptions()
    /// Whether the copy replaces the source, and goes on as the same replica.
    var keepsIdentity = false

    /// A version, or the present state of a write transaction.
    enum Content {
        case snapshot(Snapshot)
        case transaction(WriteTransaction)

        func schema() throws(FreeholdError) -> StoredSchema {
            switch self {
            case .snapshot(let snapshot): try snapshot.schema()
            case .transaction(let transaction): transaction.schema
            }
        }

        func table(_ name: String) throws(FreeholdError) -> Table {
            switch self {
            case .snapshot(let snapshot): try snapshot.table(name)
            case .transaction(let transaction): try transaction.table(name)
            }
        }
    }

    /// Objects written in one transaction, so that memory stays bounded.
    var batch = 200_000

    func run() throws {
        let session = try source.core().session
        // Whoever may not read the source does not get to read its copy. Memory's files have permissions of their own.
        let permissions = session.member.options.inMemory ? 0o644 : try session.file.file.status().permissions
        try NewFile(path: path, what: "a copy", system: system, permissions: permissions).make(fill)
    }

    func fill(_ temporary: String) throws {
        if let content { return try fill(temporary, with: content) }
        let snapshot = try source.snapshot()
        defer { snapshot.end() }
        try fill(temporary, with: .snapshot(snapshot))
    }

    private func fill(_ temporary: String, with content: Content) throws {
        var options = options
        options.encryptionKey = key
        let target = try Database.open(temporary, options, on: system)
        defer { target.close() }
        var transaction = try target.beginWrite()
        let schema = try content.schema()
        transaction.adopt(schema)
        for stored in schema.presentTables {
            var waiting = 0
            let table = try content.table(stored.name)
            try table.forEach { row in
                try transaction.copy(row, stored)
                waiting += 1
                if waiting == batch {
                    waiting = 0
                    try transaction.commit(.processCrash)
                    transaction = try target.beginWrite()
                }
                return true
            }
            try transaction.takeCounters(of: stored, from: table.state.root)
        }
        try target.core().session.inheritLostVersion(of: source.core().session)
        try transaction.derived.adopt(schema)
        // What is pending of a transaction's changes is not known before its commit: the copy's classes are not synced.
        if case .snapshot(let snapshot) = content { try transaction.sync.adopt(from: snapshot, keepsIdentity: keepsIdentity) }
        try transaction.commit(.full)
        try target.buildIndexes()
    }
}
