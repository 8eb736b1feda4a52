/// An object of one of the classes that say what sync shall do and how it goes, read by its properties' names.
///
/// The classes are ordinary ones: a program may have changed them, and what it has made of them gives an error, or no value.
struct SyncRecord {
    private let row: Row
    private let table: Table

    init(_ row: Row, _ table: Table) {
        self.row = row
        self.table = table
    }

    func value(_ property: String) throws(FreeholdError) -> Value { try row.value(table.column(property)) }

    func text(_ property: String) throws(FreeholdError) -> String? {
        switch try value(property) {
        case .string(let text): return text
        case .null: return nil
        default: throw misfit(property)
        }
    }

    func number(_ property: String) throws(FreeholdError) -> Int64 {
        guard case .int(let number) = try value(property) else { throw misfit(property) }
        return number
    }

    func misfit(_ property: String) -> FreeholdError {
        FreeholdError(.schemaMismatch, "property '\(property)' of class '\(table.state.stored.name)' has another type than sync gives it; "
            + "drop the class, and set the settings of sync again")
    }
}

extension Database {
    /// What the file says about its sync; nil if it says nothing.
    ///
    /// - Throws: `.schemaMismatch`, `.unknownProperty` if a program has changed the class.
    public func syncSettings() throws(FreeholdError) -> SyncSettings? {
        try withRecord(SyncSettings.className) { row throws(FreeholdError) in try SyncSettings(row) } ?? nil
    }

    /// How the sync of the file is going, as its agent has said last; nil if none ever has. Whether an agent is there says `hasSyncAgent`.
    public func syncState() throws(FreeholdError) -> SyncState? {
        try withRecord(SyncState.className) { row throws(FreeholdError) in try SyncState(row) }
    }

    /// Says where the file's server is, and whether an agent shall sync the file. An agent that observes the class notices at once.
    /// Settings that the file has already are no commit.
    ///
    /// - Throws: `.invalidArgument` if the address is none (`SyncServerAddress`). Whether plain `http` may lead to another machine says the
    ///   agent.
    public func setSyncSettings(_ settings: SyncSettings) throws(FreeholdError) {
        _ = try SyncServerAddress(settings.address, allowsPlain: true)
        if let there = try syncSettings(), there.isSame(as: settings) { return }
        try changeRecords { transaction throws(FreeholdError) in
            try Self.put(settings.values, SyncSettings.className, in: transaction)
        }
    }

    /// Changes the settings that the file has, in one transaction: another token, or whether an agent is wanted. What changes nothing is
    /// no commit.
    ///
    /// - Throws: `.invalidArgument` for a file without settings.
    public func changeSyncSettings(_ change: (inout SyncSettings) -> Void) throws(FreeholdError) {
        guard var settings = try syncSettings() else { throw withoutSyncSettings }
        let there = settings
        change(&settings)
        if settings.isSame(as: there) { return }
        try changeRecords { transaction throws(FreeholdError) in
            let table = try transaction.table(SyncSettings.className)
            guard let key = try table.key(primaryKey: .int(1)), let row = try table.row(key),
                  var settings = try SyncSettings(SyncRecord(row, table)) else { throw withoutSyncSettings }
            change(&settings)
            try Self.put(settings.values, SyncSettings.className, in: transaction)
        }
    }

    var withoutSyncSettings: FreeholdError {
        FreeholdError(.invalidArgument, "the file does not say where its server is; set the settings of sync first", path: path)
    }

    /// Notes how sync is going, for programs that observe it: one commit that does not wait for the disk. For agents.
    ///
    /// - Parameter issues: what is new; the oldest ones beyond `SyncIssue.limit` are deleted.
    public func noteSync(_ state: SyncState, issues: [SyncIssue] = []) throws(FreeholdError) {
        try changeRecords { transaction throws(FreeholdError) in
            try Self.put(state.values, SyncState.className, in: transaction)
            if issues.isEmpty { return }
            for issue in issues.suffix(SyncIssue.limit) { try transaction.insert(into: SyncIssue.issueClassName, issue.values) }
            let table = try transaction.table(SyncIssue.issueClassName)
            if table.count > SyncIssue.limit { try transaction.delete(table.keys(limit: table.count - SyncIssue.limit), from: table) }
        }
    }

    /// What there is to know about the sync of the file, oldest first.
    public func syncIssues() throws(FreeholdError) -> [SyncIssue] {
        let snapshot = try snapshot()
        defer { snapshot.end() }
        guard let table = try Self.table(SyncIssue.issueClassName, in: snapshot) else { return [] }
        var issues: [SyncIssue] = []
        for key in try table.keys() {
            if let row = try table.row(key) { issues.append(try SyncIssue(SyncRecord(row, table))) }
        }
        return issues
    }

    /// The one object of a class, which has the primary key 1.
    func withRecord<Result>(_ name: String, _ body: (SyncRecord) throws(FreeholdError) -> Result) throws(FreeholdError) -> Result? {
        let snapshot = try snapshot()
        defer { snapshot.end() }
        guard let table = try Self.table(name, in: snapshot), let key = try table.key(primaryKey: .int(1)),
              let row = try table.row(key) else { return nil }
        return try body(SyncRecord(row, table))
    }

    private static func table(_ name: String, in snapshot: Snapshot) throws(FreeholdError) -> Table? {
        do throws(FreeholdError) { return try snapshot.table(name) } catch {
            if error.code == .unknownClass { return nil }
            throw error
        }
    }

    func changeRecords(_ body: (WriteTransaction) throws(FreeholdError) -> Void) throws(FreeholdError) {
        let transaction = try beginWrite()
        do throws(FreeholdError) {
            let there = Set(transaction.classes.map { ExactText($0.name) })
            let wanted = Self.recordSchemas.filter { !there.contains(ExactText($0.name)) }
            if !wanted.isEmpty { try transaction.createClasses(wanted) }
            try body(transaction)
            try transaction.commit(.processCrash)
        } catch {
            transaction.rollback()
            throw error
        }
    }

    private static let recordSchemas = [SyncSettings.schema, SyncState.schema, SyncIssue.schema, SyncDownload.schema]

    /// Sets what differs of the one object of a class.
    static func put(_ values: [(String, Value)], _ name: String, in transaction: WriteTransaction) throws(FreeholdError) {
        let table = try transaction.table(name)
        guard let key = try table.key(primaryKey: .int(1)) else {
            try transaction.insert(into: name, key: .int(1), values)
            return
        }
        for (property, value) in values {
            let column = try table.column(property)
            if try table.value(key, column) != value { try transaction.set(key, in: table, column, to: value) }
        }
    }
}
