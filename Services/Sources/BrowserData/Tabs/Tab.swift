import Dispatch
import FreeholdEngine
import FreeholdTools
import Synchronization

/// One tab of a browser: what it looks at, and what it is told.
///
/// Its requests are answered one after the other on a queue of its own, so tabs do not wait for one another, and everything
/// it holds is used on one thread at a time.
public final class Tab: Sendable {
    public let name: String
    private let queue: SerialThread
    // Safe: used on the queue only.
    private nonisolated(unsafe) let state = State()
    /// Requests that wait for their turn or are being answered.
    private let pending = Atomic(0)
    /// Whether steps are asked for already, by file.
    private let due = Mutex<Set<String>>([])
    private let lastUse: Mutex<DispatchTime>
    private let connected = Atomic(false)

    /// More waiting requests than this are refused.
    private static let pendingLimit = 64
    /// The time between two events of one file.
    private static let paceMilliseconds = 100

    /// What belongs to the queue.
    final class State {
        var standings: [String: Standing] = [:]
        var watched: [WatchedItem] = []
        var isVisible = true
        var isPaused = false
        var nextView = 1
        /// The events' way to the page; nil while none is connected.
        var events: (@Sendable ([UInt8]) -> Void)?
        /// Ends the connection.
        var endConnection: (@Sendable () -> Void)?
        /// Names the connection, so that the end of an old one does not end its successor.
        var connection = 0
        var ownVersions: [String: Set<Version>] = [:]
        var editors: [String: Editor] = [:]
    }

    public init(_ name: String) {
        self.name = name
        queue = SerialThread("tab")
        lastUse = Mutex(.now())
    }

    /// When the tab asked for something last.
    var lastUsed: DispatchTime { lastUse.withLock { $0 } }

    /// Whether a page follows its events.
    var isConnected: Bool { connected.load(ordering: .relaxed) }

    // MARK: requests

    /// Answers a request on the tab's queue.
    public func answer<Result: Sendable>(_ body: @escaping @Sendable (Tab) throws -> sending Result) async throws -> sending Result {
        guard pending.wrappingAdd(1, ordering: .relaxed).newValue <= Self.pendingLimit else {
            pending.wrappingSubtract(1, ordering: .relaxed)
            throw BrowserError(.busy, "this tab asks for too much at once; wait for its last requests")
        }
        lastUse.withLock { $0 = .now() }
        defer { pending.wrappingSubtract(1, ordering: .relaxed) }
        return try await withCheckedThrowingContinuation { continuation in
            queue.async { continuation.resume(with: Swift.Result { try body(self) }) }
        }
    }

    /// The standing in a file. On the queue.
    func standing(_ file: OpenFile) throws -> Standing {
        if let known = state.standings[file.identifier], known.file === file { return known }
        let made = try Standing(file)
        state.standings[file.identifier] = made
        return made
    }

    /// Reads at the version of the tab's views. On the queue.
    public func read<Result>(_ file: OpenFile, _ body: (Snapshot) throws -> Result) throws -> Result {
        let standing = try standing(file)
        defer { if isAway { standing.rest() } }
        return try standing.read(body)
    }

    /// Whether somebody looks at the tab: then its version follows the commits.
    private var isLooking: Bool { state.events != nil && state.isVisible }

    /// Whether nobody looks any more. A page that has just begun asks for rows before it connects its events.
    private var isAway: Bool { !state.isVisible || state.events == nil && state.connection > 0 }

    // MARK: views. All on the queue.

    public func openView(_ file: OpenFile, _ text: String, of className: String, section: String?) throws -> [UInt8] {
        let start = DispatchTime.now()
        let standing = try standing(file), name = "v\(state.nextView)"
        let path = try section.map { try Self.sort($0) }
        // A tab that nothing moves on begins with the newest version.
        if !state.isPaused, isLooking || standing.views.isEmpty { try step(file) }
        let view = try standing.open(name, text, of: className, section: path)
        state.nextView += 1
        return try standing.read { snapshot in
            let count = try view.count(snapshot), table = try snapshot.table(className)
            let notes = try table.prepare(view.query).notes
            return try JSONOutput.object { output in
                output.field("view", name)
                output.field("version", snapshot.version)
                output.field("count", count)
                output.field("kind", view.isOfGroups ? "groups" : "objects")
                output.field("columns", view.query.groupNames ?? table.schema.properties.map(\.name))
                output.array("properties") { output in
                    for property in view.groupProperties ?? table.schema.properties {
                        output.elementObject { SchemaWriter.write(property, to: &$0) }
                    }
                }
                try Self.write(view.sections(snapshot), CellWriter(snapshot), to: &output)
                output.field("notes", notes)
                output.field("milliseconds", Int((DispatchTime.now().uptimeNanoseconds - start.uptimeNanoseconds) / 1_000_000))
            }
        }
    }

    /// What sections are made of: a path as the query language writes it, with ASC or DESC behind it.
    private static func sort(_ text: String) throws -> QuerySort {
        let query = try ObjectQuery("TRUEPREDICATE SORT(\(text))")
        guard case .sort(let terms)? = query.steps.first, query.steps.count == 1, terms.count == 1 else {
            throw FreeholdError(.malformedInput, "'\(text)' is no path of a property")
        }
        return terms[0]
    }

