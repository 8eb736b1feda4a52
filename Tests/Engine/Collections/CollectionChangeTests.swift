import DatabaseKit
@testable import FreeholdEngine
import TestKit
import Testing

/// What is told of collections between two snapshots, applied to copies.
@Suite struct CollectionChangeTests {
    private static let property = "items"

    /// Elements that repeat, and elements that do not.
    private static func shape(_ seed: UInt64) -> PropertySchema {
        let types: [PropertyType] = [.int, .string, .bool, .double, .date, .uuid, .objectId, .data, .float, .decimal, .mixed]
        let type = types[Int(seed % 11)]
        return PropertySchema(property, type, isNullable: true, collections: [.list])
    }

    @Test("between any two held versions of a list the changes told turn the one into the other", arguments: TestScale.seeds(400))
    func lists(seed: UInt64) throws {
        var random = SeededRandom(seed: seed)
        let schema = Self.shape(seed)
        var told = 0, needed = 0
        try withObject(schema, seed) { database, key in
            var model: [Value] = [], held: [(model: [Value], snapshot: Snapshot)] = []
            for _ in 0..<5 {
                try database.write(durability: .processCrash) { transaction in
                    let table = try transaction.table("Shelf"), list = try transaction.list(of: key, in: table, table.column(Self.property))
                    for _ in 0..<Int.random(in: 1...(random.oneIn(3) ? 40 : 4), using: &random) {
                        try Shelf.change(list, &model, schema.type, &random)
                    }
                    if random.oneIn(12) { try list.assign(model) }
                }
                held.append((model, try database.snapshot()))
                let old = held.randomElement(using: &random)!, new = random.oneIn(5) ? held.randomElement(using: &random)! : held.last!
                let changes = try Self.list(key, new.snapshot).changes(since: Self.list(key, old.snapshot))
                let complaints = ChangeOracle.complaints(changes, from: old.model, to: new.model)
                #expect(complaints.isEmpty, "seed \(seed): \(complaints)")
                let fed = try Self.change(of: key, new.snapshot, old.snapshot)
                #expect((fed == nil) == (old.model == new.model), "seed \(seed)")
                if !complaints.isEmpty { return }
                told += changes.deletions.map(\.count).reduce(0, +) + changes.insertions.map(\.count).reduce(0, +)
                    + 2 * changes.modifications.map(\.old.count).reduce(0, +)
                if old.model.count + new.model.count < 1500 { needed += new.model.difference(from: old.model).count } else { told = needed }
                for move in try changes.moves() {
                    #expect(old.model[move.from] == new.model[move.to])
                    #expect(changes.deletions.contains { $0.contains(move.from) } && changes.insertions.contains { $0.contains(move.to) })
                }
            }
        }
        // Where elements repeat much, and much has changed, more may be told than is needed.
        #expect(told <= needed * (schema.type == .bool ? 8 : 2) + 2, "seed \(seed): told \(told), needed \(needed)")
    }

    private static func list(_ key: ObjectKey, _ snapshot: Snapshot) throws -> ListView {
        let table = try snapshot.table("Shelf")
        return try #require(try table.row(key)).list(table.column(property))
    }

    private static func change(of key: ObjectKey, _ snapshot: Snapshot, _ older: Snapshot) throws -> ObjectChange? {
        var found: ObjectChange?
        try snapshot.changes(since: older)["Shelf"]?.forEach { change in
            if change.key == key { found = change }
            return true
        }
        return found
    }

    private func withObject(_ property: PropertySchema, _ seed: UInt64, path: String = "/changes.freehold", _ body: (Database, ObjectKey) throws -> Void) throws {
        let machine = SimulatedSystem(seed: seed)
        defer { machine.discard() }
        let database = try Database.open(path, OpenOptions.simulated, on: machine.makeProcess())
        defer { database.close() }
        var key = ObjectKey(0)
        try database.write(durability: .processCrash) { transaction in
            try transaction.createClass(ClassSchema("Shelf", [PropertySchema("name", .string), property]))
            // With many others it is in a cluster, alone in the tail until its list is a tree.
            for _ in 0..<(seed % 2 == 0 ? 300 : 1) { key = try transaction.insert(into: "Shelf", [("name", .string("one"))]) }
        }
        try body(database, key)
    }

