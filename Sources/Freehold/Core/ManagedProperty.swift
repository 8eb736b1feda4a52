import FreeholdEngine

/// A property of a managed object, whether or not it is a collection.
struct ManagedProperty {
    let core: RealmCore
    let key: ObjectKey
    /// The index of the property among its class's.
    let property: Int
    /// The index of the object's class among the realm's.
    private let classNumber: Int16
    /// The realm's generation when the object was found.
    private let generation: UInt8

    init(_ live: LiveClass, _ key: ObjectKey, _ property: Int, in core: RealmCore, generation: UInt8? = nil) {
        (self.core, self.key, self.property) = (core, key, property)
        classNumber = Int16(live.number)
        self.generation = generation ?? core.generation
    }

    /// The class of the object, as this thread reads it.
    var live: LiveClass { core.live(classNumber) }
    var described: ModelProperty { live.model.properties[property] }

    /// Whether the realm was invalidated since the object was found.
    var isStale: Bool { core.generation != generation }
    /// Whether the property can still be used; reports misuse if not.
    func requireCurrent() -> Bool {
        if isStale { Misuse.report("Object has been deleted or invalidated.") }
        return !isStale
    }

    func isOf(_ object: ObjectBase) -> Bool {
        object.core === core && object.classNumber == classNumber && object._key == key.rawValue
    }

    func isSame(as other: ManagedProperty) -> Bool {
        core === other.core && classNumber == other.classNumber && key == other.key && property == other.property
    }
}
