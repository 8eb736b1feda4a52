import Platform

/// A copy of one version, object by object, into a new file: compact, and every block of the source is checked on
/// the way.
struct DatabaseCopy {
    let source: Database
    let path: String
    let system: any System
    /// The copy's key; nil for a plain one.
    let key: EncryptionKey?
    /// How the copy is opened to be written, but for its key.
    var options = OpenOptions()

    /// Objects written in one transaction, so that memory stays bounded.
    private static let batch = 200_000

    func run() throws { try NewFile(path: path, what: "a copy", system: system).make(fill) }

    func fill(_ temporary: String) throws {
        let snapshot = try source.snapshot()
        defer { snapshot.end() }
        var options = options
        options.encryptionKey = key
        let target = try Database.open(temporary, options, on: system)
        defer { target.close() }
        var transaction = try target.beginWrite()
        let schema = try snapshot.schema()
        transaction.adopt(schema)
        for stored in schema.present {
            var waiting = 0
            let table = try snapshot.table(stored.name)
            try table.forEach { row in
                try transaction.copy(row, stored)
                waiting += 1
                if waiting == Self.batch {
                    waiting = 0
                    try transaction.commit(.processCrash)
                    transaction = try target.beginWrite()
                }
                return true
            }
            try transaction.raiseNextKey(of: stored, to: table.state.root.nextKey)
        }
        try transaction.commit(.full)
    }
}
