import FreeholdEngine
import Synchronization

/// A subclass of `Object` or `EmbeddedObject`, analysed once for the whole process.
///
/// Safe to share: everything is set before it is handed out, and nothing changes after.
final class ModelClass: @unchecked Sendable {
    let type: ObjectBase.Type
    let name: String
    /// The superclass among the model classes; nil if it is `Object` or `EmbeddedObject` itself.
    let superclass: ModelClass?
    /// The topmost model class it extends, whose table has its objects.
    var root: ModelClass { superclass?.root ?? self }
    /// All properties, those of the superclass first.
    let properties: [ModelProperty]
    let isEmbedded: Bool
    /// The class of the file that it was created from; nil for a class of the program.
    let stored: ClassSchema?
    /// Whether it was created from a file's schema, and not from a class of the program.
    var isDynamic: Bool { stored != nil }
    /// The index of the primary key among the properties.
    let primaryKey: Int?
    /// Whether the primary key is a non-optional integer.
    let isKeyedByNumber: Bool
    /// The size of an instance in bytes.
    let instanceBytes: Int
    /// The initial bytes of a managed instance without Swift's own; nil if an instance has to be created by `init`.
    private let template: UnsafeMutableRawPointer?
    private let places: TextMap<Int>
    /// 0: not determined yet, 1: no, 2: yes.
    private let encodable = Atomic<UInt8>(0)
    /// Properties stored in the object itself, and not in `@Persisted`.
    let declared: [ModelProperty]
    let hasDeclared: Bool
    /// The steps of adding an object to a file, in this order: set plain values, set links and collections, clear the
    /// unmanaged values.
    let storing: (first: [PropertyPlace], later: [PropertyPlace], clearing: [PropertyPlace])
    /// The property that begins at each word of an instance, beginning one word before the first property; -1 within a
    /// property.
    private let slots: [Int16]

    private init(_ type: ObjectBase.Type, name: String, superclass: ModelClass?) throws {
        let fields = ClassFields.of(type), instance = type.init()
        self.type = type
        self.name = name
        self.superclass = superclass
        isEmbedded = type.isEmbeddedModel
        stored = nil
        instanceBytes = RuntimeClass.instanceBytes(of: type)
        let mapping = TextMap(type.storedNames), indexed = Set(exact: type.declaredIndexes), declaredKey = type.declaredKey
        let ignored = Set(exact: type.ignoredNames)
        var properties: [ModelProperty] = [], others = false
        for field in fields {
            guard let (name, offset, type, said) = Self.property(field, of: instance, ignoring: ignored) else {
                others = true
                continue
            }
            var attributes = said
            if name.isSame(as: declaredKey) { attributes.isPrimaryKey = true }
            if indexed.contains(name) { attributes.isIndexed = true }
            properties.append(ModelProperty(name: name, storedName: mapping[name] ?? attributes.storedName ?? name, offset: offset,
                                            type: type, isDeclared: RuntimeClass.persistedValue(of: field.type) == nil, attributes: attributes))
        }
        // Instances with properties in the object itself cannot be copied.
        declared = properties.filter(\.isDeclared)
        hasDeclared = !declared.isEmpty
        self.properties = properties
        storing = Self.storing(properties)
        let key = properties.firstIndex { $0.attributes.isPrimaryKey }
        primaryKey = key
        isKeyedByNumber = key.map { properties[$0].kind.type == .int && !properties[$0].kind.isOptional } ?? false
        var slots = [Int16](repeating: -1, count: max(0, instanceBytes - ObjectBase._firstProperty) / 8 + 2)
        for (place, property) in properties.enumerated() { slots[property.slot + 1] = Int16(place) }
        self.slots = slots
        places = TextMap(properties.enumerated().map { ($1.name, $0) }, uniquingKeysWith: { first, _ in first })
        for property in properties where !property.isDeclared { property.type._clear(instance, property.offset) }
        template = others || !declared.isEmpty ? nil : Self.copy(of: instance, bytes: instanceBytes)
    }

    /// Creates the model of a class of a file, whose objects are instances of `type`.
    ///
    /// - Parameter known: the program's class with that name, whose property names are accepted too.
    init(_ schema: ClassSchema, as type: ObjectBase.Type, properties: [ModelProperty], known: ModelClass?) {
        self.type = type
        name = schema.name
        superclass = nil
        isEmbedded = schema.isEmbedded
        stored = schema
        instanceBytes = RuntimeClass.instanceBytes(of: type)
        self.properties = properties
        declared = []
        storing = Self.storing(properties)
        hasDeclared = false
        let key = schema.primaryKey, place = schema.properties.firstIndex { $0.name.isSame(as: key) }
        primaryKey = place
        isKeyedByNumber = place.map { schema.properties[$0].type == .int && !schema.properties[$0].isNullable } ?? false
        slots = []
        var places = TextMap(properties.enumerated().map { ($1.name, $0) }, uniquingKeysWith: { first, _ in first })
        for property in known?.properties ?? [] where property.isStored && places[property.name] == nil { places[property.name] = places[property.storedName] }
        self.places = places
        template = Self.copy(of: type.init(), bytes: instanceBytes)
    }

