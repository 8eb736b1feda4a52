/// Reserved pages: processes fill them outside the writer lock, with values too long to be written under it.
///
/// The map is updated with these pages before each commit; the file does not record them. In every version, and after
/// any crash, they are pages like any other that can be taken.
///
/// 1. A page is reserved only if it is reusable: no held version sees what was in it, and none ever will.
/// 2. A reserved page is in no run, so no commit takes it, cuts it off or punches a hole in it. Versions created
///    meanwhile are long enough to contain it.
/// 3. A list may name live pages: a commit took their value over, and its process died before it updated the list. They
///    stay as they are, as do dead ones that a held version still sees.
extension SpaceMap {
    /// Brings the map in line with the pages reserved at present; `held` is ascending. Not while a commit is being
    /// written.
    func keep(_ wanted: RangeSet<Int>, held: [UInt64]) throws(FreeholdError) {
        discard()
        waiting.settle(held: held)
        for pages in reserved.subtracting(wanted).ranges { release(pages) }
        reserved = wanted
        if let end = wanted.ranges.last?.upperBound, end > table.count { try grow(by: end - table.count) }
        for pages in wanted.ranges { hide(pages) }
        assert(reserved.ranges.last?.upperBound ?? 0 <= table.count, "a reserved page lies beyond the file's end (11)")
        checkInvariants()
    }

    /// Reserves up to `wanted` pages in one run, at least a quarter of them; makes the file longer if there is no such
    /// run.
    func reserve(_ wanted: Int) throws(FreeholdError) -> Range<Int> {
        var run = runs.take(wanted).map { ($0, wanted) }
        if run == nil, let longest = runs.takeLargest(atMost: wanted) {
            if longest.length * 4 >= wanted { run = longest } else { runs.insert(longest.start, longest.length) }
        }
        assert(nextVersion == 0, "pages are reserved between commits")
        let (start, count) = if let run { run } else { (try growAndTake(wanted, slack: false), wanted) }
        for page in start..<start + count { table.setMark(page, PageMark.reserved) }
        assert(count * 4 >= wanted && count <= wanted, "a reserved run has at least a quarter of the wanted pages")
        assert(reserved.intersection(RangeSet(start..<start + count)).isEmpty, "a page is reserved twice (11)")
        reserved.insert(contentsOf: start..<start + count)
        checkInvariants()
        return start..<start + count
    }

    /// Releases reserved pages that could not be entered into the list.
    func giveBackReserved(_ pages: Range<Int>) {
        release(pages)
        reserved.remove(contentsOf: pages)
    }

    private func release(_ pages: Range<Int>) {
        for run in parts(of: pages, where: { $0 == PageMark.reserved }) {
            for page in run { table.setMark(page, PageMark.taken) }
            runs.insert(run.lowerBound, run.count)
        }
    }

    private func hide(_ pages: Range<Int>) {
        for run in parts(of: pages, where: PageMark.isReusable) {
            runs.remove(run.lowerBound, run.count)
            for page in run { table.setMark(page, PageMark.reserved) }
        }
    }

    /// The longest parts of `pages` in which every page's mark satisfies `fits`.
    private func parts(of pages: Range<Int>, where fits: (UInt8) -> Bool) -> [Range<Int>] {
        var found: [Range<Int>] = []
        var start: Int?
        let pages = pages.clamped(to: 0..<table.count)
        for page in pages {
            if fits(table.mark(page)) {
                start = start ?? page
            } else if let first = start {
                found.append(first..<page)
                start = nil
            }
        }
        if let start { found.append(start..<pages.upperBound) }
        return found
    }
}
