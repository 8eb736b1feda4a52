import DatabaseKit
@testable import FreeholdEngine
import TestKit
import Testing

/// A derived index of which one block after the other is destroyed.
///
/// The objects have the keys from 0. Object 8 is changed; nothing else is of importance to the loop.
struct IndexWreck {
    static let path = "/wreck.freehold"

    let className: String
    let count: Int
    let queries: [String]
    /// What the explanation of the first query says of the index.
    let explanation: String
    let query: (String) throws -> ObjectQuery
    let make: (WriteTransaction) throws -> Void
    let drop: (WriteTransaction) throws -> Void
    let add: (WriteTransaction) throws -> Void
    /// Sets the values of object 8: those it had, or others.
    let change: (WriteTransaction, _ isBack: Bool) throws -> Void
    /// Commits after the one that has declared the index, and what the test expects of it then.
    var age: (Database) throws -> Void = { _ in }
    /// Whether the answer is a set of objects that a condition chooses one by one.
    var isCondition: (String) -> Bool = { _ in true }
    /// The ICU of all processes.
    var collation = SimulatedCollation.installed

    /// Objects with an index; the file is closed.
    private func build(_ process: SimulatedProcess) throws -> (blocks: [BlockReference], wanted: [String: [ObjectKey]]) {
        let database = try Database.open(Self.path, OpenOptions.simulated, on: process)
        defer { database.close() }
        try database.write(durability: .full) { transaction in
            try make(transaction)
            try add(transaction)
        }
        try age(database)
        // Of the newest version recovery reads every block, and takes the one before if one is destroyed.
        try database.write(durability: .full) { try $0.createClass(ClassSchema("Other", [PropertySchema("year", .int)])) }
        let snapshot = try database.snapshot(), (_, top) = try snapshot.contents(), access = snapshot.core.access
        var blocks: [BlockReference] = []
        func walk(_ reference: BlockReference) throws {
            blocks.append(reference)
            let view = try access.view(reference)
            for place in 0..<view.referenceCount where !view.reference(place).isNull { try walk(view.reference(place)) }
        }
        try walk(TableRoot(top.table(0), in: access).auxiliary(.derived, StoredDerived.firstColumn))
        return (blocks, try answers(database, mayFail: false))
    }

    /// What queries find, and nothing for those that damage has stopped.
    private func answers(_ database: Database, mayFail: Bool, isRoot: Bool = false) throws -> [String: [ObjectKey]] {
        let table = try database.snapshot().table(className)
        var found: [String: [ObjectKey]] = [:]
        for text in queries {
            let query = try query(text)
            do { found[text] = try table.keys(matching: query) } catch {
                guard mayFail, error.code == .corrupt else { throw error }
                let says = error.message.contains("index of class '\(className)' cannot be read") && error.message.contains("drop it")
                #expect(!isRoot || says, "\(error)")
            }
        }
        return found
    }

    private func expectWhole(_ database: Database, _ wanted: [String: [ObjectKey]], _ comment: Comment) throws {
        let table = try database.snapshot().table(className)
        #expect(try answers(database, mayFail: false) == wanted && table.count == count, comment)
        // What lies below a destroyed block stays in use until the file is copied.
        #expect(try database.check().problems.allSatisfy { $0.kind == .lostSpace }, comment)
        #expect(try table.prepare(query(queries[0])).explanation().contains(explanation), comment)
    }

    /// Destroys the start of each block in turn.
    func destroyEach(moreBlocksThan least: Int) throws {
        var options = SimulatedSystem.Options(seed: 1)
        options.collation = collation
        let machine = SimulatedSystem(options)
        defer { machine.discard() }
        let (blocks, wanted) = try build(machine.makeProcess())
        #expect(wanted.values.allSatisfy { !$0.isEmpty } && blocks.count > least, "\(blocks.count) blocks")
        var stopped = 0, refused = 0
        for (number, block) in blocks.enumerated() {
            let copy = machine.image(boot: .next), process = copy.makeProcess(), what: Comment = "block \(number) of \(blocks.count)"
            defer { copy.discard() }
            let file = try process.openFile(Self.path, .readWrite)
            try file.write([UInt8](repeating: 0xEE, count: 64), at: Int(block.byteOffset))
            file.close()
            if number % 8 == 0 { try salvage(on: process, wanted, what) }
            let database = try Database.open(Self.path, OpenOptions.simulated, on: process)
            defer { database.close() }
            let found = try answers(database, mayFail: true, isRoot: number == 0)
            for (text, keys) in found { #expect(keys == wanted[text], "\(what): \(text)") }
            #expect(number > 0 || found.isEmpty, "a damaged index is no reason to search object by object unasked")
            stopped += queries.count - found.count
            #expect(try !database.check().problems.isEmpty, what)
            if try !changes(database, wanted, what) { refused += 1 }
            try database.write(durability: .full) { transaction in
                try drop(transaction)
                try change(transaction, true)
                try add(transaction)
            }
            try expectWhole(database, wanted, what)
        }
        #expect(stopped > blocks.count / 2 && refused > 0 && refused < blocks.count, "\(stopped) queries, \(refused) commits")
    }

    private func salvage(on process: SimulatedProcess, _ wanted: [String: [ObjectKey]], _ what: Comment) throws {
        _ = try Database.salvage(from: Self.path, to: "/salvaged", .simulated, on: process)
        let salvaged = try Database.open("/salvaged", OpenOptions.simulated, on: process)
        defer { salvaged.close() }
        try expectWhole(salvaged, wanted, what)
        #expect(try salvaged.check().isClean, what)
    }

    /// Changes object 8; false if damage refuses the commit.
    private func changes(_ database: Database, _ wanted: [String: [ObjectKey]], _ what: Comment) throws -> Bool {
        do {
            try database.write(durability: .full) { try change($0, false) }
        } catch let error as FreeholdError where error.code == .corrupt {
            #expect(error.message.contains("drop it and add it again"), what)
            return false
        }
        let table = try database.snapshot().table(className)
        for (text, keys) in try answers(database, mayFail: true) where isCondition(text) {
            #expect(try keys.contains(ObjectKey(8)) == table.prepare(query(text)).matches(ObjectKey(8)), "\(what): \(text)")
            #expect(keys.filter { $0 != ObjectKey(8) } == wanted[text]?.filter { $0 != ObjectKey(8) }, "\(what): \(text), after a commit")
        }
        return true
    }
}
