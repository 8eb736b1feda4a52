/// Changes a collection and those within it, from the cell that its owner holds to the cell to be held afterwards.
///
/// 1. Short collections are changed as values; what grows beyond `CollectionCell.inlineLimit` becomes a tree, and what is left of
///    a tree goes back into the cell when it is very short.
/// 2. A change that is refused has changed nothing.
struct CollectionEditor {
    let table: UInt32
    let maker: LeafMaker
    let pending: PendingBlocks

    /// A tree of at most so many elements is looked at after a removal, and becomes bytes again if they are at most so many.
    private static let fewElements = 8
    private static let fewBytes = 64

    /// The cell for a collection of these values, which fit the shape; sets are in their order.
    func store(_ collection: Value, _ shape: CollectionShape) throws(FreeholdError) -> CollectionCell {
        if let bytes = InlineCollection.encode(collection, shape) { return bytes.isEmpty ? .empty : .inline(bytes) }
        var keys = BlockReference.null
        let values: [Value]
        switch collection {
        case .list(let all), .set(let all): values = all
        case .map(let entries):
            let sorted = entries.sortedByKey
            values = sorted.map(\.value)
            keys = try editor(.keys).replace(0..<0, by: ListRun(values: sorted.map { .string($0.key) }), in: .null)
        default: preconditionFailure("a collection")
        }
        let elements = try editor(shape).replace(0..<0, by: try run(values, shape), in: .null)
        return .tree(CollectionRoot.make(shape.kind, count: values.count, elements: elements, keys: keys, table: table, in: pending))
    }

    /// What becomes of the cell when the collection that the path leads to is changed.
    func apply(_ change: CollectionChange, at path: ArraySlice<CollectionStep>, to cell: CollectionCell,
               _ shape: CollectionShape) throws(FreeholdError) -> CollectionCell {
        guard case .tree(let reference) = cell else {
            var value = try CollectionReader(cell, shape, pending.access).value()
            try value.apply(change, at: path, shape)
            return try store(value, shape)
        }
        if path.isEmpty {
            switch change {
            case .assign(let value):
                try pending.freeTree(reference)
                return try store(value, shape)
            case .removeAll:
                try pending.freeTree(reference)
                return .empty
            case .removeLinks(let target): return try removeLinks(to: target, from: cell, shape)
            default: break
            }
        }
        let root = try CollectionRoot(reference, shape.kind, in: pending.access)
        var parts = Parts(root)
        if let step = path.first {
            try apply(change, below: step, path.dropFirst(), &parts, shape)
        } else {
            try change.require(shape, count: parts.count)
            try apply(change, &parts, shape)
        }
        return try finish(reference, parts, before: root.count, shape)
    }

    /// The parts of a tree while it is changed.
    private struct Parts {
        var count: Int
        var elements: BlockReference
        var keys: BlockReference

        init(_ root: CollectionRoot) {
            count = root.count
            elements = root.view.reference(CollectionRoot.elements)
            keys = root.view.reference(CollectionRoot.keys)
        }
    }

    private func finish(_ reference: BlockReference, _ parts: Parts, before: Int, _ shape: CollectionShape) throws(FreeholdError) -> CollectionCell {
        if parts.count == 0 {
            pending.free(reference)
            return .empty
        }
        var reference = reference
        CollectionRoot.store(count: parts.count, elements: parts.elements, keys: parts.keys, in: try pending.edit(&reference))
        guard parts.count < before, parts.count <= Self.fewElements else { return .tree(reference) }
        let value = try CollectionReader(.tree(reference), shape, pending.access).value()
        guard let bytes = InlineCollection.encode(value, shape, within: Self.fewBytes) else { return .tree(reference) }
        try pending.freeTree(reference)
        return .inline(bytes)
    }

    // MARK: Trees

    private func editor(_ shape: CollectionShape, keepsElements: Bool = false) -> ListEditor {
        var editor = ListEditor(shape, table: table, maker, in: pending)
        editor.keepsElements = keepsElements
        return editor
    }

    /// Values as elements of a list: collections get their cells.
    private func run(_ values: [Value], _ shape: CollectionShape) throws(FreeholdError) -> ListRun {
        guard let inner = shape.inner else { return ListRun(values: values) }
        var elements: [ListElement] = []
        for value in values { elements.append(.cell(try store(value, inner))) }
        return ListRun(elements: elements)
    }

    private func tree(_ parts: Parts, _ shape: CollectionShape) -> ListTree {
        ListTree(root: parts.elements, count: parts.count, shape: shape, access: pending.access)
    }

    private func keys(_ parts: Parts) -> ListTree {
        ListTree(root: parts.keys, count: parts.count, shape: .keys, access: pending.access)
    }

