/// The invariants of the map, asserted after the steps that change it. Counts that come from the file were checked when
/// they were read; what is asserted here follows from this code alone.
extension SpaceMap {
    /// The longest file of which each step is checked page by page; of longer ones only every 64th version is.
    private static let smallFile = 256

    /// Asserts the invariants. It does nothing in builds without assertions.
    func checkInvariants() {
        assert(table.count >= Self.headerPages, "the map lost its header pages")
        assert(usedPages >= 0 && liveGranules >= usedPages, "a used page has no live granule")
        assert(liveGranules <= usedPages * BlockLayout.granulesPerPage, "more granules live than the used pages have")
        assert(runs.pageCount >= 0 && usedPages + runs.pageCount <= table.count - Self.headerPages, "pages are used and reusable at once")
        assert(log.lastVersion <= version && log.foldVersion <= version && log.base <= version, "the log is newer than its map")
        assert(log.chunkCount >= 0, "a space root without the reference to its fold")
        assert(nextVersion == 0 || nextVersion > version, "a commit makes a version that is not newer")
        assert(nextVersion != 0 || taken.count == 0 && freed.count == 0 && !folded, "an overlay without a commit (3)")
        assert((table.count > Self.smallFile && version % 64 != 0) || hasConsistentPages(), "see `hasConsistentPages`")
    }

    /// Compares counts, run index and waiting pages with the marks of all pages; stops at the first difference.
    private func hasConsistentPages() -> Bool {
        var used = 0, granules = 0, reusable = 0, dead: [Int] = []
        for page in 0..<table.count {
            let mark = table.mark(page)
            assert((mark == PageMark.header) == (page < Self.headerPages), "page \(page) is marked \(mark): header pages are the first four")
            assert(mark != PageMark.absent, "page \(page) of \(table.count) is marked absent")
            assert(mark != PageMark.taken || nextVersion != 0, "page \(page) is taken by no commit")
            assert(mark != PageMark.reserved || reserved.contains(page), "page \(page) is reserved for nobody")
            if PageMark.isLive(mark) {
                used += 1
                granules += Int(mark)
            } else if PageMark.isReusable(mark) {
                reusable += 1
            } else if mark == PageMark.dead {
                dead.append(page)
            }
        }
        assert(used == usedPages, "\(used) pages have live granules, \(usedPages) are counted")
        assert(granules == liveGranules, "\(granules) granules live, \(liveGranules) are counted (4)")
        assert(reusable == runs.pageCount, "\(reusable) pages are reusable, \(runs.pageCount) are in runs")
        runs.checkInvariants()
        waiting.checkInvariants(dead: dead)
        return true
    }
}

extension RunIndex {
    /// Asserts the invariants of all runs; the cost is that of their number.
    func checkInvariants() {
        var sum = 0, end = -1
        for run in allRuns() {
            assert(run.lowerBound > end, "the run at page \(run.lowerBound) touches the one before it (1)")
            assert(run.upperBound <= pages.count, "the run at page \(run.lowerBound) exceeds the file")
            assert(PageMark.startsRun(pages.mark(run.lowerBound)), "the run at page \(run.lowerBound) has no first page")
            assert(PageMark.endsRun(pages.mark(run.upperBound - 1)), "the run at page \(run.lowerBound) has no last page")
            assert(run.count == 1 || Int(pages.interval(run.upperBound - 1).birth) == run.lowerBound, "a run's last page names another first one")
            assert(run.dropFirst().allSatisfy { !PageMark.startsRun(pages.mark($0)) }, "a run begins within the run at page \(run.lowerBound)")
            sum += run.count
            end = run.upperBound
        }
        assert(sum == pageCount, "\(sum) pages are in runs, \(pageCount) are counted")
        assert(listsAreOfTheirClass(), "see `listsAreOfTheirClass`")
    }
}

extension WaitingPages {
    /// Asserts that each dead page is filed, and under a version that can see it.
    func checkInvariants(dead: [Int]) {
        var filed = Set<Int>()
        for index in 0..<recent.count { filed.insert(recent[index]) }
        for bucket in 0..<bucketCount {
            assert(bucket == 0 || buckets[bucket - 1].version < buckets[bucket].version, "held versions do not ascend")
            for index in 0..<buckets[bucket].pages.count { filed.insert(buckets[bucket].pages[index]) }
        }
        assert(departed.count == 0, "pages whose witness is no longer held were not looked at again (10)")
        assert(dead.allSatisfy(filed.contains), "a dead page waits under no version: it would never be used again (1)")
    }
}
