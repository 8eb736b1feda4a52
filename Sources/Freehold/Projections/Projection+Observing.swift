public import Dispatch
import FreeholdEngine

/// Observing a projection.
///
/// ```swift
/// token = card.observe(keyPaths: [\Card.name]) { change in
///     if case .change(let card, let properties) = change { for property in properties { print(property.name, property.oldValue ?? "-") } }
/// }
/// ```
/// A change is reported for each property of the projection that shows another value than before, also over links and
/// computed ones; other properties of the object are ignored. Old values are computed from the old version of the
/// object, with all objects it linked to then.
extension ProjectionObservable {
    /// Calls a block when a value that the projection shows changes, and when the object is deleted.
    ///
    /// - Parameters:
    ///   - keyPaths: which properties count: names of the projection, or paths of the object that it shows; `*` for
    ///     all. Nil: all.
    ///   - queue: the queue on which the block is called, with the projection of the object of a realm of that queue;
    ///     nil: where this realm is used.
    /// - Returns: a token; the block is called for as long as the token is kept.
    public func observe(keyPaths: [String]? = nil, on queue: DispatchQueue? = nil, _ block: @escaping (ObjectChange<Self>) -> Void) -> NotificationToken {
        registration(.named(keyPaths), block)?.begin(on: queue) ?? NotificationToken()
    }

    /// Calls a block in an actor when the projection changes. Returns once the block is certain to be called; if the
    /// task is cancelled, returns without having begun.
    public func observe<Isolated: Actor>(keyPaths: [String]? = nil, on actor: Isolated, _isolation: isolated (any Actor)? = #isolation,
                                         _ block: @escaping @Sendable (isolated Isolated, ObjectChange<Self>) -> Void) async -> NotificationToken {
        let call = ActorCall(actor, block)
        return await registration(.named(keyPaths)) { call($0) }?.begin(in: actor, from: _isolation) ?? NotificationToken()
    }

    /// Calls a block when properties on Swift key paths of the projection change, and when the object is deleted.
    public func observe(keyPaths: [PartialKeyPath<Self>], on queue: DispatchQueue? = nil, _ block: @escaping (ObjectChange<Self>) -> Void) -> NotificationToken {
        registration(.keyPaths(keyPaths), block)?.begin(on: queue) ?? NotificationToken()
    }

    /// Calls a block in an actor when properties on Swift key paths of the projection change, and when the object is
    /// deleted.
    public func observe<Isolated: Actor>(keyPaths: [PartialKeyPath<Self>], on actor: Isolated, _isolation: isolated (any Actor)? = #isolation,
                                         _ block: @escaping @Sendable (isolated Isolated, ObjectChange<Self>) -> Void) async -> NotificationToken {
        let call = ActorCall(actor, block)
        return await registration(.keyPaths(keyPaths)) { call($0) }?.begin(in: actor, from: _isolation) ?? NotificationToken()
    }

    /// The changes of the projection as an asynchronous sequence, from the start of the iteration on. See
    /// `ChangeSequence`.
    public var changes: ChangeSequence<ObjectChange<Self>> { changes(keyPaths: nil) }

    /// The changes of the projection as an asynchronous sequence; only the properties on the key paths count.
    public func changes(keyPaths: [String]?) -> ChangeSequence<ObjectChange<Self>> {
        ChangeSequence { found in self.registration(.named(keyPaths), found)?.pulled() }
    }

    private func registration(_ wish: ProjectedWish, _ block: @escaping (ObjectChange<Self>) -> Void) -> Registration<Self>? {
        guard rootObject.requireObservable() else { return nil }
        return Registration(observed: self, make: { projection, start in
            told(nil) { () throws -> Observer? in
                let object = projection.rootObject
                guard let core = object.core, let properties = (projection as? any ProjectedView)?.projectedProperties else { return nil }
                let shown = try wish.shown(of: properties, in: "\(type(of: projection))")
                let paths = try ObservedPaths(shown: shown, of: object.live(in: core).model, in: core)
                return ProjectionObserver(object, shownAs: projection, properties, paths, since: start, block)
            }
        }, gone: { block(.deleted) })
    }
}

/// An object's view with properties of its own.
private protocol ProjectedView {
    var projectedProperties: [ProjectedProperty] { get }
}

extension Projection: ProjectedView {
    fileprivate var projectedProperties: [ProjectedProperty] { ProjectedProperty.all(of: self) }
}

/// The properties of a projection to observe.
private enum ProjectedWish {
    case named([String]?)
    case keyPaths([AnyKeyPath])

    /// The properties with the paths that they are computed from. Throws for an unknown name.
    func shown(of properties: [ProjectedProperty], in name: String) throws -> [(property: String, keyPath: String)] {
        switch self {
        case .named(nil): return properties.flatMap(\.shown)
        case .named(let texts?): return try texts.flatMap { try Self.shown($0, of: properties, in: name) }
        case .keyPaths(let keyPaths): return keyPaths.flatMap { Self.shown($0, of: properties) }
        }
    }

    private static func shown(_ text: String, of properties: [ProjectedProperty], in name: String) throws -> [(property: String, keyPath: String)] {
        if text == "*" { return properties.flatMap(\.shown) }
        let names = text.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
        if let property = properties.first(where: { $0.label.isSame(as: names[0]) }) {
            if names.count == 1 { return property.shown }
            if property.sources.count == 1 { return [(property.label, (property.sources[0] + names.dropFirst()).joined(separator: "."))] }
        }
        let showing = properties.filter { $0.sources.contains { $0.isSame(as: names) } }
        if showing.isEmpty { throw try PropertyPath(parsing: text).unknownProperty(names[0], of: name, among: properties.map(\.label)) }
        return showing.map { ($0.label, text) }
    }