    private static func write(_ sections: [View.Section]?, _ cells: CellWriter, to output: inout JSONOutput) throws {
        guard let sections else { return }
        try output.array("sections") { output in
            for section in sections {
                try output.elementObject { output in
                    try output.field("cell") { try cells.value(section.value, nil, to: &$0) }
                    output.field("from", section.from)
                    output.field("count", section.count)
                }
            }
        }
    }

    /// More rows than this are not given at once.
    public static let rowLimit = 500

    public func rows(_ name: String, from: Int, count: Int) throws -> [UInt8] {
        let (standing, view) = try view(name)
        defer { if isAway { standing.rest() } }
        return try standing.read { snapshot in
            let total = try view.count(snapshot), cells = CellWriter(snapshot), first = max(0, min(from, total))
            let range = first..<min(first + max(0, min(count, Self.rowLimit)), total)
            view.hasChanged = false
            var output = JSONOutput(capacity: 16 << 10)
            try output.object { output in
                output.field("version", snapshot.version)
                output.field("count", total)
                output.field("from", range.lowerBound)
                try output.array("rows") { output in
                    if view.isOfGroups { return try Self.groups(view.groups[range], cells, to: &output) }
                    try Self.objects(view, range, snapshot, cells, to: &output)
                }
                try Self.write(view.sections(snapshot), cells, to: &output)
            }
            return output.bytes
        }
    }

    private static func objects(
        _ view: View, _ range: Range<Int>, _ snapshot: Snapshot, _ cells: CellWriter, to output: inout JSONOutput
    ) throws {
        let table = try snapshot.table(view.className), columns = CellWriter.Columns(table)
        for key in try view.keys(in: range, snapshot) {
            guard let row = try table.row(key) else { continue }
            let own = try row.className
            try output.elementObject { output in
                output.field("key", key)
                if !own.isSame(as: view.className) { output.field("class", own) }
                try output.field("cells") { try cells.cells(row, columns, to: &$0) }
            }
        }
    }

    private static func groups(_ groups: ArraySlice<QueryGroup>, _ cells: CellWriter, to output: inout JSONOutput) throws {
        for group in groups {
            try output.elementObject { output in
                try output.array("cells") { output in
                    for value in group.values + group.figures { try output.element { try cells.value(value, nil, to: &$0) } }
                }
            }
        }
    }

    public func position(_ name: String, of key: ObjectKey) throws -> [UInt8] {
        let (standing, view) = try view(name)
        let position = try standing.read { try view.position(of: key, $0) }
        return JSONOutput.object { output in
            if let position { output.field("position", position) } else { output.field("position", nil as String?) }
        }
    }

    public func closeView(_ name: String) { for standing in state.standings.values { standing.close(name) } }

    private func view(_ name: String) throws -> (Standing, View) {
        for standing in state.standings.values {
            if let view = standing.views.first(where: { $0.name == name }) { return (standing, view) }
        }
        throw BrowserError(.notFound, "the view '\(name)' is not open any more; open it again")
    }

    // MARK: events

    /// Connects the page's events; returns the connection's number.
    public func connect(_ events: @escaping @Sendable ([UInt8]) -> Void, end: @escaping @Sendable () -> Void) async throws -> Int {
        try await answer { tab in
            tab.state.connection += 1
            tab.state.endConnection?()
            tab.state.events = events
            tab.state.endConnection = end
            tab.connected.store(true, ordering: .relaxed)
            tab.state.isVisible = true
            return tab.state.connection
        }
    }

    /// The connection ended. Its tab may have connected again already.
    public func disconnect(_ connection: Int) {
        queue.async { [self] in
            guard state.connection == connection else { return }
            state.events = nil
            state.endConnection = nil
            connected.store(false, ordering: .relaxed)
            for standing in state.standings.values { standing.rest() }
        }
    }

    /// Tells the page that the program ends, and ends its connection.
    func end(_ data: [UInt8]) {
        queue.async { [self] in
            emit("end", data)
            state.endConnection?()
        }
    }

    /// Lets go of a file that is closed.
    func forget(_ file: OpenFile) {
        queue.async { [self] in
            state.standings[file.identifier] = nil
            state.editors.removeValue(forKey: file.identifier)?.close()
            state.watched.removeAll { $0.file === file }
        }
    }

    /// What the tab shows.
    public func show(isVisible: Bool, isPaused: Bool, watched: [WatchedItem]) throws {
        let continues = isVisible && !isPaused && !(state.isVisible && !state.isPaused)
        (state.isVisible, state.isPaused) = (isVisible, isPaused)
        state.watched = watched
        if !isVisible { for standing in state.standings.values { standing.rest() } }
        if continues { for standing in state.standings.values { try step(standing.file) } }
        if isVisible, !watched.isEmpty { try tellWatched(changedOnly: false) }
    }

    /// Sends an event to the page.
    func send(_ event: StaticString, _ data: [UInt8]) {
        queue.async { [self] in emit(event, data) }
    }

