import DatabaseKit
@testable import FreeholdEngine
import TestKit
import Testing

/// Collections of links: followed back, and cleared when their targets go.
@Suite struct BacklinkTests {
    static let owner = ClassSchema("Owner", [
        PropertySchema("name", .string),
        PropertySchema("list", linkTo: "Thing", collections: [.list]), PropertySchema("set", linkTo: "Thing", collections: [.set]),
        PropertySchema("map", linkTo: "Thing", collections: [.map]), PropertySchema("lists", linkTo: "Thing", collections: [.map, .list]),
        PropertySchema("rows", linkTo: "Thing", collections: [.list, .list]),
    ])

    @Test("deleting an object takes it out of lists and sets and makes map values null, and nothing links back to it",
          arguments: [3, 4000])
    func deleting(count: Int) throws {
        try withDatabase { database in
            let owner = try fill(database, things: count)
            let gone = ObjectKey(1), kept = ObjectKey(2)
            try database.write { transaction in try transaction.delete(gone, from: transaction.table("Thing")) }
            let owners = try database.snapshot().table("Owner")
            let row = try #require(try owners.row(owner))
            let list = try row.list(owners.column("list")), set = try row.set(owners.column("set")), map = try row.map(owners.column("map"))
            let (first, value, inner) = (try list[0], try map["1"], try row.map(owners.column("lists")).list(for: "all"))
            #expect(list.count == 2 * (count - 1) && first == .link(ObjectKey(0)))
            let contains = try set.contains(.link(gone))
            #expect(set.count == count - 1 && !contains && value == .null && map.count == count && inner.count == count - 1)
            for name in Self.owner.properties.map(\.name).dropFirst() {
                #expect(try owners.backlinkCount(to: gone, from: owners.column(name)) == 0)
                #expect(try owners.backlinks(to: kept, from: owners.column(name)) == [owner])
            }
            #expect(try database.check().isClean)
        }
    }

    @Test("an object linked to twice has its backlink until the second link goes")
    func twice() throws {
        for count in [3, 4000] {
            try withDatabase { database in
                let owner = try fill(database, things: count)
                try database.write { transaction in
                    let owners = try transaction.table("Owner"), column = try owners.column("list")
                    let list = try transaction.list(of: owner, in: owners, column)
                    try list.remove(at: 1)
                    #expect(try owners.backlinks(to: ObjectKey(1), from: column) == [owner])
                    try list.remove(at: count)
                    #expect(try owners.backlinks(to: ObjectKey(1), from: column).isEmpty)
                }
                #expect(try database.check().isClean)
            }
        }
    }

    @Test("a link to an object that does not exist is refused wherever it stands, and changes nothing")
    func missingTargets() throws {
        try withDatabase { database in
            let owner = try fill(database, things: 3)
            let nowhere = Value.link(ObjectKey(99))
            try database.write { transaction in
                let owners = try transaction.table("Owner")
                for attempt: () throws -> Void in [
                    { try transaction.list(of: owner, in: owners, owners.column("list")).append(nowhere) },
                    { try transaction.set(of: owner, in: owners, owners.column("set")).insert(nowhere) },
                    { try transaction.map(of: owner, in: owners, owners.column("map")).set(nowhere, for: "x") },
                    { try transaction.set(owner, in: owners, owners.column("rows"), to: .list([.list([nowhere])])) },
                    { try transaction.insert(into: "Owner", [("list", .list([nowhere]))]) },
                ] {
                    let error = #expect(throws: FreeholdError.self) { try attempt() }
                    #expect(error?.code == .noSuchObject)
                }
            }
            #expect(try database.check().isClean)
        }
    }

    @Test("backlinks follow random changes of all collections and deletions on both sides", arguments: TestScale.seeds(8))
    func history(seed: UInt64) throws {
        try withDatabase { database in
            var random = SeededRandom(seed: seed)
            var model: [Int64: [String: Plain]] = [:], things: Set<Int64> = []
            for _ in 0..<14 {
                try database.write { transaction in
                    for _ in 0..<Int.random(in: 1...25, using: &random) {
                        try step(transaction, &model, &things, &random)
                    }
                }
                try compare(database, model, things, seed)
            }
        }
    }

    private func step(_ transaction: WriteTransaction, _ model: inout [Int64: [String: Plain]], _ things: inout Set<Int64>,
                      _ random: inout SeededRandom) throws {
        let owners = try transaction.table("Owner")
        switch Int.random(in: 0..<10, using: &random) {
        case 0..<2:
            for _ in 0..<Int.random(in: 1...(random.oneIn(5) ? 120 : 4), using: &random) {
                things.insert(try transaction.insert(into: "Thing", [("name", .string("thing"))]).rawValue)
            }
        case 2:
            for _ in 0..<Int.random(in: 1...(random.oneIn(5) ? 290 : 3), using: &random) {
                let key = try transaction.insert(into: "Owner", [])
                model[key.rawValue] = [:]
                for property in Self.owner.properties.dropFirst() {
                    model[key.rawValue]![property.name] = Plain(CollectionShape(property.collections[...], .link, isNullable: false).empty)
                }
            }
        case 3 where !things.isEmpty:
            for _ in 0..<Int.random(in: 1...3, using: &random) {
                guard let gone = things.sorted().randomElement(using: &random) else { return }
                try transaction.delete(ObjectKey(gone), from: transaction.table("Thing"))
                things.remove(gone)
                for (owner, values) in model { model[owner] = values.mapValues { $0.without(gone) } }
            }
        case 4 where !model.isEmpty:
            let gone = model.keys.sorted().randomElement(using: &random)!
            try transaction.delete(ObjectKey(gone), from: owners)
            model[gone] = nil
        default:
            guard let owner = model.keys.sorted().randomElement(using: &random), !things.isEmpty else { return }
            let property = Self.owner.properties.dropFirst().randomElement(using: &random)!
            let value = links(property.collections[...], things, &random)
            if random.oneIn(2) {
                try transaction.set(ObjectKey(owner), in: owners, owners.column(property.name), to: value)
                model[owner]![property.name] = Plain(value)
            } else if property.name == "list", case .list(var items) = model[owner]!["list"] {
                try changeList(transaction.list(of: ObjectKey(owner), in: owners, owners.column("list")), &items, things, &random)
                model[owner]!["list"] = .list(items)
            }
        }
    }

