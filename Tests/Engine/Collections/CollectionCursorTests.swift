import DatabaseKit
@testable import FreeholdEngine
import TestKit
import Testing

/// The walk to a collection in any version, against a walk through the property's whole value.
@Suite struct CollectionCursorTests {
    private static let owner = ClassSchema("Owner", [
        PropertySchema("name", .string), PropertySchema("any", .mixed), PropertySchema("shelves", .int, collections: [.map, .list]),
        PropertySchema("grid", .int, collections: [.list, .list, .set]), PropertySchema("list", .mixed, collections: [.list]),
    ])

    private func withOwner(_ body: (Database, ObjectKey) throws -> Void) throws {
        let machine = SimulatedSystem(seed: 9)
        defer { machine.discard() }
        let database = try Database.open("/cursors.freehold", OpenOptions.simulated, on: machine.makeProcess())
        defer { database.close() }
        var key = ObjectKey(0)
        try database.write { transaction in
            try transaction.createClass(Self.owner)
            key = try transaction.insert(into: "Owner", [("name", .string("first"))])
        }
        try body(database, key)
    }

    private func expect(_ code: FreeholdError.Code, _ body: () throws -> Void) {
        #expect { try body() } throws: { ($0 as? FreeholdError)?.code == code }
    }

    // MARK: Random histories

    @Test("in every version a cursor finds what a walk through the value finds, and nothing else",
          arguments: ["any", "shelves", "grid", "list"], TestScale.seeds(3))
    func history(property: String, seed: UInt64) throws {
        var random = SeededRandom(seed: seed &* 17 &+ UInt64(property.count)), places = Places()
        try withOwner { database, key in
            var held: [(Snapshot, Value)] = []
            for _ in 0..<12 {
                try database.write(durability: .processCrash) { transaction in
                    let table = try transaction.table("Owner"), column = try table.column(property)
                    if random.oneIn(2) || places.all.isEmpty {
                        try transaction.set(key, in: table, column, to: Self.value(property, &random))
                    } else {
                        try change(places.all.randomElement(using: &random)!, key, transaction, table, column)
                    }
                    try places.add(table.value(key, column))
                    try check(places, key, table, column, table.value(key, column), seed)
                }
                let snapshot = try database.snapshot(), table = try snapshot.table("Owner")
                held.append((snapshot, try table.value(key, try table.column(property))))
                for (snapshot, value) in held {
                    let table = try snapshot.table("Owner")
                    try check(places, key, table, try table.column(property), value, seed)
                }
            }
        }
    }

    /// Adds to a collection that may no longer exist.
    private func change(_ place: Place, _ key: ObjectKey, _ transaction: WriteTransaction, _ table: Table, _ column: Column) throws {
        let cursor = CollectionCursor(of: key, place.kind, at: place.path)
        let isThere = try cursor.canOpen(in: table, column, creating: true)
        do {
            let writer = try cursor.writer(in: transaction, table, column), element = try Self.element(of: place, table, column)
            switch place.kind {
            case .list: try writer.list.append(element)
            case .set: try writer.set.insert(element)
            case .map: try writer.map.set(element, for: "b")
            }
            #expect(isThere)
        } catch let error as FreeholdError {
            #expect(!isThere && cursor.explained(error, in: table, column).code == .objectDeleted, "\(place) \(error)")
        }
    }

    /// An empty collection where the property declares one below the place, else a number.
    private static func element(of place: Place, _ table: Table, _ column: Column) throws -> Value {
        let declared = try table.state.stored.properties[table.state.index(of: column)].shape?.kinds.dropFirst(place.path.count + 1).first
        return switch declared {
        case .list?: .list([])
        case .set?: .set([])
        case .map?: .map([:])
        case nil: .int(7)
        }
    }

    private func check(_ places: Places, _ key: ObjectKey, _ table: Table, _ column: Column, _ value: Value, _ seed: UInt64) throws {
        for place in places.all {
            let expected = value.walked(place.path[...]).flatMap { $0.collectionKind == place.kind ? $0.elements : nil }
            let cursor = CollectionCursor(of: key, place.kind, at: place.path)
            switch try cursor.find(in: table, column) {
            case .found(let view):
                #expect(try view.values(in: 0..<view.count) == expected, "seed \(seed): \(place)")
                #expect(try cursor.canOpen(in: table, column))
            case .removed:
                #expect(expected == nil, "seed \(seed): \(place)")
                #expect(try !cursor.canOpen(in: table, column))
                expect(.objectDeleted) { _ = try cursor.view(in: table, column) }
            case .objectDeleted: Issue.record("seed \(seed): the object exists")
            }
        }
    }

    private static func value(_ property: String, _ random: inout SeededRandom) -> Value {
        func numbers() -> [Value] {
            let count = random.oneIn(8) ? 900 : Int.random(in: 0..<4, using: &random)
            return (0..<count).map { .int(Int64($0)) }
        }
        func some(_ make: () -> Value) -> [Value] { (0..<Int.random(in: 0..<4, using: &random)).map { _ in make() } }
        func named(_ values: [Value]) -> Value {
            .map(TextMap(uniqueKeysWithValues: zip(["a", "b", "c"].shuffled(using: &random), values)))
        }
        func mixed(_ depth: Int) -> Value {
            if depth == 0 || random.oneIn(4) { return .int(1) }
            let values = some { mixed(depth - 1) }
            return random.oneIn(2) ? .list(values) : named(values)
        }
        switch property {
        case "shelves": return named(some { .list(numbers()) })
        case "grid": return .list(some { .list(some { .set(numbers()) }) })
        case "list": return .list(some { mixed(3) })
        default: return mixed(4)
        }
    }