    private func emit(_ event: StaticString, _ data: [UInt8]) {
        guard let events = state.events else { return }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(data.count + 32)
        bytes.append(contentsOf: "event: ".utf8)
        event.withUTF8Buffer { bytes.append(contentsOf: $0) }
        bytes.append(contentsOf: "\ndata: ".utf8)
        bytes.append(contentsOf: data)
        bytes.append(contentsOf: "\n\n".utf8)
        events(bytes)
    }

    /// A commit to the file: the tab follows it, at once if its last event is old enough, else when it is.
    func noteCommit(_ file: OpenFile) {
        guard due.withLock({ $0.insert(file.identifier).inserted }) else { return }
        queue.async { [self] in
            guard isLooking, !state.isPaused, state.standings[file.identifier] != nil else { return settle(file) }
            do { try step(file) } catch {
                // Read again when asked to; an end of the file is told by its list.
                emit("file", JSONOutput.object { $0.field("id", file.identifier); $0.field("error", BrowserError.text(error)) })
            }
            queue.after(milliseconds: Self.paceMilliseconds) { [self] in
                settle(file)
                guard let standing = state.standings[file.identifier] else { return }
                let newer = try? file.database.waitForChange(after: standing.version, timeoutMilliseconds: 0)
                if newer != nil { noteCommit(file) }
            }
        }
    }

    private func settle(_ file: OpenFile) { due.withLock { _ = $0.remove(file.identifier) } }

    /// Moves the standing to the newest version and tells what changed.
    private func step(_ file: OpenFile) throws {
        let standing = try standing(file)
        guard let change = try standing.advance() else { return }
        emit("commit", try CommitEvent(file, change, standing, state.ownVersions[file.identifier] ?? []).json())
        state.ownVersions[file.identifier] = (state.ownVersions[file.identifier] ?? []).filter { $0 > change.version }
        if !state.watched.isEmpty { try tellWatched(changedOnly: true) }
    }

    // MARK: watched objects and queries

    private func tellWatched(changedOnly: Bool) throws {
        var told: [[UInt8]] = []
        for place in state.watched.indices {
            let item = state.watched[place]
            let now = try? read(item.file) { try item.json($0) }
            guard let now, !changedOnly || now != item.told else { continue }
            state.watched[place].told = now
            told.append(now)
        }
        if told.isEmpty { return }
        emit("watch", JSONOutput.object { output in
            output.array("items") { output in for item in told { output.element { $0.raw(item) } } }
        })
    }

    // MARK: changes. All on the queue.

    private func editor(_ file: OpenFile) throws -> Editor {
        try file.requireWritable()
        let editor = state.editors[file.identifier] ?? Editor(file.database, .shown)
        state.editors[file.identifier] = editor
        for classes in file.shownClasses { editor.noteShown(classes) }
        editor.dropIdleUploads()
        return editor
    }

    public func preview(_ file: OpenFile, _ request: JSON) throws -> EditOutcome {
        let request = try EditRequest(request), editor = try editor(file)
        return try read(file) { try editor.preview(request, seen: $0) }
    }

    public func commit(_ file: OpenFile, _ request: JSON) throws -> EditOutcome {
        let request = try EditRequest(request)
        return try told(file) { editor in try read(file) { try editor.commit(request, seen: $0) } }
    }

    public func undo(_ file: OpenFile, _ name: String) throws -> EditOutcome { try told(file) { try $0.undo(name) } }

    /// What a tab commits itself is told it as its own.
    private func told(_ file: OpenFile, _ change: (Editor) throws -> EditOutcome) throws -> EditOutcome {
        let outcome = try change(editor(file))
        if let version = outcome.version {
            state.ownVersions[file.identifier, default: []].insert(version)
            noteCommit(file)
        }
        return outcome
    }

    public func beginUpload(_ file: OpenFile, _ count: Int?) throws -> String { try editor(file).beginUpload(expecting: count) }
    public func write(_ bytes: [UInt8], to upload: String, _ file: OpenFile) throws { try editor(file).write(bytes, to: upload) }
    public func finishUpload(_ upload: String, _ file: OpenFile) throws -> Int { try editor(file).finishUpload(upload) }
    public func cancelUpload(_ upload: String, _ file: OpenFile) { state.editors[file.identifier]?.cancelUpload(upload) }

    /// Ends what the tab holds.
    func close() {
        queue.async { [self] in
            for standing in state.standings.values { standing.rest() }
            for editor in state.editors.values { editor.close() }
            state.standings = [:]
            state.editors = [:]
            state.endConnection?()
            state.events = nil
        }
    }
}

extension View {
    var isOfGroups: Bool { if case .groups = answer { true } else { false } }

    /// The columns of groups as properties, with the types of their values; nil for objects.
    var groupProperties: [PropertySchema]? {
        guard let names = query.groupNames else { return nil }
        return names.enumerated().map { place, name in
            let values = groups.lazy.map { ($0.values + $0.figures)[place] }
            return PropertySchema(name, values.compactMap(\.type).first ?? .string, isNullable: true)
        }
    }
}
