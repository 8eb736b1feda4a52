import TestKit
import Testing
@testable import FreeholdEngine
@testable import FreeholdMerge

/// Histories of files with embedded objects in lists and maps at every depth: programs change anything at any time, batches and answers
/// come when they do. Then all files are the same, and what a file had pending was lost only to a later change of the same element.
@Suite("Histories of embedded objects in collections")
struct PartHistoryTests {
    private static let names = ["a", "b", "c"]

    private func make(_ number: Int, _ conflict: SyncConflict, _ transaction: WriteTransaction) throws {
        // Each file has other numbers of classes and properties.
        let order = number % 2 == 0 ? ["Node", "Thing"] : ["Thing", "Node"]
        for name in order {
            if name == "Node" {
                try transaction.createClass(ClassSchema("Node", isEmbedded: true, [PropertySchema("n", .int)]))
                try transaction.createClass(ClassSchema("FineNode", superclass: "Node", isEmbedded: true, [PropertySchema("fine", .int)]))
            } else {
                try transaction.createClass(ClassSchema("Thing", primaryKey: "id", [PropertySchema("id", .string)]))
            }
        }
        let properties = [
            PropertySchema("list", linkTo: "Node", collections: [.list]), PropertySchema("map", linkTo: "Node", collections: [.map]),
            PropertySchema("one", linkTo: "Node"), PropertySchema("friend", linkTo: "Thing"),
            PropertySchema("tags", .int, collections: [.set]), PropertySchema("nested", linkTo: "Node", collections: [.map, .list]),
        ]
        for name in ["Thing", "Node"] {
            // A node in a node that is a single property, and so on, would need properties of the server without end.
            for property in number % 2 == 0 ? properties : properties.reversed() where name == "Thing" || property.name != "one" {
                try transaction.addProperty(property, to: name)
            }
        }
        try transaction.sync.mark("Thing", SyncRules(onConflict: conflict))
    }

    @Test("all files end in the same state, with every element whole", arguments: TestScale.seeds(12, full: 400))
    func histories(seed: UInt64) throws {
        var random = SeededRandom(seed: seed)
        let conflict = seed % 2 == 0 ? SyncConflict.updateWins : .deletionWins
        let exchange = try Exchange(3, seed: seed) { try make($0, conflict, $1) }
        for step in 0..<60 {
            let file = exchange.files[random.below(3)]
            switch random.below(6) {
            case 0: try exchange.push(file)
            case 1: try exchange.pull(file)
            default:
                try exchange.write(file) { transaction in
                    for _ in 0...random.below(2) { try edit(transaction, step, &random) }
                }
            }
            if step % 10 == 9 { #expect(try file.problems() == [], "seed \(seed), step \(step)") }
        }
        var found = try exchange.differences()
        let last = try exchange.newcomer { try make(0, conflict, $0) }
        found += try PlainFile(exchange.ann.database).differences(from: PlainFile(last.database), "new") + last.problems()
        #expect(found.isEmpty, "seed \(seed): \(found.map { "\n  " + $0.prefix(600) }.joined())")
    }

    private func edit(_ transaction: WriteTransaction, _ step: Int, _ random: inout SeededRandom) throws {
        let things = try transaction.table("Thing"), id = Value.string(Self.names[random.below(3)])
        guard let key = try things.key(primaryKey: id) else {
            try transaction.insert(into: "Thing", [("id", id)])
            return
        }
        if random.oneIn(25) { return try transaction.delete(key, from: things) }
        // Half of the time somewhere within.
        var place = (object: key, table: things)
        let nodes = try transaction.table("Node").family
        while random.oneIn(2) {
            guard let next = try links(place.object, place.table).randomElement(using: &random) else { break }
            place = (next, nodes)
        }
        try edit(place.object, place.table, transaction, Int64(step), &random)
    }

    private func links(_ object: ObjectKey, _ table: Table) throws -> [ObjectKey] {
        var keys: [Int64] = []
        for name in ["list", "map", "one", "nested"] where name != "one" || !table.state.stored.isEmbedded {
            keys += try table.value(object, table.column(name)).embeddedKeys
        }
        return keys.map { ObjectKey($0) }
    }

    private func edit(_ object: ObjectKey, _ table: Table, _ transaction: WriteTransaction, _ step: Int64,
                      _ random: inout SeededRandom) throws {
        let isThing = !table.state.stored.isEmbedded, values = [("n", Value.int(step))]
        let type = random.oneIn(4) ? "FineNode" : nil
        switch random.below(8) {
        case 0, 1: try editList(transaction.list(of: object, in: table, table.column("list")), values, type, &random)
        case 2:
            let map = try transaction.map(of: object, in: table, table.column("map")), name = Self.names[random.below(3)]
            if random.oneIn(3) { try map.remove(name) } else { try map.embed(values, as: type, for: name) }
        case 3:
            let list = try transaction.map(of: object, in: table, table.column("nested")).list(for: Self.names[random.below(3)])
            try list.embed(values, as: type)
            if random.oneIn(4) { try list.removeAll() }
        case 4 where isThing:
            if random.oneIn(4) {
                try transaction.set(object, in: table, table.column("one"), to: .null)
            } else {
                try transaction.embed(values, as: type, in: object, of: table, table.column("one"))
            }
        case 5:
            let things = try transaction.table("Thing"), target = try things.key(primaryKey: .string(Self.names[random.below(3)]))
            try transaction.set(object, in: table, table.column("friend"), to: target.map { .link($0) } ?? .null)
        case 6: try transaction.set(of: object, in: table, table.column("tags")).insert(.int(step))
        default: if !isThing { try transaction.set(object, in: table, table.column("n"), to: .int(step)) }
        }
    }

    private func editList(_ list: ListWriter, _ values: [(String, Value)], _ type: String?, _ random: inout SeededRandom) throws {
        let count = try list.view().count
        switch random.below(5) {
        case 0 where count > 0: try list.remove(at: random.below(count))
        case 1 where count > 0: try list.embed(values, as: type, replacing: random.below(count))
        case 2 where count > 1: try list.move(from: random.below(count), to: random.below(count))
        default: for _ in 0...random.below(2) { try list.embed(values, as: type, at: random.below(count + 1)) }
        }
    }
}
