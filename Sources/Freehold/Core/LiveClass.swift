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
    /// The engine's columns of the model's properties; nil for properties that the file does not have.
    @exclusivity(unchecked) private(set) var columns: [Column?] = []
    /// For each property, the index of its column among a new object's values; -1 for none.
    private(set) var valuePlaces: [Int] = []
    /// The initial value of a new object in each column of the table.
    private(set) var initialValues: [Value] = []
    private(set) var keyPlace: Int?
    /// For unknown classes: the schema that the class was created from, and the epoch in which that was last checked.
    var madeOf: ClassSchema?
    var knownAt: UInt64 = 0
    /// Whether the write transaction under way has changed objects of the class.
    private(set) var isChanged = false
    /// Whether collections of the class may have changed since they were looked up.
    var mayHaveChanged: Bool { isChanged || model.isDynamic && core.transaction != nil }
    /// The table's columns when the table was last read.
    private var known: [Column] = []
    private var cached: HeldTable?
    // Safe (all exclusivity below): a class is used on one thread at a time, and no access here is held over another.
    /// Finds the rows of `cached`, as long as the realm shows that version.
    @exclusivity(unchecked) private var lookup: KeyLookup?
    /// The row found last in that version, and the value of `RealmCore.changes` then: classes of a family share the
    /// memory of their rows, so that a change of one moves the rows of another.
    @exclusivity(unchecked) private var lastRow: (row: Row, changes: UInt64)?
    /// Whether a row may be of another class: a subclass, or an unknown class of the file.
    let isVarious: Bool
    /// The collection of a frozen realm found last.
    private var lastCollection: FoundCollection?
    private var clusters: [LiveCluster?] = Array(repeating: nil, count: clusterPlaces)

    private var positions: TablePositions?

    private struct FoundCollection {
        let key: ObjectKey
        let property: Int
        let path: [CollectionStep]
        let view: AnyCollectionView
    }

    private static let clusterPlaces = 64

    init(_ model: ModelClass, number: Int, in core: RealmCore) {
        self.model = model
        self.number = number
        self.core = core
        isVarious = model.isDynamic || core.schema.hasSubclasses(model)
    }

    /// The class's table at the realm's version.
    func held() throws(FreeholdError) -> HeldTable {
        if let cached, cached.epoch == core.epoch { return cached }
        let table = try core.engineTable(core.schema.storedName(of: model))
        let all = table.columns
        if all != known { learn(table, all) }
        let held = HeldTable(table, core.epoch)
        cached = held
        lookup = KeyLookup(table)
        return held
    }

    private func learn(_ table: Table, _ all: [Column]) {
        let schema = table.schema
        let places = TextMap(uniqueKeysWithValues: schema.properties.enumerated().map { ($1.name, $0) })
        known = all
        valuePlaces = model.properties.map { $0.isStored ? places[$0.storedName] ?? -1 : -1 }
        columns = zip(model.properties, valuePlaces).map { property, place in
            // A column of another type no longer belongs to the program's property.
            place >= 0 && property.fits(schema.properties[place]) ? all[place] : nil
        }
        keyPlace = model.primaryKey.flatMap { places[model.properties[$0].storedName] }
        initialValues = table.initialValues
        isKeyedByNumber = keyPlace.map { all[$0].isObjectKey } ?? false
        misfit = misfit(schema)
    }

    /// Why objects of the class can no longer be added, after another program has changed the class in the file.
    private var misfit: String?

    private func misfit(_ schema: ClassSchema) -> String? {
        if let place = model.properties.indices.first(where: { model.properties[$0].isStored && columns[$0] == nil }) {
            return "Property '\(model.name).\(model.properties[place].name)' is not in the file as this program knows it."
        }
        if schema.isEmbedded != model.isEmbedded {
            return "Class '\(model.name)' has been changed from \(model.isEmbedded ? "embedded to top-level" : "top-level to embedded")."
        }
        let key = model.primaryKey.map { model.properties[$0].storedName }
        return key.isSame(as: schema.primaryKey) ? nil : "Primary Key for class '\(model.name)' has changed from '\(key ?? "")' to '\(schema.primaryKey ?? "")'."
    }

    /// Whether objects of the class can be added with the program's schema; reports misuse if not.
    func requireFit() -> Bool {
        guard let misfit else { return true }
        Misuse.report(misfit, hint: Self.changedHint)
        return false
    }

    private static let changedHint = "Another program has changed the schema; start this one again with classes that fit."

    /// The engine's column of a property; reports misuse if another program has removed it or changed its type.
    func column(_ place: Int) -> Column? {
        if let column = columns[place] { return column }
        Misuse.report("Property '\(model.name).\(model.properties[place].name)' is not in the file as this program knows it.",
                      hint: Self.changedHint)
        return nil
    }

    /// Whether the primary key is the object key. This may be false for an integer that became the key of a class with
    /// objects.
    @exclusivity(unchecked) private(set) var isKeyedByNumber = false
    /// The next automatic key, if keys are not object keys; nil until one was given.
    private var nextNumber: Int64?

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
        if lookup == nil { _ = try held() }
        if isKeyedByNumber { return try object(ObjectKey(number)) }
        return try object(primaryKey: number)
    }

    /// Whether the class numbers objects without a key.
    var isNumbered: Bool { model.primaryKey.map { model.properties[$0].attributes.isNumbered } ?? false }

    /// Discards what is cached of the previous version.
    func forget() {
        cached = nil
        lookup = nil
        lastRow = nil
        nextNumber = nil
        isChanged = false
        if !nearest.isEmpty { nearest = [:] }
    }

    /// Prepares for a change of objects of the class: the fast path is off until the transaction ends.
    func willChange() {
        if model.isDynamic { return core.willChangeAll() }
        if family.isEmpty { return willBeChanged() }
        for number in family { core.classes[number].willBeChanged() }
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
        if let lookup { return try lookup.row(key) }
        return try held().table.row(key)
    }

    /// The present row of an object; nil if the object was deleted.
    func row(of object: ObjectBase) throws(FreeholdError) -> Row? {
        if object._row < 0 || object.generation != core.generation || core.wasCancelled(object.added) { return nil }
        if let lastRow, lastRow.row.key.rawValue == object._key, lastRow.changes == core.changes { return try isSame(lastRow.row, object) ? lastRow.row : nil }
        guard let row = try find(ObjectKey(object._key)), try isSame(row, object) else { return nil }
        note(row)
        return row
    }

    /// Whether the row is the one that the object was created for, and not a later one with the same key.
    private func isSame(_ row: Row, _ object: ObjectBase) throws(FreeholdError) -> Bool { try isSame(row, object.seen) }

    /// Whether the row already existed, as the same object, at the version with these low bits.
    func isSame(_ row: Row, _ seen: UInt32) throws(FreeholdError) -> Bool {
        // Safe: versions are compared by their lowest bits: no object is held over two billion commits.
        var made = UInt32(truncatingIfNeeded: try row.incarnation)
        if made == 0, hasRemade { made = remade[row.key.rawValue] ?? 0 }
        return made == 0 || Int32(bitPattern: made &- seen) <= 0
    }

    /// The versions that created objects under keys used before: the file forgets them once no older version is held.
    private var remade: [Int64: UInt32] = [:]
    @exclusivity(unchecked) private var hasRemade = false
    /// Whether the program has objects of the class that are identified by a key which may be reused.
    @exclusivity(unchecked) private var isKnownByKey = false

    /// Records which keys were reused since a version, which is still held, or was shown last.
    func remember(since version: Version) throws(FreeholdError) {
        // A class that no longer exists has no objects to tell apart.
        guard isKnownByKey, let table = try? held().table else { return }
        try table.forEachRemade(since: version) { remade[$0.rawValue] = UInt32(truncatingIfNeeded: $1.rawValue) }
        hasRemade = !remade.isEmpty
    }

    /// Notes that the program has received an object of the class.
    @inline(__always)
    func noteHandedOut() {
        if isKnownByKey || !isKeyedByNumber || core.isFrozen { return }
        isKnownByKey = true
        core.remembersKeys = true
    }

    func note(_ row: Row) {
        // The class of the program for the same rows may change them without notice to this one.
        if !model.isDynamic { lastRow = (row, core.changes) }
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
        if let positions { return positions }
        let found = try held().table.positions()
        positions = found
        return found
    }

    func lastCollection(_ key: ObjectKey, _ property: Int, _ path: [CollectionStep]) -> AnyCollectionView? {
        guard let found = lastCollection, found.key == key, found.property == property, found.path == path else { return nil }
        return found.view
    }

    func note(_ view: AnyCollectionView, _ key: ObjectKey, _ property: Int, _ path: [CollectionStep]) {
        lastCollection = FoundCollection(key: key, property: property, path: path, view: view)
    }

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

    /// For each unknown class by name, the nearest superclass that the program has.
    private var nearest: TextMap<Int16> = [:]

    /// The object with a key; nil if there is none.
    func object(_ key: ObjectKey) throws(FreeholdError) -> ObjectBase? {
        guard let row = try find(key) else { return nil }
        return try object(row)
    }
}

/// A table at one epoch of a realm. A class, because passing the table itself would count five references.
final class HeldTable {
    let table: Table
    let epoch: UInt64

    init(_ table: Table, _ epoch: UInt64) {
        self.table = table
        self.epoch = epoch
    }
}
