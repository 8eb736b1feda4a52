import FreeholdEngine

/// Brings the classes of a file to those of the program when the file is opened.
struct SchemaUpdate {
    let planning: SchemaPlanning
    let shared: SharedDatabase
    let block: MigrationBlock?
    let settings: any Sendable

    private var schema: ModelSchema { planning.schema }
    private var version: UInt64 { planning.version }

    /// Thrown if the file has to be deleted first, unless it changed since it was judged.
    struct NeedsDeletion: Error {
        let judged: StoredVersion
    }

    /// Updates the file if needed; mostly there is nothing to do.
    ///
    /// - Throws: `NeedsDeletion` if the configuration allows it; `RealmError`; any error of the migration block.
    func run() throws {
        do {
            while true {
                let snapshot = try shared.database.snapshot()
                defer { snapshot.end() }
                if try isAccepted(snapshot) { return }
                let plan = planning.plan(try snapshot.schemaVersion, try snapshot.classes)
                switch plan.outcome {
                case .nothing: return shared.accept(schema, version, try snapshot.schemaIdentity)
                case .refusal: throw planning.refusal(plan)
                case .deletion: throw NeedsDeletion(judged: snapshot.storedVersion)
                case .additions, .migration:
                    snapshot.end()
                    try change()
                }
            }
        } catch let error as FreeholdError {
            throw RealmError(error)
        }
    }

    /// Refuses a read-only file whose classes differ from those of the program.
    func requireFitting() throws {
        do {
            let snapshot = try shared.database.snapshot()
            defer { snapshot.end() }
            let stored = try snapshot.schemaVersion
            if let stored, stored != version {
                throw RealmError(.schemaMismatch, "Provided schema version \(version) does not equal last set version \(stored).",
                                 suggestion: "A read-only file cannot be migrated; use its schema version.")
            }
            let plan = planning.plan(stored, try snapshot.classes)
            if case .refusal = plan.outcome { throw planning.refusal(plan) }
        } catch let error as FreeholdError {
            throw RealmError(error)
        }
    }

    // MARK: Files that were accepted before

    /// Whether this process has opened the file with these classes before, and either the file's schema is unchanged,
    /// or another program has migrated it to a higher version, and this process may go on reading.
    private func isAccepted(_ snapshot: Snapshot) throws -> Bool {
        guard let known = shared.accepted(schema, version) else { return false }
        if known == (try snapshot.schemaIdentity) { return true }
        return try snapshot.schemaVersion ?? 0 > version && !planning.deletes
    }

    // MARK: Applying changes

    private func change() throws {
        let here = Confinement.here
        if shared.writer.load(ordering: .acquiring) == here {
            throw RealmError(.fail, "The file cannot be migrated within a write transaction or a migration of the same thread.")
        }
        let transaction = try shared.database.beginWrite()
        shared.writer.store(here, ordering: .releasing)
        defer { shared.writer.store(0, ordering: .releasing) }
        // Another writer may have changed the schema first.
        let plan = planning.plan(transaction.schemaVersion, transaction.classes)
        let steps = MigrationSteps(schema, version: version, in: transaction)
        do {
            switch plan.outcome {
            case .additions: try steps.add()
            case .migration: try migrate(steps, from: plan.oldSchemaVersion ?? 0)
            default: return transaction.rollback()
            }
            if plan.oldSchemaVersion != nil || plan.outcome == .migration || transaction.schemaVersion == nil { try transaction.setSchemaVersion(version) }
        } catch {
            transaction.rollback()
            throw error
        }
        shared.writer.store(0, ordering: .releasing)
        try transaction.commit()
    }

    private func migrate(_ steps: MigrationSteps, from oldVersion: UInt64) throws {
        let confinement = Confinement.thread(Confinement.here)
        let old = RealmCore(shared, ModelSchema(namesOf: schema), confinement, settings: settings, isListed: false)
        // The writer lock is held: the newest version is the one before the migration.
        _ = try old.storedClasses()
        try steps.prepare()
        let new = RealmCore(shared, schema, confinement, settings: settings, migrating: steps.transaction, isListed: false)
        defer { new.endMigration() }
        new.migration.previous = old
        new.migration.releaseKey = { [unowned new] name in
            try steps.transaction.setPrimaryKey(nil, of: name)
            new.schemaChanged()
            return true
        }
        let migration = try Migration(steps, old: old, new: new)
        try block?(migration, oldVersion)
        if let failure = migration.failure ?? new.writing.refused { throw failure }
        try steps.finish(dropping: migration.dropped)
    }
}
