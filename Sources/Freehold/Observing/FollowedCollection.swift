import FreeholdEngine

/// A list, set or map of an object: a `LiveCollection`, which ends once another value replaces the collection.
final class FollowedCollection: Followed {
    private let place: CollectionPlace
    private let paths: [PropertyPath]?
    private var live: LiveCollection?

    init(_ place: CollectionPlace, _ paths: [PropertyPath]?) { (self.place, self.paths) = (place, paths) }

    var interest: Interest { live?.interest ?? Interest() }
    var count: Int { live?.count ?? 0 }
    var isInvalidated: Bool { place.isStale }

    /// Whether the collection is still of the observed kind: a list in a mixed value may be replaced by a map.
    private var isThere: Bool { live?.kind == place.cursor.kind }

    func begin(at snapshot: Snapshot) throws -> Bool {
        let address = place.cursor.address(of: place.described.storedName, in: place.className)
        do throws(FreeholdError) {
            live = try LiveCollection(address, at: snapshot, observing: paths, remembersKeys: false, sharing: place.core.observers?.observed)
        } catch {
            if error.code == .notFound { return false }
            throw error
        }
        return isThere
    }

    func advance(_ step: VersionStep) throws -> FollowedChanges {
        guard let found = try live?.advance(step) else { return FollowedChanges() }
        var changes = FollowedChanges(positions: found.positions, deletedKeys: found.deletedKeys, insertedKeys: found.insertedKeys,
                                      modifiedKeys: found.modifiedKeys)
        if isThere { return changes }
        changes.isGone = true
        changes.positions.insertions = []
        changes.insertedKeys = []
        return changes
    }
}
