/// An index of the reusable pages, as runs found by length. Lists of runs by size class are linked through the pages'
/// own intervals (a reusable page has no history), so the index takes no memory of its own.
///
/// ```
/// first page of a run   birth: length | next << 32     death: previous
/// last page (if other)  birth: first page of the run
/// ```
/// 1. Runs never touch: an inserted run is joined with its neighbours.
/// 2. A class up to 32 pages holds one length; above, eight classes an octave.
/// 3. Insert, take and remove cost the same for any number of runs.
final class RunIndex {
    private static let none = UInt32.max
    private static let classCount = 256

    let pages: PageTable
    private let heads: UnsafeMutablePointer<UInt32>
    private let occupied: UnsafeMutablePointer<UInt64>
    /// Number of reusable pages in all runs.
    // Safe: only the writer's thread uses the index, and nothing here re-enters it.
    @exclusivity(unchecked) private(set) var pageCount = 0

    init(pages: PageTable) {
        self.pages = pages
        heads = .allocate(capacity: Self.classCount)
        heads.initialize(repeating: Self.none, count: Self.classCount)
        occupied = .allocate(capacity: Self.classCount / 64)
        occupied.initialize(repeating: 0, count: Self.classCount / 64)
    }

    deinit {
        heads.deallocate()
        occupied.deallocate()
    }

    /// Adds pages that are in no run yet, and joins them with the adjacent runs.
    func insert(_ start: Int, _ length: Int) {
        assert(start >= 0 && length > 0 && start + length <= pages.count, "pages \(start) + \(length) are not the file's")
        assert((start..<start + length).allSatisfy { !PageMark.isReusable(pages.mark($0)) }, "pages from \(start) on are reusable already")
        var first = start, end = start + length
        if first > 0, PageMark.endsRun(pages.mark(first - 1)) {
            first = startOfRun(endingAt: first - 1)
            unlink(first)
        }
        if end < pages.count, PageMark.startsRun(pages.mark(end)) {
            let next = end
            end += self.length(next)
            unlink(next)
        }
        // The joined ends become inner pages.
        if first < start { pages.setMark(start - 1, PageMark.reusable) }
        if end > start + length { pages.setMark(start + length, PageMark.reusable) }
        for page in start..<start + length { pages.setMark(page, PageMark.reusable) }
        pageCount += length
        link(first, end - first)
    }

    /// Takes the first `need` pages of the shortest run that is long enough (above 32 pages: of any fitting run).
    func take(_ need: Int) -> Int? {
        guard let start = findRun(need) else { return nil }
        carve(start, need, runStart: start, runLength: length(start))
        return start
    }

    /// Takes the first `need` pages of the run nearest to the file's start, among the first `looks` runs that fit.
    func takeLowest(_ need: Int, looks: Int) -> Int? {
        var lowest: Int?, left = looks, head = Self.sizeClass(need)
        while left > 0, let next = lowestOccupied(from: head) {
            var run = heads[next]
            while run != Self.none, left > 0 {
                if length(Int(run)) >= need { lowest = min(lowest ?? Int.max, Int(run)) }
                run = self.next(Int(run))
                left -= 1
            }
            head = next + 1
        }
        if let lowest { carve(lowest, need, runStart: lowest, runLength: length(lowest)) }
        return lowest
    }

    /// Takes up to `most` pages from the start of a run of the longest class.
    func takeLargest(atMost most: Int) -> (start: Int, length: Int)? {
        guard let longest = highestOccupied() else { return nil }
        let start = Int(heads[longest]), whole = length(start)
        carve(start, min(most, whole), runStart: start, runLength: whole)
        return (start, min(most, whole))
    }

    /// Takes reusable pages at any position in their run, because another process has taken them.
    func remove(_ start: Int, _ length: Int) {
        assert(PageMark.isReusable(pages.mark(start)), "page \(start) is in no run")
        var runStart = start
        while !PageMark.startsRun(pages.mark(runStart)) { runStart -= 1 }
        carve(start, length, runStart: runStart, runLength: self.length(runStart))
    }

    /// The run that ends with the file's last page.
    func lastRun() -> (start: Int, length: Int)? {
        guard pages.count > 0, PageMark.endsRun(pages.mark(pages.count - 1)) else { return nil }
        let start = startOfRun(endingAt: pages.count - 1)
        return (start, pages.count - start)
    }

    /// All runs, in the order of the file.
    func allRuns() -> [Range<Int>] {
        var runs: [Range<Int>] = []
        for head in 0..<Self.classCount {
            var run = heads[head]
            while run != Self.none {
                runs.append(Int(run)..<Int(run) + length(Int(run)))
                run = next(Int(run))
            }
        }
        return runs.sorted { $0.lowerBound < $1.lowerBound }
    }

    // MARK: runs

