import CShims
import FreeholdEngine

/// A model class in one open realm: its table at the version that the realm shows, and the objects created from it.
///
/// Used on the realm's thread only; the realm owns it.
final class LiveClass {
    let model: ModelClass
    /// The index among the realm's classes.
    let number: Int
    // Safe: the core owns the class and outlives it.
    unowned(unsafe) let core: RealmCore
    // Safe (all exclusivity below): a class is used on one thread at a time, and no access here is held over another.
    @exclusivity(unchecked) private var shape = ClassColumns.unknown
    @exclusivity(unchecked) private var rows = FoundRows()
    @exclusivity(unchecked) private var reuse = KeyReuse()
    private var frozen = FrozenFinds()
    /// For unknown classes: the schema that the class was created from, and the epoch in which that was last checked.
    var origin: (schema: ClassSchema, checkedAt: UInt64)?
    /// Whether the write transaction under way has changed objects of the class.
    private(set) var isChanged = false
    /// Whether a row may be of another class: a subclass, or an unknown class of the file.
    let isVarious: Bool
    private var clusters: [LiveCluster?] = Array(repeating: nil, count: clusterPlaces)
    /// The next automatic key, if keys are not object keys; nil until one was given.
    private var nextNumber: Int64?
    /// For each unknown class by name, the nearest superclass that the program has.
    private var nearest: TextMap<Int16> = [:]

    private static let clusterPlaces = 64

    init(_ model: ModelClass, number: Int, in core: RealmCore) {
        self.model = model
        self.number = number
        self.core = core
        isVarious = model.isDynamic || core.schema.hasSubclasses(model)
    }

    /// The class's table at the realm's version.
    func held() throws(FreeholdError) -> HeldTable {
        if let table = rows.table, table.epoch == core.epoch { return table }
        let table = try core.engineTable(core.schema.storedName(of: model))
        if table.columns != shape.all { shape = ClassColumns(of: table, model) }
        let held = HeldTable(table, core.epoch)
        rows.hold(held)
        return held
    }

    /// The engine's columns of the model's properties; nil for properties that the file does not have.
    var columns: [Column?] { shape.ofProperties }
    var valuePlaces: [Int] { shape.valuePlaces }
    var initialValues: [Value] { shape.initialValues }
    var keyPlace: Int? { shape.keyPlace }
    var isKeyedByNumber: Bool { shape.isKeyedByNumber }
    /// Whether collections of the class may have changed since they were looked up.
    var mayHaveChanged: Bool { isChanged || model.isDynamic && core.transaction != nil }

    /// Whether objects of the class can be added with the program's schema; reports misuse if not.
    func requireFit() -> Bool {
        guard let misfit = shape.misfit else { return true }
        Misuse.report(misfit, hint: Self.changedHint)
        return false
    }

    private static let changedHint = "Another program has changed the schema; start this one again with classes that fit."

    /// The engine's column of a property; reports misuse if another program has removed it or changed its type.
    func column(_ place: Int) -> Column? {
        if let column = shape.ofProperties[place] { return column }
        Misuse.report("Property '\(model.name).\(model.properties[place].name)' is not in the file as this program knows it.",
                      hint: Self.changedHint)
        return nil
    }

    /// The key for an object without one: null for the engine's next key. Never 0, which stands for no key.
    func automaticKey() throws -> Value {
        if isKeyedByNumber { return try held().table.nextKey.rawValue < 1 ? .int(1) : .null }
        guard let place = model.primaryKey, let column = columns[place] else { return .null }
        // The classes of a family share their keys.
        let counting = model.isDynamic ? self : core.live(model.root.type) ?? self
        if counting.nextNumber == nil || model.isDynamic {
            if case .int(let largest) = try held().table.family.maximum(column) { counting.nextNumber = largest } else { counting.nextNumber = 0 }
        }
        // Safe: after the last number it wraps to numbers that are refused if they are taken.
        counting.nextNumber = (counting.nextNumber ?? 0) &+ 1
        return .int(counting.nextNumber ?? 0)
    }

    /// Discards the next automatic key: other writers may have used some.
    func forgetNumber() { nextNumber = nil }

    /// The object whose primary key is a number; nil if there is none.
    func object(number: Int64) throws -> ObjectBase? {
        if rows.lookup == nil { _ = try held() }
        if isKeyedByNumber { return try object(ObjectKey(number)) }
        return try object(primaryKey: number)
    }

    /// Whether the class numbers objects without a key.
    var isNumbered: Bool { model.primaryKey.map { model.properties[$0].attributes.isNumbered } ?? false }

    /// Discards what is cached of the previous version.
    func forget() {
        rows.forget()
        nextNumber = nil
        isChanged = false
        if !nearest.isEmpty { nearest = [:] }
    }

    /// Prepares for a change of objects of the class: the fast path is off until the transaction ends.
    func willChange() {
        if model.isDynamic { return core.willChangeAll() }
        if family.isEmpty { return willBeChanged() }
        for number in family { core.known.all[number].willBeChanged() }
    }

    /// The numbers of the classes of this one's family, itself included; empty if it stands alone. An object may be
    /// read and changed as an object of any of its superclasses.
    private lazy var family: [Int] = {
        let all = core.classes.filter { !$0.model.isDynamic && $0.model.root === model.root }.map(\.number)
        return all.count > 1 ? all : []
    }()

    /// `willChange` for this class alone.
    func willBeChanged() {
        core.noteChange()
        if isChanged { return }
        isChanged = true
        core.clusters.retire(number)
    }

    // MARK: Rows

    /// The row with a key; nil if there is none.
    @inline(__always)
    func find(_ key: ObjectKey) throws(FreeholdError) -> Row? {
        if let lookup = rows.lookup { return try lookup.row(key) }
        return try held().table.row(key)
    }

