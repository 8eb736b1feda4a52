import FreeholdEngine

/// The location of a collection: a property of an object, and the path from there to a nested collection.
public final class CollectionPlace {
    let core: RealmCore
    /// The index of the object's class among the realm's.
    private let classNumber: Int16
    let key: ObjectKey
    /// The index of the property among its class's.
    let property: Int
    /// The positions and keys on the path from the property's collection to this one.
    let path: [CollectionStep]
    /// The kinds of the collections on the path, from the property's to this one.
    let kinds: [CollectionKind]
    /// The realm's generation when the collection was found.
    private let generation: UInt8
    private var cached: (epoch: UInt64, reader: AnyCollectionView)?

    /// - Parameter kinds: nil for the outermost collection of a collection property.
    init(core: RealmCore, live: LiveClass, key: ObjectKey, property: Int, path: [CollectionStep] = [], kinds: [CollectionKind]? = nil,
         generation: UInt8? = nil) {
        self.core = core
        self.generation = generation ?? core.generation
        classNumber = Int16(live.number)
        self.key = key
        self.property = property
        self.path = path
        self.kinds = kinds ?? Array(live.model.properties[property].kind.collections.prefix(1))
    }

    /// The class of the object, as this thread reads it.
    var live: LiveClass { core.live(classNumber) }

    func below(_ step: CollectionStep, _ kind: CollectionKind) -> CollectionPlace {
        CollectionPlace(core: core, live: live, key: key, property: property, path: path + [step], kinds: kinds + [kind],
                        generation: generation)
    }

    /// Whether the realm was invalidated since the collection was found.
    var isStale: Bool { core.generation != generation }
    /// Whether the collection can still be used; reports misuse if not.
    func requireCurrent() -> Bool {
        if isStale { Misuse.report("Object has been deleted or invalidated.") }
        return !isStale
    }

    /// Whether the collection belongs to a property of this object.
    func isOf(_ object: ObjectBase) -> Bool {
        object.core === core && object.classNumber == classNumber && object._key == key.rawValue
    }

    var described: ModelProperty { live.model.properties[property] }

    /// The present collection; nil if it no longer exists, which is reported unless `quietly` is set.
    func view(quietly: Bool = false) -> AnyCollectionView? {
        guard core.enter(), quietly ? !isStale : requireCurrent() else { return nil }
        let live = live
        // Other threads may read a frozen collection: what was found is kept in the thread's own class.
        if core.isFrozen {
            if let known = live.lastCollection(key, property, path) { return known }
        } else if let cached, cached.epoch == core.epoch, !live.mayHaveChanged {
            return cached.reader
        }
        do {
            guard let row = try live.held().table.row(key), let column = live.columns[property] else {
                if !quietly { Misuse.report("Object has been deleted or invalidated.") }
                return nil
            }
            let view = try AnyCollectionView(row, column, kinds[0]).following(path, kinds)
            if core.isFrozen { live.note(view, key, property, path) } else { cached = (core.epoch, view) }
            return view
        } catch {
            if !(quietly && isGone(error)) { tell(error) }
            return nil
        }
    }

    /// Every element, or value of a map, in order.
    func forEachValue(_ body: (Value) -> Void) throws {
        guard let view = view(quietly: true) else { return }
        var cursor = switch view {
        case .list(let list): list.cursor()
        case .set(let set): set.cursor()
        case .map(let map): map.cursor()
        }
        while let value = try cursor.next() { body(value) }
    }

    /// A value as an element of the collection's type.
    func load<Element: _Storable>(_ value: Value) -> Element {
        if live.model.isDynamic, case .link(let key) = value, let target = described.targetName,
           let object = core.attempt(nil, { try core.dynamicClass(named: target, as: live.model.type).object(key) }) as? Element {
            return object
        }
        return Element._load(value, core)
    }

    /// Changes the collection. Outside of a write transaction it reports that `kind` cannot be modified.
    func change(_ kind: String, _ body: (AnyCollectionWriter) throws -> Void) {
        guard core.enter(), requireCurrent() else { return }
        guard let transaction = core.transaction else {
            if core.isFrozen { return Misuse.report("Attempting to modify a frozen \(kind) - call thaw on the \(kind) instance first.") }
            return Misuse.report("Cannot modify managed \(kind) outside of a write transaction.", hint: "Put the change within realm.write { }.")
        }
        do {
            let table = try live.held().table
            guard try table.contains(key), let column = live.columns[property] else {
                return Misuse.report("Object has been deleted or invalidated.")
            }
            let writer = try AnyCollectionWriter(transaction, key, table, column, kinds[0]).following(path, kinds)
            if described.isOwning { core.willChangeAll() } else { live.willChange() }
            // Rows read while the caller's elements are converted are outdated once the elements are added.
            defer { core.noteChange() }
            try body(writer)
        } catch {
            tell(error)
        }
    }

    /// Whether an error means that the value which held the collection was removed or replaced.
    private func isGone(_ error: any Error) -> Bool {
        guard !path.isEmpty || described.kind.type == .any, let code = (error as? FreeholdError)?.code else { return false }
        return code == .typeMismatch || code == .invalidArgument
    }

