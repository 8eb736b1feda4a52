public import Dispatch
import FreeholdEngine

/// Observing an object.
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
/// The block is called for commits of every thread and process from now on, this realm included. Linked objects are
/// ignored, unless key paths name them.
extension ThreadConfined where Self: ObjectBase {
    /// Calls a block when properties change, and when the object is deleted.
    ///
    /// - Parameters:
    ///   - keyPaths: which changes count: paths of property names, also over links, as `"owner.name"`, and `*` for
    ///     every property; a change is reported for the first property on such a path. Nil: all properties.
    ///   - queue: the queue on which the block is called, with the object of a realm of that queue; nil: where this
    ///     realm is used.
    /// - Returns: a token; the block is called for as long as the token is kept.
    public func observe(keyPaths: [String]? = nil, on queue: DispatchQueue? = nil, _ block: @escaping (ObjectChange<Self>) -> Void) -> NotificationToken {
        registration(keyPaths, block)?.begin(on: queue) ?? NotificationToken()
    }

    /// Calls a block in an actor when the object changes. Returns once the block is certain to be called; if the task
    /// is cancelled, returns without having begun.
    public func observe<Isolated: Actor>(keyPaths: [String]? = nil, on actor: Isolated, _isolation: isolated (any Actor)? = #isolation,
                                         _ block: @escaping @Sendable (isolated Isolated, ObjectChange<Self>) -> Void) async -> NotificationToken {
        let call = ActorCall(actor, block)
        return await registration(keyPaths) { call($0) }?.begin(in: actor, from: _isolation) ?? NotificationToken()
    }

    /// Calls a block when properties on Swift key paths change, and when the object is deleted.
    public func observe(keyPaths: [PartialKeyPath<Self>], on queue: DispatchQueue? = nil, _ block: @escaping (ObjectChange<Self>) -> Void) -> NotificationToken {
        observe(keyPaths: keyPaths.map { PropertyNames.required($0) }, on: queue, block)
    }

    /// Calls a block in an actor when properties on Swift key paths change, and when the object is deleted.
    public func observe<Isolated: Actor>(keyPaths: [PartialKeyPath<Self>], on actor: Isolated, _isolation: isolated (any Actor)? = #isolation,
                                         _ block: @escaping @Sendable (isolated Isolated, ObjectChange<Self>) -> Void) async -> NotificationToken {
        await observe(keyPaths: keyPaths.map { PropertyNames.required($0) }, on: actor, _isolation: _isolation, block)
    }

    /// Calls a block that takes the object as one of another class: a superclass of its class, as `ObjectBase`.
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
    /// Whether the object can change; reports misuse if not.
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
