public import Dispatch
import FreeholdEngine

/// Hearing of changes in an object.
///
/// ```swift
/// token = counter.observe { change in
///     switch change {
///     case .change(_, let properties): for property in properties { print(property.name, property.oldValue ?? "-", property.newValue ?? "-") }
///     case .deleted: print("gone")
///     case .error(let error): print(error)
///     }
/// }
/// ```
/// The block is called for what anybody commits from now on, this realm included. What its links lead to is not looked at, unless key paths
/// say so.
extension ThreadConfined where Self: ObjectBase {
    /// Has a block called when properties change, and when the object is deleted.
    ///
    /// - Parameters:
    ///   - keyPaths: which changes count: paths of property names, also over links, as `"owner.name"`, and `*` for every property; what such a
    ///     path begins with is told as changed. Nil: all properties.
    ///   - queue: where the block is called, with the object of a realm of that queue; nil: where this realm is used.
    /// - Returns: what has to be kept as long as the block is to be called.
    public func observe(keyPaths: [String]? = nil, on queue: DispatchQueue? = nil, _ block: @escaping (ObjectChange<Self>) -> Void) -> NotificationToken {
        registration(keyPaths, block)?.begin(on: queue) ?? NotificationToken()
    }

    /// The same in an actor: returns once the block is sure to be called; without having begun, if the task is cancelled.
    public func observe<Isolated: Actor>(keyPaths: [String]? = nil, on actor: Isolated, _isolation: isolated (any Actor)? = #isolation,
                                         _ block: @escaping @Sendable (isolated Isolated, ObjectChange<Self>) -> Void) async -> NotificationToken {
        let call = ActorCall(actor, block)
        return await registration(keyPaths) { call($0) }?.begin(in: actor, from: _isolation) ?? NotificationToken()
    }

    /// The same with Swift's key paths.
    public func observe(keyPaths: [PartialKeyPath<Self>], on queue: DispatchQueue? = nil, _ block: @escaping (ObjectChange<Self>) -> Void) -> NotificationToken {
        observe(keyPaths: keyPaths.map { PropertyNames.required($0) }, on: queue, block)
    }

    /// The same with Swift's key paths, in an actor.
    public func observe<Isolated: Actor>(keyPaths: [PartialKeyPath<Self>], on actor: Isolated, _isolation: isolated (any Actor)? = #isolation,
                                         _ block: @escaping @Sendable (isolated Isolated, ObjectChange<Self>) -> Void) async -> NotificationToken {
        await observe(keyPaths: keyPaths.map { PropertyNames.required($0) }, on: actor, _isolation: _isolation, block)
    }

    /// Has a block called for which the object is one of another class: one that its class extends, as `ObjectBase`.
    ///
    /// ```swift
    /// func show(_ change: ObjectChange<ObjectBase>) { … }
    /// token = dog.observe(show)
    /// ```
    @_disfavoredOverload
    public func observe<Shown: ObjectBase>(keyPaths: [String]? = nil, on queue: DispatchQueue? = nil,
                                           _ block: @escaping (ObjectChange<Shown>) -> Void) -> NotificationToken {
        guard self is Shown else {
            Misuse.report("An object of class '\(className)' cannot be observed as '\(Shown.self)'.")
            return NotificationToken()
        }
        return observe(keyPaths: keyPaths, on: queue) { (change: ObjectChange<Self>) in
            switch change {
            case .change(let object, let properties): if let object = object as? Shown { block(.change(object, properties)) }
            case .deleted: block(.deleted)
            case .error(let error): block(.error(error))
            }
        }
    }

    func registration(_ keyPaths: [String]?, _ block: @escaping (ObjectChange<Self>) -> Void) -> Registration<Self>? {
        guard requireObservable() else { return nil }
        return Registration(observed: self, make: { object, start in Self.observer(object, keyPaths, start, block) }, gone: { block(.deleted) })
    }

    private static func observer(_ object: Self, _ keyPaths: [String]?, _ start: Snapshot?, _ block: @escaping (ObjectChange<Self>) -> Void) -> Observer? {
        told(nil) { () throws -> Observer? in
            guard let core = object.core else { return nil }
            return ObjectObserver(object, shownAs: object, try ObservedPaths(keyPaths, of: object.live(in: core).model, in: core), since: start, block)
        }
    }
}

extension ObjectBase {
    /// Whether the object is one that can change; tells if not.
    final func requireObservable() -> Bool {
        guard let core else {
            Misuse.report("Only objects which are managed by a Realm support change notifications", hint: "Add the object to a realm first.")
            return false
        }
        guard core.enter() else { return false }
        if isInvalidated { Misuse.report("Object has been deleted or invalidated.") }
        return !isInvalidated
    }
}