    /// Changes a collection within this one. A map gets a key that it does not have.
    private func apply(_ change: CollectionChange, below step: CollectionStep, _ rest: ArraySlice<CollectionStep>, _ parts: inout Parts,
                       _ shape: CollectionShape) throws(FreeholdError) {
        guard let inner = shape.inner else { throw CollectionError.notNested(shape) }
        let position: Int
        switch (step, shape.kind) {
        case (.position(let wanted), .list):
            guard wanted >= 0, wanted < parts.count else { throw CollectionError.noPosition(wanted, parts.count) }
            position = wanted
        case (.key(let key), .map):
            let (place, isFound) = try search(.string(key), keys(parts))
            if !isFound {
                let cell = try apply(change, at: rest, to: .empty, inner)
                return try insert(key, ListRun(elements: [.cell(cell)]), at: place, &parts, shape)
            }
            position = place
        default: throw CollectionError.wrongStep(step, shape)
        }
        guard case .cell(let old) = try tree(parts, shape).element(at: position) else { throw CollectionError.notNested(shape) }
        let new = try apply(change, at: rest, to: old, inner)
        if new == old { return }
        // What the old one had is freed already, as far as it is not part of the new one.
        parts.elements = try editor(shape, keepsElements: true).replace(position..<position + 1, by: ListRun(elements: [.cell(new)]), in: parts.elements)
    }

    private func insert(_ key: String, _ element: ListRun, at position: Int, _ parts: inout Parts, _ shape: CollectionShape) throws(FreeholdError) {
        parts.keys = try editor(.keys).replace(position..<position, by: ListRun(values: [.string(key)]), in: parts.keys)
        parts.elements = try editor(shape).replace(position..<position, by: element, in: parts.elements)
        parts.count += 1
    }

    private func search(_ value: Value, _ tree: ListTree) throws(FreeholdError) -> (position: Int, isFound: Bool) {
        if tree.count == 0 { return (0, false) }
        let key = ByteBuffer()
        key.setIndexKey(value)
        return try tree.search(key.bytes, ByteBuffer())
    }

    private func apply(_ change: CollectionChange, _ parts: inout Parts, _ shape: CollectionShape) throws(FreeholdError) {
        switch change {
        case .insert(let values, let position):
            let place = position ?? parts.count
            parts.elements = try editor(shape).replace(place..<place, by: try run(values, shape), in: parts.elements)
            parts.count += values.count
        case .remove(let range): try remove(range, &parts, shape)
        case .replace(let position, let value):
            parts.elements = try editor(shape).replace(position..<position + 1, by: try run([value], shape), in: parts.elements)
        case .move(let from, let to): try move(from, to, &parts, shape)
        case .swap(let one, let other):
            let first = try tree(parts, shape).element(at: one), second = try tree(parts, shape).element(at: other)
            for (place, element) in [(one, second), (other, first)] {
                parts.elements = try editor(shape, keepsElements: true).replace(place..<place + 1, by: ListRun(elements: [element]), in: parts.elements)
            }
        case .add(let values):
            for value in values {
                let (place, isFound) = try search(value, tree(parts, shape))
                if isFound { continue }
                parts.elements = try editor(shape).replace(place..<place, by: ListRun(values: [value]), in: parts.elements)
                parts.count += 1
            }
        case .discard(let values):
            for value in values {
                let (place, isFound) = try search(value, tree(parts, shape))
                if isFound { try remove(place..<place + 1, &parts, shape) }
            }
        case .put(let entries):
            for (key, value) in entries { try put(key, value, &parts, shape) }
        case .removeKeys(let gone):
            for key in gone {
                let (place, isFound) = try search(.string(key), keys(parts))
                if isFound { try remove(place..<place + 1, &parts, shape) }
            }
        case .removeLink(let position) where shape.kind == .map:
            parts.elements = try editor(shape).replace(position..<position + 1, by: ListRun(values: [.null]), in: parts.elements)
        case .removeLink(let position): try remove(position..<position + 1, &parts, shape)
        case .removeAll, .removeLinks, .assign: break
        }
    }

    private func remove(_ range: Range<Int>, _ parts: inout Parts, _ shape: CollectionShape) throws(FreeholdError) {
        if range.isEmpty { return }
        parts.elements = try editor(shape).replace(range, by: ListRun(), in: parts.elements)
        if shape.kind == .map { parts.keys = try editor(.keys).replace(range, by: ListRun(), in: parts.keys) }
        parts.count -= range.count
    }

    private func put(_ key: String, _ value: Value, _ parts: inout Parts, _ shape: CollectionShape) throws(FreeholdError) {
        let (place, isFound) = try search(.string(key), keys(parts))
        let element = try run([value], shape)
        if !isFound { return try insert(key, element, at: place, &parts, shape) }
        parts.elements = try editor(shape).replace(place..<place + 1, by: element, in: parts.elements)
    }

    private func move(_ from: Int, _ to: Int, _ parts: inout Parts, _ shape: CollectionShape) throws(FreeholdError) {
        if from == to { return }
        let element = try tree(parts, shape).element(at: from)
        let editor = editor(shape, keepsElements: true)
        let rest = try editor.replace(from..<from + 1, by: ListRun(), in: parts.elements)
        parts.elements = try editor.replace(to..<to, by: ListRun(elements: [element]), in: rest)
    }
}
