extension SpaceMap {
    /// Loads the map of the version whose space root is `root` (null: nothing was ever written), from its fold and log.
    static func load(version: UInt64, root: BlockReference, length: UInt64, access: BlockAccess, path: String)
        throws(FreeholdError) -> SpaceMap {
        let map = SpaceMap(path: path)
        // While loading, reusable pages are only marked taken; the run index is built once, at the end.
        let pages = try map.pages(of: length)
        map.table.extend(to: pages)
        for page in headerPages..<pages { map.table.setMark(page, PageMark.taken) }
        map.version = version
        if !root.isNull {
            try map.readLog(root, of: version, access)
            try map.readFold(map.log.fold, firstPage: 0, level: nil, access)
            try map.replay(after: map.log.foldVersion, access)
        }
        map.indexRuns()
        map.checkInvariants()
        return map
    }

    /// Brings the map to a newer version of the same lineage by replaying its log. False or an error means that the log
    /// does not reach back far enough, or is damaged: this map is unusable then, load another.
    func catchUp(to newer: UInt64, root: BlockReference, length: UInt64, access: BlockAccess)
        throws(FreeholdError) -> Bool {
        discard()
        if newer == version { return true }
        let foldBefore = log.foldVersion, own = version
        try readLog(root, of: newer, access)
        guard newer > own, log.base <= own else { return false }
        if log.foldVersion != foldBefore { table.forgetTouches() }
        try resize(to: length)
        try replay(after: own, access)
        version = newer
        checkInvariants()
        return true
    }

    private func readLog(_ root: BlockReference, of version: UInt64, _ access: BlockAccess) throws(FreeholdError) {
        let view = try access.view(root)
        if let complaint = SpaceLog.complaint(about: view, of: version) { throw damaged(complaint) }
        log.copy(view, as: root)
    }

    // MARK: length

    /// Sets the map's number of pages. Pages that a shorter file loses hold nothing of the new version, whatever the
    /// log says about them.
    private func resize(to length: UInt64) throws(FreeholdError) {
        let pages = try pages(of: length), old = table.count
        if pages > old {
            table.extend(to: pages)
            runs.insert(old, pages - old)
        } else {
            for page in pages..<old { dropPage(page) }
            table.shrink(to: pages)
        }
    }

    private func pages(of length: UInt64) throws(FreeholdError) -> Int {
        let pages = length / UInt64(BlockLayout.page)
        guard pages >= UInt64(Self.headerPages), pages <= UInt64(PageTable.maximumPages) else {
            throw damaged("a length of \(length) bytes makes no sense")
        }
        return Int(pages)
    }

    private func dropPage(_ page: Int) {
        let mark = table.mark(page)
        if PageMark.isReusable(mark) { runs.remove(page, 1) }
        guard PageMark.isLive(mark) else { return }
        usedPages -= 1
        liveGranules -= Int(mark)
    }

    // MARK: fold

    private func readFold(_ reference: BlockReference, firstPage: Int, level: Int?, _ access: BlockAccess)
        throws(FreeholdError) {
        if reference.isNull { return }
        let view = try access.view(reference)
        let own = view.kind == .spaceInner ? Int(view.variant) : 0
        guard level == nil || level == own, own <= SpaceFold.maximumLevel, view.referenceCount <= SpaceFold.fanOut else {
            throw damaged("the fold's node of page \(firstPage) stands at a wrong level")
        }
        if view.kind == .spaceInner {
            let span = SpaceFold.pages(level: own - 1)
            for child in 0..<view.referenceCount where firstPage + child * span < table.count {
                try readFold(view.reference(child), firstPage: firstPage + child * span, level: own - 1, access)
            }
            return
        }
        let complaint = SpaceLeaf.unpack(view, firstPage: firstPage, limit: table.count) { page, mark, interval in
            adopt(page, mark, interval)
        }
        if let complaint { throw damaged(complaint) }
    }

    private func adopt(_ page: Int, _ mark: UInt8, _ interval: PageInterval) {
        guard page >= Self.headerPages, mark <= PageMark.full else { return }
        table.setMark(page, mark)
        table.setInterval(page, interval)
        if mark == PageMark.dead { return waiting.add(page) }
        usedPages += 1
        liveGranules += Int(mark)
    }

    /// Builds the run index of a loaded map: pages still marked taken are reusable.
    private func indexRuns() {
        var page = Self.headerPages
        while page < table.count {
            guard table.mark(page) == PageMark.taken else { page += 1; continue }
            let start = page
            while page < table.count, table.mark(page) == PageMark.taken { page += 1 }
            runs.insert(start, page - start)
        }
    }

