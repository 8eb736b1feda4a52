import FreeholdEngine

/// The options in a property's declaration, packed in the word that begins each `Persisted`.
///
/// ```
/// bit 0       primary key        bits 3–4   delete rule: 0 nullify, 1 cascade, 2 deny
/// bit 1       indexed            bit 5      numbered by the class
/// bit 2       unique             bit 6      places in an index of the class
///                                bit 7      vectors in an index of the class
///                                bits 8–23  weight · 256 in the class's full-text index; 0: not in it
///                                bits 32–   place of names in `names`, from 1; 0: none
/// ```
/// With bit 7, bits 8–23 are the dimensions (0: out of range), bits 24–25 the elements and bits 26–27 the metric, each the place
/// in `allCases`. Bit 28: a counter.
struct PropertyAttributes: Equatable {
    var isPrimaryKey = false
    var isIndexed = false
    var isUnique = false
    var isNumbered = false
    /// Whether its increments are added up in a synced class.
    var isCounter = false
    /// Whether the class has an index of the places in the linked objects.
    var isPlace = false
    /// The weight in the class's full-text index times 256; 0 if the property is not in it.
    var fullTextWeight: UInt16 = 0
    /// The vectors of which the class has an index; nil for none.
    var vectors: Vectors?
    /// The language of that index, if the property says one.
    var fullTextLanguage: String?
    /// The languages in whose order the class has an index of the property.
    var collations: [String] = []
    var deleteRule = DeleteRule.nullify
    /// The property of the linking objects that holds the link.
    var originProperty: String?
    /// The name in the file, if it differs.
    var storedName: String?

    /// What vectors a property has.
    struct Vectors: Equatable {
        /// 0 if the declared number is out of range.
        var dimensions: UInt16
        var elements: VectorElements
        var metric: VectorMetric
    }

    init(originProperty: String? = nil) { self.originProperty = originProperty }

    init(word: UInt) {
        isPrimaryKey = word & 1 != 0
        isIndexed = word & 2 != 0
        isUnique = word & 4 != 0
        deleteRule = [DeleteRule.nullify, .cascade, .deny, .nullify][Int(word >> 3 & 3)]
        isNumbered = word & 32 != 0
        isPlace = word & 64 != 0
        isCounter = word & 1 << 28 != 0
        if word & 128 != 0 { vectors = Vectors(word: word) } else { fullTextWeight = UInt16(truncatingIfNeeded: word >> 8) }
        let names = AttributeNames.shared.names(at: Int(word >> 32))
        (originProperty, storedName, fullTextLanguage) = (names.origin?.text, names.stored?.text, names.language?.text)
        collations = names.collations.map(\.text)
    }

    var word: UInt {
        let rule: UInt = switch deleteRule {
        case .nullify: 0
        case .cascade: 1
        case .deny: 2
        }
        let names = AttributeNames.shared.place(AttributeNames.Names(
            origin: originProperty.map(ExactText.init), stored: storedName.map(ExactText.init),
            language: fullTextLanguage.map(ExactText.init), collations: collations.map(ExactText.init)))
        return (isPrimaryKey ? 1 : 0) | (isIndexed ? 2 : 0) | (isUnique ? 4 : 0) | rule << 3 | (isNumbered ? 32 : 0)
            | (isPlace ? 64 : 0) | (isCounter ? 1 << 28 : 0) | (vectors?.word ?? UInt(fullTextWeight) << 8) | UInt(names) << 32
    }
}

extension PropertyAttributes.Vectors {
    private static let elements = VectorElements.allCases, metrics = VectorMetric.allCases

    fileprivate init(word: UInt) {
        self.init(dimensions: UInt16(truncatingIfNeeded: word >> 8), elements: Self.elements[Int(word >> 24 & 3) % Self.elements.count],
                  metric: Self.metrics[Int(word >> 26 & 3) % Self.metrics.count])
    }

    fileprivate var word: UInt {
        let places = [Self.elements.firstIndex(of: elements), Self.metrics.firstIndex(of: metric)].map { UInt($0 ?? 0) }
        return 128 | UInt(dimensions) << 8 | places[0] << 24 | places[1] << 26
    }
}

/// One property of a model class.
///
/// Safe to share: nothing changes after it is made.
final class ModelProperty: @unchecked Sendable {
    /// The name in the class.
    let name: String
    /// The name in the file.
    let storedName: String
    /// The offset in an instance, in bytes.
    let offset: Int
    let type: any _Persistable.Type
    let kind: _PropertyKind
    let attributes: PropertyAttributes
    /// Whether the value is stored in the object itself, and not in `@Persisted`.
    let isDeclared: Bool
    /// The index of its field in a cluster.
    let slot: Int
    /// Whether the file has a column for it.
    let isStored: Bool
    /// Whether its values are collections.
    let isCollection: Bool
    /// Whether it is set after the object has its row, because it may lead to objects or is a collection.
    let comesLater: Bool
    /// Whether its values are embedded objects.
    let isOwning: Bool
    /// Whether an unmanaged object holds memory for it.
    let holdsMemory: Bool
    /// The target class of links, by its name in the file; nil if `kind` already identifies it.
    let targetName: String?

    init(name: String, storedName: String, offset: Int, type: any _Persistable.Type, isDeclared: Bool = false, attributes: PropertyAttributes) {
        self.name = name
        self.storedName = storedName
        self.offset = offset
        self.type = type
        self.attributes = attributes
        self.isDeclared = isDeclared
        kind = type._kind
        slot = offset < ObjectBase._firstProperty ? -1 : (offset - ObjectBase._firstProperty) / 8
        isStored = kind.type != .linkingObjects
        isCollection = !kind.collections.isEmpty || !isStored
        isOwning = isStored && kind.objectType?.isEmbeddedModel == true
        comesLater = isCollection || kind.type == .object || kind.type == .any
        targetName = nil
        holdsMemory = !isCollection && ![.int, .bool, .date, .float, .double, .objectId, .decimal128, .UUID].contains(kind.type)
    }

    /// Creates a property of a class of a file.
    ///
    /// - Parameter kind: the type as the file has it; `type` is the Swift type of a single value.
    init(_ name: String, type: any _Persistable.Type, kind: _PropertyKind, targetName: String?, attributes: PropertyAttributes) {
        self.name = name
        storedName = name
        offset = 0
        self.type = type
        self.attributes = attributes
        self.kind = kind
        self.targetName = targetName
        isDeclared = false
        slot = -1
        isStored = true
        isCollection = !kind.collections.isEmpty
        comesLater = true
        isOwning = false
        holdsMemory = false
    }

    /// Whether a property of a file has the type that the program declares.
    func fits(_ stored: PropertySchema) -> Bool { stored.type == kind.type.stored && stored.collections == kind.collections }

    /// The property as a schema of the engine.
    func schema(targetName: (ObjectBase.Type) -> String) -> PropertySchema? {
        guard let stored = kind.type.stored else { return nil }
        var schema: PropertySchema
        if stored == .link, let target = kind.objectType {
            schema = PropertySchema(storedName, linkTo: targetName(target), isUnique: attributes.isUnique, deleteRule: attributes.deleteRule,
                                    collections: kind.collections)
        } else {
            schema = PropertySchema(storedName, stored, isNullable: kind.isOptional, collections: kind.collections)
        }
        schema.isIndexed = attributes.isIndexed && !attributes.isPrimaryKey
        schema.isUnique = attributes.isUnique && !attributes.isPrimaryKey
        return schema
    }
}