    deinit { template?.deallocate() }

    /// Whether managed instances record where their properties are, for encoding. Determined lazily: a negative answer
    /// makes the run time search everything it knows.
    var isEncodable: Bool {
        let known = encodable.load(ordering: .relaxed)
        if known != 0 { return known == 2 }
        let isEncodable = !isDynamic && type is any Encodable.Type
        encodable.store(isEncodable ? 2 : 1, ordering: .relaxed)
        return isEncodable
    }

    /// The index of the property with a name.
    func place(of name: String) -> Int? { places[name] }

    /// The index of the property that begins at a byte offset of an instance.
    func place(at offset: Int) -> Int { Int(slots[(offset - ObjectBase._firstProperty) / 8 + 1]) }

    /// The number of fields that a cluster of the class needs: one for each word of an instance.
    var slotCount: Int { max(0, instanceBytes - ObjectBase._firstProperty) / 8 }

    /// Whether an instance has no state of its own, so that it can be reused for another object.
    var keepsNothing: Bool { template != nil }

    /// A new instance that is going to be managed.
    func makeInstance() -> ObjectBase {
        let instance = template.map { RuntimeClass.allocate(type, bytes: instanceBytes, from: $0) } ?? type.init()
        if isEncodable { ManagedPlace.note(in: instance, self) }
        return instance
    }

    /// Safe: the bytes after Swift's own are those of an instance whose properties have no value, so nothing in them is
    /// counted.
    private static func copy(of instance: ObjectBase, bytes: Int) -> UnsafeMutableRawPointer {
        let copy = UnsafeMutableRawPointer.allocate(byteCount: bytes, alignment: 16)
        copy.copyMemory(from: instance._address, byteCount: bytes)
        return copy
    }
}

/// The offset of a property in an instance, and its type. Passing it on counts no reference.
struct PropertyPlace {
    let type: any _Persistable.Type
    let offset: Int

    fileprivate init(_ property: ModelProperty) { (type, offset) = (property.type, property.offset) }
}

extension ModelClass {
    fileprivate static func storing(_ properties: [ModelProperty]) -> (first: [PropertyPlace], later: [PropertyPlace], clearing: [PropertyPlace]) {
        (properties.filter { !$0.comesLater }.map { PropertyPlace($0) }, properties.filter { $0.comesLater && $0.isStored }.map { PropertyPlace($0) },
         properties.filter(\.holdsMemory).map { PropertyPlace($0) })
    }

    /// The property that a field declares; nil if the class does not persist the field.
    fileprivate static func property(_ field: ClassField, of instance: ObjectBase, ignoring ignored: Set<ExactText>)
        -> (name: String, offset: Int, type: any _Persistable.Type, attributes: PropertyAttributes)? {
        if let value = RuntimeClass.persistedValue(of: field.type) {
            let name = field.name.hasPrefix("_") ? String(field.name.dropFirst()) : field.name
            // Safe: the instance has the field at that offset, and the field begins with the word of attributes.
            let attributes = PropertyAttributes(word: (instance._address + field.offset).load(as: UInt.self))
            return ignored.contains(name) ? nil : (name, field.offset, value, attributes)
        }
        guard let type = field.type as? any _Declared.Type, !ignored.contains(field.name) else { return nil }
        let offset = field.offset - 8
        return (field.name, offset, type, PropertyAttributes(originProperty: type._origin(instance, offset)))
    }

    /// The names of all properties marked `@Persisted`.
    static func persistedNames(of type: ObjectBase.Type) -> Set<ExactText> {
        Set(exact: ClassFields.of(type).filter { RuntimeClass.persistedValue(of: $0.type) != nil }.map { String($0.name.drop { $0 == "_" }) })
    }

    private static let known = PerProcess<[ObjectIdentifier: ModelClass]> { [:] }

    /// The model of a class, created on first use.
    static func of(_ type: ObjectBase.Type) throws -> ModelClass {
        if let model = known.withLock({ $0[ObjectIdentifier(type)] }) { return model }
        let parent = Swift._getSuperclass(type) as? ObjectBase.Type
        let superclass = try parent.flatMap { $0.isRoot ? nil : try of($0) }
        let model = try ModelClass(type, name: type.className(), superclass: superclass)
        return known.withLock { known in
            if let first = known[ObjectIdentifier(type)] { return first }
            known[ObjectIdentifier(type)] = model
            return model
        }
    }
}
