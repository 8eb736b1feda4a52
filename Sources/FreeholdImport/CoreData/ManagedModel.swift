import FreeholdEngine

/// The model that a store was written with: what its entities are called and what they hold.
struct ManagedModel {
    /// In the order of their names, which differ.
    let entities: [ManagedEntity]
    private let places: TextMap<Int>

    init(entities: [ManagedEntity]) {
        self.entities = entities
        places = TextMap(entities.enumerated().map { ($0.element.name, $0.offset) }) { first, _ in first }
    }

    /// The entity of a name; nil if there is none.
    subscript(name: String) -> ManagedEntity? { places[name].map { entities[$0] } }
}

/// An entity: what Core Data calls a class.
struct ManagedEntity {
    let name: String
    /// The entity whose properties it inherits.
    let parent: String?
    let isAbstract: Bool
    /// Its own properties, without those of its parents, in the order of their names, which differ.
    var properties: [ManagedProperty]

    /// The property of a name; nil if it has none of its own.
    subscript(name: String) -> ManagedProperty? {
        var low = 0
        var high = properties.count
        while low < high {
            let middle = (low + high) / 2
            if properties[middle].name.precedes(name) { low = middle + 1 } else { high = middle }
        }
        return low < properties.count && properties[low].name.isSame(as: name) ? properties[low] : nil
    }
}

/// An attribute or a relationship.
struct ManagedProperty {
    enum Kind {
        case attribute(AttributeType)
        case relationship(ManagedRelationship)
        /// Something without values of its own, as a fetched property: the name of its class.
        case other(String)
    }

    let name: String
    let kind: Kind
    let isOptional: Bool
    /// Whether it is never stored.
    let isTransient: Bool
    /// Whether the model restricts its values.
    let isValidated: Bool
}

/// A relationship to objects of one entity.
struct ManagedRelationship {
    enum DeleteRule: Int64 {
        case noAction = 0
        case nullify = 1
        case cascade = 2
        case deny = 3
    }

    let destination: String
    /// The name of the relationship back, in the destination or one of its parents.
    let inverse: String?
    let isToMany: Bool
    let isOrdered: Bool
    let deleteRule: DeleteRule
}

/// The types of attributes, with the numbers that Core Data has for them.
enum AttributeType: Int64 {
    case undefined = 0
    case int16 = 100
    case int32 = 200
    case int64 = 300
    case decimal = 400
    case double = 500
    case float = 600
    case string = 700
    case bool = 800
    case date = 900
    case data = 1000
    case uuid = 1100
    case uri = 1200
    case transformable = 1800
    case objectID = 2000
    /// An attribute of several columns.
    case composite = 2100
}
