extension CommitWriter {
    /// Gives each block its place: all in one run if one fits, else in up to `maximumRuns` of the longest runs.
    func place(_ pending: PendingBlocks, _ root: SpaceRootDraft) throws(FreeholdError) {
        let others = totalGranules
        placed.removeAll()
        lengths[root.index] = root.granules(runs: 1 + attachedRuns)
        let pages = Self.pages(others + root.granules(runs: 1 + attachedRuns))
        if let start = try map.takeWhole(pages) {
            var granule = UInt64(start) << 6
            placeAll(lasting, &granule)
            placeAll(passing, &granule)
            assert(granule <= UInt64(start + pages) << 6, "blocks cross the end of their run (9)")
            checkPlaced(others + lengths[root.index])
            map.recordTaken(page: start, granules: Int(granule) - start << 6)
            return
        }
        lengths[root.index] = root.granules(runs: SpaceMap.maximumRuns + 1 + attachedRuns)
        try placeInParts(granules: others + root.granules(runs: SpaceMap.maximumRuns + 1 + attachedRuns))
        checkPlaced(others + lengths[root.index])
    }

    /// Asserts that each reached block has got its place, and only these.
    private func checkPlaced(_ granules: Int) {
        assert(placed.count == lasting.count + passing.count, "\(placed.count) of \(lasting.count + passing.count) blocks have a place")
        assert((0..<placed.count).reduce(0) { $0 + lengths[placed[$1]] } == granules, "the placed blocks are not as long as they were measured")
    }

    private static func pages(_ granules: Int) -> Int {
        (granules + BlockLayout.granulesPerPage - 1) / BlockLayout.granulesPerPage
    }

    @inline(__always) private func placeAll(_ list: NumberList, _ granule: inout UInt64) {
        for index in 0..<list.count { place(list[index], &granule) }
    }

    @inline(__always) private func place(_ index: Int, _ granule: inout UInt64) {
        let length = UInt64(lengths[index])
        assert(length > 0 && length <= UInt64(BlockLayout.maximumGranules(isEncrypted: sealed != nil)), "a block of \(length) granules")
        assert(granule + length <= UInt64(map.table.count) << 6, "a block exceeds the file")
        final[index] = BlockReference(location: granule << 16 | length, birth: map.nextVersion, check: 0, tag: 0)
        granule += length
        placed.append(index)
    }

    /// Fills one run after the other: the first block longer than a page, if any is left, then what fits beside it.
    private func placeInParts(granules: Int) throws(FreeholdError) {
        waitingForPlace.removeAll()
        for index in 0..<lasting.count { waitingForPlace.append(lasting[index]) }
        for index in 0..<passing.count { waitingForPlace.append(passing[index]) }
        var left = granules
        while waitingForPlace.count > 0 {
            let mayShare = map.taken.count - attachedRuns + 1 < SpaceMap.maximumRuns, long = firstLong()
            let least = long.map { Self.pages(lengths[waitingForPlace[$0]]) } ?? 1
            let run = try map.takePart(atMost: Self.pages(left), atLeast: least, mayShare: mayShare)
            left -= fill(run.start, run.length, startingWith: long ?? 0)
        }
    }

    /// The position of the first waiting block that is longer than a page.
    private func firstLong() -> Int? {
        for position in 0..<waitingForPlace.count
        where lengths[waitingForPlace[position]] > BlockLayout.granulesPerPage { return position }
        return nil
    }

    /// Places the blocks that fit into a run and releases its unused pages. Returns the granules placed.
    private func fill(_ start: Int, _ length: Int, startingWith first: Int) -> Int {
        var granule = UInt64(start) << 6, kept = 0
        let end = UInt64(start + length) << 6
        place(waitingForPlace[first], &granule)
        for position in 0..<waitingForPlace.count where position != first {
            let index = waitingForPlace[position]
            if granule + UInt64(lengths[index]) <= end {
                place(index, &granule)
            } else {
                waitingForPlace[kept] = index
                kept += 1
            }
        }
        waitingForPlace.shrink(to: kept)
        let used = Int(granule) - start << 6
        assert(granule <= end && used > 0, "blocks cross the end of their run (9)")
        map.recordTaken(page: start, granules: used)
        map.giveBack(start + Self.pages(used), length - Self.pages(used))
        return used
    }
}
