/// The known facts about each page of a damaged file: which granules hold blocks that the root reaches, which commit
/// wrote the page, and how much of it lives.
///
/// A page is written once per life, by one commit, so the birth of one of its blocks is the birth of all. Takes 16
/// bytes a page.
struct PageEvidence {
    private var claimed: ContiguousArray<UInt64>
    private var births: ContiguousArray<UInt64>
    private let map: SpaceMap?

    init(pageCount: Int, map: SpaceMap?) {
        claimed = ContiguousArray(repeating: 0, count: pageCount)
        births = ContiguousArray(repeating: 0, count: pageCount)
        self.map = map
    }

    var knowsWhatLives: Bool { map != nil }

    func isClaimed(_ granule: Int) -> Bool {
        let page = granule >> 6
        return page < claimed.count && claimed[page] & (1 << UInt64(granule & 63)) != 0
    }

    /// Marks the granules of a block as reached from the root.
    mutating func claim(_ reference: BlockReference) {
        forEachPage(of: reference) { page, first, count in
            guard page < claimed.count else { return }
            claimed[page] |= (~UInt64(0) >> UInt64(64 - count)) << UInt64(first)
        }
    }

    /// Records when the pages of a block that matches its reference were written.
    mutating func noteBirth(_ reference: BlockReference) {
        forEachPage(of: reference) { page, _, _ in
            if page < births.count { births[page] = reference.birth }
        }
    }

    /// The version whose commit wrote the granule's page; nil if it is not known.
    func birth(ofGranule granule: Int) -> UInt64? {
        let page = granule >> 6
        if let map, page < map.table.count, PageMark.isLive(map.table.mark(page)) { return map.table.interval(page).birth }
        return page < births.count && births[page] != 0 ? births[page] : nil
    }

    /// Whether the space map proves that a block which the root does not reach does not belong to its version: a page
    /// of the block is not alive, or everything alive in it is reached.
    func isProvenDead(_ reference: BlockReference) -> Bool {
        guard let map, reference.birth <= map.version else { return false }
        var isDead = false
        forEachPage(of: reference) { page, _, count in
            guard page < map.table.count, page < claimed.count, PageMark.isLive(map.table.mark(page)) else {
                isDead = true
                return
            }
            if Int(map.table.mark(page)) - claimed[page].nonzeroBitCount < count { isDead = true }
        }
        return isDead
    }

    private func forEachPage(of reference: BlockReference, _ body: (_ page: Int, _ first: Int, _ count: Int) -> Void) {
        var granule = Int(reference.granuleIndex), left = reference.granuleCount
        while left > 0 {
            let first = granule & 63, count = min(left, 64 - first)
            body(granule >> 6, first, count)
            granule += count
            left -= count
        }
    }
}
