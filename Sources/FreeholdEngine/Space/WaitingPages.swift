/// The pages whose blocks are all dead but which held versions may still see.
///
/// A waiting page is filed under its *witness*: the newest held version in [birth, death). Only when the witness is
/// no longer held is the page examined again. So a stuck reader costs nothing per commit, however much it keeps.
///
/// 1. Every dead page is in `recent` or under a held version of its interval.
/// 2. Entries may be stale (the page was taken by another process) or duplicates; the page's mark decides.
/// 3. A page once reusable stays so: no version can become held again that was not held meanwhile.
///
/// Safe throughout: buckets hold `bucketCount` initialised entries of `bucketCapacity`.
final class WaitingPages {
    struct Bucket {
        var version: UInt64
        var pages: NumberList
    }

    private let table: PageTable
    private let runs: RunIndex
    // Safe: only the writer's thread uses these, and nothing here re-enters.
    @exclusivity(unchecked) private(set) var buckets: UnsafeMutablePointer<Bucket>
    @exclusivity(unchecked) private var other: UnsafeMutablePointer<Bucket>
    @exclusivity(unchecked) private(set) var bucketCount = 0
    @exclusivity(unchecked) private var bucketCapacity = 16
    @exclusivity(unchecked) private(set) var recent = NumberList()
    @exclusivity(unchecked) private(set) var departed = NumberList()
    @exclusivity(unchecked) private var spare = NumberList()

    init(table: PageTable, runs: RunIndex) {
        self.table = table
        self.runs = runs
        buckets = .allocate(capacity: 16)
        other = .allocate(capacity: 16)
    }

    deinit {
        for index in 0..<bucketCount { buckets[index].pages.deallocate() }
        buckets.deallocate()
        other.deallocate()
        recent.deallocate()
        departed.deallocate()
        spare.deallocate()
    }

    /// Files a page that has just died.
    @inline(__always) func add(_ page: Int) { recent.append(page) }

    /// Makes the pages reusable that no version of `held` (ascending) can see.
    func settle(held: [UInt64]) {
        assert(zip(held, held.dropFirst()).allSatisfy { $0 < $1 }, "held versions ascend")
        held.withUnsafeBufferPointer { if !matches($0) { rebuild($0) } }
        settle(&recent)
        if departed.count > 0 { settle(&departed) }
        assert(recent.count == 0 && departed.count == 0, "a page that died or lost its witness was not looked at")
    }

    /// Dead pages kept by each held version alone or together with older ones, as of the last `settle`.
    func cost() -> [(version: UInt64, pages: Int)] {
        (0..<bucketCount).map { (buckets[$0].version, buckets[$0].pages.count) }.filter { $0.1 > 0 }
    }

    private func matches(_ held: UnsafeBufferPointer<UInt64>) -> Bool {
        guard held.count == bucketCount else { return false }
        for index in 0..<bucketCount where buckets[index].version != held[index] { return false }
        return true
    }

    /// Brings the buckets in line with `held`; the pages of versions that are no longer held move to `departed`.
    private func rebuild(_ held: UnsafeBufferPointer<UInt64>) {
        if held.count > bucketCapacity { growBuckets(to: held.count) }
        var old = 0
        for (index, version) in held.enumerated() {
            while old < bucketCount, buckets[old].version < version { depart(&buckets[old].pages); old += 1 }
            var pages = NumberList()
            if old < bucketCount, buckets[old].version == version { pages = buckets[old].pages; old += 1 }
            (other + index).initialize(to: Bucket(version: version, pages: pages))
        }
        while old < bucketCount { depart(&buckets[old].pages); old += 1 }
        swap(&buckets, &other)
        bucketCount = held.count
        assert(bucketCount <= bucketCapacity, "more held versions than buckets")
    }

    private func depart(_ pages: inout NumberList) {
        if departed.count == 0, pages.hasMemory {
            let emptied = departed
            departed = pages
            pages = emptied
        } else {
            for index in 0..<pages.count { departed.append(pages[index]) }
        }
        pages.removeAll()
        if pages.hasMemory, !spare.hasMemory { spare = pages } else { pages.deallocate() }
    }

    /// Examines each page of `list` again and empties it; neighbours are released as one run.
    private func settle(_ list: inout NumberList) {
        var start = 0, length = 0
        for index in 0..<list.count {
            let page = list[index]
            guard page < table.count, table.mark(page) == PageMark.dead else { continue }
            if let witness = witness(of: table.interval(page)) {
                if !buckets[witness].pages.hasMemory { swap(&buckets[witness].pages, &spare) }
                buckets[witness].pages.append(page)
                continue
            }
            table.setMark(page, PageMark.taken)
            if page == start + length, length > 0 {
                length += 1
            } else {
                if length > 0 { runs.insert(start, length) }
                (start, length) = (page, 1)
            }
        }
        if length > 0 { runs.insert(start, length) }
        list.removeAll()
    }

    /// The index of the newest held version in [birth, death).
    private func witness(of interval: PageInterval) -> Int? {
        var low = 0, high = bucketCount
        while low < high {
            let middle = (low + high) / 2
            if buckets[middle].version < interval.death { low = middle + 1 } else { high = middle }
        }
        assert(interval.death > 0, "a page with live blocks has no witness")
        return low > 0 && buckets[low - 1].version >= interval.birth ? low - 1 : nil
    }

    private func growBuckets(to count: Int) {
        let capacity = max(count, bucketCapacity * 2)
        let larger = UnsafeMutablePointer<Bucket>.allocate(capacity: capacity)
        larger.moveInitialize(from: buckets, count: bucketCount)
        buckets.deallocate()
        other.deallocate()
        buckets = larger
        other = .allocate(capacity: capacity)
        bucketCapacity = capacity
    }
}
