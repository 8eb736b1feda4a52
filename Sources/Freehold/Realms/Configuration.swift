public import Foundation
import Platform

extension Realm {
    /// How a file is opened.
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
        /// The name of a database in memory, shared by all who open it, in this process and in the user's others, and gone when the
        /// last of them closes it. Setting it clears `fileURL`.
        public var inMemoryIdentifier: String? {
            didSet { if inMemoryIdentifier != nil { fileURL = nil } }
        }
        /// 64 bytes under which the whole file is encrypted; nil for a plain file. `Realm.generateEncryptionKey()` makes some.
        public var encryptionKey: Data?
        /// Whether the file is only read: the one way to open a file on a medium that cannot be written. Where no lock file can be made,
        /// it must not be written by anybody meanwhile.
        public var readOnly: Bool
        /// The version of the model classes.
        public var schemaVersion: UInt64
        /// Brings the objects of a file with a lower version up to this one; not called for a new file.
        public var migrationBlock: MigrationBlock?
        /// Whether a file whose classes do not fit, or whose version is another one, is deleted and made anew. Opening throws `.alreadyOpen` if
        /// it would have to be while another realm or process has it open.
        public var deleteRealmIfMigrationNeeded: Bool
        /// Asked when this process opens the file first, with its bytes and how many of them are in use: whether to make the file
        /// smaller before it is opened. Not asked about a new file, nor where nothing could be saved; what it asks for is not done while
        /// another process has the file open.
        ///
        /// ```swift
        /// configuration.shouldCompactOnLaunch = { total, used in total > 100 << 20 && used * 2 < total }
        /// ```
        public var shouldCompactOnLaunch: (@Sendable (_ totalBytes: Int, _ usedBytes: Int) -> Bool)?
        /// The classes of the file; nil for every class the program has.
        public var objectTypes: [ObjectBase.Type]?
        /// How many versions may be held at once before a write transaction is refused, which tells of a thread that never lets go of
        /// one; nil: any number.
        public var maximumNumberOfActiveVersions: UInt?
        /// How many bytes of the file a version may keep that only sleeping observers look at, of any process, before a commit of this process
        /// takes it away: they begin anew then, instead of being told what changed. Nil: any number. What the file's first realm of the
        /// process says holds for all.
        public var sleepingObserverBytes: UInt64? = 256 << 20
        /// A file to begin with where `fileURL` leads to none yet, under the same key. Setting it clears `inMemoryIdentifier`.
        public var seedFilePath: URL? {
            didSet { if seedFilePath != nil { inMemoryIdentifier = nil } }
        }

        public init(fileURL: URL? = Self.defaultURL, inMemoryIdentifier: String? = nil, encryptionKey: Data? = nil, readOnly: Bool = false,
                    schemaVersion: UInt64 = 0, migrationBlock: MigrationBlock? = nil, deleteRealmIfMigrationNeeded: Bool = false,
                    shouldCompactOnLaunch: (@Sendable (_ totalBytes: Int, _ usedBytes: Int) -> Bool)? = nil,
                    objectTypes: [ObjectBase.Type]? = nil, seedFilePath: URL? = nil) {
            self.fileURL = inMemoryIdentifier == nil || seedFilePath != nil ? fileURL : nil
            self.inMemoryIdentifier = seedFilePath == nil ? inMemoryIdentifier : nil
            self.encryptionKey = encryptionKey
            self.readOnly = readOnly
            self.schemaVersion = schemaVersion
            self.migrationBlock = migrationBlock
            self.deleteRealmIfMigrationNeeded = deleteRealmIfMigrationNeeded
            self.shouldCompactOnLaunch = shouldCompactOnLaunch
            self.objectTypes = objectTypes
            self.seedFilePath = seedFilePath
        }

        /// The default configuration of a file at a path.
        public init(path: String) {
            self = .defaultConfiguration
            fileURL = URL(fileURLWithPath: path)
        }

        private static let current = Published<Configuration>()
        private static let initial = Configuration()

        /// What `Realm()` opens; set once at the start of a program, mostly.
        public static var defaultConfiguration: Configuration {
            get { current.value ?? initial }
            set { current.set(newValue) }
        }
    }
}

extension Realm.Configuration: Equatable {
    /// Whether both open the same file in the same way: its place, key, being read only and version.
    public static func == (left: Self, right: Self) -> Bool {
        left.fileURL == right.fileURL && left.inMemoryIdentifier == right.inMemoryIdentifier && left.encryptionKey == right.encryptionKey
            && left.readOnly == right.readOnly && left.schemaVersion == right.schemaVersion
    }
}

extension Realm.Configuration: CustomStringConvertible {
    /// What is set, line by line; never the key.
    public var description: String {
        var lines: [String] = []
        if let fileURL { lines.append("fileURL = \(fileURL.path)") }
        if let inMemoryIdentifier { lines.append("inMemoryIdentifier = \(inMemoryIdentifier)") }
        if let encryptionKey { lines.append("encryptionKey = \(encryptionKey.count) bytes") }
        lines.append("readOnly = \(readOnly)")
        lines.append("schemaVersion = \(schemaVersion)")
        if migrationBlock != nil { lines.append("migrationBlock = set") }
        if deleteRealmIfMigrationNeeded { lines.append("deleteRealmIfMigrationNeeded = true") }
        if shouldCompactOnLaunch != nil { lines.append("shouldCompactOnLaunch = set") }
        if let maximumNumberOfActiveVersions { lines.append("maximumNumberOfActiveVersions = \(maximumNumberOfActiveVersions)") }
        if let seedFilePath { lines.append("seedFilePath = \(seedFilePath.path)") }
        if let objectTypes { lines.append("objectTypes = \(objectTypes.map { $0.className() }.joined(separator: ", "))") }
        return "Realm.Configuration {\n" + lines.map { "    \($0)\n" }.joined() + "}"
    }
}
