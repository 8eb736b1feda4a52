import CShims
import FreeholdEngine

/// A model class in one open realm: its table at the version the realm shows, and the objects made of that.
///
/// Used on the realm's thread only; the realm owns it.
final class LiveClass {
    let model: ModelClass
    /// Its place among the realm's classes.
    let number: Int
    // Safe: the core owns the class and outlives it.
    unowned(unsafe) let core: RealmCore
    /// The engine's columns of the model's properties; nil for those that the file does not have.
    @exclusivity(unchecked) private(set) var columns: [Column?] = []
    /// Where a column stands among a new object's values, by property; -1 for none.
    private(set) var valuePlaces: [Int] = []
    /// What a new object has in each column of the table.
    private(set) var initialValues: [Value] = []
    private(set) var keyPlace: Int?
    /// For classes of the file alone: what it was made of, and the epoch in which that still held.
    var madeOf: ClassSchema?
    var knownAt: UInt64 = 0
    /// Whether the write transaction under way has changed objects of the class.
    private(set) var isChanged = false
    /// Whether collections of the class may have changed since they were looked up.
    var mayHaveChanged: Bool { isChanged || model.isDynamic && core.transaction != nil }
    /// The table's columns when it was last looked into.
    private var known: [Column] = []
    private var cached: HeldTable?
    // Safe (all exclusivity below): a class is used on one thread at a time, and no access here is held over another.
    /// The way to the rows of `cached`, as long as the realm shows that version.
    @exclusivity(unchecked) private var lookup: KeyLookup?
    /// The row found last in that version, and what `RealmCore.changes` was then: classes that extend one another share their rows' memory, so
    /// that a change of one moves the rows of another.
    @exclusivity(unchecked) private var lastRow: (row: Row, changes: UInt64)?
    /// Whether a row may be of another class: one that extends this one, or one that the file alone has.
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

