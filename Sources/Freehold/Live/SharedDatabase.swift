import CShims
import Dispatch
import Foundation
import FreeholdEngine
import Synchronization

/// A file as all realms of this process share it.
final class SharedDatabase: Sendable {
    let database: Database
    /// What the file was opened with: others cannot open it otherwise at the same time.
    let terms: Terms
    /// A forked child has the parent's in its memory, and no use for it.
    private let forkGeneration = freehold_shim_fork_generation()
    /// The thread that writes, if one does.
    let writer = Atomic<UInt>(0)
    /// Who wants to write without waiting.
    let writes = WriteQueue()
    /// The realms that are told of commits.
    let following: CommitFollowing
    /// What waits for the disk, one after the other.
    let flushes = DispatchQueue(label: "freehold.flushes")
    /// The frozen realms that are in use.
    private let frozen = Mutex<[Frozen]>([])

    // Safe: each takes itself out before it is gone, and is retained before it is used.
    private struct Frozen: @unchecked Sendable {
        let version: Version
        let core: Unmanaged<RealmCore>
    }

    /// The classes of programs' that the file was opened with, each with those that it had then.
    private let accepted = Mutex<[Accepted]>([])

    private struct Accepted: Sendable {
        let schema: ModelSchema
        let version: UInt64
        var identity: SchemaIdentity
    }

    /// What the file had when it was opened with these classes last; nil if it was not.
    func accepted(_ schema: ModelSchema, _ version: UInt64) -> SchemaIdentity? {
        accepted.withLock { $0.first { $0.schema === schema && $0.version == version }?.identity }
    }

    /// Notes that the file can be opened with these classes.
    func accept(_ schema: ModelSchema, _ version: UInt64, _ identity: SchemaIdentity) {
        accepted.withLock { accepted in
            let others = accepted.filter { $0.schema !== schema || $0.version != version }
            accepted = others + [Accepted(schema: schema, version: version, identity: identity)]
        }
    }

    /// What all who open a file in one process have to agree on.
    struct Terms: Equatable, Sendable {
        var path: String
        var isReadOnly = false
        var isInMemory = false
        var encryptionKey: [UInt8]?
        /// No reason not to open it.
        var sleepingObserverBytes: UInt64?
    }

    private init(_ database: Database, _ terms: Terms) {
        self.database = database
        self.terms = terms
        following = CommitFollowing(database)
    }

    deinit {
        following.end(isForked: !isOfThisProcess)
        if isOfThisProcess { writes.end() }
    }

    /// By path: of names of files bytes count. A forked child has nothing open.
    private static let open = PerProcess<TextMap<Weak>>(inherits: false) { [:] }

    private struct Weak: Sendable {
        weak let shared: SharedDatabase?
    }

    /// The file, opened if nobody has it open.
    ///
    /// The lock is not held meanwhile: opening waits for other processes, and whoever has other files open is not to wait for it. Of two
    /// threads that open a file at once the later one lets what it opened go.
    static func open(_ terms: Terms) throws -> SharedDatabase {
        if let known = known(terms) { return try known.required(to: terms) }
        let database: Database
        do throws(FreeholdError) { database = try Database.open(terms.path, terms.options()) } catch {
            // Another thread may have opened it otherwise meanwhile.
            if let known = known(terms) { return try known.required(to: terms) }
            throw RealmError(error)
        }
        let made = SharedDatabase(database, terms)
        let (shared, others) = open.withLock { open in
            // Held until the lock is not: the last reference to one may be among them.
            let others = open.values.compactMap(\.shared).filter { $0.isOfThisProcess }
            // A symbolic link, or another way to the same folder, leads to the same file.
            let shared = others.first { $0.database.path.isSame(as: database.path) } ?? made
            open = TextMap(uniqueKeysWithValues: open.lazy.filter { $0.value.shared != nil }.map { ($0.key, $0.value) })
            open[terms.name] = Weak(shared: shared)
            return (shared, others)
        }
        if shared !== made { database.close() }
        return try withExtendedLifetime(others) { try shared.required(to: terms) }
    }

    /// What has the file open, under this very name.
    private static func known(_ terms: Terms) -> SharedDatabase? {
        open.withLock { $0[terms.name]?.shared }.flatMap { $0.isOfThisProcess ? $0 : nil }
    }

    private var isOfThisProcess: Bool { forkGeneration == freehold_shim_fork_generation() }

    private func required(to other: Terms) throws -> SharedDatabase {
        guard let difference = terms.difference(from: other) else { return self }
        throw RealmError(.alreadyOpen, "Realm at path '\(other.path)' already opened with different \(difference).",
                         fileURL: other.isInMemory ? nil : URL(fileURLWithPath: other.path))
    }

    /// Whether a realm of this process has the file open, under this very name.
    static func isOpen(_ terms: Terms) -> Bool { known(terms) != nil }

    /// The frozen realm of a version, made unless there is one with the same classes.
    func frozenRealm(_ snapshot: Snapshot, of core: RealmCore) -> RealmCore {
        if let known = knownFrozen(snapshot.version, core.schema) { return known }
        let made = RealmCore(FrozenVersion(snapshot, from: core.confinement), of: core)
        let entry = Frozen(version: snapshot.version, core: .passUnretained(made))
        frozen.withLock { $0.append(entry) }
        return made
    }

    /// The frozen realm of a version, if there is one with these classes.
    func knownFrozen(_ version: Version, _ schema: ModelSchema) -> RealmCore? {
        // Safe: see there.
        let known = frozen.withLock { $0.filter { $0.version == version && swift_tryRetain($0.core.toOpaque()) != nil } }
        var found: RealmCore?
        for entry in known {
            let core = entry.core.takeRetainedValue()
            if !core.isOver.load(ordering: .relaxed), core.schema.hasSameClasses(as: schema) { found = core }
        }
        return found
    }

    /// Safe: only the address is compared.
    func forgetFrozen(_ core: RealmCore) {
        let gone = UInt(bitPattern: Unmanaged.passUnretained(core).toOpaque())
        func forget(_ all: inout [Frozen]) { all = all.filter { UInt(bitPattern: $0.core.toOpaque()) != gone } }
        // In a forked child it may be locked for good.
        if isOfThisProcess { frozen.withLock { forget(&$0) } } else { _ = frozen.withLockIfAvailable { forget(&$0) } }
    }

}

extension SharedDatabase.Terms {
    /// The path; what is in memory has none that a file could have.
    fileprivate var name: String { isInMemory ? "memory:" + path : path }

    /// How the engine opens it.
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
