/// Changes a collection and its nested collections: takes the cell that the owner has, and returns the new cell.
///
/// 1. Short collections are changed as values. A collection that exceeds `CollectionCell.inlineLimit` becomes a tree; a
///    tree that has become very short is stored in the cell again.
/// 2. A change that throws has changed nothing.
struct CollectionEditor {
    let table: UInt32
    let maker: LeafMaker
    let pending: PendingBlocks

    /// After a removal, a tree of at most this many elements is read, and becomes bytes again if they are at most this
    /// many.
    private static let fewElements = 8
    private static let fewBytes = 64

    /// Creates the cell for a collection of these values, which must fit the shape; sets must be in order.
    func store(_ collection: Value, _ shape: CollectionShape) throws(FreeholdError) -> CollectionCell {
        if let bytes = InlineCollection.encode(collection, shape) { return bytes.isEmpty ? .empty : .inline(bytes) }
        var parts = CollectionParts()
        let values: [Value]
        switch collection {
        case .list(let all), .set(let all): values = all
        case .map(let entries):
            let sorted = entries.sortedByKey
            values = sorted.map(\.value)
            parts.keys = try editor(.keys).replace(0..<0, by: ListRun(values: sorted.map { .string($0.key) }), in: .null)
        default: preconditionFailure("a collection")
        }
        try replace(0..<0, by: try run(values, shape), &parts, shape)
        parts.count = values.count
        return .tree(CollectionRoot.make(shape.kind, parts, table: table, in: pending))
    }

