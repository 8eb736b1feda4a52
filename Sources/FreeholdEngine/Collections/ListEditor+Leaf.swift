/// Encodes the leaves of a list's tree.
///
/// Safe throughout: leaves read from were checked for kind when they were made; blocks are as long as what is written.
extension ListEditor {
    /// The sources of the elements of new leaves.
    enum Source {
        case rows(ListLeaf, Range<Int>)
        case run(ListRun)

        var count: Int {
            switch self {
            case .rows(_, let rows): rows.count
            case .run(let run): run.count
            }
        }
    }

    /// Replaces a range of a leaf; returns the resulting leaves.
    func spliceLeaf(_ node: ListChild, _ leaf: ListLeaf, _ range: Range<Int>, _ run: ListRun, isLast: Bool) throws(FreeholdError) -> [ListChild] {
        let count = leaf.count
        guard range.upperBound <= count else { throw ListTree.damaged("a node's element count differs from its children's") }
        // The leaf may be overwritten.
        let gone = tracker?.isNoting == true ? try leaf.targets(range, in: pending.access) : []
        // Some of the elements with their own blocks are about to be freed.
        let all = tracker?.isNoting == true && leaf.view.referenceCount > 0 ? try leaf.targets(0..<count, in: pending.access) : nil
        if !keepsElements { try freeBlocks(of: leaf, range) }
        if let made = try setInPlace(node, leaf, range, run) {
            try noteLinks(gone, run, of: [made], was: made.number) { [] }
            return [made]
        }
        let made = numbered(try emit([.rows(leaf, 0..<range.lowerBound), .run(run), .rows(leaf, range.upperBound..<count)],
                                     fills: isLast && range.upperBound == count, reusing: node.reference), keeping: node.number)
        try noteLinks(gone, run, of: made, was: node.number) { () throws(FreeholdError) in
            if let all { return all }
            return try leaf.targets(0..<count, in: pending.access)
        }
        if made.first?.reference != node.reference { pending.free(node.reference) }
        return made
    }

    /// Records the changed links of a leaf, which is not overwritten if it has become several.
    private func noteLinks(_ gone: [LinkTarget], _ run: ListRun, of made: [ListChild], was number: UInt64,
                           all: () throws(FreeholdError) -> [LinkTarget]) throws(FreeholdError) {
        guard let tracker, tracker.isNoting else { return }
        guard made.count == 1 else {
            tracker.note(try all(), in: number, isGone: true)
            return try noteLinks(of: made, tracker)
        }
        let after = try ListLeaf(try pending.access.view(made[0].reference), shape)
        tracker.note(try after.missing(gone, in: pending.access), in: made[0].number, isGone: true)
        tracker.note(try run.targets(shape, in: pending.access), in: made[0].number)
    }

    /// Records all links of new leaves.
    func noteLinks(of made: [ListChild], _ tracker: OccurrenceTracker) throws(FreeholdError) {
        for child in made {
            let leaf = try ListLeaf(try pending.access.view(child.reference), shape)
            tracker.note(try leaf.targets(0..<leaf.count, in: pending.access), in: child.number)
        }
    }

    /// Replaces one element in place, if the leaf is pending and the element fits.
    private func setInPlace(_ node: ListChild, _ leaf: ListLeaf, _ range: Range<Int>, _ run: ListRun) throws(FreeholdError) -> ListChild? {
        guard node.reference.isPending, range.count == 1, run.count == 1, let value = run.values.first else { return nil }
        var reference = node.reference
        let block = try pending.edit(&reference)
        guard LeafEditing.set(value, at: range.lowerBound, in: block) else { return nil }
        return ListChild(reference: reference, count: leaf.count, number: node.number)
    }

    /// Frees the elements' own blocks.
    private func freeBlocks(of leaf: ListLeaf, _ rows: Range<Int>) throws(FreeholdError) {
        guard leaf.view.referenceCount > 0 else { return }
        for row in rows {
            switch try leaf.element(row) {
            case .large(_, let reference), .cell(.tree(let reference)): try pending.freeTree(reference)
            case .value, .cell: break
            }
        }
    }

    /// Encodes leaves with all elements of the sources.
    ///
    /// - Parameters:
    ///   - fills: whether all but the last leaf are full; otherwise all have about the same size.
    ///   - reusing: the block to overwrite if there is only one leaf and it fits.
    func emit(_ sources: [Source], fills: Bool, reusing old: BlockReference) throws(FreeholdError) -> [ListChild] {
        var left = sources.reduce(0) { $0 + $1.count }
        var queue = sources[...]
        var made: [ListChild] = []
        let builder = maker.builder(for: shape.leafType)
        while left > 0 {
            let pieces = (left + Self.leafElements - 1) / Self.leafElements
            let wanted = fills ? min(Self.leafElements, left) : (left + pieces - 1) / pieces
            builder.removeAll()
            maker.externals.removeAll(keepingCapacity: true)
            while builder.count < wanted, let source = queue.popFirst() {
                if let rest = try take(wanted - builder.count, from: source) {
                    queue.insert(rest, at: queue.startIndex)
                    if isCrowded { break }
                }
            }
            left -= builder.count
            made.append(try write(builder, reusing: left == 0 && made.isEmpty ? old : .null))
        }
        return made
    }

