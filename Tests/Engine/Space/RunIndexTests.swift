import TestKit
import Testing
@testable import FreeholdEngine

@Suite("Run index and waiting pages, against naive models")
struct RunIndexTests {
    private func makeTable(_ pages: Int) -> (PageTable, RunIndex) {
        let table = PageTable()
        table.extend(to: pages)
        return (table, RunIndex(pages: table))
    }

    @Test("Runs are always the maximal stretches of reusable pages", arguments: UInt64(1)...4)
    func maximalRuns(seed: UInt64) {
        let count = 3000
        let (_, runs) = makeTable(count)
        var free = [Bool](repeating: false, count: count), random = SeededRandom(seed: seed)
        for step in 0..<3000 {
            let start = Int.random(in: 0..<count, using: &random)
            let length = min(count - start, Int.random(in: 1...(step % 10 == 0 ? 300 : 3), using: &random))
            switch step % 4 {
            case 0, 1:
                let end = free[start..<start + length].firstIndex(of: true) ?? start + length
                if end > start { runs.insert(start, end - start) }
                for page in start..<end { free[page] = true }
            case 2:
                let before = longestRun(free)
                let taken = runs.take(length)
                #expect((taken != nil) == (before >= length))
                if let taken { clear(&free, taken, length) }
            default:
                if step % 8 == 3, let part = runs.takeLargest(atMost: length) { clear(&free, part.start, part.length) }
                let end = free[start..<start + length].firstIndex(of: false) ?? start + length
                if end > start { runs.remove(start, end - start) }
                for page in start..<end { free[page] = false }
            }
            if step % 50 == 0 { #expect(runs.allRuns() == stretches(free)) }
            #expect(runs.pageCount == free.count { $0 })
        }
    }

    private func clear(_ free: inout [Bool], _ start: Int, _ length: Int) {
        for page in start..<start + length {
            #expect(free[page])
            free[page] = false
        }
    }

    private func stretches(_ free: [Bool]) -> [Range<Int>] {
        var found: [Range<Int>] = [], page = 0
        while page < free.count {
            guard free[page] else { page += 1; continue }
            let end = free[page...].firstIndex(of: false) ?? free.count
            found.append(page..<end)
            page = end
        }
        return found
    }

    private func longestRun(_ free: [Bool]) -> Int { stretches(free).map(\.count).max() ?? 0 }

    @Test("A short need takes the shortest run that fits")
    func bestFit() {
        let (_, runs) = makeTable(1000)
        runs.insert(10, 5)
        runs.insert(100, 3)
        runs.insert(200, 40)
        #expect(runs.take(3) == 100)
        #expect(runs.take(4) == 10)
        #expect(runs.take(2) == 200)
        #expect(runs.take(38) == 202)
        #expect(runs.take(2) == nil)
        #expect(runs.allRuns() == [14..<15])
    }

    @Test("A dead page becomes reusable exactly when no held version lies in its interval", arguments: UInt64(1)...4)
    func waitingPages(seed: UInt64) {
        let count = 600
        let (table, runs) = makeTable(count)
        let waiting = WaitingPages(table: table, runs: runs)
        var random = SeededRandom(seed: seed), held: [UInt64] = [], dead: [Int: PageInterval] = [:], next = 0
        for version in UInt64(2)...400 {
            if next < count {
                let interval = PageInterval(birth: UInt64.random(in: 0..<version, using: &random), death: version)
                table.setMark(next, PageMark.dead)
                table.setInterval(next, interval)
                waiting.add(next)
                if Bool.random(using: &random) { waiting.add(next) }
                dead[next] = interval
                next += 1
            }
            // Versions leave in any order; only the newest one joins.
            held = held.filter { _ in Int.random(in: 0..<8, using: &random) > 0 } + [version]
            waiting.settle(held: held)
            for (page, interval) in dead where !held.contains(where: { interval.birth <= $0 && $0 < interval.death }) {
                #expect(PageMark.isReusable(table.mark(page)), "page \(page) of \(interval) beside \(held)")
                dead[page] = nil
            }
            for page in dead.keys { #expect(table.mark(page) == PageMark.dead) }
            #expect(waiting.cost().map(\.version).allSatisfy(held.contains))
        }
    }
}
