import FreeholdEngine
import Foundation
@testable import SyncBackends
import TestKit
import Testing

/// What waits between the thread that makes an answer and the connection that sends it.
@Suite struct AnswerPartsTests {
    private static let ann = SyncCaller(user: "ann"), ben = SyncCaller(user: "ben")

    private static func part(_ number: Int, _ count: Int) -> [UInt8] { [UInt8](repeating: UInt8(truncatingIfNeeded: number), count: count) }

    @Test("a thread hands over all of an answer before any of it is taken, and what was taken gives its room back")
    func waitsForNobody() async throws {
        let spool = AnswerSpool(limit: 4 << 20), parts = AnswerParts(for: Self.ann, spool: spool, patience: 0)
        for number in 0..<100 { try parts.put(Self.part(number, 1 + number * 100)) }
        parts.finish()
        #expect(spool.takenCount == (6..<100).reduce(0) { $0 + 1 + $1 * 100 })
        var number = 0
        for try await part in parts {
            #expect(part == Self.part(number, 1 + number * 100))
            number += 1
        }
        #expect(number == 100 && spool.takenCount == 0)
    }

    @Test("parts come in their order, however the two go on by turns", arguments: 1...20 as ClosedRange<UInt64>)
    func turns(seed: UInt64) async throws {
        var random = SeededRandom(seed: seed)
        let spool = AnswerSpool(limit: 1 << 20), parts = AnswerParts(for: Self.ann, spool: spool, patience: 0)
        var iterator = parts.makeAsyncIterator(), put = 0, taken = 0, emptied = 0
        for _ in 0..<400 {
            for _ in 0..<random.below(12) where spool.takenCount < 200_000 {
                try parts.put(Self.part(put, random.below(20_000)))
                put += 1
            }
            for _ in 0..<random.below(12) where taken < put {
                let part = try await iterator.next()
                #expect(part?.allSatisfy { $0 == UInt8(truncatingIfNeeded: taken) } == true)
                taken += 1
                if taken == put { emptied += 1 }
            }
            if taken == put { #expect(spool.takenCount == 0) }
        }
        #expect(emptied > 3 && put > 500)
    }

    @Test("a thread and a taker side by side, with room for some parts, for one and for none", arguments: [64 << 10, 6_000, 0], [1, 2, 3])
    func sideBySide(limit: Int, seed: UInt64) async throws {
        let spool = AnswerSpool(limit: limit), parts = AnswerParts(for: Self.ann, spool: spool), count = 3_000
        Thread {
            var random = SeededRandom(seed: seed)
            do {
                for number in 0..<count { try parts.put(Self.part(number, random.below(2_000))) }
                parts.finish()
            } catch {
                parts.finish(error)
            }
        }.start()
        var random = SeededRandom(seed: seed), number = 0
        for try await part in parts {
            #expect(part == Self.part(number, random.below(2_000)))
            number += 1
        }
        #expect(number == count && spool.takenCount == 0)
    }

    @Test("without room the thread waits for its patience: no user takes the others' room, and a folder may be none")
    func room() throws {
        let spool = AnswerSpool(limit: 40_000)
        let greedy = AnswerParts(for: Self.ann, spool: spool, patience: 0), modest = AnswerParts(for: Self.ben, spool: spool, patience: 0)
        for number in 0..<16 { try greedy.put(Self.part(number, 1_000)) } // six in memory, ten in the file
        #expect(throws: FreeholdError.self) { try greedy.put(Self.part(16, 1_000)) }
        for number in 0..<16 { try modest.put(Self.part(number, 1_000)) }
        #expect(spool.takenCount == 20_000)
        for nowhere in [AnswerSpool(limit: 1 << 20, folder: "/nowhere"), nil] {
            let parts = AnswerParts(for: Self.ann, spool: nowhere, patience: 0)
            for number in 0..<6 { try parts.put(Self.part(number, 1_000)) }
            #expect(throws: FreeholdError.self) { try parts.put([1]) }
            parts.finish()
        }
    }

    @Test("who gives up frees the room, the thread that waits, and who waits for a part")
    func givingUp() async throws {
        let spool = AnswerSpool(limit: 40_000)
        var parts: AnswerParts? = AnswerParts(for: Self.ann, spool: spool)
        for number in 0..<16 { try parts!.put(Self.part(number, 1_000)) }
        let (told, tell) = AsyncStream.makeStream(of: Bool.self)
        Thread { [parts] in
            do {
                try parts!.put(Self.part(16, 1_000))
                tell.yield(false)
            } catch { tell.yield(true) }
            tell.finish()
        }.start()
        parts!.giveUp()
        for await isGone in told { #expect(isGone) }
        parts = nil
        #expect(spool.takenCount == 0)

        let empty = AnswerParts(for: Self.ann, spool: spool)
        let taker = Task {
            var iterator = empty.makeAsyncIterator()
            return try await iterator.next()
        }
        taker.cancel()
        await #expect(throws: CancellationError.self) { _ = try await taker.value }
        #expect(throws: FreeholdError.self) { try empty.put([1]) }
    }

    @Test("a failure comes behind the parts before it")
    func failing() async throws {
        let parts = AnswerParts(for: Self.ann, spool: AnswerSpool(limit: 1 << 20), patience: 0)
        for number in 0..<20 { try parts.put(Self.part(number, 10)) }
        parts.finish(FreeholdError(.io, "cut"))
        var number = 0
        await #expect(throws: FreeholdError.self) { for try await _ in parts { number += 1 } }
        #expect(number == 20)
    }
}
