import FreeholdEngine

/// A collection that can be an element of another one.
protocol NestedCollection: AnyObject {
    /// The place of a managed collection; nil while unmanaged.
    var place: CollectionPlace? { get }
    static var collectionKind: CollectionKind { get }
    /// An empty collection as a stored value.
    static var nothing: Value { get }
    /// Adds the elements to an empty collection of a realm.
    func fill(_ place: CollectionPlace, _ context: StoringContext)
}

extension NestedCollection {
    /// Whether both are one instance, or represent the same collection of a realm.
    func isSame(as other: Self) -> Bool { self === other || place != nil && place == other.place }
}

/// Elements of a property that owns its objects: each is created within the object that the collection belongs to.
extension CollectionPlace {
    /// Inserts an element into a list before the one at a position. False if it cannot be there, which has been
    /// reported.
    func embed(_ element: some _Storable, at position: Int, in list: ListWriter, _ context: StoringContext) throws -> Bool {
        try put(element, at: .position(position), context, { try list.embed($0, as: $1, at: position) }, { try list.insert($0, at: position) })
    }

    /// Replaces the element at a position.
    func replace(_ element: some _Storable, at position: Int, in list: ListWriter, _ context: StoringContext) throws {
        guard described.isOwning else { return try list.replace(at: position, with: element._stored(in: context)) }
        if isPresent(element, try list.view()[position]) { return }
        _ = try put(element, at: .position(position), context, { try list.embed($0, as: $1, replacing: position) }, { try list.replace(at: position, with: $0) })
    }

    /// Sets the element for a key of a map.
    func put(_ element: some _Storable, for key: String, in map: MapWriter, _ context: StoringContext) throws {
        guard described.isOwning else { return try map.set(element._stored(in: context), for: key) }
        if isPresent(element, try map.view()[key]) { return }
        _ = try put(element, at: .key(key), context, { try map.embed($0, as: $1, for: key) }, { try map.set($0, for: key) })
    }

    /// Whether an element is the object that is at its place already.
    private func isPresent(_ element: some _Storable, _ present: Value?) -> Bool {
        guard case .link(let key)? = present, let object = element as? ObjectBase else { return false }
        return object.core === core && object._key == key.rawValue
    }

    /// Whether all elements are unmanaged, so that they can be inserted after the present ones are removed; reports
    /// misuse if not.
    func canEmbed(_ elements: [some _Storable]) -> Bool {
        if elements.allSatisfy({ $0._object?.core == nil }) { return true }
        Misuse.report("Can't set link to existing managed embedded object", hint: "An embedded object has one owner; copy it.")
        return false
    }

    private func put(_ element: some _Storable, at step: CollectionStep, _ context: StoringContext, _ embed: ([(String, Value)], String) throws -> ObjectKey,
                     _ set: (Value) throws -> Void) throws -> Bool {
        if let object = element._object { return try core.embed(object, context, embed) }
        guard let nested = element as? any NestedCollection else {
            try set(.null)
            return true
        }
        try set(type(of: nested).nothing)
        nested.fill(below(step, type(of: nested).collectionKind), context)
        return true
    }

    /// Sets the properties of an embedded object to those of an unmanaged one; false if that takes a new object.
    func update(_ present: Value, to element: some _Storable, _ context: StoringContext) throws -> Bool {
        guard described.isOwning, case .link(let key) = present, let object = element._object else { return false }
        return try core.update(key, to: object, context)
    }
}

extension ManagedProperty {
    /// The property of a managed object that begins at byte `offset`.
    init(_ object: ObjectBase, _ offset: Int) {
        // Safe to force: only called for objects that have a realm.
        let core = object.core!, live = object.live(in: core)
        self.init(live, ObjectKey(object._key), live.model.place(at: offset), in: core, generation: object.generation)
    }
}

extension CollectionPlace {
    /// The collection that is a property of a managed object.
    convenience init(_ object: ObjectBase, _ offset: Int, _ kind: CollectionKind) { self.init(ManagedProperty(object, offset), kind) }
}

extension List: PathElements {
    var pathIdentity: AnyObject { self }
}

extension MutableSet: PathElements {
    var pathIdentity: AnyObject { self }
}

extension Map: PathElements {
    var pathIdentity: AnyObject { self }
}