    // MARK: log

    /// Replays the records of versions above `own`; pages changed after the fold count as touched.
    private func replay(after own: UInt64, _ access: BlockAccess) throws(FreeholdError) {
        for index in 0..<log.chunkCount {
            let nextFirst = index + 1 < log.chunkCount ? try firstVersion(log.chunk(index + 1), access)
                : log.openRecords.count > 0 ? log.openFirstVersion : UInt64.max
            if nextFirst <= own { continue }
            let view = try access.view(log.chunk(index))
            guard view.kind == .spaceChunk, view.referenceCount == 0 else { throw damaged("chunk \(index) is none") }
            try replay(UnsafeRawBufferPointer(start: view.body, count: view.bodyLength),
                       from: UInt64(bitPattern: view.firstKey), after: own)
        }
        try replay(log.openRecords, from: log.openFirstVersion, after: own)
    }

    private func firstVersion(_ chunk: BlockReference, _ access: BlockAccess) throws(FreeholdError) -> UInt64 {
        UInt64(bitPattern: try access.view(chunk).firstKey)
    }

    private func replay(_ records: UnsafeRawBufferPointer, from first: UInt64, after own: UInt64) throws(FreeholdError) {
        var reader = NumberReader(records), version = first
        while !reader.isAtEnd {
            let (next, overflow) = version.addingReportingOverflow(UInt64(try number(&reader)))
            guard !overflow, next <= log.lastVersion else { throw damaged("a record is newer than its log") }
            version = next
            try replayRanges(&reader, version, version > own)
            try replayRuns(&reader, version, version > own)
        }
    }

    private func replayRuns(_ reader: inout NumberReader, _ version: UInt64, _ wanted: Bool) throws(FreeholdError) {
        var end = 0
        for _ in 0..<(try number(&reader)) {
            let gap = try number(&reader), granules = try number(&reader)
            guard gap <= PageTable.maximumPages, (1...PageTable.maximumPages * 64).contains(granules)
            else { throw damaged("version \(version) took pages that cannot be") }
            let run = TakenRun(page: end + gap, granules: granules)
            guard run.page >= Self.headerPages, run.page + run.pageCount <= PageTable.maximumPages
            else { throw damaged("version \(version) took pages that cannot be") }
            end = run.page + run.pageCount
            if wanted { try replayTaken(run, version) }
        }
    }

    private func replayRanges(_ reader: inout NumberReader, _ version: UInt64, _ wanted: Bool) throws(FreeholdError) {
        let limit = PageTable.maximumPages * BlockLayout.granulesPerPage
        var end = 0
        for _ in 0..<(try number(&reader)) {
            let gap = try number(&reader), count = try number(&reader)
            guard gap <= limit, (1...limit).contains(count), end + gap + count <= limit else {
                throw damaged("version \(version) freed granules that cannot be")
            }
            let start = end + gap
            end = start + count
            if wanted { try replayFreed(start..<end, version) }
        }
    }

    private func number(_ reader: inout NumberReader) throws(FreeholdError) -> Int {
        guard let number = reader.read() else { throw damaged("a record is cut short") }
        return number
    }

    /// Replays one taken run. A page beyond the file's end at the version being read is skipped: a trim has since
    /// emptied it.
    private func replayTaken(_ run: TakenRun, _ version: UInt64) throws(FreeholdError) {
        let visible = max(0, min(run.pageCount, table.count - run.page))
        if visible == 0 { return }
        for page in run.page..<run.page + visible {
            let mark = table.mark(page)
            if PageMark.isReusable(mark) { runs.remove(page, 1) }
            guard PageMark.isReusable(mark) || mark == PageMark.dead || mark == PageMark.taken || mark == PageMark.reserved else {
                throw damaged("version \(version) took page \(page), in which blocks live")
            }
        }
        let granules = min(run.granules, visible * BlockLayout.granulesPerPage)
        applyTaken(TakenRun(page: run.page, granules: granules), version: version)
    }

    private func replayFreed(_ range: Range<Int>, _ version: UInt64) throws(FreeholdError) {
        let end = min(range.upperBound, table.count * BlockLayout.granulesPerPage)
        if range.lowerBound >= end { return }
        let visible = FreedRange(granule: UInt64(range.lowerBound), count: end - range.lowerBound)
        let fits = forEachPage(of: visible) { page, granules in
            PageMark.isLive(table.mark(page)) && Int(table.mark(page)) >= granules
        }
        guard fits else { throw damaged("version \(version) freed blocks at granule \(visible.granule) that do not live") }
        applyFreed(visible, version: version)
    }
}
