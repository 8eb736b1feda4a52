extension TableWriter {
    private func countSealed() {
        state.root.sealedCount += buffer.count
        guard let family = stored.family else { return }
        for place in 0..<buffer.count { state.root.count(1, of: state.tag(of: buffer.row(place), family)) }
    }

    /// Moves every row of tail and buffer into clusters, and their keys into the pending index operations.
    func seal() throws(FreeholdError) {
        assert(tail.phase != .settled, "open tail (4): nothing seals after the end")
        try pending.requireWhole()
        saveIfWanted()
        state.forgetTailOrders()
        try absorbTails()
        try change { () throws(FreeholdError) in
            try dictionaries.choose(for: table)
            if buffer.count > 0 { try sealBuffer() }
            if indexes.hasUnique { try tombstones.record(in: indexes) }
            try indexes.mergeAll(unlessFew: true)
        }
        assert(checkInvariants(fully: true), "the invariants hold")
    }

    private func sealBuffer() throws(FreeholdError) {
        try tombstones.record(in: indexes)
        indexes.noteCodes()
        defer { indexes.forgetCodes() }
        try merge(places: buffer.placesByKey())
        try indexes.recordRows()
        countSealed()
        buffer.removeAll()
        claims.forget()
    }

    /// Runs a change of the table that takes several steps. If it throws, the transaction is not committed, and no
    /// further change begins.
    @inline(__always)
    func change<Result>(_ steps: () throws(FreeholdError) -> Result) throws(FreeholdError) -> Result {
        do throws(FreeholdError) { return try pending.change(steps) } catch {
            tail.expectPreparation()
            throw error
        }
    }

    /// Runs a change of several steps that may refuse what the caller asks for before they change anything.
    @inline(__always)
    func request<Result>(_ steps: () throws(FreeholdError) -> Result) throws(FreeholdError) -> Result {
        do throws(FreeholdError) { return try pending.request(steps) } catch {
            tail.expectPreparation()
            throw error
        }
    }

    /// Re-encodes clusters that have deleted rows.
    func compact() throws(FreeholdError) {
        try change { () throws(FreeholdError) in
            try tombstones.record(in: indexes)
            if !tombstones.isEmpty { try merge(places: []) }
        }
    }

    private func merge(places: [Int]) throws(FreeholdError) {
        var merge = ClusterMerge(writer: self, places: places, compacting: tombstones.clusters.sorted())
        state.root.clusters = try merge.apply(to: state.root.clusters)
        tombstones.removeAll()
    }

    /// The tree over a column, with every pending operation merged.
    func index(_ column: Int) throws(FreeholdError) -> BlockReference {
        try pending.requireWhole()
        saveIfWanted()
        try change { () throws(FreeholdError) in
            try tombstones.record(in: indexes)
            try indexes.merge(column)
        }
        return state.root.auxiliary(.index, column)
    }

    /// Ends the transaction's work on the objects of this class: seals what is too much for a tail, merges the trees,
    /// and creates all blocks of the new version but the table root, which refers to what is derived from the objects.
    func settle() throws(FreeholdError) {
        if tail.phase == .settled { return }
        let waiting = state.tailCount
        var ranges = tailRanges()
        if waiting > Self.tailRows || buffer.longestRow > Self.tailBlockBytes || buffer.holdsTrees
            || ranges.count + state.tails.count > TableRoot.maximumTails {
            try seal()
            ranges = []
        }
        try compact()
        try indexes.mergeAll()
        try writeDictionaries()
        assert(checkInvariants(fully: true) && indexes.checkInvariants(isAtEnd: true), "the invariants hold")
        assert(tombstones.isEmpty, "(4): no cluster with marks reaches the file")
        for range in ranges {
            state.root.tails.append(TailView.make(buffer, range, table: number, in: pending))
        }
        state.root.tailCount = state.tailCount
        guard state.root.sealedCount >= 0, state.root.classCounts.allSatisfy({ $0.objects >= 0 }) else {
            throw FreeholdError(.corrupt, "class '\(stored.name)' counts fewer objects than were deleted from it; run `freehold check`")
        }
        tail.settle(tails: ranges.count)
        assert(checkInvariants(), "the invariants hold")
    }

    /// Creates the table root of a class that is settled.
    func writeRoot() -> BlockReference {
        assert(tail.phase == .settled, "open tail (4): the root is the last block")
        let root = state.writeRoot(table: number, in: pending)
        tail.finish(root)
        return root
    }

    /// Writes the dictionaries that got new strings.
    func writeDictionaries() throws(FreeholdError) {
        for (column, dictionary) in state.dictionaries.enumerated() {
            guard let dictionary, dictionary.isChanged else { continue }
            state.root.setAuxiliary(.dictionary, column, try dictionary.write(table: number, column: column, in: pending))
        }
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