    @Test("between any two held versions of nested collections everything changed is told, at each depth", arguments: TestScale.seeds(150))
    func nested(seed: UInt64) throws {
        let kinds: [[CollectionKind]] = [[.list, .list], [.map, .list], [.list, .map], [.list, .set], [.map, .map, .list], [.set], [.map]]
        let type: PropertyType = seed % 3 == 0 ? .string : .int, collections = kinds[Int(seed % 7)]
        var random = SeededRandom(seed: seed), model = Plain(CollectionShape(collections[...], type, isNullable: false).empty)
        try withObject(PropertySchema(Self.property, type, collections: collections), seed) { database, key in
            var held: [Snapshot] = []
            func reader(_ snapshot: Snapshot) throws -> CollectionReader {
                let table = try snapshot.table("Shelf")
                return try #require(try table.row(key)).collection(table.column(Self.property))
            }
            for _ in 0..<6 {
                try database.write(durability: .processCrash) { transaction in
                    let table = try transaction.table("Shelf")
                    let place = CollectionWriter(transaction: transaction, table: table, key: key, column: try table.column(Self.property))
                    for _ in 0..<Int.random(in: 1...12, using: &random) {
                        try NestedTests.change(place, collections[...], &model, type, &random)
                    }
                }
                held.append(try database.snapshot())
                let found = try Self.complaints(reader(held.randomElement(using: &random)!), reader(held.last!))
                #expect(found.isEmpty, "seed \(seed): \(found)")
                #expect(try Plain(reader(held.last!).value()) == model, "seed \(seed)")
            }
        }
    }

    /// What is wrong with what is told of two versions of a collection, and of those in it that are told as changed.
    private static func complaints(_ before: CollectionReader, _ after: CollectionReader) throws -> [String] {
        switch (try before.value(), try after.value()) {
        case (.list(let old), .list(let new)):
            let changes = try ListView(reader: after).changes(since: ListView(reader: before))
            var found = ChangeOracle.complaints(changes, from: old, to: new)
            guard after.shape.inner != nil, found.isEmpty else { return found }
            for part in changes.modifications {
                for (one, other) in zip(part.old, part.new) { found += try complaints(before.inner(at: one), after.inner(at: other)) }
            }
            return found
        case (.set(let old), .set(let new)):
            return try ChangeOracle.complaints(SetView(reader: after).changes(since: SetView(reader: before)), old, to: new)
        case (.map(let old), .map(let new)):
            let changes = try MapView(reader: after).changes(since: MapView(reader: before))
            var found = ChangeOracle.complaints(changes, from: old, to: new)
            for key in changes.modifications where after.shape.inner != nil {
                found += try complaints(before.following([.key(key)]), after.following([.key(key)]))
            }
            return found
        default: return ["two kinds"]
        }
    }

    // MARK: Named rules

    /// What is told after `change` of a list of the numbers from 0 on.
    private func told(_ count: Int, _ change: (ListWriter) throws -> Void, _ body: (ListChanges) throws -> Void) throws {
        for count in [count, count + 3000] {
            try withObject(PropertySchema(Self.property, .int, collections: [.list]), 2) { database, key in
                func write(_ body: (ListWriter) throws -> Void) throws {
                    try database.write(durability: .processCrash) { transaction in
                        let table = try transaction.table("Shelf")
                        try body(transaction.list(of: key, in: table, table.column(Self.property)))
                    }
                }
                try write { try $0.append(contentsOf: (0..<count).map { .int(Int64($0)) }) }
                let before = try database.snapshot()
                try write(change)
                let after = try database.snapshot()
                try body(Self.list(key, after).changes(since: Self.list(key, before)))
            }
        }
    }

    @Test("deletions are positions in the old list, insertions in the new one")
    func positions() throws {
        try told(20) { list in
            try list.remove(at: 3)
            try list.remove(7..<9)
            try list.insert(.int(100), at: 0)
        } _: { changes in
            #expect(changes.deletions == [3..<4, 8..<10] && changes.insertions == [0..<1] && changes.modifications.isEmpty)
        }
    }

    @Test("an element replaced is modified; its positions are told in both lists")
    func replaced() throws {
        try told(20) { list in
            try list.insert(.int(100), at: 2)
            try list.replace(at: 11, with: .int(200))
        } _: { changes in
            #expect(changes.insertions == [2..<3] && changes.deletions.isEmpty)
            #expect(changes.modifications == [ListChanges.Modification(old: 10..<11, new: 11..<12)])
        }
    }

