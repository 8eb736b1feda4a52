public import Dispatch
import FreeholdEngine

/// Observing results, lists, sets and linking objects.
///
/// ```swift
/// let token = realm.objects(Dog.self).filter("age > 5").observe { change in
///     switch change {
///     case .initial(let dogs): show(dogs)
///     case .update(let dogs, let deletions, let insertions, let modifications): update(dogs, deletions, insertions, modifications)
///     case .error(let error): print(error)
///     }
/// }
/// ```
/// The first call comes at a later turn of the realm's queue, actor or run loop, or before the realm's next write if
/// that comes first, with the collection as it is then. After it the block is called for commits of every thread and
/// process, this realm included. Several commits may be reported at once. An element counts as modified if it changed,
/// or an object that it reaches over up to four links. docs/notifications.md has all rules.
extension RealmCollection {
    /// Calls a block on every change.
    ///
    /// - Parameters:
    ///   - keyPaths: which changes within elements count: paths of property names, as `"owner.name"`, also to many
    ///     values, and `*` for every property; an empty array: changes within elements do not count; nil: all.
    ///   - queue: the queue on which the block is called, with the collection of a realm of that queue; nil: where this
    ///     realm is used.
    /// - Returns: a token; the block is called for as long as the token is kept.
    public func observe(keyPaths: [String]? = nil, on queue: DispatchQueue? = nil,
                        _ block: @escaping (RealmCollectionChange<Self>) -> Void) -> NotificationToken {
        registration(keyPaths, block)?.begin(on: queue) ?? NotificationToken()
    }

    /// Calls a block in an actor on every change. Returns once the block is certain to be called for later commits; if
    /// the task is cancelled, returns without having begun.
    public func observe<Isolated: Actor>(keyPaths: [String]? = nil, on actor: Isolated, _isolation: isolated (any Actor)? = #isolation,
                                         _ block: @escaping @Sendable (isolated Isolated, RealmCollectionChange<Self>) -> Void) async -> NotificationToken {
        let call = ActorCall(actor, block)
        return await registration(keyPaths) { call($0) }?.begin(in: actor, from: _isolation) ?? NotificationToken()
    }

    func registration(_ keyPaths: [String]?, _ block: @escaping (RealmCollectionChange<Self>) -> Void) -> Registration<Self>? {
        guard requireManaged(self) else { return nil }
        return Registration(observed: self) { found, _ in
            follower(of: found, keyPaths).map { CollectionObserver(found, $0, block) }
        }
    }
}

extension RealmCollection where Element: ObjectBase {
    /// Calls a block on every change; within elements only the properties on the key paths count.
    public func observe(keyPaths: [PartialKeyPath<Element>], on queue: DispatchQueue? = nil,
                        _ block: @escaping (RealmCollectionChange<Self>) -> Void) -> NotificationToken {
        observe(keyPaths: keyPaths.map { PropertyNames.required($0) }, on: queue, block)
    }

    /// Calls a block in an actor on every change; within elements only the properties on the key paths count.
    public func observe<Isolated: Actor>(keyPaths: [PartialKeyPath<Element>], on actor: Isolated, _isolation: isolated (any Actor)? = #isolation,
                                         _ block: @escaping @Sendable (isolated Isolated, RealmCollectionChange<Self>) -> Void) async -> NotificationToken {
        await observe(keyPaths: keyPaths.map { PropertyNames.required($0) }, on: actor, _isolation: _isolation, block)
    }
}

/// Observing maps, by keys.
extension RealmKeyedCollection {
    /// Calls a block on every change, as for other collections, with keys instead of positions.
    public func observe(keyPaths: [String]? = nil, on queue: DispatchQueue? = nil,
                        _ block: @escaping (RealmMapChange<Self>) -> Void) -> NotificationToken {
        registration(keyPaths, block)?.begin(on: queue) ?? NotificationToken()
    }

    /// Calls a block in an actor on every change, with keys instead of positions.
    public func observe<Isolated: Actor>(keyPaths: [String]? = nil, on actor: Isolated, _isolation: isolated (any Actor)? = #isolation,
                                         _ block: @escaping @Sendable (isolated Isolated, RealmMapChange<Self>) -> Void) async -> NotificationToken {
        let call = ActorCall(actor, block)
        return await registration(keyPaths) { call($0) }?.begin(in: actor, from: _isolation) ?? NotificationToken()
    }

    func registration(_ keyPaths: [String]?, _ block: @escaping (RealmMapChange<Self>) -> Void) -> Registration<Self>? {
        guard requireManaged(self) else { return nil }
        return Registration(observed: self) { found, _ in
            follower(of: found, keyPaths).map { MapObserver(found, $0, block) }
        }
    }
}

extension Map {
    /// Calls a block on every change; within objects only the properties on the key paths count.
    public func observe<Model: ObjectBase>(keyPaths: [PartialKeyPath<Model>], on queue: DispatchQueue? = nil,
                                           _ block: @escaping (RealmMapChange<Map>) -> Void) -> NotificationToken where Value == Model? {
        observe(keyPaths: keyPaths.map { PropertyNames.required($0) }, on: queue, block)
    }

    /// Calls a block in an actor on every change; within objects only the properties on the key paths count.
    public func observe<Model: ObjectBase, Isolated: Actor>(
        keyPaths: [PartialKeyPath<Model>], on actor: Isolated, _isolation: isolated (any Actor)? = #isolation,
        _ block: @escaping @Sendable (isolated Isolated, RealmMapChange<Map>) -> Void
    ) async -> NotificationToken where Value == Model? {
        await observe(keyPaths: keyPaths.map { PropertyNames.required($0) }, on: actor, _isolation: _isolation, block)
    }
}

/// What keeps a collection up to date; nil if its key paths have an error, which has been reported.
func follower(of collection: Any, _ keyPaths: [String]?) -> (any Followed)? {
    told(nil) { try (collection as? any FollowableCollection)?.followed(keyPaths) }
}

/// Whether a collection belongs to a realm; reports misuse if not.
func requireManaged(_ collection: Any) -> Bool {
    if (collection as? any FollowableCollection)?.isManaged == true { return true }
    Misuse.report("Change notifications are only supported on managed collections.", hint: "Add the object that has it to a realm first.")
    return false
}