    private static func shown(_ keyPath: AnyKeyPath, of properties: [ProjectedProperty]) -> [(property: String, keyPath: String)] {
        let views = PathRecorder.views(of: keyPath), read = properties.filter { views.contains($0.keyPath) }
        // A key path that goes on from a property is about the value at its own end.
        if Set(views).count == 1 { return read.flatMap { property in PathRecorder.sources(of: keyPath).map { (property.label, $0.joined(separator: ".")) } } }
        if read.isEmpty { Misuse.report("\(keyPath) is not a property of the projection.") }
        return read.flatMap(\.shown)
    }
}

extension ProjectedProperty {
    fileprivate var shown: [(property: String, keyPath: String)] { sources.map { (label, $0.joined(separator: ".")) } }
}

/// An observer of a projection.
private final class ProjectionObserver<Shown: ProjectionObservable>: ObjectObserver<Shown> {
    private let properties: [ProjectedProperty]

    init(_ object: Shown.Root, shownAs projection: Shown, _ properties: [ProjectedProperty], _ paths: ObservedPaths, since start: Snapshot?,
         _ block: @escaping (ObjectChange<Shown>) -> Void) {
        self.properties = properties
        super.init(object, shownAs: projection, paths, since: start, block)
    }

    override func changed(_ change: FreeholdEngine.ObjectChange?, _ step: VersionStep) throws -> [PropertyChange] {
        guard let touched = try touched(by: step), !touched.isEmpty else { return [] }
        let before = try objectBefore(step)
        return properties.filter { touched.contains($0.label) }.map { property in
            PropertyChange(name: property.label, oldValue: before.flatMap { old(shown(property, of: $0)) }, newValue: present(shown(property, of: object)))
        }
    }

    override func everything(of named: Set<ExactText>?) -> [PropertyChange] {
        properties.filter { named?.contains($0.label) ?? true }.map { property in
            PropertyChange(name: property.label, oldValue: nil, newValue: present(shown(property, of: object)))
        }
    }

    private func shown(_ property: ProjectedProperty, of object: ObjectBase) -> Any? {
        func shown(_ root: some ObjectBase) -> Any? { root[keyPath: property.keyPath] }
        return shown(object)
    }

    /// The old version of the object; nil if its class was changed since.
    private func objectBefore(_ step: VersionStep) throws -> ObjectBase? {
        guard let core = object.core, let model, try step.changedTables() != nil else { return nil }
        return core.shared.frozenRealm(try step.older.another(), of: core).object(model, object._key, seen: object.seen)
    }

    /// The old value to report: a linked object in its present state; nil for collections, which are live.
    private func old(_ value: Any?) -> Any? {
        guard let value = present(value) else { return nil }
        if let object = value as? ObjectBase {
            guard let then = object.core, let core = self.object.core else { return nil }
            return core.object(object.live(in: then).model, object._key, seen: object.seen)
        }
        return value is any ThreadConfined ? nil : value
    }
}

/// Observing results of projections, by key paths of the projection.
extension RealmCollection where Element: ProjectionObservable {
    /// Calls a block on every change; within elements only the properties on the key paths count.
    public func observe(keyPaths: [PartialKeyPath<Element>], on queue: DispatchQueue? = nil,
                        _ block: @escaping (RealmCollectionChange<Self>) -> Void) -> NotificationToken {
        observe(keyPaths: ProjectedProperty.paths(keyPaths), on: queue, block)
    }

    /// Calls a block in an actor on every change; within elements only the properties on the key paths count.
    public func observe<Isolated: Actor>(keyPaths: [PartialKeyPath<Element>], on actor: Isolated, _isolation: isolated (any Actor)? = #isolation,
                                         _ block: @escaping @Sendable (isolated Isolated, RealmCollectionChange<Self>) -> Void) async -> NotificationToken {
        await observe(keyPaths: ProjectedProperty.paths(keyPaths), on: actor, _isolation: _isolation, block)
    }
}

/// Observing sections of projections, by key paths of the projection.
extension RealmSectionedResult where Element: ProjectionObservable {
    /// Calls a block on every change; within elements only the properties on the key paths count.
    public func observe(keyPaths: [PartialKeyPath<Element>], on queue: DispatchQueue? = nil,
                        _ block: @escaping (SectionedResultsChange<Self>) -> Void) -> NotificationToken {
        observe(keyPaths: ProjectedProperty.paths(keyPaths), on: queue, block)
    }
}

extension RealmSectionedResult where Element: RealmSectionedResult, Element.Element: ProjectionObservable {
    /// Calls a block on every change; within elements only the properties on the key paths count.
    public func observe(keyPaths: [PartialKeyPath<Element.Element>], on queue: DispatchQueue? = nil,
                        _ block: @escaping (SectionedResultsChange<Self>) -> Void) -> NotificationToken {
        observe(keyPaths: ProjectedProperty.paths(keyPaths), on: queue, block)
    }
}

extension ProjectedProperty {
    /// The paths of the object's properties that key paths of a projection lead to.
    fileprivate static func paths(_ keyPaths: [AnyKeyPath]) -> [String] {
        keyPaths.flatMap { keyPath -> [String] in
            let sources = PathRecorder.sources(of: keyPath)
            return sources.isEmpty ? [PropertyNames.required(keyPath)] : sources.map { $0.joined(separator: ".") }
        }
    }
}
