extension SpaceMap {
    /// Records the blocks that the commit frees: sorted, neighbours joined, each checked against the map.
    func recordFreed(_ blocks: [BlockReference]) throws(FreeholdError) {
        freed.removeAll()
        for block in blocks {
            try checkBirth(block)
            freed.append(FreedRange(granule: block.granuleIndex, count: block.granuleCount))
        }
        sortFreed()
        try joinFreed()
        try checkLive()
        assert(zip(freed.all, freed.all.dropFirst()).allSatisfy { $0.granule + UInt64($0.count) < $1.granule }, "freed ranges touch or overlap")
    }

    /// Applies the overlay to the map, once the commit's record is complete.
    func apply() {
        guard nextVersion > 0 else { return }
        if folded { table.forgetTouches() }
        for run in taken.all { applyTaken(run, version: nextVersion) }
        for range in freed.all { applyFreed(range, version: nextVersion) }
        version = nextVersion
        swap(&log, &stagedLog)
        close()
        assert(log.lastVersion == version, "the log of version \(version) ends with version \(log.lastVersion)")
        checkInvariants()
    }

    /// Discards the overlay: the commit failed or was never written.
    func discard() {
        guard nextVersion > 0 else { return }
        // Pages that were filled before this commit stay reserved.
        for run in taken.all where table.mark(run.page) != PageMark.reserved { runs.insert(run.page, run.pageCount) }
        if table.count > committedPages {
            runs.remove(committedPages, table.count - committedPages)
            table.shrink(to: committedPages)
        } else if table.count < committedPages {
            let trimmed = table.count
            table.extend(to: committedPages)
            runs.insert(trimmed, committedPages - trimmed)
        }
        close()
        checkInvariants()
    }

    private func close() {
        nextVersion = 0
        folded = false
        taken.removeAll()
        freed.removeAll()
    }

    // MARK: one run, one range

    func applyTaken(_ run: TakenRun, version: UInt64) {
        assert(run.granules > 0 && run.page >= Self.headerPages && run.page + run.pageCount <= table.count, "a taken run exceeds the file")
        var left = run.granules
        for page in run.page..<run.page + run.pageCount {
            table.setMark(page, UInt8(min(left, BlockLayout.granulesPerPage)))
            table.setInterval(page, PageInterval(birth: version, death: 0))
            table.touch(page)
            assert(left > 0, "a page of a taken run has no block")
            left -= BlockLayout.granulesPerPage
        }
        usedPages += run.pageCount
        liveGranules += run.granules
    }

    func applyFreed(_ range: FreedRange, version: UInt64) {
        forEachPage(of: range) { page, granules in
            assert(PageMark.isLive(table.mark(page)) && Int(table.mark(page)) >= granules, "more is freed in page \(page) than lives there (4)")
            let mark = table.mark(page) - UInt8(granules)
            table.setMark(page, mark)
            table.touch(page)
            if mark == PageMark.dead {
                table.setDeath(page, version)
                usedPages -= 1
                waiting.add(page)
            }
            return true
        }
        liveGranules -= range.count
    }

    /// Calls `body` with each page of `range` and the range's granules in it, until it returns false.
    @inline(__always) @discardableResult
    func forEachPage(of range: FreedRange, _ body: (Int, Int) -> Bool) -> Bool {
        var granule = Int(range.granule), left = range.count
        while left > 0 {
            let inPage = min(left, BlockLayout.granulesPerPage - granule & 63)
            if !body(granule >> 6, inPage) { return false }
            granule += inPage
            left -= inPage
        }
        return true
    }

    // MARK: checks

    private func checkBirth(_ block: BlockReference) throws(FreeholdError) {
        let range = FreedRange(granule: block.granuleIndex, count: block.granuleCount)
        let fits = forEachPage(of: range) { page, _ in
            page < table.count && PageMark.isLive(table.mark(page)) && table.interval(page).birth == block.birth
        }
        guard fits, !block.isPending else {
            throw damaged("the block at byte \(block.byteOffset), born in \(block.birth), is freed but not live")
        }
    }

    /// Checks that no page loses more granules than live in it.
    private func checkLive() throws(FreeholdError) {
        var last = -1, sum = 0
        for range in freed.all {
            let fits = forEachPage(of: range) { page, granules in
                sum = page == last ? sum + granules : granules
                last = page
                return sum <= Int(table.mark(page))
            }
            guard fits else { throw damaged("more is freed at granule \(range.granule) than lives there") }
        }
    }

    private func sortFreed() {
        if freed.count > 24 {
            freed.sort { $0.granule < $1.granule }
            return
        }
        for index in 1..<max(1, freed.count) {
            let range = freed[index]
            var place = index
            while place > 0, freed[place - 1].granule > range.granule {
                freed[place] = freed[place - 1]
                place -= 1
            }
            freed[place] = range
        }
    }

    private func joinFreed() throws(FreeholdError) {
        guard freed.count > 1 else { return }
        var last = 0
        for index in 1..<freed.count {
            let range = freed[index], end = freed[last].granule + UInt64(freed[last].count)
            guard range.granule >= end else { throw damaged("granule \(range.granule) is freed twice") }
            if range.granule == end {
                freed[last] = FreedRange(granule: freed[last].granule, count: freed[last].count + range.count)
            } else {
                last += 1
                freed[last] = range
            }
        }
        freed.shrink(to: last + 1)
    }
}
