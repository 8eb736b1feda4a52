import DatabaseKit
@testable import FreeholdEngine
import TestKit
import Testing

/// Values at the limits of an index.
@Suite struct LimitTests {
    @Test("a text too long for its index is refused when it is set, and the rest of the transaction stands")
    func longIndexedText() throws {
        let machine = SimulatedSystem(seed: 9)
        defer { machine.discard() }
        let database = try Database.open("/limit.freehold", OpenOptions.simulated, on: machine.makeProcess())
        let longest = String(repeating: "k", count: IndexLayout.maximumKeyBytes - 1)
        try database.write { transaction in
            try transaction.createClass(ClassSchema("Word", [PropertySchema("text", .string, isIndexed: true)]))
            let words = try transaction.table("Word"), text = try words.column("text")
            try transaction.insert(into: words, values: [.string(longest)])
            #expect(throws: FreeholdError.self) {
                try transaction.insert(into: words, values: [.string(longest + "k")])
            }
            #expect(throws: FreeholdError.self) {
                try transaction.insert(into: words) { row in try row.set(text, string: longest + "k") }
            }
            for number in 0..<400 { try transaction.insert(into: words, values: [.string("word \(number)")]) }
        }
        let words = try database.snapshot().table("Word")
        #expect(words.count == 401)
        #expect(try words.count(words.column("text"), equals: .string(longest)) == 1)
        #expect(try database.check().isClean)
    }
}
