import DatabaseKit
@testable import FreeholdEngine
import TestKit
import Testing

/// A collection kept in the plainest way.
indirect enum Plain: Equatable {
    case value(Value)
    case list([Plain])
    case set(Set<Value>)
    case map([String: Plain])

    init(_ value: Value) {
        self = switch value {
        case .list(let values): .list(values.map { Plain($0) })
        case .set(let values): .set(Set(values))
        case .map(let entries): .map(entries.mapValues { Plain($0) }.dictionary)
        default: .value(value)
        }
    }

}

/// Sets, maps, and collections within collections.
@Suite struct NestedTests {
    @Test("a set has each value once, in the order of values")
    func sets() throws {
        try Shelf.withObject(PropertySchema("tags", .string, collections: [.set])) { transaction, table, column, key in
            let set = try transaction.set(of: key, in: table, column)
            try set.insert(contentsOf: [.string("b"), .string("a"), .string("b")])
            try set.insert(.string("a"))
            let two = try set.view().values(in: 0..<2)
            #expect(two == [.string("a"), .string("b")])
            let many = (0..<1000).map { Value.string("tag \($0 % 500)") }
            try set.insert(contentsOf: many)
            try set.remove(.string("tag 7"))
            try set.remove(.string("never there"))
            let view = try set.view(), hasSeven = try view.contains(.string("tag 7")), hasEight = try view.contains(.string("tag 8"))
            #expect(view.count == 501 && !hasSeven && hasEight)
            try set.assign(many)
            #expect(try set.view().count == 500)
        }
    }

    @Test("a map finds, replaces and loses values by their keys, and is in the order of keys")
    func maps() throws {
        try Shelf.withObject(PropertySchema("names", .int, isNullable: true, collections: [.map])) { transaction, table, column, key in
            let map = try transaction.map(of: key, in: table, column)
            for number in 0..<400 { try map.set(.int(Int64(number)), for: "key \(number * 7 % 400)") }
            try map.set(.null, for: "key 7")
            try map.remove("key 8")
            try map.remove("no such key")
            let view = try map.view()
            let (seven, eight, first) = (try view["key 7"], try view["key 8"], try view["key 0"])
            #expect(view.count == 399 && seven == .null && eight == nil && first == .int(0))
            let keys = try view.keys()
            #expect(keys == keys.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) })
            for _ in 0..<400 { try map.remove(try map.view().isEmpty ? "" : map.view().key(at: 0)) }
            #expect(try map.view().isEmpty)
        }
    }

    @Test("lists within a map grow and shrink by themselves")
    func listsInMap() throws {
        try Shelf.withObject(PropertySchema("lists", .string, collections: [.map, .list]), transactions: 2) { transaction, table, column, key in
            let map = try transaction.map(of: key, in: table, column)
            for number in 0..<600 { try map.list(for: "list \(number % 50)").append(.string("entry \(number)")) }
            try map.list(for: "list 3").append(contentsOf: (0..<1000).map { .string("more \($0)") })
            try map.list(for: "list 4").removeAll()
            try map.list(for: "list 3").remove(0..<1000)
            #expect(try map.view().list(for: "list 4").isEmpty)
            #expect(throws: FreeholdError.self) { try map.set(.string("no list"), for: "list 1") }
            #expect(throws: FreeholdError.self) { _ = try map.view().list(for: "list 99") }
        } between: { row, column in
            let last = try row.map(column).list(for: "list 3")
            let value = try last[last.count - 1]
            #expect(try row.map(column).count == 50 && value == .string("more 999"))
        }
    }

    static let shapes: [[CollectionKind]] = [
        [.set], [.map], [.list, .list], [.map, .list], [.list, .map], [.map, .set], [.list, .list, .set], [.map, .map, .list],
    ]

    @Test("random changes at every depth leave what they leave of plain collections", arguments: shapes, TestScale.seeds(4))
    func history(kinds: [CollectionKind], seed: UInt64) throws {
        var random = SeededRandom(seed: seed &* 131 &+ UInt64(kinds.count))
        let type: PropertyType = [.int, .string, .double].randomElement(using: &random)!
        let property = PropertySchema("items", type, isNullable: false, collections: kinds)
        var model = Plain(CollectionShape(kinds[...], type, isNullable: false).empty)
        try Shelf.withObject(property, transactions: 10) { transaction, table, column, key in
            for _ in 0..<Int.random(in: 1...80, using: &random) {
                let place = CollectionWriter(transaction: transaction, table: table, key: key, column: column)
                try Self.change(place, kinds[...], &model, type, &random)
            }
            let value = try table.value(key, column)
            #expect(Plain(value) == model, "seed \(seed)")
        } between: { row, column in
            let value = try row.value(column)
            #expect(Plain(value) == model, "seed \(seed)")
        }
    }

