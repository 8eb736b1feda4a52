import FreeholdEngine

/// A collection that can be kept up to date from version to version.
protocol FollowableCollection {
    /// Whether it belongs to a realm.
    var isManaged: Bool { get }
    /// Creates the object that keeps it up to date.
    ///
    /// - Parameter keyPaths: which properties of its elements count; nil for all.
    /// - Throws: errors in the key paths.
    func followed(_ keyPaths: [String]?) throws -> any Followed
}

extension CollectionPlace {
    /// The class of the elements, if they are objects of one class.
    private func elementModel() throws -> ModelClass? {
        let property = described
        guard depth == property.kind.collections.count, property.kind.type == .object, let type = property.kind.objectType else { return nil }
        if live.model.isDynamic { return try property.targetName.map { try core.dynamicClass(named: $0, as: type).model } }
        return core.live(type)?.model
    }

    func followed(_ keyPaths: [String]?) throws -> any Followed {
        guard let model = try elementModel() else {
            if keyPaths != nil { throw FreeholdError(.invalidArgument, "Key paths are for collections of objects; these are values.") }
            return FollowedCollection(self, nil)
        }
        return FollowedCollection(self, try ObservedPaths(keyPaths, of: model, in: core)?.paths)
    }
}

extension List: FollowableCollection {
    var isManaged: Bool { place != nil }
    func followed(_ keyPaths: [String]?) throws -> any Followed {
        guard let place else { throw CollectionPlace.unmanaged("RLMArray") }
        return try place.followed(keyPaths)
    }
}

extension MutableSet: FollowableCollection {
    var isManaged: Bool { place != nil }
    func followed(_ keyPaths: [String]?) throws -> any Followed {
        guard let place else { throw CollectionPlace.unmanaged("RLMSet") }
        return try place.followed(keyPaths)
    }
}

extension Map: FollowableCollection {
    var isManaged: Bool { place != nil }
    func followed(_ keyPaths: [String]?) throws -> any Followed {
        guard let place else { throw CollectionPlace.unmanaged("RLMDictionary") }
        return try place.followed(keyPaths)
    }
}

extension Results: FollowableCollection {
    var isManaged: Bool { source.core != nil }

    func followed(_ keyPaths: [String]?) throws -> any Followed { try followedElements(keyPaths) }

    func followedElements(_ keyPaths: [String]?) throws -> any FollowedElements {
        if let values = source as? any FollowableValues {
            if keyPaths != nil { throw FreeholdError(.invalidArgument, "Key paths are for collections of objects; these are values.") }
            return FollowedValues(values)
        }
        let subject = try subject(), paths = try ObservedPaths(keyPaths, of: subject.live.model, in: subject.core)?.paths
        let asked = source.objects as? QuerySource
        guard case .keys = subject.origin else { return FollowedQuery(subject, paths, shownBy: asked) }
        return FollowedKeys(subject, asked ?? QuerySource(subject), from: CollectionOrigin(subject.origin), paths)
    }
}

extension LinkingObjects: FollowableCollection {
    var isManaged: Bool { core != nil }

    func followed(_ keyPaths: [String]?) throws -> any Followed {
        let subject = try subject(), paths = try ObservedPaths(keyPaths, of: subject.live.model, in: subject.core)?.paths
        guard case .keys(let source) = subject.origin else { throw CollectionPlace.unmanaged("RLMLinkingObjects") }
        return FollowedKeys(subject, source, from: CollectionOrigin(subject.origin), paths)
    }
}

extension AnyRealmCollection: FollowableCollection {
    private var followable: (any FollowableCollection)? { base as? any FollowableCollection }
    var isManaged: Bool { followable?.isManaged ?? false }

    func followed(_ keyPaths: [String]?) throws -> any Followed {
        guard let followable else { throw FreeholdError(.invalidArgument, "Change notifications are only supported on managed collections.") }
        return try followable.followed(keyPaths)
    }
}

/// Values of a collection that can be sorted again.
protocol FollowableValues {
    var place: CollectionPlace { get }
    func found() throws -> [Value]
    /// A value as an element.
    func loaded(_ value: Value) -> Any
}

extension ValueSource: FollowableValues {}

/// Key paths as paths of the engine.
struct ObservedPaths {
    /// Each key path as a path of the engine, with the property that it begins with.
    private(set) var all: [(property: String, path: PropertyPath)] = []

    var paths: [PropertyPath] { all.map(\.path) }

    /// Nil without key paths. Throws for a key path that names no property.
    init?(_ keyPaths: [String]?, of model: ModelClass, in core: RealmCore) throws {
        guard let keyPaths else { return nil }
        try self.init(keyPaths, of: model, in: core)
    }

    /// - Parameter shown: each key path with the property that shows it, which is reported instead of the path's first
    ///   property.
    init(shown: [(property: String, keyPath: String)], of model: ModelClass, in core: RealmCore) throws {
        for (property, keyPath) in shown { all += try Self([keyPath], of: model, in: core).all.map { (property, $0.path) } }
    }

    private init(_ keyPaths: [String], of model: ModelClass, in core: RealmCore) throws {
        let names = StoredNames(of: model, in: core)
        for keyPath in keyPaths {
            for text in try Self.expanded(keyPath[...].split(separator: ".", omittingEmptySubsequences: false).map(String.init), model, core) {
                let path = try PropertyPath(parsing: text.joined(separator: "."))
                all.append((text.first ?? "", try names.path(observed: path)))
            }
        }
        // Properties that the file's classes do not have are reported now.
        _ = try ObservedObjects(of: core.schema.storedName(of: model), observing: paths, at: core.heldForObservers())
    }

    /// The names that a key path stands for: `*` is every property.
    private static func expanded(_ names: [String], _ model: ModelClass?, _ core: RealmCore) throws -> [[String]] {
        guard let first = names.first else { return [[]] }
        guard first != "*" || model != nil else { throw FreeholdError(.invalidArgument, "Only an object has properties that '*' can stand for.") }
        let properties = first == "*" ? model?.properties.map(\.name) ?? [] : [first]
        var found: [[String]] = []
        for name in properties {
            let target = model.flatMap { model in model.place(of: name).map { model.properties[$0] } }?.kind.objectType
            // A star after a property that is no object stands for nothing.
            if first == "*", target == nil, names.count > 1 { continue }
            let rest = names.contains("*") ? try expanded(Array(names.dropFirst()), target.flatMap { try? ModelClass.of($0) }, core) : [Array(names.dropFirst())]
            found += rest.map { [name] + $0 }
        }
        return found
    }
}
