extension TableWriter {
    private func countSealed() {
        state.root.sealedCount += buffer.count
        guard let family = stored.family else { return }
        for place in 0..<buffer.count { state.root.count(1, of: state.tag(of: buffer.row(place), family)) }
    }

    /// Moves every row of tail and buffer into clusters, and their keys into the pending index operations.
    func seal() throws(FreeholdError) {
        saveIfWanted()
        state.forgetTailOrders()
        try absorbTails()
        try chooseDictionaries()
        if buffer.count > 0 {
            try recordDeletions()
            noteCodes()
            try merge(places: buffer.placesByKey())
            for column in stored.treeColumns { try recordInserts(column, stored.properties[column]) }
            for index in stored.indexes { try recordInserts(index) }
            codesOfRows.removeAll()
            countSealed()
            buffer.removeAll()
            uniqueRows.removeAll()
        }
        for column in stored.treeColumns {
            if stored.properties[column].isUnique { _ = try index(column) } else { try mergeIfMany(column) }
        }
        for index in stored.indexes {
            if index.isUnique { _ = try self.index(index.column) } else { try mergeIfMany(index.column) }
        }
    }

    /// Merges a column's pending operations if they take much memory.
    func mergeIfMany(_ column: Int) throws(FreeholdError) {
        let plain = column < operations.count ? operations[column]?.count ?? 0 : 0
        let numbered = column < numbered.count ? numbered[column]?.count ?? 0 : 0
        if plain + numbered > Self.operationLimit { try mergeWaiting(column) }
    }

    /// Re-encodes clusters that have deleted rows.
    func compact() throws(FreeholdError) {
        try recordDeletions()
        if !tombstoned.isEmpty { try merge(places: []) }
    }

    private func merge(places: [Int]) throws(FreeholdError) {
        var merge = ClusterMerge(writer: self, places: places, compacting: tombstoned.sorted())
        state.root.clusters = try merge.apply(to: state.root.clusters)
        tombstoned.removeAll()
        marking = nil
    }

    /// The tree over a column, with every pending operation merged.
    func index(_ column: Int) throws(FreeholdError) -> BlockReference {
        saveIfWanted()
        try recordDeletions()
        try mergeWaiting(column)
        return state.root.auxiliary(.index, column)
    }

    private func mergeWaiting(_ column: Int) throws(FreeholdError) {
        try spellOut(column)
        guard column < operations.count, let waiting = operations[column], !waiting.isEmpty else { return }
        newestSave?.keepOperations(column, of: self)
        let merged = try OrderedIndex.apply(waiting, to: state.root.auxiliary(.index, column), table: number, in: pending)
        waiting.removeAll()
        state.root.setAuxiliary(.index, column, merged)
    }

    /// The column's pending operations, for adding to them: those recorded by code are converted first.
    func waiting(_ column: Int) throws(FreeholdError) -> IndexOperations {
        try spellOut(column)
        return plainOperations(column)
    }

    func plainOperations(_ column: Int) -> IndexOperations {
        while operations.count <= column { operations.append(nil) }
        if let known = operations[column] { return known }
        let new = IndexOperations()
        operations[column] = new
        return new
    }

    func record(remove value: Value, column: Int, key: Int64) throws(FreeholdError) {
        let property = stored.properties[column]
        guard property.files(value) else { return }
        keyBytes.setIndexKey(value, of: property.type)
        try waiting(column).remove(keyBytes.bytes, ObjectKey(key))
        if property.type != .mixed { return }
        for object in value.nestedReferences {
            keyBytes.setNestedKey(object)
            try waiting(column).remove(keyBytes.bytes, ObjectKey(key))
        }
    }

