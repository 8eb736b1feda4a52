import DatabaseKit
@testable import FreeholdEngine
import TestKit
import Testing

/// Long lists of links and maps to links: what is kept of where links are.
@Suite struct OccurrenceTests {
    /// - Parameter isMixed: whether the collections are of mixed values, which may link to things.
    private static func owner(isMixed: Bool) -> ClassSchema {
        func property(_ kind: CollectionKind) -> PropertySchema {
            isMixed ? PropertySchema(kind.name, .mixed, collections: [kind]) : PropertySchema(kind.name, linkTo: "Thing", collections: [kind])
        }
        return ClassSchema("Owner", [PropertySchema("name", .string), property(.list), property(.map), property(.set)])
    }

    private struct Model {
        var list: [Value] = []
        var map: TextMap<Value> = [:]
        var things: [Int64] = []

        mutating func delete(_ thing: Int64) {
            things.removeAll { $0 == thing }
            list.removeAll { $0 == .link(ObjectKey(thing)) }
            map = map.mapValues { $0 == .link(ObjectKey(thing)) ? .null : $0 }
            list = list.map { $0.withoutReferences { $0.key.rawValue == thing } }
            map = map.mapValues { $0.withoutReferences { $0.key.rawValue == thing } }
        }
    }

    private func withDatabase(_ seed: UInt64, things: Int, isMixed: Bool = false, _ body: (Database, ObjectKey) throws -> Void) throws {
        let machine = SimulatedSystem(seed: seed)
        defer { machine.discard() }
        let database = try Database.open("/occurrences.freehold", OpenOptions.simulated, on: machine.makeProcess())
        defer { database.close() }
        var key = ObjectKey(0)
        try database.write(durability: .processCrash) { transaction in
            try transaction.createClass(ClassSchema("Thing", [PropertySchema("number", .int)]))
            try transaction.createClass(Self.owner(isMixed: isMixed))
            for _ in 0..<things { try transaction.insert(into: "Thing", []) }
            // In a cluster: what is in the tail has no long collections.
            for _ in 0..<300 { key = try transaction.insert(into: "Owner", []) }
        }
        try body(database, key)
    }

    @Test("what is kept follows insertions, removals, moves, replacements, deletions and steps back, at every size of the tree",
          arguments: TestScale.seeds(12), [false, true])
    func histories(seed: UInt64, isMixed: Bool) throws {
        var random = SeededRandom(seed: seed), model = Model()
        let things = [3, 60, 2000][Int(seed % 3)]
        try withDatabase(seed, things: things, isMixed: isMixed) { database, key in
            model.things = Array(0..<Int64(things))
            for round in 0..<8 {
                try database.write(durability: .processCrash) { transaction in
                    for _ in 0..<Int.random(in: 1...10, using: &random) { try step(transaction, key, isMixed, &model, &random) }
                    let savepoint = try transaction.savepoint(), before = model
                    for _ in 0..<2 where random.oneIn(2) { try step(transaction, key, isMixed, &model, &random) }
                    if random.oneIn(2) {
                        try transaction.rollback(to: savepoint)
                        model = before
                        try step(transaction, key, isMixed, &model, &random)
                    }
                }
                let owners = try database.snapshot().table("Owner"), row = try #require(try owners.row(key))
                let list = try owners.column("list"), map = try owners.column("map")
                #expect(try row.value(list) == .list(model.list) && row.value(map) == .map(model.map), "seed \(seed), round \(round)")
                for thing in model.things.prefix(3) + model.things.suffix(3) {
                    let object = ObjectReference(classNumber: 0, key: ObjectKey(thing))
                    func links(_ value: Value) -> Bool { value.linkTargets.contains { $0.key == thing } }
                    #expect(try owners.backlinks(to: object, from: list).isEmpty != model.list.contains(where: links))
                    #expect(try owners.backlinks(to: object, from: map).isEmpty != model.map.values.contains(where: links))
                }
                let report = try database.check()
                #expect(report.isClean, "seed \(seed), round \(round): \(report.problems.prefix(5))")
                if !report.isClean { return }
            }
        }
    }