    /// Takes [start, start + length) out of its run and marks it taken; the pages before and after stay in the index.
    private func carve(_ start: Int, _ length: Int, runStart: Int, runLength: Int) {
        assert(length > 0 && start >= runStart && start + length <= runStart + runLength, "pages \(start) + \(length) are not all of one run")
        unlink(runStart)
        for page in start..<start + length { pages.setMark(page, PageMark.taken) }
        pageCount -= length
        if start > runStart { link(runStart, start - runStart) }
        let rest = runStart + runLength - (start + length)
        if rest > 0 { link(start + length, rest) }
    }

    private func findRun(_ need: Int) -> Int? {
        var from = Self.sizeClass(need)
        if need > 32 {
            var run = heads[from]
            for _ in 0..<8 where run != Self.none {
                if length(Int(run)) >= need { return Int(run) }
                run = next(Int(run))
            }
            from += 1
        }
        return lowestOccupied(from: from).map { Int(heads[$0]) }
    }

    @inline(__always) private func length(_ run: Int) -> Int { Int(pages.interval(run).birth & 0xffff_ffff) }
    @inline(__always) private func next(_ run: Int) -> UInt32 {
        UInt32(truncatingIfNeeded: pages.interval(run).birth >> 32)
    }

    private func startOfRun(endingAt page: Int) -> Int {
        PageMark.startsRun(pages.mark(page)) ? page : Int(pages.interval(page).birth)
    }

    private func link(_ run: Int, _ length: Int) {
        assert(length > 0 && run + length <= pages.count, "a run of \(length) pages at page \(run) of \(pages.count)")
        let head = Self.sizeClass(length), old = heads[head]
        pages.setInterval(run, PageInterval(birth: UInt64(length) | UInt64(old) << 32, death: UInt64(Self.none)))
        if old != Self.none { pages.setDeath(Int(old), UInt64(run)) }
        heads[head] = UInt32(run)
        occupied[head >> 6] |= 1 << UInt64(head & 63)
        if length == 1 {
            pages.setMark(run, PageMark.reusable | PageMark.first | PageMark.last)
        } else {
            pages.setMark(run, PageMark.reusable | PageMark.first)
            pages.setMark(run + length - 1, PageMark.reusable | PageMark.last)
            pages.setBirth(run + length - 1, UInt64(run))
        }
    }

    private func unlink(_ run: Int) {
        assert(PageMark.startsRun(pages.mark(run)), "no run begins at page \(run)")
        let following = next(run), previous = UInt32(truncatingIfNeeded: pages.interval(run).death)
        let head = Self.sizeClass(length(run))
        assert(previous != Self.none || heads[head] == UInt32(run), "the run at page \(run) is in no list")
        if following != Self.none { pages.setDeath(Int(following), UInt64(previous)) }
        if previous != Self.none {
            let kept = UInt64(length(Int(previous)))
            pages.setBirth(Int(previous), kept | UInt64(following) << 32)
        } else {
            heads[head] = following
            if following == Self.none { occupied[head >> 6] &= ~(1 << UInt64(head & 63)) }
        }
    }

    // MARK: size classes

    @inline(__always) private static func sizeClass(_ length: Int) -> Int {
        if length <= 32 { return length - 1 }
        let octave = 31 - UInt32(truncatingIfNeeded: length).leadingZeroBitCount
        return 32 + (octave - 5) * 8 + (length >> (octave - 3)) & 7
    }

    /// Whether each list holds runs of its class only, linked both ways, and is marked occupied if it has any.
    func listsAreOfTheirClass() -> Bool {
        for head in 0..<Self.classCount {
            assert((occupied[head >> 6] >> UInt64(head & 63) & 1 != 0) == (heads[head] != Self.none), "class \(head) is marked wrong")
            var run = heads[head], previous = Self.none
            while run != Self.none {
                assert(Self.sizeClass(length(Int(run))) == head, "the run at page \(run) is in the list of another class (2)")
                assert(UInt32(truncatingIfNeeded: pages.interval(Int(run)).death) == previous, "the run at page \(run) is linked one way only")
                (previous, run) = (run, next(Int(run)))
            }
        }
        return true
    }

    private func lowestOccupied(from head: Int) -> Int? {
        if head >= Self.classCount { return nil }
        var word = head >> 6
        var bits = occupied[word] & (~0 << UInt64(head & 63))
        while bits == 0 {
            word += 1
            if word == Self.classCount / 64 { return nil }
            bits = occupied[word]
        }
        return word << 6 + bits.trailingZeroBitCount
    }

    private func highestOccupied() -> Int? {
        for word in (0..<Self.classCount / 64).reversed() where occupied[word] != 0 {
            return word << 6 + 63 - occupied[word].leadingZeroBitCount
        }
        return nil
    }
}
