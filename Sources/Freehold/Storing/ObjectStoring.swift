import FreeholdEngine

/// Adds one object to a realm.
///
/// 1. Links to other objects are set once the object has its row: they may lead back to it.
/// 2. An object brings the objects it links to along, each once.
public final class ObjectStoring: _PropertyStoring {
    let core: RealmCore
    /// What holds for the objects that it brings along.
    let inner: StoringContext
    private let live: LiveClass
    private let object: ObjectBase
    // Safe: an object is stored on one thread, and no access here is held over another.
    @exclusivity(unchecked) private var values: [Value]
    /// Whether the realm had the object before.
    private(set) var isUpdate = false
    /// The key of the row, once there is one.
    private var key: ObjectKey?
    /// The properties named by the values that the object was created from; nil if all count.
    private let given: GivenValues.Properties?

    private var policy: UpdatePolicy { inner.policy }

    init(_ object: ObjectBase, _ live: LiveClass, _ context: StoringContext) {
        core = context.core
        inner = context.withinObject
        self.live = live
        self.object = object
        values = live.initialValues
        given = context.given?.properties(of: object)
    }

    /// Safe: nothing else receives the values of properties.
    static func of(_ storing: _PropertyStoring) -> ObjectStoring { unsafeDowncast(storing, to: ObjectStoring.self) }

    /// What storing does with a collection of the row.
    enum ElementsRule {
        /// It stays as it is.
        case keep
        /// The object is new, so the collection is empty.
        case fill
        /// All elements are replaced.
        case replace
        /// Only the elements that differ are changed.
        case merge
    }

    func change(_ offset: Int) -> ElementsRule {
        if !isUpdate { return .fill }
        let place = live.model.place(at: offset)
        if !isGiven(place) { return .keep }
        return policy == .all || given?.emptied.contains(place) == true ? .replace : .merge
    }

    /// Whether the property at an index is to be set in an existing object.
    private func isGiven(_ place: Int) -> Bool { given?.places.contains(place) ?? true }

    /// The object that is stored.
    var stored: ObjectBase { object }

    /// Gives the property that begins at byte `offset` its value.
    func set(_ offset: Int, _ value: some _Storable) {
        let place = live.model.place(at: offset)
        guard let key else {
            values[live.valuePlaces[place]] = value._stored(in: inner)
            return
        }
        if isUpdate && !isGiven(place) { return }
        core.attempt(()) {
            if isUpdate, policy == .modified, try isPresent(key, place, value) { return }
            try core.set(key, live, place, value, inner)
        }
    }

    /// Whether a link already has the wanted value; an existing embedded object is updated to it.
    private func isPresent(_ key: ObjectKey, _ place: Int, _ value: some _Storable) throws -> Bool {
        guard let column = live.columns[place], let present = try live.held().table.row(key)?.value(column) else { return false }
        if live.model.properties[place].isOwning {
            guard case .link(let within) = present, let object = value._object else { return false }
            return try core.update(within, to: object, inner)
        }
        return present == value._stored(in: inner)
    }

    /// The property that begins at byte `offset`, as a collection of the new row.
    func collection(_ offset: Int, _ kind: CollectionKind) -> CollectionPlace? {
        guard let key else { return nil }
        return CollectionPlace(ManagedProperty(live, key, live.model.place(at: offset), in: core), kind)
    }

    /// Creates the row, which the object then stands for. Nil if the realm has an object with its key, which is not to
    /// be changed.
    func store() throws -> ObjectKey? {
        guard let transaction = core.transaction, live.requireFit() else { return nil }
        let table = try live.held().table
        giveValues()
        if let place = live.keyPlace {
            if live.isNumbered, values[place] == .int(0) { values[place] = try live.automaticKey() } else if let known = try table.key(primaryKey: values[place]) {
                return try update(known, table, transaction)
            }
        }
        live.willChange()
        return try finish(transaction.insert(into: table, values: values))
    }

    /// Overwrites an embedded object with the values of this one.
    func store(over key: ObjectKey) throws {
        guard let transaction = core.transaction, live.requireFit() else { return }
        giveValues()
        _ = try overwrite(key, live.held().table, transaction)
    }

    /// Creates the row of an embedded object: `make` receives its values by name.
    func store(within make: ([(String, Value)]) throws -> ObjectKey) throws {
        guard live.requireFit() else { return }
        giveValues()
        var named: [(String, Value)] = []
        for (place, property) in live.model.properties.enumerated() where !property.comesLater && live.valuePlaces[place] >= 0 {
            named.append((property.storedName, values[live.valuePlaces[place]]))
        }
        live.willChange()
        _ = try finish(make(named))
    }

    private func giveValues() { for place in live.model.storing.first { place.type._store(object, place.offset, self) } }

    /// Sets the links to other objects, now that there is a row.
    private func finish(_ key: ObjectKey) throws -> ObjectKey {
        adopt(key)
        for place in live.model.storing.later { place.type._store(object, place.offset, self) }
        release()
        return key
    }

    /// Updates an existing object of the realm with the values of this one.
    private func update(_ known: ObjectKey, _ table: Table, _ transaction: WriteTransaction) throws -> ObjectKey? {
        guard policy != .error else {
            core.refuseTakenKey(values[live.keyPlace ?? 0], of: live)
            return nil
        }
        return try overwrite(known, table, transaction)
    }