    private func changeList(_ list: ListWriter, _ items: inout [Plain], _ things: Set<Int64>, _ random: inout SeededRandom) throws {
        if items.isEmpty || random.oneIn(2) {
            let link = Value.link(ObjectKey(things.sorted().randomElement(using: &random)!)), position = Int.random(in: 0...items.count, using: &random)
            try list.insert(link, at: position)
            items.insert(Plain(link), at: position)
        } else {
            let position = Int.random(in: 0..<items.count, using: &random)
            try list.remove(at: position)
            items.remove(at: position)
        }
    }

    private func links(_ kinds: ArraySlice<CollectionKind>, _ things: Set<Int64>, _ random: inout SeededRandom) -> Value {
        guard let kind = kinds.first else { return .link(ObjectKey(things.sorted().randomElement(using: &random)!)) }
        let values = (0..<Int.random(in: 0..<(kinds.count == 1 && random.oneIn(8) ? 200 : 5), using: &random)).map { _ in links(kinds.dropFirst(), things, &random) }
        switch kind {
        case .list: return .list(values)
        case .set: return .set(values)
        case .map: return .map(TextMap(values.enumerated().map { ("key \($0)", $1) }) { $1 })
        }
    }

    private func compare(_ database: Database, _ model: [Int64: [String: Plain]], _ things: Set<Int64>, _ seed: UInt64) throws {
        let owners = try database.snapshot().table("Owner")
        #expect(owners.count == model.count)
        for property in Self.owner.properties.dropFirst() {
            let column = try owners.column(property.name)
            var sources: [Int64: Set<Int64>] = [:]
            for (owner, values) in model {
                let value = try owners.value(ObjectKey(owner), column)
                #expect(Plain(value) == values[property.name], "seed \(seed), \(property.name) of \(owner)")
                for target in values[property.name]!.targets { sources[target, default: []].insert(owner) }
            }
            for thing in things.sorted().suffix(12) {
                let found = try owners.backlinks(to: ObjectKey(thing), from: column).map(\.rawValue)
                #expect(found == (sources[thing] ?? []).sorted(), "seed \(seed), \(property.name) back from \(thing)")
            }
        }
        let report = try database.check()
        #expect(report.isClean, "seed \(seed): \(report.problems.prefix(5))")
    }

    private func withDatabase(_ body: (Database) throws -> Void) throws {
        let machine = SimulatedSystem(seed: 5)
        defer { machine.discard() }
        let database = try Database.open("/links.freehold", OpenOptions.simulated, on: machine.makeProcess())
        defer { database.close() }
        try database.write { transaction in
            try transaction.createClass(ClassSchema("Thing", [PropertySchema("name", .string)]))
            try transaction.createClass(Self.owner)
        }
        try body(database)
    }

    /// An owner whose collections link to all things, its list twice.
    private func fill(_ database: Database, things: Int) throws -> ObjectKey {
        var owner = ObjectKey(0)
        try database.write { transaction in
            var links: [Value] = []
            for number in 0..<things { links.append(.link(try transaction.insert(into: "Thing", [("name", .string("thing \(number)"))]))) }
            let entries = TextMap(links.enumerated().map { (String($0), $1) }) { $1 }
            owner = try transaction.insert(into: "Owner", [
                ("list", .list(links + links)), ("set", .set(links)), ("map", .map(entries)), ("lists", .map(["all": .list(links)])),
                ("rows", .list([.list([]), .list(links)])),
            ])
        }
        return owner
    }
}

extension Plain {
    var targets: Set<Int64> {
        switch self {
        case .value(.link(let target)): [target.rawValue]
        case .value: []
        case .list(let items): items.reduce(into: []) { $0.formUnion($1.targets) }
        case .set(let values): values.reduce(into: []) { $0.formUnion(Plain($1).targets) }
        case .map(let entries): entries.values.reduce(into: []) { $0.formUnion($1.targets) }
        }
    }

    func without(_ target: Int64) -> Plain {
        let gone = Plain.value(.link(ObjectKey(target)))
        switch self {
        case .value: return self
        case .list(let items): return .list(items.filter { $0 != gone }.map { $0.without(target) })
        case .set(let values): return .set(values.filter { $0 != .link(ObjectKey(target)) })
        case .map(let entries): return .map(entries.mapValues { $0 == gone ? .value(.null) : $0.without(target) })
        }
    }
}
