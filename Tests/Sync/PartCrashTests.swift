import Platform
import TestKit
import Testing
@testable import FreeholdEngine

/// Kills and power cuts while an answer is applied.
extension ReplicaTests {
    @Test("wherever a kill or a power cut comes while embedded objects are applied, the file has all of the answer or nothing")
    func crashesWhileApplying() throws {
        let exchange = try Exchange(prepare: makeParts)
        try exchange.write(exchange.ann) { transaction in
            for number in 0..<3 { try insertThing("t\(number)", transaction, parts: 4) }
            try insertThing("t", transaction, parts: 5)
        }
        try exchange.settle()
        try exchange.write(exchange.ben) { transaction in
            let list = try partList(transaction), map = try partMap(transaction)
            try list.move(from: 0, to: 3)
            try list.remove(at: 0)
            try list.embed([("string", .string(String(repeating: "new ", count: 3000)))], as: "FinePart", at: 2)
            try list.embed([("string", .string("another"))], as: "FinePart", replacing: 1)
            try name(part(0, transaction), "changed", transaction)
            try map.remove("k0")
            try map.embed([("string", .string("new"))], for: "new")
            try name(part("k1", transaction), "changed", transaction)
            try transaction.delete(thing("t1", transaction), from: transaction.table("Thing"))
        }
        try exchange.push(exchange.ben)
        try exchange.write(exchange.ann) { transaction in
            try name(part(4, transaction), "pending", transaction)
            try name(part("k2", transaction), "pending", transaction)
        }
        let ann = exchange.ann, before = try PlainFile(ann.database).objects, counts = try ann.database.snapshot().pendingCounts()
        let answer = try exchange.answer(ann), start = ann.machine.operationCount
        try ann.apply(answer)
        try ann.database.flush()
        let end = ann.machine.operationCount, after = try PlainFile(ann.database).objects
        #expect(before != after)
        #expect(try ann.database.snapshot().pendingCounts() == counts)
        var found: [Bool: Int] = [:]
        for crash in ann.machine.crashCases(from: start, seed: 4) where crash.place <= end {
            for boot in [Boot.next, .same] where boot == .next || crash.surviving == .none {
                let image = boot == .next ? ann.machine.image(crash) : ann.machine.image(at: crash.place, boot: .same)
                defer { image.discard() }
                let database = try Database.open("/ann.freehold", .simulated, on: image.makeProcess())
                defer { database.close() }
                let objects = try PlainFile(database).objects
                #expect(objects == before || objects == after, "\(crash) \(boot)")
                found[objects == after, default: 0] += 1
                #expect(try database.check().isClean && database.snapshot().pendingCounts() == counts, "\(crash) \(boot)")
                // The answer is due as long as it was not applied.
                let isDue = try SyncReplica(database).apply(answer, monotonic: answer.sent) != nil
                if boot == .same { #expect(isDue == (objects == before), "\(crash) \(boot)") }
                if isDue { #expect(try PlainFile(database).objects == after, "\(crash) \(boot)") }
                #expect(try database.check().isClean, "\(crash) \(boot)")
            }
        }
        #expect((found[true] ?? 0) > 3 && (found[false] ?? 0) > 20, "\(found)")
    }
}
