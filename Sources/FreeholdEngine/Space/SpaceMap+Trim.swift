extension SpaceMap {
    /// The page from which on blocks are moved towards the start, so that the end of a mostly reusable file can be cut
    /// off; `Int.max` in other files.
    var shrinkLine: Int {
        if let compactingBelow { return compactingBelow }
        if table.count < 256 || runs.pageCount <= table.count / 2 { return Int.max }
        return (table.count - runs.pageCount) * 3 / 2
    }

    /// The length in bytes that the file could have without losing anything a held version sees: reusable pages at the
    /// end are dropped, except the slack that a file of that size would keep. Equal to `length` if little would be
    /// gained.
    func trimmableLength(held: [UInt64]) -> UInt64 {
        if nextVersion == 0 { waiting.settle(held: held) }
        return UInt64(trimmablePages()) * UInt64(BlockLayout.page)
    }

    private func trimmablePages() -> Int {
        guard let last = runs.lastRun() else { return table.count }
        if compactingBelow != nil { return min(table.count, last.start + 8) }
        let kept = last.start + min(last.length, max(8, last.start / 40))
        return table.count - kept >= max(64, table.count / 8) ? kept : table.count
    }

    /// Lets the commit being written end the file after `length` bytes, if all pages beyond are reusable. The pages for
    /// its own blocks are taken before.
    func trim(to length: UInt64) {
        let pages = Int(length / UInt64(BlockLayout.page))
        guard pages < table.count, let last = runs.lastRun(), last.start <= pages else { return }
        assert(nextVersion != 0 && pages >= Self.headerPages, "a commit keeps the header pages")
        runs.remove(pages, table.count - pages)
        table.shrink(to: pages)
    }

    /// Whether the commit being written makes the file shorter than before.
    var isTrimming: Bool { table.count < committedPages }
}
