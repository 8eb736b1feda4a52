import DatabaseKit
@testable import FreeholdEngine
import TestKit
import Testing

/// A full-text index of which one block after the other is destroyed.
@Suite("Destroyed blocks of a full-text index") struct DerivedWreckTests {
    private static let path = "/text.freehold"
    private static let searches = ["w3*", "w7 w38", "w21 -w3", "w40~1", "w5 OR w90", "\"w7 w38\"", "rare"]

    private static func text(_ number: Int) -> String {
        (0..<5).map { "w\((number * 7 + $0 * $0 * 31) % 97)" }.joined(separator: " ") + (number % 40 == 0 ? " rare" : "")
    }

    private static func set(_ key: Int, _ text: String, _ transaction: WriteTransaction) throws {
        let articles = try transaction.table("Article")
        try transaction.set(ObjectKey(Int64(key)), in: articles, articles.column("title"), to: .string(text))
    }

    /// Articles with an index of several runs, four of them being merged; the file is closed.
    private func makeLibrary(_ process: SimulatedProcess) throws -> (blocks: [BlockReference], wanted: [String: [ObjectKey]]) {
        let database = try Database.open(Self.path, OpenOptions.simulated, on: process)
        defer { database.close() }
        try database.write(durability: .full) { transaction in
            try transaction.createClass(ClassSchema("Article", [PropertySchema("title", .string)]))
            for number in 0..<1000 { try transaction.insert(into: "Article", [("title", .string(Self.text(number)))]) }
            try transaction.fullText.add(["title"], to: "Article")
        }
        for (round, count) in [90, 90, 90, 1].enumerated() {
            try database.write(durability: .full) { transaction in
                for number in 0..<count { try Self.set(number * 7, Self.text(round * 1000 + number), transaction) }
            }
        }
        // Of the newest version recovery reads every block, and takes the one before if one is destroyed.
        try database.write(durability: .full) { try $0.createClass(ClassSchema("Other", [PropertySchema("year", .int)])) }
        let snapshot = try database.snapshot(), (_, top) = try snapshot.contents(), access = snapshot.core.access
        let reference = try TableRoot(top.table(0), in: access).auxiliary(.derived, StoredDerived.firstColumn)
        let root = try FullTextKind.root(DerivedRoot(reference, in: access).contents)
        #expect(root.runs.count > 3 && root.merges.contains { $0.position != nil }, "what the test is about")
        var blocks: [BlockReference] = []
        func walk(_ reference: BlockReference) throws {
            blocks.append(reference)
            let view = try access.view(reference)
            for place in 0..<view.referenceCount where !view.reference(place).isNull { try walk(view.reference(place)) }
        }
        try walk(reference)
        return (blocks, try answers(database, mayFail: false))
    }

    /// What searches find, and nothing for those that damage has stopped.
    private func answers(_ database: Database, mayFail: Bool, isRoot: Bool = false) throws -> [String: [ObjectKey]] {
        let table = try database.snapshot().table("Article")
        var found: [String: [ObjectKey]] = [:]
        for text in Self.searches {
            do {
                found[text] = try table.keys(matching: ObjectQuery("title TEXT $0", [.string(text)]))
            } catch {
                guard mayFail, error.code == .corrupt else { throw error }
                #expect(!isRoot || error.message.contains("index of class 'Article' cannot be read") && error.message.contains("drop it"))
            }
        }
        return found
    }

    /// Whether the condition, tested object by object, says the same of every search.
    private func expectWhole(_ database: Database, _ wanted: [String: [ObjectKey]], _ comment: Comment) throws {
        let snapshot = try database.snapshot(), table = try snapshot.table("Article"), found = try answers(database, mayFail: false)
        #expect(found == wanted && table.count == 1000, comment)
        // What lies below a destroyed block stays in use until the file is copied.
        #expect(try database.check().problems.allSatisfy { $0.kind == .lostSpace }, comment)
        let prepared = try table.prepare(ObjectQuery("title TEXT 'rare'"))
        #expect(try prepared.explanation().contains("index for"), comment)
    }

    @Test("a search gives the right answer or an error, a commit too; a new index and a salvaged file give all answers")
    func destroyed() throws {
        let machine = SimulatedSystem(seed: 1)
        defer { machine.discard() }
        let (blocks, wanted) = try makeLibrary(machine.makeProcess())
        #expect(wanted.values.allSatisfy { !$0.isEmpty } && blocks.count > 12)
        var stopped = 0, refused = 0
        for (number, block) in blocks.enumerated() {
            let copy = machine.image(boot: .next), process = copy.makeProcess(), what: Comment = "block \(number) of \(blocks.count)"
            defer { copy.discard() }
            let file = try process.openFile(Self.path, .readWrite)
            try file.write([UInt8](repeating: 0xEE, count: 64), at: Int(block.byteOffset))
            file.close()
            if number % 8 == 0 {
                _ = try Database.salvage(from: Self.path, to: "/salvaged", .simulated, on: process)
                let salvaged = try Database.open("/salvaged", OpenOptions.simulated, on: process)
                try expectWhole(salvaged, wanted, what)
                #expect(try salvaged.check().isClean, what)
                salvaged.close()
            }
            let database = try Database.open(Self.path, OpenOptions.simulated, on: process)
            defer { database.close() }
            let found = try answers(database, mayFail: true, isRoot: number == 0)
            for (text, keys) in found { #expect(keys == wanted[text], "\(what): \(text)") }
            #expect(number > 0 || found.isEmpty, "a damaged index is no reason to search object by object unasked")
            stopped += Self.searches.count - found.count
            #expect(try !database.check().problems.isEmpty, what)
            do {
                try database.write(durability: .full) { try Self.set(8, "w200 other", $0) }
                for (text, keys) in try answers(database, mayFail: true) {
                    #expect(keys == wanted[text]?.filter { $0 != ObjectKey(8) }, "\(what): \(text), after a commit")
                }
            } catch let error as FreeholdError where error.code == .corrupt {
                #expect(error.message.contains("drop it and add it again"), what)
                refused += 1
            }
            try database.write(durability: .full) { transaction in
                try transaction.fullText.drop(["title"], from: "Article")
                try Self.set(8, Self.text(8), transaction)
                try transaction.fullText.add(["title"], to: "Article")
            }
            try expectWhole(database, wanted, what)
        }
        #expect(stopped > blocks.count / 2 && refused > 0 && refused < blocks.count, "\(stopped) searches, \(refused) commits")
    }
}