    /// The present row of an object; nil if the object was deleted.
    func row(of object: ObjectBase) throws(FreeholdError) -> Row? {
        if object._row < 0 || object.generation != core.generation || core.wasCancelled(object.added) { return nil }
        if let last = rows.last, last.row.key.rawValue == object._key, last.changes == core.changes { return try isSame(last.row, object) ? last.row : nil }
        guard let row = try find(ObjectKey(object._key)), try isSame(row, object) else { return nil }
        note(row)
        return row
    }

    /// Whether the row is the one that the object was created for, and not a later one with the same key.
    private func isSame(_ row: Row, _ object: ObjectBase) throws(FreeholdError) -> Bool { try reuse.isSame(row, object.seen) }

    /// Whether the row already existed, as the same object, at the version with these low bits.
    func isSame(_ row: Row, _ seen: UInt32) throws(FreeholdError) -> Bool { try reuse.isSame(row, seen) }

    /// Records which keys were reused since a version, which is still held, or was shown last.
    func remember(since version: Version) throws(FreeholdError) {
        // A class that no longer exists has no objects to tell apart.
        guard reuse.isKnownByKey, let table = try? held().table else { return }
        try reuse.remember(table, since: version)
    }

    /// Notes that the program has received an object of the class.
    @inline(__always)
    func noteHandedOut() {
        if reuse.isKnownByKey || !isKeyedByNumber || core.isFrozen { return }
        reuse.isKnownByKey = true
        core.known.remembersKeys = true
    }

    func note(_ row: Row) {
        // The class of the program for the same rows may change them without notice to this one.
        if !model.isDynamic { rows.last = (row, core.changes) }
    }

    /// Lets an object read its properties by the fast path from now on, if its row allows it.
    @discardableResult
    func bind(_ object: ObjectBase, to row: Row) -> LiveCluster? {
        object._row = Int32(row.position)
        guard !isChanged, let place = row.cluster else {
            object.cluster = nil
            object._fields = nil
            return nil
        }
        if let known = object.cluster, known.isCurrent, known.row?.cluster == place { return known }
        let cluster = cluster(at: place, row)
        object.cluster = cluster
        object._fields = cluster.fields
        return cluster
    }

    private func cluster(at place: UnsafeRawPointer, _ row: Row) -> LiveCluster {
        // Blocks begin at multiples of 64; neighbours are mostly some hundreds of bytes apart.
        let slot = Int(bitPattern: place) / 64 % Self.clusterPlaces
        if let known = clusters[slot], known.isCurrent, known.row?.cluster == place { return known }
        let cluster = makeCluster(replacing: slot)
        cluster.begin(row, thread: core.isFrozen ? Confinement.here : core.fieldsThread)
        return cluster
    }

    /// A cluster's fields to fill; reuses those in `slot` if they have no other user.
    private func makeCluster(replacing slot: Int) -> LiveCluster {
        // Another thread may have read those of a frozen realm.
        if !core.isFrozen, clusters[slot] != nil, isKnownUniquelyReferenced(&clusters[slot]), let free = clusters[slot] { return free }
        let made = LiveCluster(slots: model.slotCount, of: number, in: core.clusters)
        clusters[slot] = made
        return made
    }

    /// The positions of the class's objects in a frozen realm.
    func frozenPositions() throws(FreeholdError) -> TablePositions {
        if let positions = frozen.positions { return positions }
        let found = try held().table.positions()
        frozen.positions = found
        return found
    }

    func lastCollection(_ key: ObjectKey, _ property: Int, _ path: [CollectionStep]) -> CollectionView? { frozen.collection(key, property, path) }
    func note(_ view: CollectionView, _ key: ObjectKey, _ property: Int, _ path: [CollectionStep]) { frozen.note(view, key, property, path) }

    // MARK: Objects

    /// The object for a row, as an instance of the object's own class.
    func object(_ row: Row) throws(FreeholdError) -> ObjectBase {
        isVarious ? try own(row).instance(row) : instance(row)
    }

    /// A new instance of this class for one of its rows.
    private func instance(_ row: Row) -> ObjectBase {
        let object = model.makeInstance()
        object.core = core
        object.classNumber = Int16(number)
        object._key = row.key.rawValue
        object.seen = core.seen
        object.generation = core.generation
        noteHandedOut()
        if model.hasDeclared { for property in model.declared { (property.type as? any _Declared.Type)?._attach(object, property.offset) } }
        note(row)
        return object
    }

    /// The class of the object in a row.
    func own(_ row: Row) throws(FreeholdError) -> LiveClass {
        if model.isDynamic { return try core.dynamicClass(named: row.className, as: model.type) }
        guard core.schema.hasSubclasses(model), let own = try known(row.className) else { return self }
        // Its columns have to be known before the row is read.
        _ = try own.held()
        return own
    }

    /// The program's class with this name, or its nearest superclass that the program has.
    private func known(_ name: String) throws(FreeholdError) -> LiveClass? {
        if let own = core.live(named: name) { return own }
        if let place = nearest[name] { return core.live(place) }
        let stored = try core.storedClasses()
        var above = name
        while core.live(named: above) == nil {
            guard let next = stored.first(where: { $0.name.isSame(as: above) })?.superclass else { return nil }
            above = next
        }
        let own = core.live(named: above)
        nearest[name] = own.map { Int16($0.number) }
        return own
    }

    /// The object with a key; nil if there is none.
    func object(_ key: ObjectKey) throws(FreeholdError) -> ObjectBase? {
        guard let row = try find(key) else { return nil }
        return try object(row)
    }
}