    /// Records that a sealed row leaves a column's tree.
    func record(removalOf cluster: ClusterView, _ row: Int, _ column: Int, key: Int64) throws(FreeholdError) {
        let place = RowPlace.cluster(cluster, row)
        if stored.properties[column].shape != nil {
            return try forEachLink(place, column) { target throws(FreeholdError) in
                try record(remove: target.value, column: column, key: key)
            }
        }
        guard stored.properties[column].type == .string else {
            let value = try state.value(place, column)
            if try state.files(place, column, value) { try record(remove: value, column: column, key: key) }
            return
        }
        // Read directly from the leaf: a `Value` would allocate a string only to discard it.
        keyBytes.removeAll()
        if try state.isNull(place, column) {
            if try !state.has(place, column) { return }
        } else { keyBytes.appendIndexText(try state.text(cluster, row, column)) }
        try waiting(column).remove(keyBytes.bytes, ObjectKey(key))
    }

    func record(insert value: Value, column: Int, key: Int64) throws(FreeholdError) {
        let property = stored.properties[column]
        guard property.files(value) else { return }
        keyBytes.setIndexKey(value, of: property.type)
        try checkLength(column)
        try waiting(column).insert(keyBytes.bytes, ObjectKey(key))
        if property.type != .mixed { return }
        for object in value.nestedReferences {
            keyBytes.setNestedKey(object)
            try waiting(column).insert(keyBytes.bytes, ObjectKey(key))
        }
    }

    /// Records every row of the buffer for one column's tree. 
    private func recordInserts(_ column: Int, _ property: StoredProperty) throws(FreeholdError) {
        if property.shape != nil { return try recordLinks(column) }
        var others: [Int]?
        if let codes = codesOfRows[column] { others = try recordNumbered(insertsOf: codes, column) }
        if others?.isEmpty == true { return }
        let waiting = try waiting(column), skipsNull = property.type == .link
        for place in others ?? Array(0..<buffer.count) {
            let row = buffer.row(place)
            if row.isNull(column) {
                if skipsNull { continue }
                if property.owner != nil, try !state.has(.tail(row), column) { continue }
            }
            if property.type == .mixed {
                try record(insert: row.value(column, layout, type: .mixed), column: column, key: row.key)
                continue
            }
            try keyBytes.setIndexKey(row, column, layout, type: property.type)
            if keyBytes.count > IndexLayout.maximumKeyBytes { try checkLength(column) }
            waiting.insert(keyBytes.bytes, ObjectKey(row.key))
        }
    }

    private func checkLength(_ column: Int) throws(FreeholdError) {
        if keyBytes.count <= IndexLayout.maximumKeyBytes { return }
        throw stored.properties[column].tooLong(keyBytes.count, class: stored.name)
    }

    /// Ends the transaction's work on this class; returns its table root.
    func finish() throws(FreeholdError) -> BlockReference {
        let waiting = state.tailCount
        var ranges = tailRanges()
        if waiting > Self.tailRows || buffer.longestRow > Self.tailBlockBytes || buffer.holdsTrees
            || ranges.count + state.tails.count > TableRoot.maximumTails {
            try seal()
            ranges = []
        }
        try compact()
        for column in stored.treeColumns { _ = try index(column) }
        for index in stored.indexes { _ = try self.index(index.column) }
        try writeDictionaries()
        for range in ranges {
            state.root.tails.append(TailView.make(buffer, range, table: number, in: pending))
        }
        writtenTails = ranges.count
        state.root.tailCount = state.tailCount
        guard state.root.sealedCount >= 0, state.root.classCounts.allSatisfy({ $0.objects >= 0 }) else {
            throw FreeholdError(.corrupt, "class '\(stored.name)' counts fewer objects than were deleted from it; run `freehold check`")
        }
        madeRoot = state.writeRoot(table: number, in: pending)
        return madeRoot
    }

    private func tailRanges() -> [Range<Int>] {
        var ranges: [Range<Int>] = []
        var start = 0, bytes = 0
        for place in 0..<buffer.count {
            let length = buffer.row(place).length
            if place - start == Self.tailBlockRows || bytes + length > Self.tailBlockBytes, place > start {
                ranges.append(start..<place)
                start = place
                bytes = 0
            }
            bytes += length
        }
        if buffer.count > start { ranges.append(start..<buffer.count) }
        return ranges
    }
}
