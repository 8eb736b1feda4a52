import Testing

@testable import FreeholdEngine

@Suite("Placing a commit's pages")
struct PlacementTests {
    /// A map of 100 pages, all in use but the last ten.
    private func nearlyFullMap() -> SpaceMap {
        let map = SpaceMap(path: "nearly full")
        map.table.extend(to: 100)
        for page in SpaceMap.headerPages..<90 { map.table.setMark(page, PageMark.full) }
        map.usedPages = 90 - SpaceMap.headerPages
        map.liveGranules = map.usedPages * BlockLayout.granulesPerPage
        map.runs.insert(90, 10)
        map.begin(version: 1, held: [])
        return map
    }

    // A commit may take so many runs and no more; what is left then goes to the end of the file, which grows by what
    // is missing there. Nothing was missing when a run at the end was long enough: the file "grew" by less than nothing.
    @Test("What is left for the last run goes into free pages that end the file, if they are enough", arguments: [1, 4, 10])
    func lastRunFits(pages: Int) throws {
        let map = nearlyFullMap()
        let part = try map.takePart(atMost: pages, atLeast: 1, mayShare: false)
        #expect(part.start >= 90 && part.length == pages)
        #expect(map.table.count == 100 && map.reusablePages == 10 - pages)
    }

    @Test("The file grows by what its last free pages lack")
    func growing() throws {
        let map = nearlyFullMap()
        let part = try map.takePart(atMost: 14, atLeast: 1, mayShare: false)
        #expect(part.start == 90 && part.length == 14)
        #expect(map.table.count == 104)
    }

    // Lists of free runs are by size, above 32 pages several sizes a list, and only its first runs are examined. Where the run that
    // ends the file was long enough but further down, the file "grew" by nothing or less.
    @Test("Free pages that end the file are taken though many shorter runs of their list come first", arguments: [34, 35])
    func longEnoughButLast(pages: Int) throws {
        let map = SpaceMap(path: "many holes"), holes = 100, first = SpaceMap.headerPages + 1, last = first + holes * 34
        map.table.extend(to: last + 35)
        for page in SpaceMap.headerPages..<last { map.table.setMark(page, PageMark.full) }
        map.runs.insert(last, 35)
        for hole in 0..<holes { map.runs.insert(first + hole * 34, 33) }
        map.usedPages = last - SpaceMap.headerPages - holes * 33
        map.liveGranules = map.usedPages * BlockLayout.granulesPerPage
        map.begin(version: 1, held: [])
        let part = try map.takePart(atMost: pages, atLeast: 1, mayShare: false)
        #expect(part.start == last && part.length == pages)
        #expect(map.table.count == last + 35 && map.reusablePages == holes * 33 + 35 - pages)
    }
}
