import DatabaseKit
@testable import FreeholdEngine
import TestKit
import Testing

/// A corpus of queries with what they find, or why they are refused.
@Suite struct CorpusTests {
    /// The fixed people, in the tail and sealed.
    private func asking(_ body: (Table) throws -> Void) throws {
        let machine = SimulatedSystem(seed: 5)
        defer { machine.discard() }
        let kennel = try Kennel(fixedOn: machine)
        defer { kennel.close() }
        try body(kennel.database.snapshot().table("Person"))
        try kennel.database.write { transaction in
            let table = try transaction.table("Person")
            var added: [ObjectKey] = []
            for number in 0..<300 { added.append(try transaction.insert(into: "Person", key: .int(Int64(1000 + number)), [])) }
            for key in added { try transaction.delete(key, from: table) }
        }
        try body(kennel.database.snapshot().table("Person"))
    }

    @Test func eachQueryFindsWhatItShould() throws {
        try asking { table in
            for (text, keys) in Corpus.queries {
                let prepared = try table.prepare(ObjectQuery(text)), found = try prepared.keys().map(\.rawValue)
                #expect(found == keys, "\(text)")
                #expect(try prepared.count() == keys.count, "\(text)")
                #expect(try prepared.first()?.rawValue == keys.first, "\(text)")
                #expect(try table.keys(matching: ObjectQuery(prepared.query.description)).map(\.rawValue) == keys, "\(text) as \(prepared.query)")
                #expect(try !prepared.explanation().isEmpty)
            }
        }
    }

    @Test func eachGroupHasItsFigures() throws {
        func text(_ value: Value) -> String {
            if case .string(let text) = value, !text.isEmpty, !text.contains("*") { return text }
            if case .decimal(let number) = value { return "\(number)" }
            return QueryText.literal(value)
        }
        try asking { table in
            for (query, expected) in Corpus.groups {
                let groups = try table.prepare(ObjectQuery(query)).groups()
                let found = groups.map { $0.values.map(text).joined(separator: ",") + ":" + $0.figures.map(text).joined(separator: " ") }.joined(separator: " ")
                #expect(found == expected, "\(query)")
            }
        }
    }

    @Test func eachMistakeIsTold() throws {
        try asking { table in
            for (text, part) in Corpus.mistakes {
                do {
                    _ = try table.prepare(ObjectQuery(text))
                    Issue.record("\(text) was not refused")
                } catch let error as FreeholdError {
                    #expect(error.message.contains(part), "\(text): \(error.message)")
                    #expect([.malformedInput, .unknownProperty, .unknownClass, .typeMismatch].contains(error.code), "\(text): \(error)")
                }
            }
        }
    }
}
