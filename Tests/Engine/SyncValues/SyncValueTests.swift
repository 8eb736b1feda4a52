import TestKit
import Testing
@testable import FreeholdEngine

@Suite("Stamps, clocks, identities and cursors of sync")
struct SyncValueTests {
    @Test("a stamp has 48 bits of milliseconds and 16 of a counter, and a full counter carries")
    func stamps() {
        let stamp = SyncStamp(milliseconds: 1_764_000_000_000)
        #expect(stamp.milliseconds == 1_764_000_000_000 && stamp.counter == 0)
        #expect(stamp.successor.counter == 1 && stamp.successor > stamp)
        let full = SyncStamp(rawValue: stamp.rawValue | 0xFFFF)
        #expect(full.successor.milliseconds == 1_764_000_000_001 && full.successor.counter == 0)
        #expect(SyncStamp(milliseconds: -5) == .none)
        #expect(SyncStamp(milliseconds: .max).milliseconds == SyncStamp.maximumMilliseconds)
        #expect(SyncStamp(rawValue: .max).successor.rawValue == .max)
        #expect(full.description == "1764000000000.65535")
    }

    @Test("a clock's stamps are above all it has given or seen, whatever the wall clock does", arguments: Seeds.all)
    func clocks(seed: UInt64) {
        var random = SeededRandom(seed: seed)
        var clock = HybridClock(), highest = SyncStamp.none, wall: Int64 = 1_000_000
        for _ in 0..<500 {
            switch random.below(5) {
            case 0: wall += Int64(random.below(5000)) - 2500
            case 1:
                let stamp = SyncStamp(milliseconds: wall + Int64(random.below(2000)) - 1000)
                clock.see(stamp)
                highest = max(highest, stamp)
                #expect(clock.seen >= stamp)
            case 2: clock.offset = Int64(random.below(2000)) - 1000
            default:
                let stamp = clock.next(wallMilliseconds: wall)
                #expect(stamp > highest)
                #expect(stamp >= SyncStamp(milliseconds: wall + clock.offset))
                highest = stamp
            }
        }
    }

    @Test("a clock follows the corrected wall clock when it can")
    func correcting() {
        var clock = HybridClock(offset: -300)
        #expect(clock.next(wallMilliseconds: 1000) == SyncStamp(milliseconds: 700))
        #expect(clock.next(wallMilliseconds: 1000) == SyncStamp(milliseconds: 700).successor)
        #expect(clock.corrected(.min) == .min)
        clock.offset = 1
        #expect(clock.corrected(.max) == .max)
    }

    @Test("a clock that ran ahead is set back to the server's time, and not below what was seen")
    func settingBack() {
        var clock = HybridClock()
        clock.see(SyncStamp(milliseconds: 500))
        _ = clock.next(wallMilliseconds: 9000)
        clock.setBack(toServerMilliseconds: 400)
        #expect(clock.last == SyncStamp(milliseconds: 500))
        clock.setBack(toServerMilliseconds: 700)
        #expect(clock.next(wallMilliseconds: 0) == SyncStamp(milliseconds: 700).successor)
    }

    @Test("an identity has 16 bytes, and its order is that of the bytes", arguments: Seeds.all)
    func identities(seed: UInt64) throws {
        var random = SeededRandom(seed: seed)
        let all = (0..<50).map { _ in ReplicaIdentity(high: random.next() % 3, low: random.next()) }
        for one in all {
            #expect(ReplicaIdentity(bytes: one.bytes) == one && one.bytes.count == 16)
            #expect(one.description.utf8.count == 32)
            for other in all { #expect((one < other) == one.bytes.lexicographicallyPrecedes(other.bytes)) }
        }
        #expect(ReplicaIdentity(bytes: [1, 2, 3]) == nil)
        #expect(ReplicaIdentity(high: 1, low: 0xAB).description == "000000000000000100000000000000ab")
    }

    @Test("a cursor contains what had ended, and its bytes give it back", arguments: Seeds.all)
    func cursors(seed: UInt64) throws {
        var random = SeededRandom(seed: seed)
        for _ in 0..<50 {
            let next = UInt64(1 + random.below(300))
            let running = Set((0..<random.below(12)).map { _ in UInt64(random.below(300)) }).filter { $0 > 0 && $0 < next }.sorted()
            let cursor = try #require(SyncCursor(next: next, running: running))
            for transaction in 1..<UInt64(310) {
                #expect(cursor.contains(transaction) == (transaction < next && running.firstIndex(of: transaction) == nil))
            }
            #expect(cursor.oldest == (running.first ?? next))
            #expect(try SyncCursor(bytes: cursor.bytes) == cursor)
        }
        #expect(!SyncCursor.never.contains(1))
        #expect(try SyncCursor(bytes: SyncCursor.never.bytes) == .never)
    }

    @Test("a cursor that no snapshot can be is refused")
    func invalidCursors() {
        for (next, running) in [(0, []), (5, [5]), (5, [0]), (5, [3, 3]), (5, [3, 2]), (5, [2, 9])] as [(UInt64, [UInt64])] {
            #expect(SyncCursor(next: next, running: running) == nil)
        }
        let damaged: [[UInt8]] = [[], [0, 0], [5], [5, 1], [5, 1, 5], [5, 2, 2, 0], [5, 2, 3, 2], [5, 0, 0], [5, 0xFF, 0xFF, 0x7F, 1],
                                  [0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 2, 0]]
        for bytes in damaged {
            let error = #expect(throws: FreeholdError.self) { try SyncCursor(bytes: bytes) }
            #expect(error?.code == .corrupt)
        }
    }
}
