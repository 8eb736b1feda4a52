import FreeholdEngine

/// An observer of something that is `Followed`.
class FollowingObserver: Observer {
    /// What the next notification reports.
    enum Finding {
        case beginning
        case changes(FollowedChanges)
        case failure(any Error)
    }

    private let followed: any Followed
    private var finding: Finding?
    /// Whether the next notification is the last one.
    private var isLast = false

    init(_ followed: any Followed) { self.followed = followed }

    override final var interest: Interest { followed.interest }
    override final var isWaitingToTell: Bool { finding != nil }
    override final var isInvalidated: Bool { followed.isInvalidated }

    override final func forget() {
        finding = nil
        if isLast { stop() }
    }

    override final func end() { followed.end() }
    override final func keepApart() { followed.keepApart() }

    override final func begin(at snapshot: Snapshot) throws -> Bool {
        guard try followed.begin(at: snapshot) else {
            // It was deleted before the first notification.
            stop()
            return false
        }
        finding = .beginning
        return true
    }

    override final func advance(_ step: VersionStep) throws -> Bool {
        let changes = try followed.advance(step)
        if changes.isEmpty && !changes.isGone { return false }
        finding = .changes(changes)
        isLast = changes.isGone
        return true
    }

    /// If the collection was deleted meanwhile, all elements that it was known to have are reported as deleted.
    override final func restart(at snapshot: Snapshot) throws -> Bool {
        let count = followed.count
        isLast = try !followed.begin(at: snapshot)
        finding = isLast ? .changes(FollowedChanges(positions: PositionChanges(deletions: Array(0..<count)), isGone: true)) : .beginning
        return true
    }

    override final func tell() {
        guard let told = finding else { return }
        finding = nil
        if isLast { stop() }
        tell(told)
    }

    override final func fail(_ error: any Error) -> Bool {
        tell(.failure(error))
        return false
    }

    func tell(_ finding: Finding) {}
}

/// An observer that reports changes by positions.
final class CollectionObserver<Observed>: FollowingObserver {
    private let collection: Observed
    private let block: (RealmCollectionChange<Observed>) -> Void

    init(_ collection: Observed, _ followed: any Followed, _ block: @escaping (RealmCollectionChange<Observed>) -> Void) {
        (self.collection, self.block) = (collection, block)
        super.init(followed)
    }

    override func tell(_ finding: Finding) {
        switch finding {
        case .beginning: block(.initial(collection))
        case .changes(let found):
            let changes = found.positions
            block(.update(collection, deletions: changes.deletions, insertions: changes.insertions, modifications: changes.modifications))
        case .failure(let error): block(.error(error))
        }
    }
}

/// An observer that reports changes by keys.
final class MapObserver<Observed: RealmKeyedCollection>: FollowingObserver {
    private let map: Observed
    private let block: (RealmMapChange<Observed>) -> Void

    init(_ map: Observed, _ followed: any Followed, _ block: @escaping (RealmMapChange<Observed>) -> Void) {
        (self.map, self.block) = (map, block)
        super.init(followed)
    }

    override func tell(_ finding: Finding) {
        func keys(_ texts: [String]) -> [Observed.Key] { texts.map { Observed.Key(_text: $0) } }
        switch finding {
        case .beginning: block(.initial(map))
        case .changes(let found):
            block(.update(map, deletions: keys(found.deletedKeys), insertions: keys(found.insertedKeys), modifications: keys(found.modifiedKeys)))
        case .failure(let error): block(.error(error))
        }
    }
}
