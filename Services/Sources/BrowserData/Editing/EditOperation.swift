import FreeholdEngine

/// One change of a request.
struct EditOperation: Sendable {
    /// Its position in the request, from 0.
    let number: Int
    let kind: Kind

    enum Kind: Sendable {
        case set(ObjectName, property: String, NewValue, was: JSON?)
        case add(className: String, values: [(name: String, value: NewValue)], name: String?)
        /// With the cells of its properties as they were shown.
        case delete(ObjectName, was: [(property: String, cell: JSON)])
        case setAll(className: String, Selection, property: String, NewValue)
        case deleteAll(className: String, Selection)
        /// At a position of a list, at its end, or into a set.
        case insert(CollectionName, at: Int?, NewValue)
        /// An element of a list, or an entry of a map.
        case replace(CollectionName, at: ElementStep, NewValue, was: JSON?)
        case remove(CollectionName, at: ElementStep, was: JSON)
        case move(CollectionName, at: Int, to: Int, was: JSON?)
        case embed(CollectionName, at: ElementStep?, className: String?, values: [(name: String, value: NewValue)], was: JSON?)
    }

    /// The objects that an operation changes at once.
    enum Selection: Sendable {
        case query(String)
        case keys([ObjectKey])
    }
}

/// An object that an operation changes.
struct ObjectName: Sendable {
    enum Key: Sendable {
        case key(ObjectKey)
        /// The name under which an earlier operation added it.
        case new(String)
    }

    let className: String
    let key: Key
}

/// A property of an object, or a collection within it.
struct CollectionName: Sendable {
    let object: ObjectName
    let property: String
    let path: [ElementStep]
}

/// A position in a list or set, or a key of a map.
enum ElementStep: Sendable {
    case position(Int)
    case key(String)

    var text: String {
        switch self {
        case .position(let position): "position \(position)"
        case .key(let key): "key '\(key)'"
        }
    }
}
