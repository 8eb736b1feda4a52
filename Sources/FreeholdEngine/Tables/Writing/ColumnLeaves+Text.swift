/// Creates leaves of strings and data.
///
/// Safe throughout: text of buffered rows lies within them (they were written here), text of old leaves within leaves
/// that were checked.
extension ColumnLeaves {
    func makeTextLeaf(_ column: Int, _ gather: RowGather, _ range: Range<Int>,
                      replacing: RowReplacement?) throws(FreeholdError) -> BlockReference {
        let property = stored.properties[column]
        var replacing = replacing
        if property.storageType == .mixed { replacing?.value.becomeMixedBytes() }
        if let codes = try makeCodes(column, gather, range, replacing: replacing) { return codes }
        let builder = property.storageType == .string ? maker.texts : maker.bytes
        builder.removeAll()
        let old = try oldLeaf(column, gather).map { TextLeaf($0) }
        let limit = try inlineLimit(column, gather, range, replacing: replacing)
        for position in range {
            if let replacing, replacing.position == position {
                if let external = replacing.external {
                    builder.appendExternal(length: UInt64(external.length), reference: maker.externals.count)
                    maker.externals.append(external.reference)
                    continue
                }
                try appendReplacement(replacing.value, builder, limit, property)
                continue
            }
            let source = gather.sources[position]
            if source >= 0, let old, old.isExternal(source), let cluster = gather.old {
                let entry = old.external(source)
                let view = try pending.access.view(cluster.leaf(column))
                guard entry.reference < view.referenceCount else { throw state.damagedLeaf(view, column) }
                builder.appendExternal(length: entry.length, reference: maker.externals.count)
                maker.externals.append(view.reference(entry.reference))
                continue
            }
            if let text = try text(source, column, gather, old) { append(text, builder, limit, property) } else { builder.appendNull() }
        }
        if property.defaultsToNull, builder.nullCount == builder.count { return .null }
        return maker.make(builder, .textLeaf, table: table.number, firstKey: gather.keys[range.lowerBound], in: pending)
    }

    /// A source row's text, or nil for null. Not for external rows.
    private func text(_ source: Int, _ column: Int, _ gather: RowGather, _ old: TextLeaf?) throws(FreeholdError) -> UnsafeRawBufferPointer? {
        if source < 0 {
            let row = buffer.row(~source)
            if row.isNull(column) { return nil }
            guard let text = row.text(column, layout) else { throw RowView.damaged(row.key) }
            return text
        }
        guard let old, let cluster = gather.old else {
            return stored.properties[column].defaultsToNull ? nil : UnsafeRawBufferPointer(start: nil, count: 0)
        }
        return old.isNull(source) ? nil : try state.text(cluster, source, column)
    }

    private func append(_ text: UnsafeRawBufferPointer, _ builder: TextColumnBuilder, _ limit: Int, _ property: StoredProperty) {
        if property.shape != nil, case .tree(let reference) = CollectionCell(buffered: text) {
            builder.appendExternal(length: 0, reference: maker.externals.count)
            return maker.externals.append(reference)
        }
        guard text.count > limit else { return builder.append(text) }
        builder.appendExternal(length: UInt64(text.count), reference: maker.externals.count)
        maker.externals.append(LargeValue.write(text, table: table.number, in: pending))
    }

    func appendReplacement(_ value: Value, _ builder: TextColumnBuilder, _ limit: Int, _ property: StoredProperty) throws(FreeholdError) {
        switch value {
        case .string(var text): text.withUTF8 { append(UnsafeRawBufferPointer($0), builder, limit, property) }
        case .data(let bytes): bytes.withUnsafeBytes { append($0, builder, limit, property) }
        default: builder.appendNull()
        }
    }

    /// The maximum length of a value that stays in this leaf.
    private func inlineLimit(_ column: Int, _ gather: RowGather, _ range: Range<Int>,
                             replacing: RowReplacement?) throws(FreeholdError) -> Int {
        var total = 0
        let old = try oldLeaf(column, gather).map { TextLeaf($0) }
        for position in range {
            let source = gather.sources[position]
            if source >= 0, let old, old.isExternal(source) { continue }
            total += min(try text(source, column, gather, old)?.count ?? 0, LeafMaker.inlineLimit)
        }
        switch replacing?.value {
        case .string(let text): total += min(text.utf8.count, LeafMaker.inlineLimit)
        case .data(let bytes): total += min(bytes.count, LeafMaker.inlineLimit)
        default: break
        }
        return total > LeafMaker.crowdedBytes ? LeafMaker.crowdedLimit : LeafMaker.inlineLimit
    }

    /// The leaf as dictionary codes, or nil if the column has no dictionary or this leaf's strings do not suit it.
    private func makeCodes(_ column: Int, _ gather: RowGather, _ range: Range<Int>,
                           replacing: RowReplacement?) throws(FreeholdError) -> BlockReference? {
        guard stored.properties[column].storageType == .string, table.usesDictionary(column), replacing?.external == nil else { return nil }
        let dictionary = try state.dictionary(column)
        let codes = maker.integers, found = indexes.codesOfRows[column]
        codes.removeAll()
        let old = try oldLeaf(column, gather).map { TextLeaf($0) }
        let room = min(ColumnDictionary.maximumStrings, dictionary.count + max(range.count / 2, 16))
        for position in range {
            let source = gather.sources[position]
            if let replacing, replacing.position == position {
                guard try appendCode(of: replacing.value, dictionary, codes, room) else { return nil }
                continue
            }
            if source >= 0, let old, old.isCodes {
                if old.isNull(source) { codes.appendNull() } else { codes.append(old.codes[source]) }
                continue
            }
            if source >= 0, let old, old.isExternal(source) { return nil }
            guard let text = try text(source, column, gather, old) else {
                codes.appendNull()
                continue
            }
            guard try appendCode(of: text, dictionary, codes, room) else { return nil }
            if source < 0, let found { found.numbers[~source] = UInt16(codes[codes.count - 1] + 1) }
        }
        return makeCodeLeaf(codes, firstKey: gather.keys[range.lowerBound])
    }

    /// Creates the leaf of these codes; null if all of them are null.
    func makeCodeLeaf(_ codes: IntegerColumnBuilder, firstKey: Int64) -> BlockReference {
        if codes.nullCount == codes.count { return .null }
        let (reference, block) = pending.make(.textLeaf, table: table.number, firstKey: firstKey, count: codes.count,
                                              body: TextLeaf.encodedLength(codes: codes))
        TextLeaf.encode(codes: codes, isText: true, into: block.body)
        return reference
    }

    private func appendCode(of value: Value, _ dictionary: ColumnDictionary, _ codes: IntegerColumnBuilder,
                            _ room: Int) throws(FreeholdError) -> Bool {
        guard case .string(let text) = value else {
            codes.appendNull()
            return true
        }
        let bytes = ByteBuffer()
        for byte in text.utf8 { bytes.append(byte) }
        return try appendCode(of: bytes.bytes, dictionary, codes, room)
    }

    /// Appends the code of a text. False if the text has no code and may not get one.
    private func appendCode(of text: UnsafeRawBufferPointer, _ dictionary: ColumnDictionary,
                            _ codes: IntegerColumnBuilder, _ room: Int) throws(FreeholdError) -> Bool {
        if let code = try dictionary.code(of: text) {
            codes.append(code)
            return true
        }
        guard dictionary.count < room, text.count <= ColumnDictionary.maximumStringBytes else { return false }
        codes.append(try dictionary.add(text))
        return true
    }
}
