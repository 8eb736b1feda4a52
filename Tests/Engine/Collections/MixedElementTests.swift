import DatabaseKit
@testable import FreeholdEngine
import TestKit
import Testing

/// Properties that are collections of mixed values.
@Suite struct MixedElementTests {
    static let owner = ClassSchema("Owner", [
        PropertySchema("name", .string), PropertySchema("list", .mixed, collections: [.list]), PropertySchema("set", .mixed, collections: [.set]),
        PropertySchema("map", .mixed, collections: [.map]), PropertySchema("lists", .mixed, collections: [.map, .list]),
        PropertySchema("maps", .mixed, collections: [.list, .map]),
    ])
    /// In cells, and in trees of one leaf and of several.
    private static let sizes = [1, 60, 900]

    private func withDatabase(_ body: (Database) throws -> Void) throws {
        let machine = SimulatedSystem(seed: 5)
        defer { machine.discard() }
        let database = try Database.open("/mixed.freehold", OpenOptions.simulated, on: machine.makeProcess())
        defer { database.close() }
        try database.write { transaction in
            for schema in [ClassSchema("Thing", primaryKey: "id", [PropertySchema("id", .int)]), ClassSchema("City", primaryKey: "id", [PropertySchema("id", .int)]), Self.owner] {
                try transaction.createClass(schema)
            }
            for name in ["Thing", "City"] { for id in 0..<10 { try transaction.insert(into: name, [("id", .int(Int64(id)))]) } }
        }
        try body(database)
        let report = try database.check()
        #expect(report.isClean, "\(report.problems.prefix(5))")
    }

    private func thing(_ id: Int64) -> Value { .object(ObjectReference(classNumber: 0, key: ObjectKey(id))) }
    private func city(_ id: Int64) -> Value { .object(ObjectReference(classNumber: 1, key: ObjectKey(id))) }

    private func expect(_ code: FreeholdError.Code, _ body: () throws -> Void) {
        #expect { try body() } throws: { ($0 as? FreeholdError)?.code == code }
    }

    /// An owner whose collections hold links to thing 1 and city 1 among `size` numbers; with others, so that it is in a cluster.
    private func fill(_ database: Database, _ size: Int) throws -> ObjectKey {
        let numbers = (0..<size).map { Value.int(Int64($0)) }, deep = Value.list([.map(["thing": thing(1)]), .string("x")])
        let all = numbers + [thing(1), city(1), deep, thing(1)]
        let map = TextMap(uniqueKeysWithValues: all.enumerated().map { ("key \($0)", $1) })
        return try database.writing { transaction in
            if size > 1 { for _ in 0..<300 { try transaction.insert(into: "Owner", []) } }
            return try transaction.insert(into: "Owner", [
                ("list", .list(all)), ("set", .set(numbers + [thing(1), city(1)])), ("map", .map(map)), ("lists", .map(["all": .list(all)])),
                ("maps", .list([.map([:]), .map(map)])),
            ])
        }
    }

    // MARK: Operations

    @Test("a list takes values of every type anywhere, moves, swaps, replaces and loses them")
    func lists() throws {
        try Shelf.withObject(PropertySchema("items", .mixed, collections: [.list]), transactions: 2) { transaction, table, column, key in
            let list = try transaction.list(of: key, in: table, column)
            try list.assign([.int(1), .string("a"), .null])
            try list.insert(.decimal(Decimal128("1.50")!), at: 1)
            try list.append(.map(["k": .list([.bool(true)])]))
            try list.move(from: 4, to: 0)
            try list.swap(1, 2)
            try list.replace(at: 4, with: .data([0]))
            let view = try list.view(), all = try view.values(in: 0..<5)
            #expect(all == [.map(["k": .list([.bool(true)])]), .decimal(Decimal128("1.50")!), .int(1), .string("a"), .data([0])])
            try list.remove(1..<4)
            try list.remove(at: 0)
            #expect(try list.view()[0] == .data([0]))
            let long = Value.string(String(repeating: "long ", count: 20_000))
            try list.append(contentsOf: (0..<1000).map { $0 % 100 == 7 ? long : .double(Double($0)) })
            try list.move(from: 8, to: 999)
            let last = try list.view(), moved = try last[999], behind = try last[1000]
            #expect(last.count == 1001 && moved == long && behind == .double(999))
            expect(.invalidArgument) { try list.remove(at: 1001) }
        } between: { row, column in
            let list = try row.list(column)
            #expect(list.count == 1001)
        }
    }