    /// Returns the new cell after a change to the collection at the end of the path.
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
        var parts = root.parts
        if let step = path.first {
            try apply(change, below: step, path.dropFirst(), &parts, shape)
        } else {
            try change.require(shape, count: parts.count)
            try apply(change, &parts, shape)
        }
        return try finish(reference, parts, before: root.count, shape)
    }

    private func finish(_ reference: BlockReference, _ parts: CollectionParts, before: Int, _ shape: CollectionShape) throws(FreeholdError) -> CollectionCell {
        if parts.count == 0 {
            pending.free(reference)
            return .empty
        }
        var reference = reference
        CollectionRoot.store(parts, in: try pending.edit(&reference))
        guard parts.count < before, parts.count <= Self.fewElements else { return .tree(reference) }
        let value = try CollectionReader(.tree(reference), shape, pending.access).value()
        guard let bytes = InlineCollection.encode(value, shape, within: Self.fewBytes) else { return .tree(reference) }
        try pending.freeTree(reference)
        return .inline(bytes)
    }

    // MARK: Trees

    private func editor(_ shape: CollectionShape) -> ListEditor { ListEditor(shape, table: table, maker, in: pending) }

    /// Replaces elements, and updates the index of links if the list is long.
    private func replace(_ range: Range<Int>, by run: ListRun, _ parts: inout CollectionParts, _ shape: CollectionShape,
                         keepsElements: Bool = false) throws(FreeholdError) {
        var editor = editor(shape)
        editor.keepsElements = keepsElements
        guard shape.keepsOccurrences else {
            parts.elements = try editor.replace(range, by: run, in: parts.elements)
            return
        }
        let had = !parts.occurrences.isNull
        maker.occurrences.removeAll()
        let tracker = OccurrenceTracker(parts.numbering, noting: had ? maker.occurrences : nil)
        editor.tracker = tracker
        parts.elements = try editor.replace(range, by: run, in: parts.elements)
        parts.numbering = tracker.numbering
        let isLong = parts.elements.isNull ? false : ListInner.isInner(try pending.access.view(parts.elements))
        if isLong && !had {
            let first = OccurrenceTracker(parts.numbering, noting: maker.occurrences)
            try first.note(all: ListChild(reference: parts.elements, count: 0, number: parts.numbering.top), shape, isGone: false, in: pending.access)
        }
        if isLong {
            parts.occurrences = try OrderedIndex.apply(maker.occurrences, to: parts.occurrences, table: table, in: pending)
        } else if had {
            try pending.freeTree(parts.occurrences)
            parts.occurrences = .null
        }
        maker.occurrences.removeAll()
    }

    /// Converts values to elements of a list: nested collections get their own cells.
    private func run(_ values: [Value], _ shape: CollectionShape) throws(FreeholdError) -> ListRun {
        guard let inner = shape.inner else { return ListRun(values: values) }
        var elements: [ListElement] = []
        for value in values { elements.append(.cell(try store(value, inner))) }
        return ListRun(elements: elements)
    }

    private func tree(_ parts: CollectionParts, _ shape: CollectionShape) -> ListTree {
        ListTree(root: parts.elements, count: parts.count, shape: shape, access: pending.access)
    }

    private func keys(_ parts: CollectionParts) -> ListTree {
        ListTree(root: parts.keys, count: parts.count, shape: .keys, access: pending.access)
    }

    /// Changes a nested collection. A missing key is added to a map.
    private func apply(_ change: CollectionChange, below step: CollectionStep, _ rest: ArraySlice<CollectionStep>, _ parts: inout CollectionParts,
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
        // The parts of the old collection that the new one does not use are freed already.
        try replace(position..<position + 1, by: ListRun(elements: [.cell(new)]), &parts, shape, keepsElements: true)
    }

    private func insert(_ key: String, _ element: ListRun, at position: Int, _ parts: inout CollectionParts, _ shape: CollectionShape) throws(FreeholdError) {
        parts.keys = try editor(.keys).replace(position..<position, by: ListRun(values: [.string(key)]), in: parts.keys)
        try replace(position..<position, by: element, &parts, shape)
        parts.count += 1
    }

    private func search(_ value: Value, _ tree: ListTree) throws(FreeholdError) -> (position: Int, isFound: Bool) {
        if tree.count == 0 { return (0, false) }
        let key = ByteBuffer()
        key.setIndexKey(value, of: tree.shape.type)
        return try tree.search(key.bytes, ByteBuffer())
    }

    private func apply(_ change: CollectionChange, _ parts: inout CollectionParts, _ shape: CollectionShape) throws(FreeholdError) {
        switch change {
        case .insert(let values, let position):
            let place = position ?? parts.count
            try replace(place..<place, by: try run(values, shape), &parts, shape)
            parts.count += values.count
        case .remove(let range): try remove(range, &parts, shape)
        case .replace(let position, let value):
            try replace(position..<position + 1, by: try run([value], shape), &parts, shape)
        case .move(let from, let to): try move(from, to, &parts, shape)
        case .swap(let one, let other):
            let first = try tree(parts, shape).element(at: one), second = try tree(parts, shape).element(at: other)
            for (place, element) in [(one, second), (other, first)] {
                try replace(place..<place + 1, by: ListRun(elements: [element]), &parts, shape, keepsElements: true)
            }
        case .add(let values):
            for value in values {
                let (place, isFound) = try search(value, tree(parts, shape))
                if isFound { continue }
                try replace(place..<place, by: ListRun(values: [value]), &parts, shape)
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
        case .removeLink(let position, let target) where shape.leavesElements:
            let left = try tree(parts, shape).value(at: position).withoutReferences { LinkTarget($0) == target }
            try replace(position..<position + 1, by: ListRun(values: [shape.type == .mixed ? left : .null]), &parts, shape)
        case .removeLink(let position, _): try remove(position..<position + 1, &parts, shape)
        case .removeAll, .removeLinks, .assign: break
        }
    }

    private func remove(_ range: Range<Int>, _ parts: inout CollectionParts, _ shape: CollectionShape) throws(FreeholdError) {
        if range.isEmpty { return }
        try replace(range, by: ListRun(), &parts, shape)
        if shape.kind == .map { parts.keys = try editor(.keys).replace(range, by: ListRun(), in: parts.keys) }
        parts.count -= range.count
    }

    private func put(_ key: String, _ value: Value, _ parts: inout CollectionParts, _ shape: CollectionShape) throws(FreeholdError) {
        let (place, isFound) = try search(.string(key), keys(parts))
        let element = try run([value], shape)
        if !isFound { return try insert(key, element, at: place, &parts, shape) }
        try replace(place..<place + 1, by: element, &parts, shape)
    }

    private func move(_ from: Int, _ to: Int, _ parts: inout CollectionParts, _ shape: CollectionShape) throws(FreeholdError) {
        if from == to { return }
        let element = try tree(parts, shape).element(at: from)
        try replace(from..<from + 1, by: ListRun(), &parts, shape, keepsElements: true)
        try replace(to..<to, by: ListRun(elements: [element]), &parts, shape, keepsElements: true)
    }
}
