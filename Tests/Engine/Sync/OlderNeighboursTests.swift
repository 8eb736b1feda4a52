import TestKit
import Testing

@testable import FreeholdEngine

@Suite struct OlderNeighboursTests {
    /// Runs of a few replicas in any order, with positions of which each is there once.
    private static func list(_ random: inout SeededRandom) -> [IdentityRun] {
        var runs: [IdentityRun] = [], next = [UInt64](repeating: 1, count: 4)
        for _ in 0..<random.below(30) {
            let replica = 1 + random.below(random.oneIn(2) ? 1 : 3), count = 1 + random.below(4)
            runs.append(IdentityRun(SyncIdentity(replica: replica, count: next[replica]), count: count))
            next[replica] += UInt64(count + random.below(2))
        }
        return runs.shuffled(using: &random)
    }

    /// Of none, one or two identities of the file's own.
    private static func own(_ random: inout SeededRandom) -> [Int] { [[], [1], [3, 1], [1, 2]][random.below(4)] }

    private static func isOlder(_ other: SyncIdentity, _ position: SyncIdentity, _ own: [Int]) -> Bool {
        if other.replica == position.replica { return other.count < position.count }
        guard let one = own.firstIndex(of: other.replica) else { return true }
        return own.firstIndex(of: position.replica).map { one < $0 } ?? false
    }

    @Test("other neighbours that are looked for in a wider and wider window are those of the whole list", arguments: TestScale.seeds(100))
    func windows(seed: UInt64) throws {
        var random = SeededRandom(seed: seed)
        let runs = Self.list(&random), origin = PendingOrigin(slot: 0, epoch: 1), stamp = SyncStamp(rawValue: 1)
        if runs.isEmpty { return }
        let ages = PositionAges(own: Self.own(&random))
        let gone = SyncIdentity(replica: 9, count: 1), center = random.below(runs.count), around = random.below(runs.count)
        func moved(_ window: (Int) -> ListWindow) throws -> [ElementChange] {
            var notes = ElementNotes()
            notes.load(ElementChange(.inserted, runs[center], left: gone, right: gone), stamp, origin)
            notes.vanish(gone.rawValue...gone.rawValue)
            try notes.moveNeighbours(in: window)
            return notes.added.map(\.change)
        }
        let whole = try moved { _ in ListWindow(runs, ages) }
        var calls = 0
        let found = try moved { width in
            calls += 1
            let low = max(0, around - width + 1), high = min(runs.count, around + width)
            return ListWindow(Array(runs[low..<high]), hasBegin: low == 0, hasEnd: high == runs.count, ages)
        }
        #expect(found == whole && whole.count == 1 && calls > 0, "seed \(seed)")
        #expect(whole.allSatisfy { $0.left != gone && $0.right != gone })
    }

    @Test("neighbours are the next older positions, as a walk over all positions finds them", arguments: TestScale.seeds(200))
    func neighbours(seed: UInt64) {
        var random = SeededRandom(seed: seed)
        let runs = Self.list(&random), own = Self.own(&random), neighbours = OlderNeighbours(runs, PositionAges(own: own))
        let all = runs.enumerated().flatMap { place, run in (0..<run.count).map { (place, run.position.advanced(by: $0)) } }
        for (index, (place, position)) in all.enumerated() {
            let left = all[..<index].last { Self.isOlder($0.1, position, own) }?.1 ?? .none
            let right = all[(index + 1)...].first { Self.isOlder($0.1, position, own) }?.1 ?? .none
            #expect(neighbours.left(of: position, at: place) == left, "seed \(seed), the left of \(index)")
            #expect(neighbours.right(of: position, at: place) == right, "seed \(seed), the right of \(index)")
        }
    }
}
