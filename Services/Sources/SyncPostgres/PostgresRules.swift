import FreeholdEngine
import FreeholdMerge

/// Sets the rules of a cluster. In the transaction that does it, what all users see is made anew; servers read the rules when they begin
/// their next transaction.
public enum PostgresRules {
    /// Sets rules, if they are others than before.
    ///
    /// - Returns: their number, and whether they are new.
    /// - Throws: what is wrong with them; nothing has changed then.
    @discardableResult
    public static func set(_ text: String, on connection: PostgresConnection) throws(FreeholdError) -> (number: Int64, isNew: Bool) {
        guard !text.utf8.contains(0) else { throw FreeholdError(.malformedInput, "rules have no NUL characters; remove them") }
        let catalog = try PostgresCatalog(connection)
        if let (number, present) = catalog.rules, present.isSame(as: text) { return (number, false) }
        let rules = try StreamRules(text, catalog.schema), store = self.store(connection, catalog)
        // As a file that was cut gives: it would take everything from everyone.
        if rules.streamNames.isEmpty {
            throw FreeholdError(.malformedInput, """
                the rules have no stream, so nobody would see anything; add one, or let everyone see everything with \
                `freehold-sync-server rules remove`
                """)
        }
        try renew(store, catalog, RuledStreams(rules, catalog.schema, PostgresDirectory(store))) { () throws(FreeholdError) in
            try connection.run("""
                INSERT INTO freehold.rules SELECT coalesce(max(number), 0) + 1, $1 FROM freehold.rules
                """, .text(text))
        }
        return (try PostgresCatalog(connection).rules?.number ?? 0, true)
    }

    /// Removes the rules: all users see and change everything.
    public static func remove(from connection: PostgresConnection) throws(FreeholdError) {
        let catalog = try PostgresCatalog(connection)
        try renew(store(connection, catalog), catalog, OpenStreams()) { () throws(FreeholdError) in
            try connection.run("DELETE FROM freehold.rules")
        }
    }

    private static func store(_ connection: PostgresConnection, _ catalog: PostgresCatalog) -> PostgresStore {
        let store = PostgresStore(connection, schema: catalog.schema)
        store.expected = (catalog.history, catalog.version)
        return store
    }

    private static func renew(_ store: PostgresStore, _ catalog: PostgresCatalog, _ streams: any SyncStreams,
                              _ change: () throws(FreeholdError) -> Void) throws(FreeholdError) {
        let server = SyncServer(schema: catalog.schema, store: store, streams: streams, history: catalog.history)
        try server.renewAll { () throws(FreeholdError) in
            try change()
            // A server that has the version before reads all anew.
            try store.connection.run("UPDATE freehold.state SET version = version + 1")
        }
    }
}
