import TestKit
import Testing
@testable import FreeholdEngine
@testable import FreeholdMerge

/// Three files link to objects from collections of every kind, and delete and create these objects; batches and answers come at any time.
/// At the end all files show the same, and so does one that comes then.
@Suite("Histories of links in collections")
struct LinkHistoryTests {
    private static let targets: Int64 = 4, owners: Int64 = 3

    private static func prepare(_ number: Int, _ transaction: WriteTransaction) throws {
        let link = { (name: String, kinds: [CollectionKind]) in PropertySchema(name, linkTo: "Target", collections: kinds) }
        for schema in [
            ClassSchema("Target", primaryKey: "id", [PropertySchema("id", .int), PropertySchema("n", .int)]),
            ClassSchema("Part", isEmbedded: true, [link("one", []), link("list", [.list]), link("map", [.map])]),
            ClassSchema("Owner", primaryKey: "id", [
                PropertySchema("id", .int), link("one", []), link("list", [.list]), link("set", [.set]), link("map", [.map]),
                link("nested", [.map, .list]), PropertySchema("anyList", .mixed, collections: [.list]),
                PropertySchema("anySet", .mixed, collections: [.set]), PropertySchema("anyMap", .mixed, collections: [.map]),
                PropertySchema("parts", linkTo: "Part", collections: [.list]), PropertySchema("part", linkTo: "Part"),
            ]),
        ] { try transaction.createClass(schema) }
        for name in ["Target", "Owner"] { try transaction.sync.mark(name) }
    }

    private static func change(_ transaction: WriteTransaction, _ random: inout SeededRandom) throws {
        let targets = try transaction.table("Target"), key = ObjectKey(Int64(random.below(Int(Self.targets))))
        let isHere = try targets.contains(key)
        switch random.below(5) {
        case 0 where isHere:
            try transaction.delete(key, from: targets)
            if random.oneIn(4) { try transaction.insert(into: "Target", [("id", .int(key.rawValue))]) }
        case 0 where !isHere, 1 where !isHere:
            try transaction.insert(into: "Target", [("id", .int(key.rawValue)), ("n", .int(Int64(random.below(9))))])
        default: try link(transaction, targets, &random)
        }
    }

    private static func link(_ transaction: WriteTransaction, _ targets: Table, _ random: inout SeededRandom) throws {
        let owners = try transaction.table("Owner"), owner = ObjectKey(Int64(random.below(Int(Self.owners))))
        if try !owners.contains(owner) { try transaction.insert(into: "Owner", [("id", .int(owner.rawValue))]) }
        let all = try targets.keys()
        guard !all.isEmpty else { return }
        let target = all[random.below(all.count)], link = Value.link(target), object = Value.object(targets.reference(to: target))
        func list(_ name: String) throws -> ListWriter { try transaction.list(of: owner, in: owners, owners.column(name)) }
        func set(_ name: String) throws -> SetWriter { try transaction.set(of: owner, in: owners, owners.column(name)) }
        func map(_ name: String) throws -> MapWriter { try transaction.map(of: owner, in: owners, owners.column(name)) }
        let isRemoved = random.oneIn(4), name = "k\(random.below(2))"
        switch random.below(10) {
        case 0: try transaction.set(owner, in: owners, owners.column("one"), to: isRemoved ? .null : link)
        case 1, 2:
            let list = try list("list"), count = try list.view().count
            if isRemoved, count > 0 { try list.remove(at: random.below(count)) } else { try list.insert(link, at: random.below(count + 1)) }
        case 3: if isRemoved { try set("set").remove(link) } else { try set("set").insert(link) }
        case 4: if isRemoved { try map("map").remove(name) } else { try map("map").set(link, for: name) }
        case 5: if isRemoved { try map("nested").remove(name) } else { try map("nested").set(.list([link, link]), for: name) }
        case 6: try list("anyList").append(random.oneIn(2) ? object : .list([object, .map(["k": object])]))
        case 7: if isRemoved { try set("anySet").remove(object) } else { try set("anySet").insert(object) }
        case 8: try map("anyMap").set(random.oneIn(2) ? object : .list([object]), for: name)
        default:
            let parts = try transaction.table("Part")
            let part = try random.oneIn(2) ? list("parts").embed([]) : transaction.embed([], in: owner, of: owners, owners.column("part"))
            try transaction.set(part, in: parts, parts.column("one"), to: link)
            try transaction.list(of: part, in: parts, parts.column("list")).assign([link, link])
            try transaction.map(of: part, in: parts, parts.column("map")).set(link, for: "k")
        }
    }

    private func run(_ seed: UInt64, _ shortcuts: MergeShortcuts = []) throws -> [String] {
        var random = SeededRandom(seed: seed)
        let exchange = try Exchange(3, seed: seed, prepare: Self.prepare)
        exchange.server.shortcuts = shortcuts
        for _ in 0..<60 {
            let file = exchange.files[random.below(3)]
            switch random.below(4) {
            case 0: try exchange.push(file)
            case 1: try exchange.pull(file)
            default: try exchange.write(file) { try Self.change($0, &random) }
            }
        }
        let found = try exchange.differences(), last = try exchange.newcomer { try Self.prepare(0, $0) }
        return try found + PlainFile(exchange.ann.database).differences(from: PlainFile(last.database), "new") + last.problems()
    }

    @Test("all files show the links, also those to objects that came again", arguments: TestScale.seeds(20))
    func histories(seed: UInt64) throws {
        let found = try run(seed)
        #expect(found.isEmpty, "seed \(seed) \(found.map { "\n  " + $0.prefix(300) }.joined())")
    }

    @Test("without the rows that link to what comes, some file shows less")
    func shortcut() throws {
        #expect(try (1...20 as ClosedRange<UInt64>).contains { try !run($0, .forgetsLinks).isEmpty })
    }
}
