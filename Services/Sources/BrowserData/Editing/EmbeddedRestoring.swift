import FreeholdEngine

/// An embedded object to be created.
struct EmbeddedContent {
    let className: String
    let values: [(String, Value)]
    /// Called with its key once it exists.
    let whenMade: (ObjectKey) throws -> Void
}

/// Makes a property that owns embedded objects have the objects that it had before: those that are still there stay,
/// and move to their places; the others are created anew; what was not there goes.
struct EmbeddedRestoring {
    private let transaction: WriteTransaction
    private let owner: FoundObject
    private let property: PropertySchema
    private let column: Column
    /// The content of an object that is to be created; nil for one that is there.
    private let content: (ObjectKey) throws -> EmbeddedContent?
    private let target: ClassEntry

    init(_ transaction: WriteTransaction, _ book: ClassBook, _ owner: FoundObject, _ place: Int,
         _ content: @escaping (ObjectKey) throws -> EmbeddedContent?) throws {
        self.transaction = transaction
        self.owner = owner
        self.content = content
        property = owner.entry.schema.properties[place]
        column = owner.entry.columns[place]
        target = try book.entry(property.linkTarget ?? "")
    }

    func restore(_ value: Value) throws {
        guard let kind = property.collections.first else {
            switch value {
            case .link(let key): try create(key) { try transaction.embed($1, as: $0, in: owner.key, of: owner.entry.table, column) }
            default: try transaction.set(owner.key, in: owner.entry.table, column, to: .null)
            }
            return
        }
        try restore(value, in: try CollectionHandle(transaction, owner.key, owner.entry.table, column, kind), depth: 0)
    }

    private func restore(_ value: Value, in handle: CollectionHandle, depth: Int) throws {
        let isInnermost = depth + 1 == property.collections.count
        switch (handle, value) {
        case (.list(let list), .list(let wanted)):
            isInnermost ? try restore(wanted.flatMap(\.links), in: list) : try restore(wanted, in: list, depth)
        case (.map(let map), .map(let wanted)):
            for key in try map.view().keys() where wanted[key] == nil { try map.remove(key) }
            for (key, value) in wanted.sortedByKey { try restore(value, in: map, key, depth, isInnermost) }
        default: throw OperationMistake("property '\(property.name)' of object \(owner.key) cannot be put back")
        }
    }

    /// A list of embedded objects.
    private func restore(_ wanted: [ObjectKey], in list: ListWriter) throws {
        let kept = Set(wanted)
        var present = try list.view().values(in: 0..<list.view().count).flatMap(\.links)
        for position in present.indices.reversed() where !kept.contains(present[position]) {
            try list.remove(at: position)
            present.remove(at: position)
        }
        for (position, key) in wanted.enumerated() {
            if let from = present[min(position, present.count)...].firstIndex(of: key) {
                if from != position { try list.move(from: from, to: position) }
                present.insert(present.remove(at: from), at: position)
            } else {
                try create(key) { try list.embed($1, as: $0, at: position) }
                present.insert(key, at: position)
            }
        }
    }

    /// A list of collections: the inner ones are matched by their positions.
    private func restore(_ wanted: [Value], in list: ListWriter, _ depth: Int) throws {
        let inner = property.collections[depth + 1]
        var count = try list.view().count
        while count > wanted.count {
            count -= 1
            try list.remove(at: count)
        }
        while count < wanted.count {
            try list.append(inner.empty)
            count += 1
        }
        for (position, value) in wanted.enumerated() {
            guard let handle = CollectionHandle.list(list).inner(.position(position), inner) else { continue }
            try restore(value, in: handle, depth: depth + 1)
        }
    }

    private func restore(_ value: Value, in map: MapWriter, _ key: String, _ depth: Int, _ isInnermost: Bool) throws {
        if !isInnermost {
            let inner = property.collections[depth + 1]
            if try map.view()[key] == nil { try map.set(inner.empty, for: key) }
            guard let handle = CollectionHandle.map(map).inner(.key(key), inner) else { return }
            return try restore(value, in: handle, depth: depth + 1)
        }
        guard case .link(let wanted) = value else { return try map.set(.null, for: key) }
        if try map.view()[key] == .link(wanted) { return }
        try create(wanted) { try map.embed($1, as: $0, for: key) }
    }

    private func create(_ key: ObjectKey, _ place: (String, [(String, Value)]) throws -> ObjectKey) throws {
        guard let content = try content(key) else {
            // It is there already.
            if try target.table.contains(key) { return }
            throw OperationMistake("the embedded object \(key) of class '\(target.name)' is not known any more")
        }
        try content.whenMade(try place(content.className, content.values))
    }
}
