/// Making the leaves of a list's tree.
///
/// Safe throughout: leaves read from were checked for kind when they were made; blocks are as long as what is written.
extension ListEditor {
    /// Where the elements of new leaves come from.
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

    /// What becomes of a leaf of which a range is replaced.
    func spliceLeaf(_ reference: BlockReference, _ leaf: ListLeaf, _ range: Range<Int>, _ run: ListRun,
                    isLast: Bool) throws(FreeholdError) -> [ListChild] {
        let count = leaf.count
        guard range.upperBound <= count else { throw ListTree.damaged("a node counts other elements than its children hold") }
        if !keepsElements { try freeBlocks(of: leaf, range) }
        if let made = try setInPlace(reference, leaf, range, run) { return [made] }
        let made = try emit([.rows(leaf, 0..<range.lowerBound), .run(run), .rows(leaf, range.upperBound..<count)],
                            fills: isLast && range.upperBound == count, reusing: reference)
        if made.first?.reference != reference { pending.free(reference) }
        return made
    }

    /// The leaf with one element replaced where it stands, if it is pending and the element fits.
    private func setInPlace(_ reference: BlockReference, _ leaf: ListLeaf, _ range: Range<Int>, _ run: ListRun) throws(FreeholdError) -> ListChild? {
        guard reference.isPending, range.count == 1, run.count == 1, let value = run.values.first else { return nil }
        var reference = reference
        let block = try pending.edit(&reference)
        guard LeafEditing.set(value, at: range.lowerBound, in: block) else { return nil }
        return ListChild(reference: reference, count: leaf.count)
    }

    /// Frees the blocks that elements have beside their leaf.
    private func freeBlocks(of leaf: ListLeaf, _ rows: Range<Int>) throws(FreeholdError) {
        guard leaf.view.referenceCount > 0 else { return }
        for row in rows {
            switch try leaf.element(row) {
            case .large(_, let reference), .cell(.tree(let reference)): try pending.freeTree(reference)
            case .value, .cell: break
            }
        }
    }

    /// Leaves with everything the sources hold.
    ///
    /// - Parameters:
    ///   - fills: all but the last leaf are full; otherwise all are about the same.
    ///   - reusing: the block to write into if there is one leaf only and it has room, whatever it held.
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

    private var isText: Bool { shape.leafType == .string || shape.leafType == .data }
    private var texts: TextColumnBuilder { shape.leafType == .string ? maker.texts : maker.bytes }
    private var isCrowded: Bool { isText && texts.liveBytes > Self.leafBytes }

    /// Appends up to `wanted` elements of a source, fewer if the leaf is crowded before; returns what is left of it.
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

    /// Appends rows of a leaf, fewer if the new one is crowded before; returns the row it would go on with.
    private func append(_ leaf: ListLeaf, _ rows: Range<Int>) throws(FreeholdError) -> Int {
        switch shape.leafType {
        case .bool, .int, .link: maker.integers.append(PackedIntegers(leaf.body), rows: rows)
        case .float: maker.floats.append(RealLeaf(leaf.body), rows: rows)
        case .double: maker.doubles.append(RealLeaf(leaf.body), rows: rows)
        case .date: maker.dates.append(DateLeaf(leaf.body), rows: rows)
        case .uuid: maker.wides.append(try leaf.fixed, rows: rows)
        case .objectId: maker.narrows.append(try leaf.fixed, rows: rows)
        case .string, .data:
            let old = TextLeaf(leaf.body)
            if !old.isCodes, !old.hasExternal, texts.liveBytes + old.blobLength <= Self.leafBytes {
                texts.append(old, rows: rows)
                return rows.upperBound
            }
            for row in rows {
                if isCrowded { return row }
                append(try leaf.element(row))
            }
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

    /// Appends a value that is of the list's type, or null.
    private func append(_ value: Value) {
        switch value {
        case .null: maker.builder(for: shape.leafType).appendNull()
        case .bool(let flag): maker.integers.append(flag ? 1 : 0)
        case .int(let number): maker.integers.append(number)
        case .link(let key): maker.integers.append(key.rawValue)
        case .float(let number): maker.floats.append(number)
        case .double(let number): maker.doubles.append(number)
        case .date(let date): maker.dates.append(seconds: date.seconds, nanoseconds: date.nanoseconds)
        case .uuid(let id): maker.wides.append(FixedRow16(high: id.high, low: id.low))
        case .objectId(let id): maker.narrows.append(FixedRow12(high: id.high, low: id.low))
        case .string(var text): text.withUTF8 { append(UnsafeRawBufferPointer($0)) }
        case .data(let bytes): bytes.withUnsafeBytes { append($0) }
        case .list, .set, .map: preconditionFailure("collections come as cells")
        }
    }

    private func append(_ text: UnsafeRawBufferPointer) {
        guard text.count > Self.inlineText else { return texts.append(text) }
        appendExternal(LargeValue.write(text, table: table, in: pending), length: UInt64(text.count))
    }

    /// The block of what the builder holds.
    private func write(_ builder: any ColumnBuilder, reusing old: BlockReference) throws(FreeholdError) -> ListChild {
        let length = builder.encodedLength(), references = maker.externals.count
        var reference = old
        let block: MutableBlock
        if old.isPending, BlockLayout.granules(references: references, body: length) <= old.granuleCount {
            block = try pending.edit(&reference)
            block.setReferenceCount(references)
        } else {
            // Room to grow costs nothing in the file, where a block takes what it needs.
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