    // MARK: One by one

    @Test("a list that a map replaces is removed, and found again once there is a list")
    func kinds() throws {
        try withOwner { database, key in
            func set(_ value: Value) throws -> Table {
                try database.write { transaction in
                    let table = try transaction.table("Owner")
                    try transaction.set(key, in: table, try table.column("any"), to: value)
                }
                return try database.snapshot().table("Owner")
            }
            var table = try set(.list([.map(["k": .list([.int(1)])])])), column = try table.column("any")
            let outer = try #require(try CollectionCursor(of: key, in: table, column))
            let map = try outer.inner(.position(0), in: table, column), list = try map.inner(.key("k"), in: table, column)
            #expect(outer.kind == .list && map.kind == .map && list.kind == .list && list.path == [.position(0), .key("k")])
            #expect(try list.view(in: table, column).values(in: 0..<1) == [.int(1)])
            let others: [Value] = [
                .map([:]), .int(5), .null, .list([]), .list([.list([.int(1)])]), .list([.map(["k": .map([:])])]),
                .list([.map(["x": .list([])])]),
            ]
            for other in others {
                table = try set(other)
                column = try table.column("any")
                guard case .removed = try list.find(in: table, column) else { Issue.record("found in \(other)"); continue }
                #expect(try outer.canOpen(in: table, column) == (other.collectionKind == .list))
            }
            table = try set(.list([.map(["k": .list([.int(2), .int(3)])])]))
            #expect(try list.view(in: table, column).count == 2)
            #expect(list.address(of: "any", in: "Owner") == CollectionAddress("any", of: key, in: "Owner", path: list.path))
        }
    }

    @Test("what a declared map does not have yet opens for changes, and a refused change of it keeps its error")
    func creating() throws {
        try withOwner { database, key in
            try database.write { transaction in
                let table = try transaction.table("Owner"), column = try table.column("shelves")
                let shelves = try #require(try CollectionCursor(of: key, in: table, column))
                expect(.invalidArgument) { _ = try shelves.inner(.key("top"), in: table, column) }
                expect(.invalidArgument) { _ = try shelves.inner(.position(0), in: table, column, creating: true) }
                let top = try shelves.inner(.key("top"), in: table, column, creating: true)
                #expect(top.kind == .list)
                #expect(try top.canOpen(in: table, column, creating: true) && !top.canOpen(in: table, column))
                #expect(try !CollectionCursor(of: key, .map, at: [.key("top")]).canOpen(in: table, column, creating: true))
                let list = try top.writer(in: transaction, table, column).list
                let refused: [(FreeholdError.Code, () throws -> Void)] = [
                    (.typeMismatch, { try list.append(.string("x")) }), (.invalidArgument, { try list.insert(.int(1), at: 4) }),
                ]
                for (code, change) in refused {
                    #expect { try change() } throws: { error in
                        (error as? FreeholdError).map { top.explained($0, in: table, column).code } == code
                    }
                }
                try list.append(.int(1))
                #expect(try top.view(in: table, column).values(in: 0..<1) == [.int(1)])
            }
        }
    }

    @Test("once its object is deleted there is nothing to open or to change")
    func deleted() throws {
        try withOwner { database, key in
            let before = try database.snapshot().table("Owner"), column = try before.column("shelves")
            let cursor = try #require(try CollectionCursor(of: key, in: before, column))
            try database.write { transaction in
                let table = try transaction.table("Owner")
                try transaction.delete(key, from: table)
                if case .objectDeleted = try cursor.find(in: table, column) {} else { Issue.record("found") }
                #expect(try CollectionCursor(of: key, in: table, column) == nil)
                #expect(try !cursor.canOpen(in: table, column, creating: true))
                expect(.objectDeleted) { _ = try cursor.view(in: table, column) }
                #expect { try cursor.writer(in: transaction, table, column).map.removeAll() } throws: { error in
                    (error as? FreeholdError).map { cursor.explained($0, in: table, column).code } == .objectDeleted
                }
            }
            #expect(try cursor.view(in: before, column).count == 0)
            expect(.typeMismatch) { _ = try CollectionCursor(of: key, in: before, before.column("name")) }
            expect(.typeMismatch) { _ = try CollectionCursor(of: key, in: before, before.column("any")) }
        }
    }
}

/// A location within the property, as the value's walk knows it.
private struct Place: Hashable {
    let path: [CollectionStep]
    let kind: CollectionKind
}

/// Every location at which some version had a collection.
private struct Places {
    private(set) var all: [Place] = []

    mutating func add(_ value: Value, _ path: [CollectionStep] = []) {
        guard let kind = value.collectionKind else { return }
        let place = Place(path: path, kind: kind)
        if !all.contains(place), all.count < 60 { all.append(place) }
        switch value {
        case .list(let values): for (position, value) in values.prefix(5).enumerated() { add(value, path + [.position(position)]) }
        case .map(let entries): for (key, value) in entries.sortedByKey { add(value, path + [.key(key)]) }
        default: break
        }
    }
}

extension Value {
    /// The element that a path leads to.
    fileprivate func walked(_ path: ArraySlice<CollectionStep>) -> Value? {
        switch (self, path.first) {
        case (_, nil): self
        case (.list(let values), .position(let position)?): position < values.count ? values[position].walked(path.dropFirst()) : nil
        case (.map(let entries), .key(let key)?): entries[key]?.walked(path.dropFirst())
        default: nil
        }
    }

    /// The elements of a collection, a map's in the order of keys.
    fileprivate var elements: [Value] {
        switch self {
        case .list(let values), .set(let values): values
        case .map(let entries): entries.sortedByKey.map(\.value)
        default: []
        }
    }
}
