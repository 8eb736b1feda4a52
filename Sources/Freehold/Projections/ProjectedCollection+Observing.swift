public import Dispatch
import FreeholdEngine

/// Observing one property of a collection's objects.
extension ProjectedCollection {
    /// Calls a block when objects are inserted, deleted, or show another value; the rules are those of
    /// `RealmCollection.observe`.
    ///
    /// - Parameters:
    ///   - keyPaths: which changes within the objects count; nil: those of the shown property.
    ///   - queue: the queue on which the block is called, with the collection of a realm of that queue; nil: where this
    ///     realm is used.
    /// - Returns: a token; the block is called for as long as the token is kept.
    public func observe(keyPaths: [String]? = nil, on queue: DispatchQueue? = nil,
                        _ block: @escaping (RealmCollectionChange<ProjectedCollection>) -> Void) -> NotificationToken {
        registration(keyPaths, block)?.begin(on: queue) ?? NotificationToken()
    }

    /// Calls a block in an actor when objects are inserted, deleted, or show another value.
    public func observe<Isolated: Actor>(keyPaths: [String]? = nil, on actor: Isolated, _isolation: isolated (any Actor)? = #isolation,
                                         _ block: @escaping @Sendable (isolated Isolated, RealmCollectionChange<ProjectedCollection>) -> Void)
        async -> NotificationToken {
        let call = ActorCall(actor, block)
        return await registration(keyPaths) { call($0) }?.begin(in: actor, from: _isolation) ?? NotificationToken()
    }

    /// The changes of the collection as an asynchronous sequence, `.initial` first. See `ChangeSequence`.
    public var changes: ChangeSequence<RealmCollectionChange<ProjectedCollection>> { changes(keyPaths: nil) }

    /// The changes of the collection as an asynchronous sequence; within the objects only the properties on the key
    /// paths count.
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
        // A computed property may depend on more than the properties it was seen to read.
        return try objects.followed(keyPaths ?? PathRecorder.names(of: elements.property).map { [$0.joined(separator: ".")] })
    }
}

extension ProjectedCollection: ElementView {
    var elementKeyPath: AnyKeyPath { elements.property }
}
