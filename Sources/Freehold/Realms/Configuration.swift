public import Foundation
import Platform

extension Realm {
    /// The settings with which a file is opened.
    ///
    /// ```swift
    /// var configuration = Realm.Configuration.defaultConfiguration
    /// configuration.fileURL?.deleteLastPathComponent()
    /// configuration.fileURL?.appendPathComponent("anna.freehold")
    /// let realm = try Realm(configuration: configuration)
    /// ```
    public struct Configuration: Sendable {
        /// The file; setting it clears `inMemoryIdentifier`.
        public var fileURL: URL? {
            didSet { if fileURL != nil { inMemoryIdentifier = nil } }
        }
        /// The name of an in-memory database. It is shared by all realms that open it, in this process and in the
        /// user's other processes, and is deleted when the last of them closes it. Setting it clears `fileURL`.
        public var inMemoryIdentifier: String? {
            didSet { if inMemoryIdentifier != nil { fileURL = nil } }
        }
        /// The server that the file is synced with: written into it when it is opened, unless `readOnly`. Nil: it keeps its own.
        public var syncConfiguration: SyncConfiguration?
        /// The 64-byte key of an encrypted file; nil for a plain file. The whole file is encrypted.
        /// `Realm.generateEncryptionKey()` creates a key.
        public var encryptionKey: Data?
        /// Whether the file is opened for reading only, which is the only way to open a file on a read-only medium.
        /// Where no lock file can be created, no process may write the file meanwhile.
        public var readOnly: Bool
        /// The schema version: the version of the program's model classes.
        public var schemaVersion: UInt64
        /// Migrates the objects of a file with a lower schema version to this one; not called for a new file.
        public var migrationBlock: MigrationBlock?
        /// Whether a file whose classes do not match, or whose schema version differs, is deleted and created again.
        /// Opening throws `.alreadyOpen` if the file has to be deleted while another realm or process has it open.
        public var deleteRealmIfMigrationNeeded: Bool
        /// Decides whether to compact the file when this process first opens it. The arguments are the file's size and
        /// the bytes in use. Not called for a new file, nor if compacting would save nothing. Compaction is skipped
        /// while another process has the file open.
        ///
        /// ```swift
        /// configuration.shouldCompactOnLaunch = { total, used in total > 100 << 20 && used * 2 < total }
        /// ```
        public var shouldCompactOnLaunch: (@Sendable (_ totalBytes: Int, _ usedBytes: Int) -> Bool)?
        /// The classes of the file; nil for every class of the program.
        public var objectTypes: [ObjectBase.Type]?
        /// The maximum number of versions held at once; above it a write transaction is refused. Exceeding it is a sign
        /// of a thread that never releases its version. Nil: no limit.
        public var maximumNumberOfActiveVersions: UInt?
        /// The maximum number of bytes of the file that a version may keep if only sleeping observers, of any process,
        /// use it. Above it a commit of this process takes the version away; these observers then start again instead
        /// of receiving what changed. Nil: no limit. The value of the process's first realm of the file applies to all.
        public var sleepingObserverBytes: UInt64? = 256 << 20
        /// A file of another database, such as a `.realm` file or a SQLite database, whose objects become objects of this file before it
        /// is first used. Nil: nothing is imported.
        public var importing: ImportSource?
        /// A file to copy if there is no file at `fileURL` yet. It has the same key. Setting it clears
        /// `inMemoryIdentifier`.
        public var seedFilePath: URL? {
            didSet { if seedFilePath != nil { inMemoryIdentifier = nil } }
        }

        public init(fileURL: URL? = Self.defaultURL, inMemoryIdentifier: String? = nil, syncConfiguration: SyncConfiguration? = nil,
                    encryptionKey: Data? = nil, readOnly: Bool = false, schemaVersion: UInt64 = 0,
                    migrationBlock: MigrationBlock? = nil, deleteRealmIfMigrationNeeded: Bool = false,
                    shouldCompactOnLaunch: (@Sendable (_ totalBytes: Int, _ usedBytes: Int) -> Bool)? = nil,
                    objectTypes: [ObjectBase.Type]? = nil, seedFilePath: URL? = nil,
                    importing: ImportSource? = nil) {
            self.fileURL = inMemoryIdentifier == nil || seedFilePath != nil ? fileURL : nil
            self.inMemoryIdentifier = seedFilePath == nil ? inMemoryIdentifier : nil
            self.syncConfiguration = syncConfiguration
            self.encryptionKey = encryptionKey
            self.readOnly = readOnly
            self.schemaVersion = schemaVersion
            self.migrationBlock = migrationBlock
            self.deleteRealmIfMigrationNeeded = deleteRealmIfMigrationNeeded
            self.shouldCompactOnLaunch = shouldCompactOnLaunch
            self.objectTypes = objectTypes
            self.seedFilePath = seedFilePath
            self.importing = importing
        }

        /// Creates the default configuration with the file at a path.
        public init(path: String) {
            self = .defaultConfiguration
            fileURL = URL(fileURLWithPath: path)
        }

        private static let current = Published<Configuration>()
        private static let initial = Configuration()

        /// The configuration that `Realm()` opens; usually set once at the start of a program.
        public static var defaultConfiguration: Configuration {
            get { current.value ?? initial }
            set { current.set(newValue) }
        }
    }
}

extension Realm.Configuration: Equatable {
    /// Whether both open the same file in the same way: location, key, `readOnly` and `schemaVersion`.
    public static func == (left: Self, right: Self) -> Bool {
        left.fileURL == right.fileURL && left.inMemoryIdentifier == right.inMemoryIdentifier && left.encryptionKey == right.encryptionKey
            && left.readOnly == right.readOnly && left.schemaVersion == right.schemaVersion
    }
}

extension Realm.Configuration: CustomStringConvertible {
    /// The settings, one per line; never the key.
    public var description: String {
        var lines: [String] = []
        if let fileURL { lines.append("fileURL = \(fileURL.path)") }
        if let inMemoryIdentifier { lines.append("inMemoryIdentifier = \(inMemoryIdentifier)") }
        if let syncConfiguration { lines.append("syncConfiguration = \(syncConfiguration.serverURL.absoluteString)") }
        if let encryptionKey { lines.append("encryptionKey = \(encryptionKey.count) bytes") }
        lines.append("readOnly = \(readOnly)")
        lines.append("schemaVersion = \(schemaVersion)")
        if migrationBlock != nil { lines.append("migrationBlock = set") }
        if deleteRealmIfMigrationNeeded { lines.append("deleteRealmIfMigrationNeeded = true") }
        if shouldCompactOnLaunch != nil { lines.append("shouldCompactOnLaunch = set") }
        if let maximumNumberOfActiveVersions { lines.append("maximumNumberOfActiveVersions = \(maximumNumberOfActiveVersions)") }
        if let seedFilePath { lines.append("seedFilePath = \(seedFilePath.path)") }
        if let importing { lines.append("importing = \(importing.fileURL.path)") }
        if let objectTypes { lines.append("objectTypes = \(objectTypes.map { $0.className() }.joined(separator: ", "))") }
        return "Realm.Configuration {\n" + lines.map { "    \($0)\n" }.joined() + "}"
    }
}
