import Synchronization

/// A property of a projection: it shows the value at a key path of the object.
@propertyWrapper
public struct Projected<Root: ObjectBase & RealmCollectionValue & ThreadConfined, Value> {
    fileprivate let keyPath: KeyPath<Root, Value>

    /// Shows the value at a key path.
    public init(_ keyPath: KeyPath<Root, Value>) { self.keyPath = keyPath }

    /// Unavailable: the subscript is used instead.
    @available(*, unavailable, message: "@Projected is for properties of classes that extend Projection")
    public var wrappedValue: Value {
        get { preconditionFailure("unreachable: the declaration is unavailable") }
        set { preconditionFailure("unreachable: the declaration is unavailable") }
    }

    public static subscript<Shown: Projection<Root>>(
        _enclosingInstance projection: Shown,
        wrapped wrapped: ReferenceWritableKeyPath<Shown, Value>,
        storage storage: ReferenceWritableKeyPath<Shown, Self>
    ) -> Value {
        get {
            let keyPath = projection[keyPath: storage].keyPath
            if projection.rootObject.isRecording { PathRecorder.noteView(keyPath) }
            return projection.rootObject[keyPath: keyPath]
        }
        set {
            guard let keyPath = projection[keyPath: storage].keyPath as? ReferenceWritableKeyPath<Root, Value> else {
                return Misuse.report("KeyPath is not writable", hint: "The key path is computed, or follows a link that may be nil; set the property in the object itself.")
            }
            projection.rootObject[keyPath: keyPath] = newValue
        }
    }
}

private protocol AnyProjected {
    var anyKeyPath: AnyKeyPath { get }
}

extension Projected: AnyProjected {
    fileprivate var anyKeyPath: AnyKeyPath { keyPath }
}

/// A property of a projection.
///
/// Safe to share: key paths never change.
struct ProjectedProperty: @unchecked Sendable {
    /// The name of the property in the projection.
    let label: String
    /// The key path of the object that it shows.
    let keyPath: AnyKeyPath
    /// The paths to the properties that the shown value is computed from.
    let sources: [[String]]

    /// The source paths in words.
    var path: String { sources.map { $0.joined(separator: ".") }.joined(separator: ", ") }

    private static let known = PerProcess<[ObjectIdentifier: [ProjectedProperty]]> { [:] }

    /// The properties of a projection's class and its superclasses.
    static func all<Root>(of projection: Projection<Root>) -> [ProjectedProperty] {
        let type = ObjectIdentifier(type(of: projection))
        if let known = known.withLock({ $0[type] }) { return known }
        var found: [ProjectedProperty] = [], mirror: Mirror? = Mirror(reflecting: projection)
        while let level = mirror {
            found = level.children.compactMap { child in
                guard let label = child.label, let projected = child.value as? any AnyProjected else { return nil }
                return property(String(label.drop { $0 == "_" }), projected.anyKeyPath)
            } + found
            mirror = level.superclassMirror
        }
        known.withLock { $0[type] = found }
        return found
    }

    private static func property(_ label: String, _ keyPath: AnyKeyPath) -> ProjectedProperty {
        let sources = PathRecorder.sources(of: keyPath)
        if sources.isEmpty { Misuse.report("@Projected property '\(label)' must be a part of Realm object") }
        return ProjectedProperty(label: label, keyPath: keyPath, sources: sources)
    }
}
