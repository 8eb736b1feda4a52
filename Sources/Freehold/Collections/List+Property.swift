public import FreeholdEngine

/// A list as a property.
extension List: _Declared {
    public static func _attach(_ object: ObjectBase, _ offset: Int) { object._own(offset, List.self)?.place = CollectionPlace(object, offset, collectionKind) }

    public static var _kind: _PropertyKind { Element._kind.inside(.list) }
    public static var _zero: List { List() }

    public static func _read(_ object: ObjectBase, _ offset: Int) -> List {
        if object.isRecording { return PathRecorder.read(object, offset) { List() } }
        if let list = object._own(offset, List.self), object.core == nil || list.place?.owner.isOf(object) == true { return list }
        let list = object.core == nil ? List() : List(CollectionPlace(object, offset, collectionKind))
        // Other threads may read a frozen object, so it stores no list.
        if object.core?.isFrozen != true { object._setOwn(list, offset) }
        return list
    }

    /// Replaces the list's elements with those of another list.
    public static func _write(_ value: List, _ object: ObjectBase, _ offset: Int) {
        let list = _read(object, offset)
        if !list.isSame(as: value) { list.assign(Array(value)) }
    }

    public static func _assign(_ value: Any, _ object: ObjectBase, _ offset: Int, _ context: ValueContext) -> Bool {
        let list = _read(object, offset)
        if let other = value as? List, list.isSame(as: other) { return true }
        guard let elements = context.elements(value, Element.self) else { return false }
        list.assign(elements)
        return true
    }

    public static func _store(_ object: ObjectBase, _ offset: Int, _ storing: _PropertyStoring) {
        let storing = ObjectStoring.of(storing)
        guard let place = storing.collection(offset, collectionKind) else { return }
        let list = object._own(offset, List.self) ?? List(), elements = list.own
        list.own = []
        list.place = place
        object._setOwn(list, offset)
        switch storing.change(offset) {
        case .keep: break
        case .merge: list.update(elements, storing.inner)
        case .replace: list.assign(elements, storing.inner)
        case .fill: if !elements.isEmpty { list.insert(elements, at: nil, storing.inner) }
        }
    }

    /// Replaces all elements.
    private func assign(_ elements: [Element], _ context: StoringContext? = nil) {
        guard let place else { return own = elements }
        let context = context ?? StoringContext(place.core)
        place.changeList { list in
            guard place.described.isOwning else { return try list.assign(elements.map { $0._stored(in: context) }) }
            guard place.canEmbed(elements) else { return }
            try list.removeAll()
            for element in elements { _ = try place.embed(element, at: list.view().count, in: list, context) }
        }
    }

    /// Sets the elements by changing only what differs; embedded objects of the list stay, and are changed.
    private func update(_ elements: [Element], _ context: StoringContext) {
        guard let place else { return own = elements }
        place.changeList { list in
            let values = place.described.isOwning ? [] : elements.map { $0._stored(in: context) }
            let common = Swift.min(elements.count, try list.view().count)
            for position in 0..<common {
                let present = try list.view()[position]
                if !place.described.isOwning {
                    if present != values[position] { try list.replace(at: position, with: values[position]) }
                } else if try !place.update(present, to: elements[position], context) {
                    try place.replace(elements[position], at: position, in: list, context)
                }
            }
            let count = try list.view().count
            if count > elements.count { try list.remove(elements.count..<count) }
        }
        if elements.count > count { insert(elements[count...], at: nil, context) }
    }
}

/// A list as an element of another collection.
extension List: RealmCollectionValue, NestedCollection {
    public typealias PersistedType = List<Element>
    static var collectionKind: CollectionKind { .list }
    static var nothing: FreeholdEngine.Value { .list([]) }

    public static func _load(_ value: FreeholdEngine.Value, _ core: RealmCore) -> List {
        let list = List()
        if case .list(let values) = value { list.own = values.map { Element._load($0, core) } }
        return list
    }

    public static func _element(of place: CollectionPlace, at step: CollectionStep, _ read: () throws -> FreeholdEngine.Value) throws -> List {
        List(place.below(step, .list))
    }

    public func _stored(in context: StoringContext) -> FreeholdEngine.Value { .list(map { $0._stored(in: context) }) }

    public static func _from(_ value: Any, _ context: ValueContext) -> List? {
        if let list = value as? List, context.takesCollections { return list }
        guard let elements = context.elements(value, Element.self) else { return nil }
        let list = List()
        list.own = elements
        return list
    }

    func fill(_ place: CollectionPlace, _ context: StoringContext) { List(place).insert(self, at: nil, context) }
}
