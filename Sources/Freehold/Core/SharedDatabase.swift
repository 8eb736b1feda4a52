import CShims
import Dispatch
import Foundation
import FreeholdEngine
import Synchronization

/// An open file, shared by all realms of this process.
final class SharedDatabase: Sendable {
    let database: Database
    /// The options that the file was opened with: it cannot be open with different ones at the same time.
    let terms: Terms
    /// Tells a forked child, which has a copy of the parent's memory and must not use it.
    private let forkGeneration = freehold_shim_fork_generation()
    /// The thread that writes; 0 if none does.
    let writer = Atomic<UInt>(0)
    /// The queue of asynchronous write requests.
    let writes = AsyncWriteQueue()
    /// Builds full-text indexes in the background.
    let indexes = IndexBuilder()
    /// The realms that are notified of commits.
    let following: CommitFollowing<RealmCore>
    /// Runs flushes, one after the other.
    let flushes = DispatchQueue(label: "freehold.flushes")
    /// The frozen realms that are in use.
    private let frozen = Mutex<[Frozen]>([])

    private struct Frozen: Sendable {
        let version: Version
        let core: RegisteredReference<RealmCore>
    }

    /// The programs' schemas that the file was opened with, each with the file's schema at that time.
    private let accepted = Mutex<[Accepted]>([])

    private struct Accepted: Sendable {
        let schema: ModelSchema
        let version: UInt64
        var identity: SchemaIdentity
    }

    /// The file's schema when it was last opened with these classes; nil if it never was.
    func accepted(_ schema: ModelSchema, _ version: UInt64) -> SchemaIdentity? {
        accepted.withLock { $0.first { $0.schema === schema && $0.version == version }?.identity }
    }

    /// Records that the file can be opened with these classes.
    func accept(_ schema: ModelSchema, _ version: UInt64, _ identity: SchemaIdentity) {
        accepted.withLock { accepted in
            let others = accepted.filter { $0.schema !== schema || $0.version != version }
            accepted = others + [Accepted(schema: schema, version: version, identity: identity)]
        }
    }

    /// The options that all openings of a file in one process have to agree on.
    struct Terms: Equatable, Sendable {
        var path: String
        var isReadOnly = false
        var isInMemory = false
        var encryptionKey: [UInt8]?
        /// A difference in this option does not prevent opening.
        var sleepingObserverBytes: UInt64?
    }

    private init(_ database: Database, _ terms: Terms) {
        self.database = database
        self.terms = terms
        following = CommitFollowing(database)
    }

    deinit {
        indexes.stop()
        // A forked child has a table of its own, in which its parent's files are not.
        if isOfThisProcess { Self.forget(self) }
        following.end(isForked: !isOfThisProcess)
        writes.close()
    }

    /// The open files by the paths they were opened with; paths are compared by bytes. A forked child begins with none.
    ///
    /// Looking for one file keeps no other one: its program may close it at the same moment, and then expects it to be
    /// closed.
    private static let open = PerProcess<TextMap<Opened>>(inherits: false) { [:] }

    private struct Opened: Sendable {
        let reference: RegisteredReference<SharedDatabase>
        /// The path without symbolic links.
        let path: String
    }

    /// Opens the file, or returns it if it is open.
    ///
    /// The lock is not held meanwhile: opening waits for other processes, and threads with other files must not wait
    /// for it. If two threads open a file at once, the later one discards what it opened.
    static func open(_ terms: Terms) throws -> SharedDatabase {
        if let known = known(terms) { return try known.required(to: terms) }
        let database: Database
        do throws(FreeholdError) { database = try Database.open(terms.path, terms.options()) } catch {
            // Another thread may have opened it with other options meanwhile.
            if let known = known(terms) { return try known.required(to: terms) }
            throw RealmError(error)
        }
        let made = SharedDatabase(database, terms), entry = Opened(reference: RegisteredReference(made), path: database.path)
        let other = open.withLock { open -> Kept<SharedDatabase>? in
            // A symbolic link, or another path to the same folder, leads to the same file.
            for other in open.values where other.path.isSame(as: entry.path) {
                guard let kept = other.reference.kept() else { continue }
                open[terms.name] = other
                return kept
            }
            open[terms.name] = entry
            return nil
        }
        guard let other else { return made }
        database.close()
        return try other.object.required(to: terms)
    }

    /// The open file with this very path; nil if there is none.
    private static func known(_ terms: Terms) -> SharedDatabase? { open.withLock { $0[terms.name]?.reference.kept() }?.object }

    private static func forget(_ gone: SharedDatabase) {
        let identity = ObjectIdentifier(gone)
        open.withLock { open in
            let names = open.filter { $0.value.reference.identity == identity }.map(\.key)
            for name in names { open[name] = nil }
        }
    }

    private var isOfThisProcess: Bool { forkGeneration == freehold_shim_fork_generation() }

    private func required(to other: Terms) throws -> SharedDatabase {
        guard let difference = terms.difference(from: other) else { return self }
        throw RealmError(.alreadyOpen, "Realm at path '\(other.path)' already opened with different \(difference).",
                         fileURL: other.isInMemory ? nil : URL(fileURLWithPath: other.path))
    }

    /// Whether a realm of this process has the file open, under this very path.
    static func isOpen(_ terms: Terms) -> Bool { known(terms) != nil }

    /// The frozen realm of a version, created unless there is one with the same classes.
    func frozenRealm(_ snapshot: Snapshot, of core: RealmCore) -> RealmCore {
        if let known = knownFrozen(snapshot.version, core.schema) { return known }
        let made = RealmCore(FrozenVersion(snapshot, from: core.confinement), of: core)
        let entry = Frozen(version: snapshot.version, core: RegisteredReference(made))
        frozen.withLock { $0.append(entry) }
        return made
    }

    /// The frozen realm of a version, if there is one with these classes.
    func knownFrozen(_ version: Version, _ schema: ModelSchema) -> RealmCore? {
        let known = frozen.withLock { $0.filter { $0.version == version }.compactMap { $0.core.kept() } }
        return known.last { !$0.object.isOver.load(ordering: .relaxed) && $0.object.schema.hasSameClasses(as: schema) }?.object
    }

    func forgetFrozen(_ core: RealmCore) {
        let gone = ObjectIdentifier(core)
        func forget(_ all: inout [Frozen]) { all = all.filter { $0.core.identity != gone } }
        // In a forked child the lock may be held for good.
        if isOfThisProcess { frozen.withLock { forget(&$0) } } else { _ = frozen.withLockIfAvailable { forget(&$0) } }
    }

}

extension SharedDatabase.Terms {
    /// The path; for a file in memory, a name that no path on disk can equal.
    fileprivate var name: String { isInMemory ? "memory:" + path : path }

    /// The engine's options for opening it.
    func options() throws(FreeholdError) -> OpenOptions {
        var options = OpenOptions()
        options.readOnly = isReadOnly
        options.inMemory = isInMemory
        if let encryptionKey { options.encryptionKey = try EncryptionKey(encryptionKey) }
        options.lockTimeoutMilliseconds = 60_000
        options.parkedBytesLimit = sleepingObserverBytes
        return options
    }

    fileprivate func difference(from other: Self) -> String? {
        if isReadOnly != other.isReadOnly { return "read permissions" }
        if isInMemory != other.isInMemory { return "inMemory settings" }
        if encryptionKey != other.encryptionKey { return "encryption key" }
        return nil
    }
}
