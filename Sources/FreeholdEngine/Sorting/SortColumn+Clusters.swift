/// Reading whole clusters.
///
/// Safe throughout: as above.
extension SortColumn {
    /// Appends rows of a cluster, those whose bit is set if there is a mask.
    func append(_ cluster: ClusterView, _ rows: Range<Int>, mask: RowMask?, in state: TableState) throws(FreeholdError) {
        if rows.isEmpty { return }
        if isObjectKey { return forEach(rows, mask) { append(SortRank.value, SortCode(cluster.key($0))) } }
        guard let body = try state.leaf(cluster, cluster.count - 1, index) else {
            return forEach(rows, mask) { _ in if type == .mixed { append(mixed: initial) } else { append(initial) } }
        }
        switch type.leaf {
        case .integers: append(PackedIntegers(body), rows, mask)
        case .floats, .doubles: append(RealLeaf(body), rows, mask)
        case .dates: appendDates(DateLeaf(body), rows, mask)
        case .fixed: append(FixedLeaf(body), rows, mask)
        case .texts where type == .string: try append(TextLeaf(body), cluster, rows, mask, in: state)
        case .texts: try forEachThrowing(rows, mask) { row throws(FreeholdError) in append(mixed: try state.value(.cluster(cluster, row), index)) }
        }
    }

    @inline(__always)
    private func forEach(_ rows: Range<Int>, _ mask: RowMask?, _ body: (Int) -> Void) {
        for row in rows where mask?.contains(row) ?? true { body(row) }
    }

    @inline(__always)
    private func forEachThrowing(_ rows: Range<Int>, _ mask: RowMask?, _ body: (Int) throws(FreeholdError) -> Void) throws(FreeholdError) {
        for row in rows where mask?.contains(row) ?? true { try body(row) }
    }

    private func append(_ leaf: PackedIntegers, _ rows: Range<Int>, _ mask: RowMask?) {
        // Links are stored unchanged, all other values as ordered codes.
        let flip = isLink || type == .bool ? 0 : OrderedKey.signBit
        if mask == nil, !leaf.head.hasNulls, !hasRanks {
            let target = highs.extend(by: rows.count)
            for row in rows { target[row &- rows.lowerBound] = UInt64(bitPattern: leaf[row]) ^ flip }
            count += rows.count
            return
        }
        forEach(rows, mask) { row in
            if leaf.isNull(row) { appendNothing(SortRank.null) } else { append(SortRank.value, SortCode(UInt64(bitPattern: leaf[row]) ^ flip)) }
        }
    }

    private func append(_ leaf: RealLeaf, _ rows: Range<Int>, _ mask: RowMask?) {
        if mask == nil, !leaf.head.hasNulls, !hasRanks {
            let target = highs.extend(by: rows.count)
            if leaf.isDouble {
                for row in rows { target[row &- rows.lowerBound] = OrderedKey.orderedBits(leaf.double(row)) }
            } else {
                for row in rows { target[row &- rows.lowerBound] = UInt64(OrderedKey.orderedBits(leaf.float(row))) }
            }
            count += rows.count
            return
        }
        forEach(rows, mask) { row in
            if leaf.isNull(row) { return appendNothing(SortRank.null) }
            append(SortRank.value, leaf.isDouble ? SortCode(leaf.double(row)) : SortCode(leaf.float(row)))
        }
    }

    private func appendDates(_ leaf: DateLeaf, _ rows: Range<Int>, _ mask: RowMask?) {
        forEach(rows, mask) { row in
            if leaf.isNull(row) { return appendNothing(SortRank.null) }
            let (seconds, nanoseconds) = leaf[row]
            append(SortRank.value, SortCode(Timestamp(seconds: seconds, nanoseconds: nanoseconds)))
        }
    }

    private func append(_ leaf: FixedLeaf, _ rows: Range<Int>, _ mask: RowMask?) {
        forEach(rows, mask) { row in
            if leaf.isNull(row) { return appendNothing(SortRank.null) }
            let words = leaf.words(row)
            append(SortRank.value, type == .decimal ? SortCode(Decimal128(high: words.high, low: words.low)) : SortCode(words.high, words.low))
        }
    }

    private func append(_ leaf: TextLeaf, _ cluster: ClusterView, _ rows: Range<Int>, _ mask: RowMask?, in state: TableState) throws(FreeholdError) {
        if leaf.isCodes { return try append(codes: leaf.codes, rows, mask, in: state) }
        try forEachThrowing(rows, mask) { row throws(FreeholdError) in
            if leaf.isNull(row) { return appendNothing(SortRank.null) }
            if leaf.isExternal(row) { return try append(text: .cluster(cluster, row), in: state) }
            append(text: leaf[row])
            note(SortRank.value)
        }
    }

    // MARK: codes

    private func append(codes: PackedIntegers, _ rows: Range<Int>, _ mask: RowMask?, in state: TableState) throws(FreeholdError) {
        if !hasCodes {
            hasCodes = true
            let first = places.extend(by: count)
            for position in 0..<count { first[position] = position }
        }
        try forEachThrowing(rows, mask) { row throws(FreeholdError) in
            if codes.isNull(row) { return appendNothing(SortRank.null) }
            places.append(try place(of: codes[row], in: state))
            note(SortRank.value)
        }
    }

    /// The text of a code.
    @inline(__always)
    private func place(of code: Int64, in state: TableState) throws(FreeholdError) -> Int {
        if code >= 0, code < placesOfCodes.count, placesOfCodes[Int(code)] >= 0 { return placesOfCodes[Int(code)] }
        return try newPlace(of: code, in: state)
    }

    @inline(never)
    private func newPlace(of code: Int64, in state: TableState) throws(FreeholdError) -> Int {
        let text = try state.dictionary(index).bytes(code)
        while placesOfCodes.count <= Int(code) { placesOfCodes.append(-1) }
        placesOfCodes[Int(code)] = texts.count
        texts.append(kept(text, copied: copiesTexts))
        return texts.count - 1
    }
}
