import FreeholdEngine
import Glibc

/// A file of another database, of a format that is recognised by its bytes.
///
/// ```swift
/// let store = try SourceFile(path: "shop.sqlite").open()
/// print(store.format, store.classes.map(\.schema.name))
/// ```
public struct SourceFile: Sendable {
    /// Where it is.
    public var path: String
    /// The key of an encrypted file: 64 bytes for a `.realm` file.
    public var key: [UInt8]?
    /// What its tables become.
    public var rules = SourceRules()

    private static let startBytes = 8192

    public init(path: String, key: [UInt8]? = nil) {
        self.path = path
        self.key = key
    }

    /// Whether the file, by its first bytes, is a database of another kind. False for what cannot be read, and for a pipe, from
    /// which nothing is taken.
    public var isRecognized: Bool {
        guard let start = try? start() else { return false }
        return SQLiteFile.recognizes(start) || isRealm(start)
    }

    /// Whether it is a file of no bytes: a database of another kind that has no classes yet, or an empty text.
    public var isEmpty: Bool { (try? start())?.isEmpty ?? false }

    /// Opens the file for reading. A file of no bytes is a source without classes, whatever the rules say.
    public func open() throws(SourceError) -> any SourceStore {
        let start = try start()
        if start.isEmpty { return EmptySource() }
        if SQLiteFile.recognizes(start) { return try openSQLite() }
        guard isRealm(start) || key != nil else {
            if start.starts(with: "FREEHOLD".utf8) {
                throw SourceError(.notThisFormat, "the file is a Freehold database already; open it, or copy it with `freehold copy`")
            }
            // The SQLite reader knows what encrypted databases of that kind look like.
            _ = try SQLiteFile(path: path)
            throw SourceError(.notThisFormat, "the file is neither a .realm file nor a SQLite database")
        }
        return try renamed(RealmFileStore(path: path, key: key))
    }

    private func openSQLite() throws(SourceError) -> any SourceStore {
        if key != nil { throw SourceError(.wrongKey, "a key was given, but the file is a SQLite database that is not encrypted") }
        let file = try SQLiteFile(path: path)
        if CoreDataStore.recognizes(file) { return try renamed(CoreDataStore(file)) }
        var options = SQLiteStoreOptions()
        options.renames = rules.classNames
        options.types = rules.types
        options.links = rules.links
        options.joins = rules.joins
        return try SQLiteStore(file, options: options)
    }

    /// The store with other names of classes. Such a store states types and links itself.
    private func renamed(_ store: any SourceStore) throws(SourceError) -> any SourceStore {
        if let name = rules.types.keys.first ?? rules.links.keys.first ?? rules.joins.keys.first {
            throw SourceError(.invalidOption, "a rule for '\(name)' has no meaning here: \(store.format) states types and links itself")
        }
        return rules.classNames.isEmpty ? store : try RenamedStore(store, rules.classNames)
    }

    // Safe: the bytes are used during the call.
    private func isRealm(_ start: [UInt8]) -> Bool { start.withUnsafeBytes { RealmFileStore.recognizes($0, key: key) } }

    /// The first bytes of the file; fewer if it is shorter.
    private func start() throws(SourceError) -> [UInt8] {
        if path.utf8.contains(0) { throw SourceError(.invalidOption, "the path has a byte of zero in it, which no path has") }
        var status = stat()
        // Not opened first: the writer of a pipe would take that for its reader.
        guard stat(path, &status) == 0 else { throw Self.failure() }
        guard status.st_mode & S_IFMT == S_IFREG else { throw SourceError(.notThisFormat, "it is not a regular file") }
        guard let descriptor = SourceDescriptor(path) else { throw Self.failure() }
        var bytes = [UInt8](repeating: 0, count: Self.startBytes), count = 0
        while count < bytes.count {
            let offset = count
            // Safe: the rest of the array.
            let read = bytes.withUnsafeMutableBytes { pread(descriptor.number, $0.baseAddress! + offset, $0.count - offset, off_t(offset)) }
            if read == 0 { break }
            if read < 0 && errno != EINTR { throw Self.failure() }
            count += max(read, 0)
        }
        return Array(bytes.prefix(count))
    }

    private static func failure() -> SourceError {
        let number = errno
        return SourceError(.system, String(cString: strerror(number)), systemCode: number)
    }
}
