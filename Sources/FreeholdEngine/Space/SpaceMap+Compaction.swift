extension SpaceMap {
    /// The page from which on no block is needed once all blocks lie close together, with a little room for changes
    /// meanwhile.
    var compactLine: Int { Self.headerPages + (liveGranules / BlockLayout.granulesPerPage) * 103 / 100 + 24 }

    /// Number of reusable pages below the line, in at most as many runs as one commit may take.
    func pagesBelow(_ line: Int) -> Int {
        var pages = 0
        for run in runs.allRuns().prefix(Self.maximumRuns * 2 / 3) where run.lowerBound < line { pages += min(run.upperBound, line) - run.lowerBound }
        return pages
    }

    /// Whether a compaction moves the block: it lies beyond the line, or in pages of which a tenth or more is dead.
    func isOutOfPlace(_ block: BlockReference, line: Int) -> Bool {
        let first = Int(block.granuleIndex >> 6), last = block.lastPage
        guard !block.isNull, last < table.count else { return false }
        if last >= line { return true }
        var live = 0
        for page in first...last { live += Int(table.mark(page)) }
        return live * 10 < (last - first + 1) * BlockLayout.granulesPerPage * 9
    }

    /// Reusable runs whose storage may be returned to the disk, starting at the file's end, so that `reserve` pages
    /// stay as they are for the next commits. Short runs are left alone.
    func punchableRuns(keeping reserve: Int, atMost limit: Int) -> [Range<Int>] {
        var excess = min(runs.pageCount - reserve, limit)
        var chosen: [Range<Int>] = []
        for run in runs.allRuns().reversed() where excess > 0 && run.count >= Self.shortestHole {
            let count = min(run.count, excess)
            chosen.append(run.upperBound - count..<run.upperBound)
            excess -= count
        }
        return chosen
    }

    private static let shortestHole = 64
}
