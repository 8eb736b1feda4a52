/// The space map: the state of the file's pages at one version, and the changes of the commit being written.
///
/// 1. A page is written once per life, by one commit. It is written again only when every block in it is dead and no
///    held version lies in [birth, last death).
/// 2. The pages that a commit takes and frees are an overlay: `apply` merges it into the map once the commit's record
///    is complete, `discard` drops it. Until then the granules it frees count as live and its runs as taken by nobody
///    else.
/// 3. The map is a function of the version's space root and the held versions; every process derives the same.
/// 4. A free is checked against the map before anything is written: freeing a block twice, or one that is not there, is
///    damage, not a smaller file.
///
/// One process's writer owns it, under the writer lock.
final class SpaceMap {
    /// Pages before the first data page.
    static let headerPages = 4
    static let maximumRuns = 64

    let path: String
    let table = PageTable()
    let runs: RunIndex
    let waiting: WaitingPages

    // Safe (all exclusivity below): only the writer's thread uses the map, and nothing here re-enters it.
    /// The version that the map shows.
    @exclusivity(unchecked) var version: UInt64 = 0
    /// Number of pages with live granules.
    @exclusivity(unchecked) var usedPages = 0
    @exclusivity(unchecked) var liveGranules = 0
    @exclusivity(unchecked) var log = SpaceLog()

    /// The version being written, or 0.
    @exclusivity(unchecked) var nextVersion: UInt64 = 0
    @exclusivity(unchecked) var taken = RunBuffer<TakenRun>()
    @exclusivity(unchecked) var freed = RunBuffer<FreedRange>()
    @exclusivity(unchecked) var committedPages = 0
    @exclusivity(unchecked) var stagedLog = SpaceLog()
    @exclusivity(unchecked) var folded = false
    /// Pages that processes fill outside the writer lock (`SpaceMap+Reserved`), as of `reservedAsOf`.
    @exclusivity(unchecked) var reserved = RangeSet<Int>()
    /// The change number of the reservations that `reserved` shows.
    @exclusivity(unchecked) var reservedAsOf: UInt64 = 0
    /// The page from which on no block is to lie, while a compaction moves blocks; nil otherwise.
    @exclusivity(unchecked) var compactingBelow: Int?

    /// Creates the map of an empty file: header pages only.
    init(path: String) {
        self.path = path
        runs = RunIndex(pages: table)
        waiting = WaitingPages(table: table, runs: runs)
        table.extend(to: Self.headerPages)
        for page in 0..<Self.headerPages { table.setMark(page, PageMark.header) }
    }

    deinit {
        taken.deallocate()
        freed.deallocate()
    }

    /// Bytes of the file at this version.
    var length: UInt64 { UInt64(table.count) * UInt64(BlockLayout.page) }
    /// Bytes of live blocks.
    var liveBytes: UInt64 { UInt64(liveGranules) * UInt64(BlockLayout.granule) }
    var reusablePages: Int { runs.pageCount }
    /// Number of pages whose blocks are dead but may be seen by held versions, including reserved pages.
    // Allowed: tests compare it with what a walk finds.
    var waitingPages: Int { table.count - Self.headerPages - usedPages - runs.pageCount }
    /// Live granules per granule of used pages, in hundredths.
    var utilization: Int {
        usedPages == 0 ? 100 : liveGranules * 100 / (usedPages * BlockLayout.granulesPerPage)
    }

    func damaged(_ what: String) -> FreeholdError {
        FreeholdError(.corrupt, "the space map of version \(version) is damaged: \(what); restore a backup or run "
            + "`freehold salvage`", path: path)
    }
}

/// A growing buffer of runs that keeps its memory. Its owner deallocates it.
///
/// Safe throughout: `count` never exceeds `capacity`, which is what `elements` was allocated for.
struct RunBuffer<Element: BitwiseCopyable> {
    private(set) var count = 0
    private var capacity = 128
    private(set) var elements = UnsafeMutablePointer<Element>.allocate(capacity: 128)

    @inline(__always) subscript(index: Int) -> Element {
        get {
            assert(index >= 0 && index < count, "an element of the buffer")
            return elements[index]
        }
        nonmutating set {
            assert(index >= 0 && index < count, "an element of the buffer")
            elements[index] = newValue
        }
    }

    var all: UnsafeBufferPointer<Element> { UnsafeBufferPointer(start: elements, count: count) }

    func sort(by precedes: (Element, Element) -> Bool) {
        var elements = UnsafeMutableBufferPointer(start: elements, count: count)
        elements.sort(by: precedes)
    }

    @inline(__always) mutating func append(_ element: Element) {
        if count == capacity { grow() }
        (elements + count).initialize(to: element)
        count &+= 1 // Cannot wrap: bounded by capacity.
    }

    mutating func removeAll() { count = 0 }
    mutating func shrink(to count: Int) { self.count = min(count, self.count) }
    func deallocate() { elements.deallocate() }

    private mutating func grow() {
        let larger = UnsafeMutablePointer<Element>.allocate(capacity: capacity * 2)
        larger.moveInitialize(from: elements, count: count)
        elements.deallocate()
        elements = larger
        capacity *= 2
    }
}
