import FreeholdEngine

extension RealmCore {
    /// What results were found at: they are good until it is another one.
    var moment: RealmMoment { RealmMoment(epoch: epoch, changes: changes) }

    /// Whether no more than so many versions are held by readers of all processes; tells if not.
    func holdsAtMost(_ limit: UInt) throws(FreeholdError) -> Bool {
        // The one that this realm shows is let go by writing anyway.
        _ = try refresh()
        let count = try shared.database.heldVersions().count
        if count <= Int(clamping: limit) { return true }
        Misuse.report("Number of active versions (\(count)) in the Realm exceeded the limit of \(limit)",
                      hint: "Some thread or process holds old ones: `freehold info` names it. Let frozen objects and realms go, or refresh them.")
        return false
    }

    /// Lets the version go until something is asked for, and makes all objects and collections found so far invalid.
    func invalidateAll() {
        if !isFrozen, observers?.isDelivering == true { return }
        invalidate()
        if isFrozen { return }
        // Safe: see `generation`.
        generation &+= 1
        observers?.endInvalidated()
    }

    /// Moves to the newest version if the realm shows one before that of which these are the lowest bits.
    func catchUp(with wanted: UInt32) throws(FreeholdError) {
        if transaction != nil || isFrozen { return }
        _ = try held()
        // Safe: versions are compared by their lowest bits.
        if Int32(bitPattern: wanted &- seen) > 0 { _ = try refresh() }
    }

    /// The class of a type, if the file has it; tells if the realm does not know the type.
    func present(_ type: ObjectBase.Type) -> LiveClass? {
        guard let live = live(type) else { return nil }
        return shared.terms.isReadOnly && absentClasses.contains(live.model.name) ? nil : live
    }

    func findAbsentClasses() -> Set<ExactText> {
        guard shared.terms.isReadOnly, let stored = try? held().classes else { return [] }
        return Set(exact: schema.classes.map { schema.storedName(of: $0) }).subtracting(stored.map { ExactText($0.name) })
    }

    // MARK: What a version has

    /// The name of the class that the file gives a number to.
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

    /// Every class of the file, as the realm sees it.
    func storedClasses() throws(FreeholdError) -> [ClassSchema] {
        if let transaction { return transaction.classes }
        return try held().classes
    }
}

/// A version as a realm shows it, or a state of the write transaction under way.
struct RealmMoment: Equatable {
    let epoch: UInt64
    let changes: UInt64
}