    private var isText: Bool { shape.leafType.isBytes }
    private var texts: TextColumnBuilder { shape.leafType == .string ? maker.texts : maker.bytes }
    private var isCrowded: Bool { isText && texts.liveBytes > Self.leafBytes }

    /// Appends up to `wanted` elements of a source, fewer if the leaf gets crowded; returns the rest of the source.
    private func take(_ wanted: Int, from source: Source) throws(FreeholdError) -> Source? {
        switch source {
        case .rows(let leaf, let rows):
            let taken = try append(leaf, rows.lowerBound..<min(rows.upperBound, rows.lowerBound + wanted))
            return taken < rows.upperBound ? .rows(leaf, taken..<rows.upperBound) : nil
        case .run(var run):
            var left = wanted
            while left > 0, !isCrowded, let value = run.values.popFirst() {
                append(value)
                left -= 1
            }
            while left > 0, !isCrowded, let element = run.elements.popFirst() {
                append(element)
                left -= 1
            }
            return run.isEmpty ? nil : .run(run)
        }
    }

    /// Appends rows of a leaf, fewer if the new one gets crowded; returns the row to continue with.
    private func append(_ leaf: ListLeaf, _ rows: Range<Int>) throws(FreeholdError) -> Int {
        guard shape.leafType.isBytes else {
            if shape.leafType.leaf == .fixed { _ = try leaf.fixed }
            maker.append(leaf.body, of: shape.leafType, rows: rows)
            return rows.upperBound
        }
        let old = TextLeaf(leaf.body)
        if !old.isCodes, !old.hasExternal, texts.liveBytes + old.blobLength <= Self.leafBytes {
            texts.append(old, rows: rows)
            return rows.upperBound
        }
        for row in rows {
            if isCrowded { return row }
            append(try leaf.element(row))
        }
        return rows.upperBound
    }

    private func append(_ element: ListElement) {
        switch element {
        case .value(let value): append(value)
        case .cell(.empty): texts.appendNull()
        case .cell(.inline(let bytes)): bytes.withUnsafeBytes { texts.append($0) }
        case .cell(.tree(let reference)): appendExternal(reference, length: 0)
        case .large(let length, let reference): appendExternal(reference, length: length)
        }
    }

    private func appendExternal(_ reference: BlockReference, length: UInt64) {
        texts.appendExternal(length: length, reference: maker.externals.count)
        maker.externals.append(reference)
    }

    /// Appends a value of the list's type, or null.
    private func append(_ value: Value) {
        if shape.leafType == .mixed, value != .null {
            let bytes = ByteBuffer(capacity: 64)
            bytes.append(mixed: value)
            return append(bytes.bytes)
        }
        switch value {
        case .null: maker.builder(for: shape.leafType).appendNull()
        case .string(var text): text.withUTF8 { append(UnsafeRawBufferPointer($0)) }
        case .data(let bytes): bytes.withUnsafeBytes { append($0) }
        default:
            guard let words = value.words else { preconditionFailure("collections come as cells, other mixed values as bytes") }
            maker.append(words, of: shape.leafType)
        }
    }

    private func append(_ text: UnsafeRawBufferPointer) {
        guard text.count > Self.inlineText else { return texts.append(text) }
        appendExternal(LargeValue.write(text, table: table, in: pending), length: UInt64(text.count))
    }

    /// Encodes the rows of the builder as a block.
    private func write(_ builder: any ColumnBuilder, reusing old: BlockReference) throws(FreeholdError) -> ListChild {
        let length = builder.encodedLength(), references = maker.externals.count
        var reference = old
        let block: MutableBlock
        if old.isPending, BlockLayout.granules(references: references, body: length) <= old.granuleCount {
            block = try pending.edit(&reference)
            block.setReferenceCount(references)
        } else {
            // Room to grow costs nothing in the file, where a block takes only what it needs.
            (reference, block) = pending.make(.leaf(of: shape.leafType), table: table, references: references,
                                              body: length + length / 8 + BlockLayout.granule)
        }
        block.setCount(builder.count)
        block.setBodyLength(length)
        for (index, external) in maker.externals.enumerated() { block.setReference(index, external) }
        builder.encode(into: block.body)
        return ListChild(reference: reference, count: builder.count)
    }
}
