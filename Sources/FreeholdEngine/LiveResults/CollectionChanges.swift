/// The changes in a list, set or map of one object, by position; in a map also by key.
///
/// Applied as `PositionChanges` describes, they turn the old elements into the new ones, if the elements at
/// `modificationsAfter` are read again. Positions of a map follow the order of its keys.
public struct CollectionChanges: Hashable, Sendable {
    /// Positions of deleted, inserted and modified elements. An element is modified if its value differs, or if the
    /// object it links to was modified.
    public var positions: PositionChanges
    /// The deleted keys of a map.
    public var deletedKeys: [String] = []
    /// The inserted keys of a map.
    public var insertedKeys: [String] = []
    /// The keys of a map whose values changed.
    public var modifiedKeys: [String] = []
    /// Whether the object, or what held the collection within it, was deleted, and all elements with it.
    public var isGone = false

    public init(_ positions: PositionChanges = PositionChanges()) { self.positions = positions }

    /// Whether there are no changes.
    public var isEmpty: Bool { positions.isEmpty && !isGone }
}

extension CollectionChanges {
    /// The structural differences between two versions of a collection; nil is an empty one.
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

    /// Deletes every old element and inserts every new one.
    init(replacing old: Int, by new: Int) { self.init(PositionChanges(deletions: Array(0..<old), insertions: Array(0..<new))) }
}
