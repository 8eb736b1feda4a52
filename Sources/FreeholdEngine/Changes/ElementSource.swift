/// The elements of one version of a list: those of a tree, or the values of a short collection. Also a set's elements,
/// a map's keys or a map's values, in their order.
struct ElementSource {
    enum Content {
        case values([Value])
        case tree(ListTree)
    }

    let shape: CollectionShape
    let access: BlockAccess
    let content: Content

    /// The elements of a collection; of a map, its values.
    init(_ reader: CollectionReader) throws(FreeholdError) {
        shape = reader.shape
        access = reader.access
        if let tree = reader.tree {
            content = .tree(tree)
        } else {
            switch try reader.value() {
            case .list(let values), .set(let values): content = .values(values)
            case .map(let entries): content = .values(entries.sortedByKey.map(\.value))
            default: content = .values([])
            }
        }
    }

    /// The keys of a map.
    init(keysOf reader: CollectionReader) throws(FreeholdError) {
        shape = .keys
        access = reader.access
        if let tree = reader.keyTree {
            content = .tree(tree)
        } else if case .map(let entries) = try reader.value() {
            content = .values(entries.sortedByKey.map { .string($0.key) })
        } else {
            content = .values([])
        }
    }

    /// The elements of a collection, or of an empty one if `reader` is nil.
    init(_ reader: CollectionReader?, _ shape: CollectionShape, _ access: BlockAccess) throws(FreeholdError) {
        if let reader { self = try ElementSource(reader) } else { self = try ElementSource(CollectionReader(.empty, shape, access)) }
    }

    init(keysOf reader: CollectionReader?, _ shape: CollectionShape, _ access: BlockAccess) throws(FreeholdError) {
        if let reader { self = try ElementSource(keysOf: reader) } else { self = try ElementSource(keysOf: CollectionReader(.empty, shape, access)) }
    }

    var count: Int {
        switch content {
        case .values(let values): values.count
        case .tree(let tree): tree.count
        }
    }

    /// The element at a position below the count.
    func element(at position: Int) throws(FreeholdError) -> ListElement {
        switch content {
        case .values(let values): ListElement(values[position], shape)
        case .tree(let tree): try tree.element(at: position)
        }
    }

    /// Whether two elements are the same: values bit by bit, long ones and collections by all they hold.
    func isSame(_ element: ListElement, _ other: ElementSource, _ otherElement: ListElement) throws(FreeholdError) -> Bool {
        switch (element, otherElement) {
        case (.value(let one), .value(let two)): return ElementKey(one) == ElementKey(two)
        case (.large(let length, let one), .large(let otherLength, let two)):
            return length != otherLength ? false : try LargeValue.areEqual(one, two, in: other.access)
        case (.cell(let one), .cell(let two)):
            if one == two { return true }
            guard let inner = shape.inner else { return false }
            return try CollectionComparison.areEqual(CollectionReader(one, inner, access), CollectionReader(two, inner, other.access))
        default: return false
        }
    }
}

extension ListElement {
    /// A short collection's element in the form a tree has.
    init(_ value: Value, _ shape: CollectionShape) {
        guard let inner = shape.inner else {
            self = .value(value)
            return
        }
        // An element of a short collection is short itself.
        let bytes = InlineCollection.encode(value, inner) ?? []
        self = .cell(bytes.isEmpty ? .empty : .inline(bytes))
    }
}

/// A key to compare elements: equal keys mean equal elements. Elements stored in blocks are identified by their blocks,
/// so two may be equal although their keys are not.
enum ElementKey: Hashable {
    case null
    case words(tag: UInt8, UInt64, UInt64)
    case bytes(tag: UInt8, [UInt8])
    case block(location: UInt64, birth: UInt64)

    init(_ element: ListElement) {
        self = switch element {
        case .value(let value): ElementKey(value)
        case .cell(.empty): .null
        case .cell(.inline(let bytes)): .bytes(tag: 0, bytes)
        case .cell(.tree(let reference)), .large(_, let reference): .block(location: reference.location, birth: reference.birth)
        }
    }

    var isBlock: Bool { if case .block = self { true } else { false } }

    /// Reals are compared by their bits: a number equals itself, whatever `==` says.
    init(_ value: Value) {
        self = switch value {
        case .null: .null
        // In collections of mixed values.
        case .list, .set, .map: .bytes(tag: PropertyType.mixed.rawValue, value.mixedBytes)
        case .string(let text): .bytes(tag: PropertyType.string.rawValue, Array(text.utf8))
        case .data(let bytes): .bytes(tag: PropertyType.data.rawValue, bytes)
        case .object(let link): .words(tag: PropertyType.mixed.rawValue, UInt64(link.classNumber), UInt64(bitPattern: link.key.rawValue))
        default: value.words.map { .words(tag: value.type?.rawValue ?? 0, $0.high, $0.low) } ?? .null
        }
    }
}
