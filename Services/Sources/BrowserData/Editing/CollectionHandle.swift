import FreeholdEngine

/// The writer of a collection of any kind.
enum CollectionHandle {
    case list(ListWriter)
    case set(SetWriter)
    case map(MapWriter)

    /// The collection in a property of an object.
    init(
        _ transaction: WriteTransaction, _ key: ObjectKey, _ table: Table, _ column: Column, _ kind: CollectionKind
    ) throws(FreeholdError) {
        switch kind {
        case .list: self = .list(try transaction.list(of: key, in: table, column))
        case .set: self = .set(try transaction.set(of: key, in: table, column))
        case .map: self = .map(try transaction.map(of: key, in: table, column))
        }
    }

    /// The present contents; valid until the next change.
    func view() throws(FreeholdError) -> CollectionView {
        switch self {
        case .list(let list): .list(try list.view())
        case .set(let set): .set(try set.view())
        case .map(let map): .map(try map.view())
        }
    }

    var kind: CollectionKind {
        switch self {
        case .list: .list
        case .set: .set
        case .map: .map
        }
    }

    /// The collection at a step; nil for a step that this kind does not have.
    func inner(_ step: ElementStep, _ kind: CollectionKind) -> CollectionHandle? {
        switch (self, step) {
        case (.list(let list), .position(let position)):
            switch kind {
            case .list: .list(list.list(at: position))
            case .set: .set(list.set(at: position))
            case .map: .map(list.map(at: position))
            }
        case (.map(let map), .key(let key)):
            switch kind {
            case .list: .list(map.list(for: key))
            case .set: .set(map.set(for: key))
            case .map: .map(map.map(for: key))
            }
        default: nil
        }
    }

    func removeAll() throws(FreeholdError) {
        switch self {
        case .list(let list): try list.removeAll()
        case .set(let set): try set.removeAll()
        case .map(let map): try map.removeAll()
        }
    }

    /// Creates an embedded object at a step: before a position of a list, at its end, or under a map's key.
    func embed(_ values: [(String, Value)], as className: String?, at step: ElementStep?) throws -> ObjectKey {
        switch (self, step) {
        case (.list(let list), nil): return try list.embed(values, as: className)
        case (.list(let list), .position(let position)?): return try list.embed(values, as: className, at: position)
        case (.map(let map), .key(let key)?): return try map.embed(values, as: className, for: key)
        default: throw OperationMistake("a \(kind.name) has no place to embed an object \(step.map { "at \($0.text)" } ?? "without a key")")
        }
    }
}

extension CollectionView {
    /// The element at a step; nil if there is none.
    func element(at step: ElementStep) throws -> Value? {
        switch (self, step) {
        case (.map(let map), .key(let key)): return try map[key]
        case (.map, .position), (_, .key): throw OperationMistake("\(step.text) is not a place in a \(kindName)")
        case (_, .position(let position)): return position < count ? try self[position] : nil
        }
    }

    var kindName: String {
        switch self {
        case .list: "list"
        case .set: "set"
        case .map: "map"
        }
    }
}
