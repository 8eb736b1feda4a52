public import Dispatch
import FreeholdEngine

/// Hearing of changes in results, lists, sets and linking objects.
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
/// The first call is made at a later turn of the realm's queue, actor or run loop, or before the realm's next write if that comes first, with
/// the collection as it is then; after it the block is called for what anybody commits, this realm included. Several commits may be told at
/// once. An element counts as modified if something of it changed, or of what it links to, four links deep. docs/notifications.md has all
/// rules.
extension RealmCollection {
    /// Has a block called when something changes.
    ///
    /// - Parameters:
    ///   - keyPaths: which changes within elements count: paths of property names, as `"owner.name"`, also to many values, and `*` for every
    ///     property; with none at all elements are not looked into; nil: all.
    ///   - queue: where the block is called, with the collection of a realm of that queue; nil: where this realm is used.
    /// - Returns: what has to be kept as long as the block is to be called.
    public func observe(keyPaths: [String]? = nil, on queue: DispatchQueue? = nil,
                        _ block: @escaping (RealmCollectionChange<Self>) -> Void) -> NotificationToken {
        registration(keyPaths, block)?.begin(on: queue) ?? NotificationToken()
    }

    /// The same in an actor: returns once the block is sure to be called for what is committed from then on; without having begun, if the task
    /// is cancelled.
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
    /// Has a block called when something changes, within elements only what these key paths lead to.
    public func observe(keyPaths: [PartialKeyPath<Element>], on queue: DispatchQueue? = nil,
                        _ block: @escaping (RealmCollectionChange<Self>) -> Void) -> NotificationToken {
        observe(keyPaths: keyPaths.map { PropertyNames.required($0) }, on: queue, block)
    }

    /// The same in an actor.
    public func observe<Isolated: Actor>(keyPaths: [PartialKeyPath<Element>], on actor: Isolated, _isolation: isolated (any Actor)? = #isolation,
                                         _ block: @escaping @Sendable (isolated Isolated, RealmCollectionChange<Self>) -> Void) async -> NotificationToken {
        await observe(keyPaths: keyPaths.map { PropertyNames.required($0) }, on: actor, _isolation: _isolation, block)
    }
}

/// Hearing of changes in maps, by keys.
extension RealmKeyedCollection {
    /// Has a block called when something changes: as of other collections, but keys are told instead of places.
    public func observe(keyPaths: [String]? = nil, on queue: DispatchQueue? = nil,
                        _ block: @escaping (RealmMapChange<Self>) -> Void) -> NotificationToken {
        registration(keyPaths, block)?.begin(on: queue) ?? NotificationToken()
    }

    /// The same in an actor.
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
    /// Has a block called when something changes, within objects only what these key paths lead to.
    public func observe<Model: ObjectBase>(keyPaths: [PartialKeyPath<Model>], on queue: DispatchQueue? = nil,
                                           _ block: @escaping (RealmMapChange<Map>) -> Void) -> NotificationToken where Value == Model? {
        observe(keyPaths: keyPaths.map { PropertyNames.required($0) }, on: queue, block)
    }

    /// Has a block called in an actor when something changes, within objects only what these key paths lead to.
    public func observe<Model: ObjectBase, Isolated: Actor>(
        keyPaths: [PartialKeyPath<Model>], on actor: Isolated, _isolation: isolated (any Actor)? = #isolation,
        _ block: @escaping @Sendable (isolated Isolated, RealmMapChange<Map>) -> Void
    ) async -> NotificationToken where Value == Model? {
        await observe(keyPaths: keyPaths.map { PropertyNames.required($0) }, on: actor, _isolation: _isolation, block)
    }
}

/// What follows a collection; nil, which has been told, if its key paths lead nowhere.
func follower(of collection: Any, _ keyPaths: [String]?) -> (any Followed)? {
    told(nil) { try (collection as? any FollowableCollection)?.followed(keyPaths) }
}

/// Whether a collection belongs to a realm; tells if not.
func requireManaged(_ collection: Any) -> Bool {
    if (collection as? any FollowableCollection)?.isManaged == true { return true }
    Misuse.report("Change notifications are only supported on managed collections.", hint: "Add the object that has it to a realm first.")
    return false
}
