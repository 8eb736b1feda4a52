public import Foundation
import FreeholdEngine

extension Realm {
    /// Opens a file, migrates it if needed, and closes it again, for programs that choose the time of a migration.
    ///
    /// - Throws: the errors of opening.
    public static func performMigration(for configuration: Configuration = .defaultConfiguration) throws {
        let terms = try configuration.terms()
        if SharedDatabase.isOpen(terms) {
            return Misuse.report("Cannot migrate Realms that are already open.", hint: "Release every realm, object and collection of the file first.")
        }
        _ = try RealmCore.open(configuration, .current)
    }

    /// Plans the schema changes that opening a file with a configuration would make. Nothing is changed; a missing file
    /// is reported as a new one, and is not created.
    ///
    /// ```swift
    /// print(try Realm.migrationPlan(for: configuration))
    /// ```
    /// - Throws: the errors of opening, except for classes that do not match: the plan reports those.
    public static func migrationPlan(for configuration: Configuration = .defaultConfiguration) throws -> MigrationPlan {
        let schema = try configuration.modelSchema()
        let terms = try configuration.terms(), planning = configuration.planning(schema, terms)
        do throws(FreeholdError) {
            guard try Database.exists(at: terms.path, inMemory: terms.isInMemory) else { return planning.plan(nil, []) }
        } catch {
            throw RealmError(error)
        }
        let shared = try SharedDatabase.open(terms)
        do throws(FreeholdError) {
            let snapshot = try shared.database.snapshot()
            defer { snapshot.end() }
            return planning.plan(try snapshot.schemaVersion, try snapshot.classes)
        } catch {
            throw RealmError(error)
        }
    }
}

extension Realm.Configuration {
    func planning(_ schema: ModelSchema, _ terms: SharedDatabase.Terms) -> SchemaPlanning {
        SchemaPlanning(schema: schema, version: schemaVersion, hasBlock: migrationBlock != nil, deletes: deleteRealmIfMigrationNeeded, file: terms.path)
    }
}

/// The schema version with which a program last opened a file.
///
/// - Throws: `Realm.Error`: `.invalidDatabase` if it is no file of this library, or if no program has opened it with
///   its classes yet.
public func schemaVersionAtURL(_ fileURL: URL, encryptionKey: Data? = nil) throws -> UInt64 {
    let notYet = RealmError(.invalidDatabase, "Realm at path '\(fileURL.path)' has not been initialized.", fileURL: fileURL)
    guard FileManager.default.fileExists(atPath: fileURL.path) else { throw notYet }
    let terms = try Realm.Configuration(fileURL: fileURL, encryptionKey: encryptionKey).terms()
    do {
        let snapshot = try SharedDatabase.open(terms).database.snapshot()
        defer { snapshot.end() }
        if let version = try snapshot.schemaVersion { return version }
        if try snapshot.classes.isEmpty { throw notYet }
        return 0
    } catch let error as FreeholdError {
        throw RealmError(error)
    }
}
