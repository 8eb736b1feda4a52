import FreeholdEngine
import Glibc
import Synchronization

/// Everything that the program has open: files, tabs, and jobs that take long.
public final class Browser: Sendable {
    public struct Options: Sendable {
        /// Whether files may be changed.
        public var isWritable = false
        public var encryptionKey: EncryptionKey?

        public init() {}
    }

    let options: Options
    private let state = Mutex(State())
    /// One file is opened at a time, so that none is opened twice.
    private let opening = Mutex(())
    public let jobs = Jobs()

    private struct State {
        var files: [OpenFile] = []
        var watchers: [String: FileWatcher] = [:]
        var tabs: [String: Tab] = [:]
        var nextFile = 1
    }

    public static let fileLimit = 16
    public static let tabLimit = 64

    public init(_ options: Options) { self.options = options }

    // MARK: files

    public var files: [OpenFile] { state.withLock { $0.files } }

    public func file(_ identifier: String) throws(BrowserError) -> OpenFile {
        guard let file = files.first(where: { $0.identifier == identifier }) else {
            throw BrowserError(.notFound, "file \(identifier) is not open; open it again")
        }
        return file
    }

    /// Opens a database that exists; the same file again if it is open already.
    public func open(_ path: String) throws -> OpenFile {
        try opening.withLock { _ in try openAlone(path) }
    }

    private func openAlone(_ path: String) throws -> OpenFile {
        let path = Self.resolved(path)
        if let known = files.first(where: { $0.path == path }) {
            known.checkPlace()
            if known.failureText == nil { return known }
            try close(known.identifier)
        }
        guard files.count < Self.fileLimit else { throw BrowserError(.busy, "\(Self.fileLimit) files are open; close one first") }
        var options = OpenOptions()
        options.createIfMissing = false
        options.encryptionKey = self.options.encryptionKey
        // A person waits: no longer than it takes to notice.
        options.lockTimeoutMilliseconds = 3000
        let (database, reason) = try openDatabase(path, options)
        let file = state.withLock { state in
            let file = OpenFile("\(state.nextFile)", path, database, readOnlyReason: reason, isEncrypted: options.encryptionKey != nil)
            state.nextFile += 1
            state.files.append(file)
            return file
        }
        let watcher = FileWatcher(file, { [weak self] in self?.noteCommit(file) }, replaced: { [weak self] in self?.tellFiles() })
        state.withLock { $0.watchers[file.identifier] = watcher }
        watcher.start()
        tellFiles()
        return file
    }

    private func openDatabase(_ path: String, _ options: OpenOptions) throws(FreeholdError) -> (Database, String?) {
        do throws(FreeholdError) {
            let database = try Database.open(path, options)
            return (database, self.options.isWritable ? nil : "the browser was started without --write")
        } catch where error.code == .permissionDenied || error.code == .readOnly {
            var options = options
            options.readOnly = true
            // Without a lock file nothing follows other programs; so it is said.
            guard let database = try? Database.open(path, options) else { throw error }
            return (database, "the file can only be read: \(error.message)")
        }
    }

    private static func resolved(_ path: String) -> String {
        guard let real = realpath(path, nil) else { return path }
        defer { free(real) }
        return String(cString: real)
    }

    public func close(_ identifier: String) throws {
        let file = try file(identifier)
        let watcher = state.withLock { state in
            state.files.removeAll { $0 === file }
            return state.watchers.removeValue(forKey: identifier)
        }
        watcher?.stop()
        for tab in tabs { tab.forget(file) }
        tellFiles()
    }

    public func writeFiles(to output: inout JSONOutput) {
        output.array("files") { output in for file in files { output.element { file.write(to: &$0) } } }
    }

    private func tellFiles() {
        let data = JSONOutput.object { writeFiles(to: &$0) }
        for tab in tabs { tab.send("files", data) }
    }

    private func noteCommit(_ file: OpenFile) { for tab in tabs { tab.noteCommit(file) } }

    // MARK: tabs

    var tabs: [Tab] { state.withLock { Array($0.tabs.values) } }

    /// The tab of this name, which exists from its first request on.
    public func tab(_ name: String) throws(BrowserError) -> Tab {
        guard (16...64).contains(name.utf8.count), name.utf8.allSatisfy({ byte in
            (48...57).contains(byte) || (65...90).contains(byte) || (97...122).contains(byte)
        }) else { throw BrowserError(.malformedInput, "'tab' must be 16 to 64 letters and digits") }
        let (tab, ended) = state.withLock { state -> (Tab?, [Tab]) in
            if let known = state.tabs[name] { return (known, []) }
            // Of those that no page is connected to, the one used longest ago goes.
            let lost = state.tabs.values.filter { !$0.isConnected }.min { $0.lastUsed < $1.lastUsed }
            let idle = state.tabs.count < Self.tabLimit ? [] : [lost].compactMap { $0 }
            for tab in idle { state.tabs[tab.name] = nil }
            guard state.tabs.count < Self.tabLimit else { return (nil, idle) }
            let made = Tab(name)
            state.tabs[name] = made
            return (made, idle)
        }
        for tab in ended { tab.close() }
        guard let tab else { throw BrowserError(.busy, "\(Self.tabLimit) tabs are open; close one first") }
        return tab
    }

    public func closeTab(_ name: String) { state.withLock { $0.tabs.removeValue(forKey: name) }?.close() }

    /// Tells every tab that the program ends.
    public func end(_ reason: String) {
        let data = JSONOutput.object { $0.field("reason", reason) }
        for tab in tabs { tab.end(data) }
    }
}