    private func step(_ transaction: WriteTransaction, _ key: ObjectKey, _ isMixed: Bool, _ model: inout Model, _ random: inout SeededRandom) throws {
        let owners = try transaction.table("Owner"), list = try transaction.list(of: key, in: owners, owners.column("list"))
        let map = try transaction.map(of: key, in: owners, owners.column("map"))
        func link() -> Value {
            let thing = ObjectKey(model.things.randomElement(using: &random)!), object = Value.object(ObjectReference(classNumber: 0, key: thing))
            if !isMixed { return .link(thing) }
            switch Int.random(in: 0..<8, using: &random) {
            case 0: return .int(thing.rawValue)
            case 1: return .list([.null, object, .map(["same": object])])
            // One that has blocks of its own.
            case 2 where random.oneIn(20): return .list([.string(String(repeating: "long ", count: 300)), object])
            default: return object
            }
        }
        let count = model.list.count
        switch Int.random(in: 0..<14, using: &random) {
        case 0..<3:
            let links = (0..<Int.random(in: 1...(random.oneIn(3) ? 3000 : 5), using: &random)).map { _ in link() }
            let position = Int.random(in: 0...count, using: &random)
            try list.insert(contentsOf: links, at: position)
            model.list.insert(contentsOf: links, at: position)
        case 3..<5 where count > 0:
            let start = Int.random(in: 0..<count, using: &random)
            let end = Int.random(in: start...min(count, start + (random.oneIn(3) ? 20_000 : 3)), using: &random)
            try list.remove(start..<end)
            model.list.removeSubrange(start..<end)
        case 5 where count > 0:
            let position = Int.random(in: 0..<count, using: &random), link = link()
            try list.replace(at: position, with: link)
            model.list[position] = link
        case 6 where count > 0:
            let from = Int.random(in: 0..<count, using: &random), to = Int.random(in: 0..<count, using: &random)
            try list.move(from: from, to: to)
            model.list.insert(model.list.remove(at: from), at: to)
        case 7 where count > 0:
            let one = Int.random(in: 0..<count, using: &random), other = Int.random(in: 0..<count, using: &random)
            try list.swap(one, other)
            model.list.swapAt(one, other)
        case 8..<10 where model.things.count > 2:
            for _ in 0..<(random.oneIn(4) ? min(40, model.things.count - 2) : 1) {
                let gone = model.things.randomElement(using: &random)!
                try transaction.delete(ObjectKey(gone), from: transaction.table("Thing"))
                model.delete(gone)
            }
        case 10:
            for _ in 0..<(random.oneIn(3) ? 600 : 4) {
                let name = "key \(Int.random(in: 0..<2000, using: &random))", link = link()
                try map.set(link, for: name)
                model.map[name] = link
            }
        case 11:
            for name in model.map.keys.sorted().prefix(random.oneIn(3) ? 500 : 2) {
                try map.remove(name)
                model.map[name] = nil
            }
        case 12 where random.oneIn(4):
            let links = (0..<Int.random(in: 0...600, using: &random)).map { _ in link() }
            try list.assign(links)
            model.list = links
        case 13 where random.oneIn(6):
            try list.removeAll()
            model.list = []
        default: break
        }
    }

    @Test("taking a link out of a million, and deleting what is linked to, reads and writes a few blocks")
    func cost() throws {
        let things = 100_000, count = 1_000_000
        try withDatabase(3, things: 0) { database, key in
            let links = (0..<count).map { Value.link(ObjectKey(Int64($0 * 7919 % things))) }
            try database.write(durability: .processCrash) { transaction in
                let table = try transaction.table("Thing"), owners = try transaction.table("Owner")
                try transaction.insert(into: table, columns: [ColumnValues(table.column("number"), .ints(Array(0..<Int64(things))))])
                try transaction.list(of: key, in: owners, owners.column("list")).append(contentsOf: links)
                try transaction.set(of: key, in: owners, owners.column("set")).assign(Array(links.prefix(things)))
                try transaction.map(of: key, in: owners, owners.column("map")).assign(TextMap(uniqueKeysWithValues: links.prefix(things).enumerated().map { ("key \($0)", $1) }))
            }
            let snapshot = try database.snapshot(), owners = try snapshot.table("Owner"), row = try #require(try owners.row(key))
            for (name, shape) in [("list", CollectionKind.list), ("map", .map), ("set", .set)] {
                let counter = try CollectionCostTests.BlockCounter(database), column = try owners.column(name).index
                let reader = try CollectionReader(owners.state.cell(row.place, column), CollectionShape([shape], .link, isNullable: false), counter.access)
                for target in stride(from: 1 as Int64, to: 100_000, by: 10_000) { #expect(try reader.links(to: LinkTarget(target))) }
                #expect(try !reader.links(to: LinkTarget(100_001)))
                #expect(try reader.missing([LinkTarget(5), LinkTarget(500), LinkTarget(50_000), LinkTarget(100_001)]) == [LinkTarget(100_001)])
                // A few levels of a tree for each of fifteen look-ups; those in sets halve their way.
                #expect(counter.blocks <= 15 * (name == "set" ? 12 : 4), "\(name): \(counter.blocks) blocks")
            }
            for gone in [5, 77_777] as [Int64] {
                try database.write(durability: .processCrash) { transaction in
                    try transaction.delete(ObjectKey(gone), from: transaction.table("Thing"))
                    // Ten links of the list, one of the map, one of the set: each with its leaf and what is above it.
                    #expect(transaction.pending.count <= 12 * 12, "\(transaction.pending.count) blocks")
                    let owners = try transaction.table("Owner")
                    for name in ["list", "map", "set"] { #expect(try owners.backlinkCount(to: ObjectKey(gone), from: owners.column(name)) == 0) }
                }
            }
            let after = try database.snapshot().table("Owner")
            let now = try #require(try after.row(key))
            #expect(try now.list(after.column("list")).count == count - 20)
            #expect(try database.check().isClean)
        }
    }
}
