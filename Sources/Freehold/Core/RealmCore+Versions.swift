import FreeholdEngine

extension RealmCore {
    /// The moment of the realm now. Results found at a moment are valid until it changes.
    var moment: RealmMoment { RealmMoment(epoch: epoch, changes: changes) }

    /// Whether readers of all processes hold at most `limit` versions; reports misuse if they hold more.
    func holdsAtMost(_ limit: UInt) throws(FreeholdError) -> Bool {
        // The old version of this realm is released by the write anyway.
        _ = try refresh()
        let count = try shared.database.heldVersions().count
        if count <= Int(clamping: limit) { return true }
        Misuse.report("Number of active versions (\(count)) in the Realm exceeded the limit of \(limit)",
                      hint: "Some thread or process holds old ones: `freehold info` names it. Let frozen objects and realms go, or refresh them.")
        return false
    }

    /// Releases the version until the next read, and invalidates all objects and collections found so far.
    func invalidateAll() {
        if !isFrozen, observers?.isDelivering == true { return }
        invalidate()
        if isFrozen { return }
        // Safe: see `generation`.
        version.generation &+= 1
        observers?.endInvalidated()
    }

    /// Moves to the newest version if the realm shows an older one than the version with these low bits.
    func catchUp(with wanted: UInt32) throws(FreeholdError) {
        if transaction != nil || isFrozen { return }
        _ = try held()
        // Safe: versions are compared by their lowest bits.
        if Int32(bitPattern: wanted &- seen) > 0 { _ = try refresh() }
    }

    /// The class of a type, if the file has it; reports misuse if the realm does not know the type.
    func present(_ type: ObjectBase.Type) -> LiveClass? {
        guard let live = live(type) else { return nil }
        return shared.terms.isReadOnly && absentClasses.contains(live.model.name) ? nil : live
    }

    /// The classes that a read-only file does not have: they have no objects.
    var absentClasses: Set<ExactText> {
        if let absent = known.absent { return absent }
        let found = findAbsentClasses()
        known.absent = found
        return found
    }

    private func findAbsentClasses() -> Set<ExactText> {
        guard shared.terms.isReadOnly, let stored = try? held().classes else { return [] }
        return Set(exact: schema.classes.map { schema.storedName(of: $0) }).subtracting(stored.map { ExactText($0.name) })
    }

    // MARK: Classes of a version

    /// The name of the class with a number in the file.
    func className(numbered number: Int) throws(FreeholdError) -> String? {
        let reference = ObjectReference(classNumber: number, key: ObjectKey(0))
        if let frozen { return try frozen.reader(self).snapshot.table(of: reference).schema.name }
        return if let transaction { try transaction.table(of: reference).schema.name } else { try held().table(of: reference).schema.name }
    }

    func engineTable(_ name: String) throws(FreeholdError) -> Table {
        if let frozen { return try frozen.reader(self).snapshot.table(name) }
        if let transaction { return try transaction.table(name) }
        return try held().table(name)
    }

    /// All classes of the file at the version that the realm shows.
    func storedClasses() throws(FreeholdError) -> [ClassSchema] {
        if let transaction { return transaction.classes }
        return try held().classes
    }
}

/// Identifies a version that a realm shows, or a state of the write transaction under way.
struct RealmMoment: Equatable {
    let epoch: UInt64
    let changes: UInt64
}