    private func tell(_ error: any Error) {
        // The error does not tell a refused change from a path that no longer exists: so the path is followed again.
        if isGone(error), !isThere { return Misuse.report("This collection is no more.", hint: "The value that held it was removed or replaced.") }
        if let refused = error as? FreeholdError, refused.isRefusal { return core.refuse(refused, "\(refused)") }
        // A refused element is null, which the collection does not take; it has been reported already.
        if !core.isRefused { Misuse.report("\(error)") }
    }

    private var isThere: Bool {
        guard let row = try? live.held().table.row(key), let column = live.columns[property] else { return false }
        return (try? AnyCollectionView(row, column, kinds[0]).following(path, kinds)) != nil
    }
}

extension CollectionPlace: Hashable {
    public static func == (one: CollectionPlace, other: CollectionPlace) -> Bool {
        one === other || one.core === other.core && one.classNumber == other.classNumber && one.key == other.key && one.property == other.property
            && one.path == other.path
    }

    public func hash(into hasher: inout Hasher) {
        hasher.combine(key)
        hasher.combine(property)
        hasher.combine(path)
    }
}

/// A list, set or map for reading.
enum AnyCollectionView {
    case list(ListView)
    case set(SetView)
    case map(MapView)

    init(_ row: Row, _ column: Column, _ kind: CollectionKind) throws(FreeholdError) {
        self = switch kind {
        case .list: .list(try row.list(column))
        case .set: .set(try row.set(column))
        case .map: .map(try row.map(column))
        }
    }

    /// The nested collection at a path: `kinds` are those of the property, from the outermost on.
    func following(_ path: [CollectionStep], _ kinds: [CollectionKind]) throws(FreeholdError) -> AnyCollectionView {
        var view = self
        for (depth, step) in path.enumerated() { view = try view.inner(step, kinds[depth + 1]) }
        return view
    }

    private func inner(_ step: CollectionStep, _ kind: CollectionKind) throws(FreeholdError) -> AnyCollectionView {
        switch (self, step, kind) {
        case (.list(let list), .position(let place), .list): .list(try list.list(at: place))
        case (.list(let list), .position(let place), .set): .set(try list.set(at: place))
        case (.list(let list), .position(let place), .map): .map(try list.map(at: place))
        case (.map(let map), .key(let key), .list): .list(try map.list(for: key))
        case (.map(let map), .key(let key), .set): .set(try map.set(for: key))
        case (.map(let map), .key(let key), .map): .map(try map.map(for: key))
        default: throw FreeholdError(.typeMismatch, "a collection is not what its class says")
        }
    }

    var list: ListView? {
        if case .list(let list) = self { return list }
        return nil
    }

    var set: SetView? {
        if case .set(let set) = self { return set }
        return nil
    }

    var map: MapView? {
        if case .map(let map) = self { return map }
        return nil
    }

    var count: Int {
        switch self {
        case .list(let list): list.count
        case .set(let set): set.count
        case .map(let map): map.count
        }
    }
}

/// A list, set or map for changing.
enum AnyCollectionWriter {
    case list(ListWriter)
    case set(SetWriter)
    case map(MapWriter)

    init(_ transaction: WriteTransaction, _ key: ObjectKey, _ table: Table, _ column: Column, _ kind: CollectionKind) throws(FreeholdError) {
        self = switch kind {
        case .list: .list(try transaction.list(of: key, in: table, column))
        case .set: .set(try transaction.set(of: key, in: table, column))
        case .map: .map(try transaction.map(of: key, in: table, column))
        }
    }

    func following(_ path: [CollectionStep], _ kinds: [CollectionKind]) throws(FreeholdError) -> AnyCollectionWriter {
        var writer = self
        for (depth, step) in path.enumerated() { writer = try writer.inner(step, kinds[depth + 1]) }
        return writer
    }

    private func inner(_ step: CollectionStep, _ kind: CollectionKind) throws(FreeholdError) -> AnyCollectionWriter {
        switch (self, step, kind) {
        case (.list(let list), .position(let place), .list): .list(list.list(at: place))
        case (.list(let list), .position(let place), .set): .set(list.set(at: place))
        case (.list(let list), .position(let place), .map): .map(list.map(at: place))
        case (.map(let map), .key(let key), .list): .list(map.list(for: key))
        case (.map(let map), .key(let key), .set): .set(map.set(for: key))
        case (.map(let map), .key(let key), .map): .map(map.map(for: key))
        default: throw FreeholdError(.typeMismatch, "a collection is not what its class says")
        }
    }

    func list(_ body: (ListWriter) throws -> Void) rethrows {
        if case .list(let list) = self { try body(list) }
    }

    func set(_ body: (SetWriter) throws -> Void) rethrows {
        if case .set(let set) = self { try body(set) }
    }

    func map(_ body: (MapWriter) throws -> Void) rethrows {
        if case .map(let map) = self { try body(map) }
    }
}