    @Test("a move is a deletion and an insertion, and told as a pair when asked")
    func moved() throws {
        try told(20) { try $0.move(from: 4, to: 15) } _: { changes in
            #expect(changes.deletions == [4..<5] && changes.insertions == [15..<16] && changes.modifications.isEmpty)
            let moves = try changes.moves()
            #expect(moves == [ListChanges.Move(from: 4, to: 15)])
        }
    }

    @Test("two elements that change places are two modifications")
    func swapped() throws {
        try told(20) { try $0.swap(4, 15) } _: { changes in
            #expect(changes.modifications.map(\.old) == [4..<5, 15..<16] && changes.deletions.isEmpty && changes.insertions.isEmpty)
        }
    }

    @Test("a change taken back, a value set to itself, and a list assigned what it holds are no changes")
    func takenBack() throws {
        try told(20) { list in
            try list.move(from: 4, to: 15)
            try list.move(from: 15, to: 4)
            try list.replace(at: 7, with: .int(7))
            try list.assign(try list.view().values(in: 0..<list.view().count))
        } _: { #expect($0.isEmpty) }
    }

    @Test("a list cleared, and a list filled, are one range")
    func cleared() throws {
        try told(20) { try $0.removeAll() } _: { changes in
            #expect(changes.deletions.count == 1 && changes.deletions[0].lowerBound == 0 && changes.insertions.isEmpty)
        }
        try told(0) { list in
            try list.removeAll()
            try list.append(contentsOf: (0..<3000).map { .int(Int64(-$0)) })
        } _: { changes in
            #expect(changes.insertions.isEmpty || changes.insertions.last?.upperBound == 3000)
            #expect(changes.modifications.isEmpty == (changes.insertions == [0..<3000]))
        }
    }

    @Test("leaves joined, split and moved by other transactions are no changes")
    func rebalanced() throws {
        try told(5000) { list in
            let count = try list.view().count
            for position in 0..<count / 3 { try list.insert(.int(Int64(-position)), at: position * 3) }
            for position in (0..<count / 3).reversed() { try list.remove(at: position * 3) }
        } _: { #expect($0.isEmpty) }
    }

    @Test("changes are refused between collections of two databases, of two kinds of elements, and of no collections")
    func refusals() throws {
        try withObject(PropertySchema(Self.property, .int, collections: [.list]), 1) { database, key in
            try database.write { transaction in
                try transaction.createClass(ClassSchema("Shelf 2", [PropertySchema("items", .string, collections: [.list])]))
                try transaction.insert(into: "Shelf 2", [])
                let table = try transaction.table("Shelf")
                try transaction.list(of: key, in: table, table.column(Self.property)).append(.int(1))
            }
            let now = try database.snapshot(), others = try now.table("Shelf 2")
            let other = try #require(try others.row(ObjectKey(0))).list(others.column("items"))
            let error = #expect(throws: FreeholdError.self) { try Self.list(key, now).changes(since: other) }
            #expect(error?.code == .invalidArgument)
            try withObject(PropertySchema(Self.property, .int, collections: [.list]), 1, path: "/second.freehold") { second, key in
                let list = try Self.list(key, second.snapshot())
                let error = #expect(throws: FreeholdError.self) { try Self.list(key, now).changes(since: list) }
                #expect(error?.code == .invalidArgument)
            }
        }
    }

    @Test("an object's collections are told empty where it was not, and another kind is refused")
    func insertedObjects() throws {
        try withObject(PropertySchema(Self.property, .int, collections: [.list]), 1) { database, _ in
            let before = try database.snapshot()
            var key = ObjectKey(0)
            try database.write { key = try $0.insert(into: "Shelf", [("items", .list([.int(5), .int(6)]))]) }
            let after = try database.snapshot(), change = try #require(try Self.change(of: key, after, before))
            let column = try after.table("Shelf").column(Self.property), name = try after.table("Shelf").column("name")
            #expect(try change.listChanges(of: column).insertions == [0..<2])
            let error = #expect(throws: FreeholdError.self) { try change.mapChanges(of: column) }
            #expect(error?.code == .typeMismatch)
            let other = #expect(throws: FreeholdError.self) { try change.listChanges(of: name) }
            #expect(other?.code == .typeMismatch)
        }
    }
}
