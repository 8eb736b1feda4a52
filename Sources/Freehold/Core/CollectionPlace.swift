import FreeholdEngine

/// A collection of a managed object: the engine's cursor, in a realm.
public final class CollectionPlace {
    let owner: ManagedProperty
    let cursor: CollectionCursor
    /// The collection as it was read last, in a realm that is not frozen.
    private var cached: (epoch: UInt64, view: CollectionView)?

    init(_ owner: ManagedProperty, _ cursor: CollectionCursor) { (self.owner, self.cursor) = (owner, cursor) }

    /// The property's own collection.
    convenience init(_ owner: ManagedProperty, _ kind: CollectionKind) { self.init(owner, CollectionCursor(of: owner.key, kind)) }

    var core: RealmCore { owner.core }
    var key: ObjectKey { owner.key }
    var live: LiveClass { owner.live }
    var described: ModelProperty { owner.described }
    var isStale: Bool { owner.isStale }
    /// The number of collections from the property's to this one, both included.
    var depth: Int { cursor.path.count + 1 }

    func below(_ step: CollectionStep, _ kind: CollectionKind) -> CollectionPlace { CollectionPlace(owner, cursor.below(step, kind)) }

    /// A function that finds the collection in another realm of the file; it returns nil if its object is not there.
    func reopening() -> (RealmCore) -> CollectionPlace? {
        let (model, owner, cursor, seen) = (live.model, owner, cursor, core.seen)
        return { core in
            guard core.object(model, cursor.key.rawValue, seen: seen) != nil, let live = core.live(like: model) else { return nil }
            return CollectionPlace(ManagedProperty(live, cursor.key, owner.property, in: core), cursor)
        }
    }

    /// The present collection; nil if it no longer exists, which is reported unless `quietly` is set.
    func view(quietly: Bool = false) -> CollectionView? {
        guard core.enter(), quietly ? !isStale : owner.requireCurrent() else { return nil }
        let live = live
        // Other threads may read a frozen collection: what was found is kept in the thread's own class.
        if core.isFrozen {
            if let known = live.lastCollection(key, owner.property, cursor.path) { return known }
        } else if let cached, cached.epoch == core.epoch, !live.mayHaveChanged {
            return cached.view
        }
        do {
            guard case .found(let view) = try find(live, quietly) else { return nil }
            if core.isFrozen { live.note(view, key, owner.property, cursor.path) } else { cached = (core.epoch, view) }
            return view
        } catch {
            tell(error)
            return nil
        }
    }

    private func find(_ live: LiveClass, _ quietly: Bool) throws(FreeholdError) -> CollectionCursor.Finding {
        let held = try live.held()
        let found = try live.columns[owner.property].map { column throws(FreeholdError) in try cursor.find(in: held.table, column) } ?? .objectDeleted
        switch found {
        case .found: break
        case .removed: if !quietly { Self.reportRemoved() }
        case .objectDeleted: if !quietly { Misuse.report("Object has been deleted or invalidated.") }
        }
        return found
    }

    /// Every element, or value of a map, in order.
    func forEachValue(_ body: (Value) -> Void) throws {
        guard var walk = view(quietly: true)?.walk() else { return }
        while let value = try walk.next() { body(value) }
    }

    /// A value as an element of the collection's type.
    func load<Element: _Storable>(_ value: Value) -> Element {
        if live.model.isDynamic, case .link(let key) = value, let target = described.targetName,
           let object = core.attempt(nil, { try core.dynamicClass(named: target, as: live.model.type).object(key) }) as? Element {
            return object
        }
        return Element._load(value, core)
    }

    // MARK: changes

    func changeList(_ body: (ListWriter) throws -> Void) { change("List") { try body($0.list) } }
    func changeSet(_ body: (SetWriter) throws -> Void) { change("MutableSet") { try body($0.set) } }
    func changeMap(_ body: (MapWriter) throws -> Void) { change("Map") { try body($0.map) } }

    /// Changes the collection. Outside of a write transaction it reports that `kind` cannot be modified.
    private func change(_ kind: String, _ body: (CollectionWriter) throws -> Void) {
        guard core.enter(), owner.requireCurrent() else { return }
        guard let transaction = core.transaction else {
            if core.isFrozen { return Misuse.report("Attempting to modify a frozen \(kind) - call thaw on the \(kind) instance first.") }
            return Misuse.report("Cannot modify managed \(kind) outside of a write transaction.", hint: "Put the change within realm.write { }.")
        }
        do {
            let table = try live.held().table
            guard try table.contains(key), let column = live.columns[owner.property] else {
                return Misuse.report("Object has been deleted or invalidated.")
            }
            let writer = try cursor.writer(in: transaction, table, column)
            if described.isOwning { core.willChangeAll() } else { live.willChange() }
            // Rows read while the caller's elements are converted are outdated once the elements are added.
            defer { core.noteChange() }
            try body(writer)
        } catch {
            tell(error)
        }
    }

    private func tell(_ error: any Error) {
        guard let error = error as? FreeholdError else { return Misuse.report("\(error)") }
        // The error does not tell a refused change from a path that no longer exists: so the path is followed again.
        if let table = try? live.held().table, let column = live.columns[owner.property],
           cursor.explained(error, in: table, column).code == .objectDeleted { return Self.reportRemoved() }
        if error.isRefusal { return core.refuse(error, "\(error)") }
        // A refused element is null, which the collection does not take; it has been reported already.
        if !core.isRefused { Misuse.report("\(error)") }
    }

    private static func reportRemoved() { Misuse.report("This collection is no more.", hint: "The value that held it was removed or replaced.") }
}

extension CollectionPlace: Hashable {
    public static func == (one: CollectionPlace, other: CollectionPlace) -> Bool {
        one === other || one.owner.isSame(as: other.owner) && one.cursor.path == other.cursor.path
    }

    public func hash(into hasher: inout Hasher) {
        hasher.combine(key)
        hasher.combine(owner.property)
        hasher.combine(cursor.path)
    }
}
