public import Dispatch
import FreeholdEngine

/// Hearing of changes in what a projection shows.
///
/// ```swift
/// token = card.observe(keyPaths: [\Card.name]) { change in
///     if case .change(let card, let properties) = change { for property in properties { print(property.name, property.oldValue ?? "-") } }
/// }
/// ```
/// It is told of each property of the projection that shows something else than before, also over links and computed; what its object has
/// beside is not looked at. Old values are made of the object as it was, with all that it linked to then.
extension ProjectionObservable {
    /// Has a block called when something that the projection shows changes, and when the object is deleted.
    ///
    /// - Parameters:
    ///   - keyPaths: which properties count: names of the projection's, or paths of the object's that it shows; `*` for all. Nil: all.
    ///   - queue: where the block is called, with the projection of the object of a realm of that queue; nil: where this realm is used.
    /// - Returns: what has to be kept as long as the block is to be called.
    public func observe(keyPaths: [String]? = nil, on queue: DispatchQueue? = nil, _ block: @escaping (ObjectChange<Self>) -> Void) -> NotificationToken {
        registration(.named(keyPaths), block)?.begin(on: queue) ?? NotificationToken()
    }

    /// The same in an actor: returns once the block is sure to be called; without having begun, if the task is cancelled.
    public func observe<Isolated: Actor>(keyPaths: [String]? = nil, on actor: Isolated, _isolation: isolated (any Actor)? = #isolation,
                                         _ block: @escaping @Sendable (isolated Isolated, ObjectChange<Self>) -> Void) async -> NotificationToken {
        let call = ActorCall(actor, block)
        return await registration(.named(keyPaths)) { call($0) }?.begin(in: actor, from: _isolation) ?? NotificationToken()
    }

    /// The same with Swift's key paths, of the projection.
    public func observe(keyPaths: [PartialKeyPath<Self>], on queue: DispatchQueue? = nil, _ block: @escaping (ObjectChange<Self>) -> Void) -> NotificationToken {
        registration(.keyPaths(keyPaths), block)?.begin(on: queue) ?? NotificationToken()
    }

    /// The same with Swift's key paths, in an actor.
    public func observe<Isolated: Actor>(keyPaths: [PartialKeyPath<Self>], on actor: Isolated, _isolation: isolated (any Actor)? = #isolation,
                                         _ block: @escaping @Sendable (isolated Isolated, ObjectChange<Self>) -> Void) async -> NotificationToken {
        let call = ActorCall(actor, block)
        return await registration(.keyPaths(keyPaths)) { call($0) }?.begin(in: actor, from: _isolation) ?? NotificationToken()
    }

    /// What becomes of what the projection shows, from the moment on that this is gone through. See `ChangeSequence`.
    public var changes: ChangeSequence<ObjectChange<Self>> { changes(keyPaths: nil) }

    /// The same; only what the key paths lead to counts.
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

/// What stands for an object by properties of its own.
private protocol ProjectedView {
    var projectedProperties: [ProjectedProperty] { get }
}

extension Projection: ProjectedView {
    fileprivate var projectedProperties: [ProjectedProperty] { ProjectedProperty.all(of: self) }
}

/// Which properties of a projection somebody wants to hear of.
private enum ProjectedWish {
    case named([String]?)
    case keyPaths([AnyKeyPath])

    /// The properties with the paths that lead to what they are made of. Throws for what is none.
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
        // One that leads on from a property is about what it leads to.
        if Set(views).count == 1 { return read.flatMap { property in PathRecorder.sources(of: keyPath).map { (property.label, $0.joined(separator: ".")) } } }
        if read.isEmpty { Misuse.report("\(keyPath) leads over nothing that the projection shows.") }
        return read.flatMap(\.shown)
    }
}

extension ProjectedProperty {
    fileprivate var shown: [(property: String, keyPath: String)] { sources.map { (label, $0.joined(separator: ".")) } }
}

/// Somebody who hears of changes in what a projection shows.
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

    /// The object as it was; nil if its class was another one then.
    private func objectBefore(_ step: VersionStep) throws -> ObjectBase? {
        guard let core = object.core, let model, try step.changedTables() != nil else { return nil }
        return core.shared.frozenRealm(try step.older.another(), of: core).object(model, object._key, seen: object.seen)
    }

    /// What was shown: an object that was linked to as it is now, of collections nothing, as they are live.
    private func old(_ value: Any?) -> Any? {
        guard let value = present(value) else { return nil }
        if let object = value as? ObjectBase {
            guard let then = object.core, let core = self.object.core else { return nil }
            return core.object(object.live(in: then).model, object._key, seen: object.seen)
        }
        return value is any ThreadConfined ? nil : value
    }
}

/// Hearing of changes in results of projections, by key paths of these.
extension RealmCollection where Element: ProjectionObservable {
    /// Has a block called when something changes, within elements only what these key paths lead to.
    public func observe(keyPaths: [PartialKeyPath<Element>], on queue: DispatchQueue? = nil,
                        _ block: @escaping (RealmCollectionChange<Self>) -> Void) -> NotificationToken {
        observe(keyPaths: ProjectedProperty.paths(keyPaths), on: queue, block)
    }

    /// The same in an actor.
    public func observe<Isolated: Actor>(keyPaths: [PartialKeyPath<Element>], on actor: Isolated, _isolation: isolated (any Actor)? = #isolation,
                                         _ block: @escaping @Sendable (isolated Isolated, RealmCollectionChange<Self>) -> Void) async -> NotificationToken {
        await observe(keyPaths: ProjectedProperty.paths(keyPaths), on: actor, _isolation: _isolation, block)
    }
}

/// Hearing of changes in sections of projections, by key paths of these.
extension RealmSectionedResult where Element: ProjectionObservable {
    /// Has a block called when something changes, within elements only what these key paths lead to.
    public func observe(keyPaths: [PartialKeyPath<Element>], on queue: DispatchQueue? = nil,
                        _ block: @escaping (SectionedResultsChange<Self>) -> Void) -> NotificationToken {
        observe(keyPaths: ProjectedProperty.paths(keyPaths), on: queue, block)
    }
}

extension RealmSectionedResult where Element: RealmSectionedResult, Element.Element: ProjectionObservable {
    /// Has a block called when something changes, within elements only what these key paths lead to.
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
