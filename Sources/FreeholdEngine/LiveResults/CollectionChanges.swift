/// What changed in a list, set or map of one object, by positions; of a map by its keys, too.
///
/// Applied as `PositionChanges` tells, it turns the old elements into the new ones, if the elements at `modificationsAfter` are read anew.
/// A map's positions are those of its keys' order.
public struct CollectionChanges: Hashable, Sendable {
    /// Where elements have gone, come, and changed: another value is there now, or the object that is linked to was modified.
    public var positions: PositionChanges
    /// Of a map: the keys that are gone.
    public var deletedKeys: [String] = []
    /// Of a map: the keys that were not there.
    public var insertedKeys: [String] = []
    /// Of a map: the keys whose values changed.
    public var modifiedKeys: [String] = []
    /// Whether the object, or what held the collection within it, is gone, and all elements with it.
    public var isGone = false

    public init(_ positions: PositionChanges = PositionChanges()) { self.positions = positions }

    /// Whether nothing has changed.
    public var isEmpty: Bool { positions.isEmpty && !isGone }
}

extension CollectionChanges {
    /// What differs in structure between two versions of a collection; nil is an empty one.
    init(from old: CollectionReader?, to new: CollectionReader?) throws(FreeholdError) {
        self.init()
        guard let shape = (new ?? old)?.shape, let access = (new ?? old)?.access else { return }
        switch shape.kind {
        case .list:
            let changes = try ListChanges(old, new, shape, access)
            positions = PositionChanges(deletions: changes.deletions.flatMap { $0 }, insertions: changes.insertions.flatMap { $0 },
                                        modifications: changes.modifications.flatMap(\.old))
        case .set:
            let changes = try SetChanges(old, new, shape, access)
            positions = PositionChanges(deletions: changes.deletions.flatMap { $0 }, insertions: changes.insertions.flatMap { $0 })
        case .map:
            let keys = try CollectionComparison(old: ElementSource(keysOf: old, shape, access), new: ElementSource(keysOf: new, shape, access)).hunks()
            positions = PositionChanges(deletions: keys.flatMap(\.old), insertions: keys.flatMap(\.new))
            guard let old, let new else { return }
            positions.modifications = try CollectionComparison(old: ElementSource(old), new: ElementSource(new)).changedValues(keys).map(\.old)
        }
    }

    /// Everything old is gone, everything new was not there.
    init(replacing old: Int, by new: Int) { self.init(PositionChanges(deletions: Array(0..<old), insertions: Array(0..<new))) }
}
