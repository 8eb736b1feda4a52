import FreeholdEngine

/// Where a tab stands in one file: a version, and the views of it.
///
/// All views of a tab are of one version, so that what is shown together belongs together. Between two uses that version is
/// parked, or not held at all while nobody looks: a page that somebody forgot must not be what makes a file grow. Used on
/// the tab's queue only.
final class Standing {
    let file: OpenFile
    /// The version of the views.
    private var held: Snapshot
    private(set) var views: [View] = []
    /// Whether the version before was lost, so that everything may have changed.
    private var isAnew = false
    /// The classes that were told last.
    private var schema: SchemaIdentity

    init(_ file: OpenFile) throws {
        self.file = file
        held = try file.database.snapshot()
        schema = try held.schemaIdentity
        try held.park()
    }

    var version: Version { held.version }

    /// What a step changed.
    struct Change {
        let from: Version
        let version: Version
        /// By class; nil if the version before is not known any more.
        let classes: [ClassCounts]?
        let hasNewSchema: Bool
    }

    struct ClassCounts {
        let name: String
        let count: Int
        let changes: ChangeCounts
    }

    /// Reads at the version of the views; at the newest one if that version was given up.
    func read<Result>(_ body: (Snapshot) throws -> Result) throws -> Result {
        try hold()
        defer { try? held.park() }
        return try body(held)
    }

    /// Holds the version firmly, or a newer one.
    private func hold() throws {
        if try resumes() { return }
        try held.begin()
        for view in views { try view.restart(at: held) }
        isAnew = true
    }

    /// Whether the version is still there.
    private func resumes() throws -> Bool {
        guard held.isHeld else { return false }
        do throws(FreeholdError) { try held.resume() } catch {
            if error.code == .revoked { return false }
            throw error
        }
        return true
    }

    /// Moves to the newest version.
    /// - Returns: nil if it stands there already.
    func advance() throws -> Change? {
        let next = try file.database.snapshot()
        let isKnown = try resumes()
        let from = held.version
        if isKnown, next.version == from {
            next.end()
            try held.park()
            let wasAnew = isAnew
            isAnew = false
            return wasAnew ? Change(from: from, version: from, classes: nil, hasNewSchema: try noteSchema(held)) : nil
        }
        var counts: [ClassCounts]?
        if isKnown {
            if !views.isEmpty {
                let step = try VersionStep(from: held, to: next), touched = try step.changedTables()
                for view in views { try view.advance(step, touched: touched) }
            }
            counts = try next.changes(since: held).classes.map { changes in
                let count = try changes.after.map { try next.table($0.name).count } ?? 0
                return ClassCounts(name: changes.name, count: count, changes: try changes.counts())
            }
        } else {
            for view in views { try view.restart(at: next) }
        }
        held.end()
        held = next
        isAnew = false
        let hasNewSchema = try noteSchema(held)
        try held.park()
        return Change(from: from, version: held.version, classes: counts, hasNewSchema: hasNewSchema)
    }

    /// Whether the classes are others than were told last.
    private func noteSchema(_ snapshot: Snapshot) throws -> Bool {
        let now = try snapshot.schemaIdentity
        defer { schema = now }
        return now != schema
    }

    /// Gives the version up; the next use begins with the newest one.
    func rest() { held.end() }

    // MARK: views

    static let viewLimit = 8

    func open(_ name: String, _ text: String, of className: String, section: QuerySort?) throws -> View {
        try hold()
        defer { try? held.park() }
        let view = try View(name, text, of: className, section: section, at: held)
        views.append(view)
        if views.count > Self.viewLimit { views.removeFirst() }
        return view
    }

    func close(_ name: String) { views.removeAll { $0.name == name } }
}