    /// Changes a random collection at or below the place.
    static func change(_ place: CollectionWriter, _ kinds: ArraySlice<CollectionKind>, _ model: inout Plain, _ type: PropertyType,
                       _ random: inout SeededRandom) throws {
        let isNested = kinds.count > 1
        switch model {
        case .list(var items) where isNested && !items.isEmpty && !random.oneIn(3):
            let position = Int.random(in: 0..<items.count, using: &random)
            try change(place.below(.position(position)), kinds.dropFirst(), &items[position], type, &random)
            model = .list(items)
        case .map(var entries) where isNested && !entries.isEmpty && !random.oneIn(3):
            let key = entries.keys.sorted().randomElement(using: &random)!
            try change(place.below(.key(key)), kinds.dropFirst(), &entries[key]!, type, &random)
            model = .map(entries)
        case .list(var items):
            try changeList(place, kinds.dropFirst(), &items, type, &random)
            model = .list(items)
        case .set(var values):
            let new = (0..<Int.random(in: 1...(random.oneIn(10) ? 500 : 3), using: &random)).map { _ in Shelf.value(type, &random, isNullable: false) }
            if random.oneIn(3) {
                try place.change(.discard(new))
                values.subtract(new)
            } else {
                try place.change(.add(new))
                values.formUnion(new)
            }
            model = .set(values)
        case .map(var entries):
            let key = "key \(Int.random(in: 0..<200, using: &random))"
            if random.oneIn(4) {
                try place.change(.removeKeys([key]))
                entries[key] = nil
            } else {
                let new = element(kinds.dropFirst(), type, &random)
                try place.change(.put([(key, new)]))
                entries[key] = Plain(new)
            }
            model = .map(entries)
        case .value: break
        }
    }

    static func changeList(_ place: CollectionWriter, _ inner: ArraySlice<CollectionKind>, _ items: inout [Plain], _ type: PropertyType,
                           _ random: inout SeededRandom) throws {
        let count = items.count
        switch Int.random(in: 0..<8, using: &random) {
        case 0..<4:
            let new = (0..<Int.random(in: 1...(random.oneIn(12) ? (inner.isEmpty ? 300 : 12) : 3), using: &random)).map { _ in element(inner, type, &random) }
            let position = Int.random(in: 0...count, using: &random)
            try place.change(.insert(new, at: position))
            items.insert(contentsOf: new.map { Plain($0) }, at: position)
        case 4 where count > 0:
            let start = Int.random(in: 0..<count, using: &random), range = start..<Int.random(in: start...min(count, start + 9), using: &random)
            try place.change(.remove(range))
            items.removeSubrange(range)
        case 5 where count > 0:
            let from = Int.random(in: 0..<count, using: &random), to = Int.random(in: 0..<count, using: &random)
            try place.change(.move(from, to))
            items.insert(items.remove(at: from), at: to)
        case 6 where count > 0:
            let one = Int.random(in: 0..<count, using: &random), other = Int.random(in: 0..<count, using: &random)
            try place.change(.swap(one, other))
            items.swapAt(one, other)
        case 7 where count > 0:
            let position = Int.random(in: 0..<count, using: &random), new = element(inner, type, &random)
            try place.change(.replace(position, new))
            items[position] = Plain(new)
        default: break
        }
    }

    static func element(_ kinds: ArraySlice<CollectionKind>, _ type: PropertyType, _ random: inout SeededRandom) -> Value {
        guard let kind = kinds.first else { return Shelf.value(type, &random, isNullable: false) }
        let count = random.oneIn(4) ? 0 : Int.random(in: 0..<(kinds.count == 1 && random.oneIn(20) ? 150 : 4), using: &random)
        let values = (0..<count).map { _ in element(kinds.dropFirst(), type, &random) }
        switch kind {
        case .list: return .list(values)
        case .set: return .set(values)
        case .map:
            var entries: TextMap<Value> = [:]
            for value in values { entries["key \(Int.random(in: 0..<200, using: &random))"] = value }
            return .map(entries)
        }
    }
}