    /// 1, 1.0 and the decimal 1 are three values, equal decimals one.
    @Test("a set has each value once, in the order of types and values, however long it is", arguments: [0, 2000])
    func sets(others: Int) throws {
        try Shelf.withObject(PropertySchema("items", .mixed, collections: [.set])) { transaction, table, column, key in
            let set = try transaction.set(of: key, in: table, column)
            let many = (0..<others).map { Value.string("tag \($0)") }
            try set.insert(contentsOf: many)
            try set.insert(contentsOf: [.string("1"), .double(1), .int(1), .null, .decimal(1), .decimal(Decimal128("1.00")!), .int(1), .data([49])])
            let view = try set.view(), first = try view.values(in: 0..<3)
            #expect(view.count == 6 + others && first == [.null, .int(1), .double(1)])
            for value in [.decimal(Decimal128("1.0")!), .data([49]), .null] as [Value] { #expect(try view.contains(value)) }
            for value in [.float(1), .bool(true), .string("")] as [Value] { #expect(try !view.contains(value)) }
            try set.remove(.double(1))
            try set.remove(.float(1))
            #expect(try set.view().count == 5 + others && set.view().contains(.int(1)))
            for value in [.list([]), .map([:]), .list([.int(1)])] as [Value] { expect(.typeMismatch) { try set.insert(value) } }
            try set.removeAll()
            #expect(try set.view().isEmpty)
        }
    }

    @Test("a map finds, replaces and loses values of every type by their keys", arguments: [1, 700])
    func maps(count: Int) throws {
        try Shelf.withObject(PropertySchema("items", .mixed, collections: [.map]), transactions: 2) { transaction, table, column, key in
            let map = try transaction.map(of: key, in: table, column)
            try map.assign(TextMap(uniqueKeysWithValues: (0..<count).map { ("key \($0)", Value.int(Int64($0))) }))
            try map.set(.null, for: "null")
            try map.set(.uuid(UniqueIdentifier(high: 1, low: 2)), for: "key 0")
            try map.set(.list([.int(1)]), for: "list")
            try map.remove("no such key")
            let view = try map.view(), (zero, null, none) = (try view["key 0"], try view["null"], try view["none"])
            #expect(view.count == count + 2 && zero == .uuid(UniqueIdentifier(high: 1, low: 2)) && null == .null && none == nil)
            try map.remove("null")
        } between: { row, column in
            let view = try row.map(column), list = try view.list(for: "list")[0]
            #expect(view.count == count + 1 && list == .int(1))
        }
    }

    @Test("lists and maps that are elements are read and changed by their place", arguments: [1, 60, 900])
    func elements(size: Int) throws {
        try withDatabase { database in
            let key = try fill(database, size)
            try database.write { transaction in
                let owners = try transaction.table("Owner")
                let list = try transaction.list(of: key, in: owners, owners.column("list"))
                try list.list(at: size + 2).append(.map([:]))
                try list.list(at: size + 2).map(at: 2).set(city(2), for: "city")
                let lists = try transaction.map(of: key, in: owners, owners.column("lists")).list(for: "all")
                try lists.list(at: size + 2).remove(at: 0)
                let maps = try transaction.list(of: key, in: owners, owners.column("maps"))
                try maps.map(at: 0).set(.map([:]), for: "new")
                try maps.map(at: 0).map(for: "new").set(.int(7), for: "seven")
                try maps.map(at: 1).list(for: "key \(size + 2)").insert(contentsOf: [.int(8), .int(9)], at: 1)
                expect(.invalidArgument) { try list.list(at: size + 4).append(.int(1)) }
                expect(.invalidArgument) { try list.list(at: 0).append(.int(1)) }
                expect(.invalidArgument) { try maps.map(at: 1).list(for: "none").append(.int(1)) }
                expect(.invalidArgument) { try list.list(at: size + 2).remove(at: 3) }
                expect(.typeMismatch) { try list.list(at: size + 2).append(.set([])) }
                expect(.typeMismatch) { try transaction.set(of: key, in: owners, owners.column("list")).insert(.int(1)) }
                expect(.noSuchObject) { try list.list(at: size + 2).append(thing(99)) }
            }
            let owners = try database.snapshot().table("Owner"), row = try #require(try owners.row(key))
            let list = try row.list(owners.column("list")), element = try list[size + 2], inner = try list.list(at: size + 2).map(at: 2)["city"]
            #expect(element == .list([.map(["thing": thing(1)]), .string("x"), .map(["city": city(2)])]) && inner == city(2))
            #expect(try row.map(owners.column("lists")).list(for: "all")[size + 2] == .list([.string("x")]))
            let maps = try row.list(owners.column("maps")), seven = try maps.map(at: 0).map(for: "new")["seven"]
            let eight = try maps.map(at: 1).list(for: "key \(size + 2)").values(in: 1..<3)
            #expect(seven == .int(7) && eight == [.int(8), .int(9)])
            #expect(try owners.backlinks(to: ObjectReference(classNumber: 1, key: ObjectKey(2)), from: owners.column("list")) == [key])
        }
    }

    @Test("an element is a value of at most a hundred collections within one another, and no link without a class")
    func refusals() throws {
        func nested(_ depth: Int) -> Value { (1..<depth).reduce(.list([])) { inner, level in level % 2 == 0 ? .list([inner]) : .map(["k": inner]) } }
        try Shelf.withObject(PropertySchema("items", .mixed, collections: [.list])) { transaction, table, column, key in
            let list = try transaction.list(of: key, in: table, column)
            try list.append(nested(100))
            for value in [nested(101), .set([]), .list([.set([])]), .link(ObjectKey(0))] as [Value] { expect(.typeMismatch) { try list.append(value) } }
            // The innermost of the hundred may hold values, and no collections.
            var inner = list.map(at: 0).list(for: "k")
            for _ in 0..<48 { inner = inner.map(at: 0).list(for: "k") }
            expect(.typeMismatch) { try inner.map(at: 0).list(for: "k").append(.list([])) }
            expect(.typeMismatch) { try inner.append(.list([.list([.list([])])])) }
            #expect(try list.view().count == 1)
        }
        try withDatabase { database in
            for property in [PropertySchema("a", .mixed, isIndexed: true, collections: [.list]), PropertySchema("a", .mixed, collections: [.set, .list])] {
                expect(.invalidArgument) { try database.write { try $0.createClass(ClassSchema("Bad", [property])) } }
            }
        }
    }

    // MARK: Links

    private static func values(_ row: Row, _ owners: Table) throws -> [Value] { try owner.properties.dropFirst().map { try row.value(owners.column($0.name)) } }

    @Test("links of any class are followed back, and become null with their objects: in sets they go", arguments: sizes, [false, true])
    func deleting(size: Int, dropsClass: Bool) throws {
        try withDatabase { database in
            let key = try fill(database, size)
            let one = ObjectReference(classNumber: 0, key: ObjectKey(1)), rome = ObjectReference(classNumber: 1, key: ObjectKey(1))
            let before = try database.snapshot().table("Owner")
            let was = try Self.values(try #require(try before.row(key)), before)
            for property in Self.owner.properties.dropFirst() {
                let column = try before.column(property.name)
                for object in [one, rome] {
                    #expect(try before.backlinks(to: object, from: column) == [key] && before.count(column, equals: .object(object)) == 1)
                }
                #expect(try before.backlinks(to: ObjectReference(classNumber: 1, key: ObjectKey(2)), from: column).isEmpty)
                expect(.invalidArgument) { _ = try before.keys(column, equals: .int(1)) }
            }
            try database.write { transaction in
                if dropsClass { try transaction.dropClass("Thing") } else { try transaction.delete(ObjectKey(1), from: transaction.table("Thing")) }
            }
            let owners = try database.snapshot().table("Owner"), now = try Self.values(try #require(try owners.row(key)), owners)
            #expect(now == was.map { $0.withoutReferences { $0 == one } } && now != was)
            for property in Self.owner.properties.dropFirst() {
                let column = try owners.column(property.name)
                #expect(try owners.backlinks(to: rome, from: column) == [key])
                if !dropsClass { #expect(try owners.backlinks(to: one, from: column).isEmpty) }
            }
        }
    }

    @Test("a link stays filed until the last one to its object goes, from elements too", arguments: sizes)
    func lastLink(size: Int) throws {
        try withDatabase { database in
            let key = try fill(database, size), one = ObjectReference(classNumber: 0, key: ObjectKey(1))
            try database.write { transaction in
                let owners = try transaction.table("Owner"), column = try owners.column("list")
                let list = try transaction.list(of: key, in: owners, column)
                func isFiled() throws -> Bool { try owners.backlinks(to: one, from: column) == [key] }
                try list.remove(at: size + 3)
                #expect(try isFiled())
                try list.replace(at: size, with: .null)
                #expect(try isFiled())
                try list.list(at: size + 2).map(at: 0).remove("thing")
                #expect(try !isFiled())
                try list.list(at: size + 2).append(thing(1))
                #expect(try isFiled())
                try list.move(from: size + 2, to: 0)
                try list.remove(1..<size)
                #expect(try isFiled())
                try list.removeAll()
                #expect(try !isFiled())
                try transaction.delete(key, from: owners)
                for property in Self.owner.properties.dropFirst() { #expect(try owners.backlinks(to: one, from: owners.column(property.name)).isEmpty) }
            }
        }
    }

    @Test("a change within an element, or of its type alone, is one of that element, and so is a link that becomes null", arguments: sizes)
    func feed(size: Int) throws {
        try withDatabase { database in
            let key = try fill(database, size), before = try database.snapshot()
            try database.write { transaction in
                let owners = try transaction.table("Owner"), list = try transaction.list(of: key, in: owners, owners.column("list"))
                try list.replace(at: 0, with: .bool(false))
                try list.list(at: size + 2).map(at: 0).set(.null, for: "new")
                let set = try transaction.set(of: key, in: owners, owners.column("set"))
                try set.remove(.int(0))
                try set.insert(.double(0))
                try transaction.map(of: key, in: owners, owners.column("map")).list(for: "key \(size + 2)").remove(at: 1)
                try transaction.delete(ObjectKey(1), from: transaction.table("City"))
            }
            let after = try database.snapshot()
            var told: ObjectChange?
            try after.changes(since: before)["Owner"]?.forEach { change in
                if change.key == key { told = change }
                return true
            }
            let change = try #require(told), owners = try after.table("Owner"), feed = try change.listChanges(of: owners.column("list"))
            #expect(feed.deletions.isEmpty && feed.insertions.isEmpty)
            #expect(feed.modifications.flatMap { Array($0.new) } == [0, size + 1, size + 2])
            let set = try change.setChanges(of: owners.column("set")), map = try change.mapChanges(of: owners.column("map"))
            let deleted = try set.deleted(), inserted = try set.inserted()
            #expect(deleted == [.int(0), city(1)] && inserted == [.double(0)])
            #expect(map.modifications.sorted() == ["key \(size + 1)", "key \(size + 2)"].sorted() && map.deletions.isEmpty && map.insertions.isEmpty)
        }
    }

    // MARK: Files

    @Test("a copy, a compacted file and a salvaged one have them as they were", arguments: sizes)
    func copies(size: Int) throws {
        let machine = SimulatedSystem(seed: 5), process = machine.makeProcess()
        defer { machine.discard() }
        var key = ObjectKey(0), was: [Value] = []
        do {
            let database = try Database.open("/mixed.freehold", OpenOptions.simulated, on: process)
            defer { database.close() }
            try database.write { transaction in
                for name in ["Thing", "City"] { try transaction.createClass(ClassSchema(name, [PropertySchema("id", .int)])) }
                try transaction.createClass(Self.owner)
                for name in ["Thing", "City"] { for id in 0..<10 { try transaction.insert(into: name, [("id", .int(Int64(id)))]) } }
            }
            key = try fill(database, size)
            let owners = try database.snapshot().table("Owner")
            was = try Self.values(try #require(try owners.row(key)), owners)
            try DatabaseCopy(source: database, path: "/copy.freehold", system: process, key: nil, options: .simulated).run()
        }
        let report = try Database.salvage(from: "/mixed.freehold", to: "/salvaged.freehold", OpenOptions.simulated, on: process)
        #expect(report.isComplete)
        for path in ["/copy.freehold", "/salvaged.freehold"] {
            let database = try Database.open(path, OpenOptions.simulated, on: process)
            defer { database.close() }
            let owners = try database.snapshot().table("Owner"), found = try Self.values(try #require(try owners.row(key)), owners)
            #expect(found == was)
            #expect(try owners.backlinks(to: ObjectReference(classNumber: 0, key: ObjectKey(1)), from: owners.column("lists")) == [key])
            let problems = try database.check().problems
            #expect(problems == [])
        }
    }

    @Test("bytes that are no short collection of mixed values are told as such, whatever is cut off or changed", arguments: [CollectionKind.list, .set, .map])
    func forged(kind: CollectionKind) throws {
        let shape = CollectionShape([kind], .mixed, isNullable: true)
        let values: [Value] = [.null, .int(7), .string("a"), thing(3)] + (kind == .set ? [] : [.list([.bool(true)])])
        let whole: Value = kind == .list ? .list(values) : kind == .set ? .set(values.inSetOrder(of: .mixed)) : .map(["": values[1], "k": values[4], "l": values[3]])
        let bytes = try #require(InlineCollection.encode(whole, shape))
        func decode(_ bytes: [UInt8]) -> Value? { bytes.withUnsafeBytes { try? InlineCollection.decode($0, shape) } }
        #expect(decode(bytes) == whole)
        for length in bytes.indices.dropFirst() { #expect(decode(Array(bytes.prefix(length))) == nil) }
        #expect(decode(bytes + [0]) == nil)
        for place in bytes.indices {
            for bit in 0..<8 {
                var changed = bytes
                changed[place] ^= 1 << UInt8(bit)
                #expect(decode(changed)?.isIdentical(to: whole) != true)
            }
        }
    }

    @Test("a leaf whose elements are no mixed values is damage to readers and the checker")
    func forgedLeaf() throws {
        try withDatabase { database in
            let transaction = try database.beginWrite()
            defer { transaction.rollback() }
            let pending = transaction.pending, maker = LeafMaker()
            let bytes = CollectionShape([.list], .data, isNullable: true), mixed = CollectionShape([.list], .mixed, isNullable: true)
            for element in [[], [0], [2, 1], [99, 1], [0x82], [0x81, 1]] as [[UInt8]] {
                let editor = ListEditor(bytes, table: 2, maker, in: pending)
                let root = try editor.replace(0..<0, by: ListRun(values: [.data(element)]), in: .null)
                var parts = CollectionParts()
                parts.count = 1
                parts.elements = root
                let cell = CollectionCell.tree(CollectionRoot.make(.list, parts, table: 2, in: pending))
                expect(.corrupt) { _ = try CollectionReader(cell, mixed, pending.access).value() }
                var checker = CollectionChecker(access: pending.access)
                checker.check(cell, mixed)
                #expect(!checker.problems.isEmpty)
            }
        }
    }
}
