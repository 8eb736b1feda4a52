import TestKit
import Testing
@testable import FreeholdEngine

@Suite("Messages of sync as bytes")
struct SyncMessageTests {
    @Test("a message's bytes give it back", arguments: 1...20 as ClosedRange<UInt64>)
    func roundTrip(seed: UInt64) throws {
        var messages = RandomMessages(seed: seed)
        for _ in 0..<100 {
            let message = messages.message()
            #expect(try SyncMessage(bytes: message.bytes) == message)
            #expect(try SyncMessage(bytes: message.bytes, inMemory: 0) == message)
        }
    }

    @Test("damaged bytes give an error that says what and where, or another message; never a stop",
          arguments: 1...20 as ClosedRange<UInt64>)
    func damage(seed: UInt64) {
        var messages = RandomMessages(seed: seed)
        var refused = 0
        for _ in 0..<100 {
            var bytes = messages.message().bytes
            for _ in 0..<1 + messages.random.below(3) { damage(&bytes, &messages.random) }
            do throws(FreeholdError) {
                // What is accepted is a message: it can be written again.
                let message = try SyncMessage(bytes: bytes, inMemory: seed.isMultiple(of: 2) ? 0 : .max)
                if case .answer(let answer) = message { _ = try answer.storedRows.decoded() }
                #expect((try? SyncMessage(bytes: message.bytes)) == message)
            } catch {
                refused += 1
                #expect(error.code == .malformedInput || error.code == .unsupportedFormat)
                #expect(error.message.utf8.count < 200)
            }
        }
        #expect(refused > 20)
    }

    private func damage(_ bytes: inout [UInt8], _ random: inout SeededRandom) {
        switch random.below(5) {
        case 0 where bytes.count > 1: bytes.removeLast(1 + random.below(bytes.count - 1))
        case 1: bytes.append(UInt8(truncatingIfNeeded: random.next()))
        case 2: bytes.insert(contentsOf: [0xFF, 0xFF, 0xFF, 0xFF, 0x7F], at: random.below(bytes.count))
        case 3: bytes[random.below(bytes.count)] = [0, 0x7F, 0x80, 0xFF].randomElement(using: &random)!
        default: bytes[random.below(bytes.count)] ^= 1 << UInt8(random.below(8))
        }
    }

    @Test("every beginning of a message is refused, at a byte within it")
    func truncation() throws {
        var messages = RandomMessages(seed: 99)
        for _ in 0..<30 {
            let bytes = messages.message().bytes
            for length in 0..<bytes.count {
                let error = #expect(throws: FreeholdError.self) { try SyncMessage(bytes: Array(bytes.prefix(length))) }
                #expect(error?.code == .malformedInput)
            }
        }
    }

    @Test("a length that the bytes cannot hold is refused, and names outside of the tables")
    func forgedNumbers() throws {
        let own = ReplicaIdentity(high: 1, low: 2), names = SyncNames(classes: [.init(name: "A", properties: ["x"])])
        func bytes(_ change: (inout SyncPush) -> Void) -> [UInt8] {
            var push = SyncPush(epoch: 1, history: 1, cursor: .never, seen: .none, names: names, replicas: [own])
            change(&push)
            return SyncMessage.push(push).bytes
        }
        let entry = SyncEntry(stamp: .none, epoch: 1), object = SyncObject(type: 0, key: .int(1))
        var forged: [(String, [UInt8])] = []
        forged.append(("a class's number below 1", bytes { $0.changes = [SyncChange(object: SyncObject(type: 1, key: .int(1)))] }))
        forged.append(("a property's number below 1", bytes {
            $0.changes = [SyncChange(object: object, registers: [.init(path: SyncPath(property: 1), entry: entry, value: .null)])]
        }))
        forged.append(("a replica's number below 1", bytes {
            $0.changes = [SyncChange(object: object, deleted: SyncEntry(stamp: .none, epoch: 1, replica: 1))]
        }))
        forged.append(("an identity of a known replica", bytes {
            let element = SyncIdentity(replica: 3, count: 1)
            $0.changes = [SyncChange(object: object, elements: [.init(property: 0, element: element, act: .deleted, entry: entry)])]
        }))
        forged.append(("the replica that pushes", bytes { $0.replicas = [] }))
        forged.append(("a position before this byte", bytes {
            let element = SyncIdentity(replica: 0, count: 1)
            $0.changes = [SyncChange(object: object, elements: [.init(property: 0, element: element, act: .inserted, entry: entry)])]
        }))
        // The number of changed objects is the last field, before the eight bytes of a length.
        var long = bytes { _ in }
        long[long.count - 9] = 0x7F
        forged.append(("changed objects, 127 of them", long))
        long[long.count - 1] = 0x7F
        forged.append(("the length of the message's end", long))
        for (expected, bytes) in forged {
            let error = #expect(throws: FreeholdError.self) { try SyncMessage(bytes: bytes) }
            let message = error?.message ?? "none"
            #expect(message.hasSuffix("expected \(expected); have it sent again"), "\(message) for \(expected)")
        }
        let later = #expect(throws: FreeholdError.self) { try SyncMessage(bytes: [2, 9, 0]) }
        #expect(later?.code == .unsupportedFormat && later?.message.hasSuffix("update the program") == true)
        // What is no message does not ask for a later program.
        for (bytes, expected) in [([0, 0, 0], "the kind of the message"), ([UInt8(ascii: "{"), 9, 9], "the kind of the message"),
                                  ([4, 0, 0], "the version")] as [([UInt8], String)] {
            let error = #expect(throws: FreeholdError.self) { try SyncMessage(bytes: bytes) }
            #expect(error?.code == .malformedInput && error?.message.contains("expected \(expected);") == true)
        }
    }
}
