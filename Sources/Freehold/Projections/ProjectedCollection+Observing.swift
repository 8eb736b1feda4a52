public import Dispatch
import FreeholdEngine

/// Hearing of changes in what a property of a collection's objects is.
extension ProjectedCollection {
    /// Has a block called when objects come, go, or show something else: the rules are those of `RealmCollection.observe`.
    ///
    /// - Parameters:
    ///   - keyPaths: which changes within the objects count; nil: those of what is shown.
    ///   - queue: where the block is called, with the collection of a realm of that queue; nil: where this realm is used.
    /// - Returns: what has to be kept as long as the block is to be called.
    public func observe(keyPaths: [String]? = nil, on queue: DispatchQueue? = nil,
                        _ block: @escaping (RealmCollectionChange<ProjectedCollection>) -> Void) -> NotificationToken {
        registration(keyPaths, block)?.begin(on: queue) ?? NotificationToken()
    }

    /// The same in an actor.
    public func observe<Isolated: Actor>(keyPaths: [String]? = nil, on actor: Isolated, _isolation: isolated (any Actor)? = #isolation,
                                         _ block: @escaping @Sendable (isolated Isolated, RealmCollectionChange<ProjectedCollection>) -> Void)
        async -> NotificationToken {
        let call = ActorCall(actor, block)
        return await registration(keyPaths) { call($0) }?.begin(in: actor, from: _isolation) ?? NotificationToken()
    }

    /// What becomes of the collection: `.initial` first. See `ChangeSequence`.
    public var changes: ChangeSequence<RealmCollectionChange<ProjectedCollection>> { changes(keyPaths: nil) }

    /// The same; within the objects only what the key paths lead to counts.
    public func changes(keyPaths: [String]?) -> ChangeSequence<RealmCollectionChange<ProjectedCollection>> {
        ChangeSequence { found in self.registration(keyPaths, found)?.pulled() }
    }

    private func registration(_ keyPaths: [String]?, _ block: @escaping (RealmCollectionChange<ProjectedCollection>) -> Void)
        -> Registration<ProjectedCollection>? {
        guard requireManaged(self) else { return nil }
        return Registration(observed: self) { found, _ in
            follower(of: found, keyPaths).map { CollectionObserver(found, $0, block) }
        }
    }
}

extension ProjectedCollection: FollowableCollection {
    private var objects: (any FollowableCollection)? { elements.confined as? any FollowableCollection }
    var isManaged: Bool { objects?.isManaged ?? false }

    func followed(_ keyPaths: [String]?) throws -> any Followed {
        guard let objects else { throw FreeholdError(.invalidArgument, "Change notifications are only supported on managed collections.") }
        // What is computed may be made of more than what it was seen to read.
        return try objects.followed(keyPaths ?? PathRecorder.names(of: elements.property).map { [$0.joined(separator: ".")] })
    }
}

extension ProjectedCollection: ElementView {
    var elementKeyPath: AnyKeyPath { elements.property }
}