    /// The class's objects at the realm's version.
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
            // One of another type is not the program's any more.
            place >= 0 && property.fits(schema.properties[place]) ? all[place] : nil
        }
        keyPlace = model.primaryKey.flatMap { places[model.properties[$0].storedName] }
        initialValues = table.initialValues
        isKeyedByNumber = keyPlace.map { all[$0].isObjectKey } ?? false
        misfit = misfit(schema)
    }

    /// Why objects of the class cannot be added any more, since another program has changed the file's.
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

    /// Whether objects of the class can be added as the program has them; tells if not.
    func requireFit() -> Bool {
        guard let misfit else { return true }
        Misuse.report(misfit, hint: Self.changedHint)
        return false
    }

    private static let changedHint = "Another program has changed the schema; start this one again with classes that fit."

    /// The engine's column of a property; tells if another program has taken it away, or given it another type.
    func column(_ place: Int) -> Column? {
        if let column = columns[place] { return column }
        Misuse.report("Property '\(model.name).\(model.properties[place].name)' is not in the file as this program knows it.",
                      hint: Self.changedHint)
        return nil
    }

    /// Whether the primary key is the object key. An integer that became the key of a class with objects may not be.
    @exclusivity(unchecked) private(set) var isKeyedByNumber = false
    /// The number for the next object that comes without a key, where keys are not object keys; once one was given.
    private var nextNumber: Int64?

    /// The key of an object that comes without one: null for the engine's next. Never 0, which stands for none.
    func automaticKey() throws -> Value {
        if isKeyedByNumber { return try held().table.nextKey.rawValue < 1 ? .int(1) : .null }
        guard let place = model.primaryKey, let column = columns[place] else { return .null }
        // Classes that extend one another share their keys.
        let counting = model.isDynamic ? self : core.live(model.root.type) ?? self
        if counting.nextNumber == nil || model.isDynamic {
            if case .int(let largest) = try held().table.family.maximum(column) { counting.nextNumber = largest } else { counting.nextNumber = 0 }
        }
        // Safe: past the last number it goes on with ones that are refused if they are taken.
        counting.nextNumber = (counting.nextNumber ?? 0) &+ 1
        return .int(counting.nextNumber ?? 0)
    }

    /// Has it found out anew which numbers there are: others may have given some.
    func forgetNumber() { nextNumber = nil }

    /// The object whose primary key is a number; nil if there is none.
    func object(number: Int64) throws -> ObjectBase? {
        if lookup == nil { _ = try held() }
        if isKeyedByNumber { return try object(ObjectKey(number)) }
        return try object(primaryKey: number)
    }

    /// Whether the class numbers objects that come without a key.
    var isNumbered: Bool { model.primaryKey.map { model.properties[$0].attributes.isNumbered } ?? false }

    /// Forgets what was known of the version before.
    func forget() {
        cached = nil
        lookup = nil
        lastRow = nil
        nextNumber = nil
        isChanged = false
        if !nearest.isEmpty { nearest = [:] }
    }

    /// Notes that objects of the class are about to change: nothing is read the short way until the transaction ends.
    func willChange() {
        if model.isDynamic { return core.willChangeAll() }
        if family.isEmpty { return willBeChanged() }
        for number in family { core.classes[number].willBeChanged() }
    }

    /// The classes that extend one another and this one, it among them; none if it stands alone. An object may be changed, and have been
    /// read, as one of any class that its own extends.
    private lazy var family: [Int] = {
        let all = core.classes.filter { !$0.model.isDynamic && $0.model.root === model.root }.map(\.number)
        return all.count > 1 ? all : []
    }()

    /// What is noted of the class alone.
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

    /// Where an object is now; nil if it was deleted.
    func row(of object: ObjectBase) throws(FreeholdError) -> Row? {
        if object._row < 0 || object.generation != core.generation || core.wasCancelled(object.added) { return nil }
        if let lastRow, lastRow.row.key.rawValue == object._key, lastRow.changes == core.changes { return try isSame(lastRow.row, object) ? lastRow.row : nil }
        guard let row = try find(ObjectKey(object._key)), try isSame(row, object) else { return nil }
        note(row)
        return row
    }

    /// Whether the row is the one that the object was made for, not another's that came under the same key.
    private func isSame(_ row: Row, _ object: ObjectBase) throws(FreeholdError) -> Bool { try isSame(row, object.seen) }

    /// The same for what was seen at a version, its lowest bits.
    func isSame(_ row: Row, _ seen: UInt32) throws(FreeholdError) -> Bool {
        // Safe: versions are compared by their lowest bits: nobody holds an object over two thousand million commits.
        var made = UInt32(truncatingIfNeeded: try row.incarnation)
        if made == 0, hasRemade { made = remade[row.key.rawValue] ?? 0 }
        return made == 0 || Int32(bitPattern: made &- seen) <= 0
    }

    /// Versions that made objects under keys that may have been others': the file forgets them once nobody holds an older version.
    private var remade: [Int64: UInt32] = [:]
    @exclusivity(unchecked) private var hasRemade = false
    /// Whether objects of the class were handed out that are known by a key which may come to be another's.
    @exclusivity(unchecked) private var isKnownByKey = false

    /// Notes which keys have been given anew since a version, which is still held, or was shown last.
    func remember(since version: Version) throws(FreeholdError) {
        // A class that is gone has no objects to tell apart.
        guard isKnownByKey, let table = try? held().table else { return }
        try table.forEachRemade(since: version) { remade[$0.rawValue] = UInt32(truncatingIfNeeded: $1.rawValue) }
        hasRemade = !remade.isEmpty
    }

    /// Notes that an object of the class is known to the program.
    @inline(__always)
    func noteHandedOut() {
        if isKnownByKey || !isKeyedByNumber || core.isFrozen { return }
        isKnownByKey = true
        core.remembersKeys = true
    }

    func note(_ row: Row) {
        // The class that it stands for changes without it.
        if !model.isDynamic { lastRow = (row, core.changes) }
    }

    /// Lets an object read its properties the short way from now on, if its row can be.
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
        // Blocks begin at multiples of 64; neighbours mostly stand some hundreds apart.
        let slot = Int(bitPattern: place) / 64 % Self.clusterPlaces
        if let known = clusters[slot], known.isCurrent, known.row?.cluster == place { return known }
        let cluster = makeCluster(replacing: slot)
        cluster.begin(row, thread: core.isFrozen ? Confinement.here : core.fieldsThread)
        return cluster
    }

    /// A cluster's fields to be filled; those that stood at `slot` if nobody uses them any more.
    private func makeCluster(replacing slot: Int) -> LiveCluster {
        // Another thread may have looked at those of a frozen realm.
        if !core.isFrozen, clusters[slot] != nil, isKnownUniquelyReferenced(&clusters[slot]), let free = clusters[slot] { return free }
        let made = LiveCluster(slots: model.slotCount, of: number, in: core.clusters)
        clusters[slot] = made
        return made
    }

    /// The places of the class's objects in a frozen realm.
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

    /// The object in a row, as an instance of its own class.
    func object(_ row: Row) throws(FreeholdError) -> ObjectBase {
        isVarious ? try own(row).instance(row) : instance(row)
    }

    /// A new instance of this class for a row of it.
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

    /// The class that the object in a row is of.
    func own(_ row: Row) throws(FreeholdError) -> LiveClass {
        if model.isDynamic { return try core.dynamicClass(named: row.className, as: model.type) }
        guard core.schema.hasSubclasses(model), let own = try known(row.className) else { return self }
        // Its columns have to be known before the row is read.
        _ = try own.held()
        return own
    }

    /// The program's class of this name, or else the nearest one that it extends in the file.
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

    /// Classes of the file alone, by name, as the nearest ones that the program has.
    private var nearest: TextMap<Int16> = [:]

    /// The object with a key; nil if there is none.
    func object(_ key: ObjectKey) throws(FreeholdError) -> ObjectBase? {
        guard let row = try find(key) else { return nil }
        return try object(row)
    }
}

/// A table as it was found at one epoch of a realm. By reference: passing the table itself would count five references.
final class HeldTable {
    let table: Table
    let epoch: UInt64

    init(_ table: Table, _ epoch: UInt64) {
        self.table = table
        self.epoch = epoch
    }
}
