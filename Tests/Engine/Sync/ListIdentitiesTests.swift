@testable import FreeholdEngine
import TestKit
import Testing

/// The identities of one list as parts with labels, without a file.
@Suite struct ListIdentitiesTests {
    private static let head: [UInt8] = Array(repeating: 7, count: IdentityKey.listHead)

    /// The list after an edit: its parts in the order of their keys, as a tree has them.
    private static func applied(_ edits: [ListIdentities.Edit], to list: ListIdentities) throws -> ListIdentities {
        var list = list
        let (gone, new) = try list.applying(edits, head: head)
        let left = try list.parts().filter { part in !gone.contains { $0.label == part.label } }.map { (key: $0.key, count: $0.count) }
        let sorted = (left + new).sorted { $0.key.lexicographicallyPrecedes($1.key) }
        var parts: [ListIdentities.Part] = []
        for (key, count) in sorted {
            let part = ListIdentities.Part(key, count)
            #expect(part.runs?.elements == count && key.count <= IdentityKey.partHead + IdentityChunk.maximumBytes + 64)
            parts.append(part)
        }
        #expect(Set(parts.map(\.label)).count == parts.count)
        return ListIdentities(parts: parts)
    }

    /// A window is a stretch of the list that has what was edited, and says whether the list begins and ends with it.
    private static func expect(_ window: ListWindow, around edits: [ListIdentities.Edit], in plain: [[UInt64]]) throws {
        let own = flat(window.runs), all = edits.flatMap { flat($0.runs) }
        let start = own.first.flatMap { plain.firstIndex(of: $0) } ?? 0
        #expect(Array(plain[start...].prefix(own.count)) == own && all.allSatisfy { own.contains($0) })
        #expect(window.hasBegin ? start == 0 : start > 0 || own.isEmpty)
        #expect(window.hasEnd ? start + own.count == plain.count : start + own.count < plain.count || own.isEmpty)
    }

    private static func flat(_ runs: [IdentityRun]) -> [[UInt64]] {
        runs.flatMap { run in (0..<run.count).map { [run.first.rawValue + UInt64($0), run.position.rawValue + UInt64($0)] } }
    }

    @Test("edits of parts give the same identities as edits of a plain list", arguments: TestScale.seeds(8, full: 60))
    func edits(seed: UInt64) throws {
        var random = SeededRandom(seed: seed), list = ListIdentities(parts: []), plain: [[UInt64]] = [], next: UInt64 = 1
        for round in 0..<300 {
            var edits: [ListIdentities.Edit] = [], position = 0
            let wanted = random.oneIn(10) ? 20 : 1 + random.below(3)
            while edits.count < wanted, position <= plain.count {
                let low = position + random.below(max(1, plain.count - position + 1)) / (wanted > 3 ? 8 : 1)
                let high = min(plain.count, low + (random.oneIn(2) ? random.below(round > 200 ? 60 : 4) : 0))
                var runs: [IdentityRun] = []
                for _ in 0..<random.below(4) {
                    let count = 1 + random.below(3), replica = 1 + random.below(3)
                    let first = SyncIdentity(replica: replica, count: next)
                    let position = random.oneIn(4) ? SyncIdentity(replica: 1, count: next + 500_000) : first
                    runs.append(IdentityRun(first: first, position: position, count: count))
                    next += UInt64(count)
                }
                if low < high || !runs.isEmpty { edits.append(ListIdentities.Edit(old: low..<high, runs: runs)) }
                position = high + 1
                if plain.isEmpty { break }
            }
            var before = list
            let windows = try [0, 1, 3, before.partCount].map { try before.window(after: edits, parts: $0, PositionAges()) }
            list = try Self.applied(edits, to: list)
            for edit in edits.reversed() { plain.replaceSubrange(edit.old, with: Self.flat(edit.runs)) }
            for window in windows { try Self.expect(window, around: edits, in: plain) }
            if let all = windows.last { #expect(all.hasBegin && all.hasEnd && Self.flat(all.runs) == plain) }
            var all = list
            #expect(try Self.flat(all.runs(0..<all.count)) == plain, "seed \(seed), round \(round)")
            if !plain.isEmpty {
                let low = random.below(plain.count), range = low..<min(plain.count, low + 5)
                #expect(try Self.flat(all.runs(range)) == Array(plain[range]))
                #expect(try all.position(at: low).rawValue == plain[low][1])
            }
        }
        #expect(try list.position(at: -1) == .none && list.position(at: list.count) == .none)
    }

    @Test("typing in one place takes labels between two others until there are none, then all get new ones")
    func labels() throws {
        let far = IdentityRun(SyncIdentity(replica: 2, count: 1), count: 1)
        var list = ListIdentities(parts: []), plain: [[UInt64]] = [], relabelled = 0
        list = try Self.applied([ListIdentities.Edit(old: 0..<0, runs: [far])], to: list)
        plain = Self.flat([far])
        for step in 0..<120 as Range<UInt64> {
            // Behind the first element, backwards, so that every one is a run of its own, and the first part always grows.
            let runs = (0..<60 as Range<UInt64>).map { offset in
                IdentityRun(SyncIdentity(replica: 1, count: 100_000 - (step * 60 + offset) * 2), count: 1)
            }
            let last = try list.parts().last?.label, isLong = list.partCount > 3
            list = try Self.applied([ListIdentities.Edit(old: 1..<1, runs: runs)], to: list)
            plain.insert(contentsOf: Self.flat(runs), at: 1)
            if isLong, try list.parts().last?.label != last { relabelled += 1 }
        }
        var all = list
        #expect(try Self.flat(all.runs(0..<all.count)) == plain && list.partCount > 30)
        #expect(relabelled > 0)
    }

    @Test("a million consecutive elements are one part of a few bytes, and one typed behind them lengthens it")
    func consecutive() throws {
        let million = IdentityRun(SyncIdentity(replica: 1, count: 1), count: 1_000_000)
        var list = try Self.applied([ListIdentities.Edit(old: 0..<0, runs: [million])], to: ListIdentities(parts: []))
        #expect(try list.partCount == 1 && list.part(0).key.count < 40)
        let next = IdentityRun(SyncIdentity(replica: 1, count: 1_000_001), count: 1)
        list = try Self.applied([ListIdentities.Edit(old: 1_000_000..<1_000_000, runs: [next])], to: list)
        #expect(try list.count == 1_000_001 && list.partCount == 1 && list.part(0).runs?.count == 1)
    }

    @Test("bytes that no writer makes are refused, or are runs that have the same bytes", arguments: TestScale.seeds(20))
    func forged(seed: UInt64) {
        var random = SeededRandom(seed: seed)
        for _ in 0..<500 {
            let bytes = (0..<random.below(12)).map { _ in
                UInt8(truncatingIfNeeded: random.oneIn(3) ? random.next() : UInt64(random.below(8)))
            }
            guard let runs = IdentityChunk.runs(bytes[...]) else { continue }
            var made: [UInt8] = [], expected: UInt64 = 0
            for run in runs { IdentityChunk.append(run, &expected, to: &made) }
            #expect(IdentityChunk.runs(made[...]) == runs && made.count <= bytes.count)
        }
    }
}