    private func overwrite(_ known: ObjectKey, _ table: Table, _ transaction: WriteTransaction) throws -> ObjectKey? {
        live.willChange()
        isUpdate = true
        guard let row = try table.row(known) else { return nil }
        // A row is valid until the first change.
        var changes: [(column: Column, value: Value)] = []
        for (place, property) in live.model.properties.enumerated() where !property.comesLater {
            guard let column = live.columns[place], live.valuePlaces[place] != live.keyPlace, isGiven(place) else { continue }
            let value = values[live.valuePlaces[place]]
            if policy == .modified, try row.value(column) == value { continue }
            changes.append((column, value))
        }
        for change in changes { try transaction.set(known, in: table, change.column, to: change.value) }
        return try finish(known)
    }

    private func adopt(_ key: ObjectKey) {
        self.key = key
        object.core = core
        object.classNumber = Int16(live.number)
        object._key = key.rawValue
        object._row = 0
        object.seen = core.seen
        object.generation = core.generation
        object.added = isUpdate ? 0 : core.writeNumber
        live.noteHandedOut()
    }

    /// Releases the values that the object had while it was unmanaged.
    private func release() {
        if live.model.hasDeclared { for property in live.model.declared { (property.type as? any _Declared.Type)?._attach(object, property.offset) } }
        for place in live.model.storing.clearing { place.type._clear(object, place.offset) }
        if live.model.isEncodable { ManagedPlace.note(in: object, live.model) }
    }
}

extension RealmCore {
    /// Adds an object to the realm, which is the context's; returns whether it belongs to the realm then.
    @discardableResult
    func add(_ object: ObjectBase, _ context: StoringContext) -> Bool {
        if let other = object.core {
            if object._row < 0 || object.isStale {
                Misuse.report("Adding a deleted or invalidated object to a Realm is not permitted")
                return false
            }
            if other === self { return true }
            Misuse.report("Object is already managed by another Realm. Use create instead to copy it into this Realm.")
            return false
        }
        guard enter(), requireWrite(), let live = live(type(of: object)) else { return false }
        if live.model.primaryKey == nil, context.policy != .error, !context.isWithinObject {
            Misuse.report("'\(live.model.name)' does not have a primary key and can not be updated")
            return false
        }
        return attempt(false) {
            _ = try live.held()
            return try ObjectStoring(object, live, context).store() != nil
        }
    }

    /// Sets a property of a row; an embedded object is created in it.
    func set(_ key: ObjectKey, _ live: LiveClass, _ place: Int, _ value: some _Storable, _ context: StoringContext) throws {
        guard let transaction, let column = live.column(place) else { return }
        let property = live.model.properties[place], table = try live.held().table
        guard property.isOwning, let owned = value._object else {
            let stored = value._stored(in: context)
            if property.isOwning { willChangeAll() } else { live.willChange() }
            return try transaction.set(key, in: table, column, to: stored)
        }
        if owned.core === self, try table.row(key)?.value(column) == .link(ObjectKey(owned._key)) { return }
        try embed(owned, context) { try transaction.embed($0, as: $1, in: key, of: table, column) }
    }

    /// A reference to the object for a mixed value; an unmanaged object is added. Nil if that is refused, which has
    /// been reported.
    func reference(to object: ObjectBase, _ context: StoringContext) -> ObjectReference? {
        guard case .link(let key) = object._stored(in: context) else { return nil }
        return attempt(nil) { try object.live(in: self).held().table.reference(to: key) }
    }

    /// Adds an embedded object; false if that is refused, which has been reported.
    @discardableResult
    func embed(_ object: ObjectBase, _ context: StoringContext, _ make: ([(String, Value)], String) throws -> ObjectKey) throws -> Bool {
        guard object.core == nil else {
            Misuse.report(isGone(object) ? "Object has been deleted or invalidated." : "Can't set link to existing managed embedded object",
                          hint: "It lives within one object only; make a copy of it: \(object.className)(value: it).")
            return false
        }
        guard let live = live(type(of: object)) else { return false }
        // The class's columns have to be known.
        _ = try live.held()
        willChangeAll()
        try ObjectStoring(object, live, context).store { try make($0, live.model.name) }
        return true
    }

    private func isGone(_ object: ObjectBase) -> Bool {
        guard let core = object.core else { return false }
        return (try? object.live(in: core).row(of: object)) == nil
    }

    /// Updates an embedded object to an unmanaged object's values; false if that one is managed or of another class.
    func update(_ key: ObjectKey, to object: ObjectBase, _ context: StoringContext) throws -> Bool {
        guard object.core == nil, let live = live(type(of: object)), let row = try live.held().table.row(key),
              try !schema.hasSubclasses(live.model) || row.className.isSame(as: live.model.name) else { return false }
        willChangeAll()
        try ObjectStoring(object, live, context).store(over: key)
        return true
    }
}

extension Value {
    /// The value as text for people.
    var plain: String {
        switch self {
        case .null: "nil"
        case .int(let number): "\(number)"
        case .string(let text): text
        case .uuid(let bytes): bytes.uuid.uuidString
        case .objectId(let bytes): ObjectId(bytes).stringValue
        default: "\(self)"
        }
    }
}

extension ObjectBase {
    /// The name of the object's own class.
    final var className: String { Self.isDynamic ? modelClass?.name ?? Self.className() : Self.className() }

    /// The model of the object's class; nil for an unmanaged object of an unknown class.
    final var modelClass: ModelClass? {
        if Self.isDynamic { return core.map { live(in: $0).model } }
        return try? ModelClass.of(type(of: self))
    }
}
