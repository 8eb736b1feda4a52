import DatabaseKit
@testable import FreeholdEngine
import TestKit
import Testing

/// A database with one class that holds a collection, and random elements for it.
enum Shelf {
    static let elementTypes: [PropertyType] = PropertyType.allCases.filter { $0 != .link }

    /// Runs `body` on a list of one object, in several transactions; checks the file between them.
    static func withList(_ type: PropertyType, isNullable: Bool = false, transactions: Int = 1, _ body: (ListWriter) throws -> Void,
                         between: (ListView) throws -> Void = { _ in }) throws {
        let property = PropertySchema("items", type, isNullable: isNullable, collections: [.list])
        try withObject(property, transactions: transactions) { transaction, table, column, key in
            try body(try transaction.list(of: key, in: table, column))
        } between: { row, column in try between(try row.list(column)) }
    }

    /// The object is in the tail at first; halfway it is sealed with many others.
    static func withObject(_ property: PropertySchema, transactions: Int = 1,
                           _ body: (WriteTransaction, Table, Column, ObjectKey) throws -> Void,
                           between: (Row, Column) throws -> Void = { _, _ in }) throws {
        let machine = SimulatedSystem(seed: 3)
        defer { machine.discard() }
        let database = try Database.open("/shelf.freehold", OpenOptions.simulated, on: machine.makeProcess())
        defer { database.close() }
        var key = ObjectKey(0)
        try database.write { transaction in
            try transaction.createClass(ClassSchema("Shelf", [PropertySchema("name", .string), property]))
            key = try transaction.insert(into: "Shelf", [("name", .string("first"))])
        }
        for round in 0..<transactions {
            try database.write { transaction in
                let table = try transaction.table("Shelf")
                if round == transactions / 2 {
                    for number in 0..<300 { try transaction.insert(into: "Shelf", [("name", .string("other \(number)"))]) }
                }
                try body(transaction, table, try table.column(property.name), key)
            }
            let table = try database.snapshot().table("Shelf")
            let row = try #require(try table.row(key))
            try between(row, try table.column(property.name))
            let report = try database.check()
            #expect(report.isClean, "round \(round): \(report.problems.prefix(5))")
        }
        try database.write { transaction in try transaction.delete(key, from: transaction.table("Shelf")) }
        let report = try database.check()
        #expect(report.isClean && report.elements == 0, "after deleting: \(report.problems.prefix(5))")
    }

    /// Changes list and model alike.
    static func change(_ list: ListWriter, _ model: inout [Value], _ type: PropertyType, _ random: inout SeededRandom) throws {
        let count = model.count
        switch Int.random(in: 0..<16, using: &random) {
        case 0..<4:
            let value = value(type, &random), position = Int.random(in: 0...count, using: &random)
            try list.insert(value, at: position)
            model.insert(value, at: position)
        case 4..<6:
            let value = value(type, &random)
            try list.append(value)
            model.append(value)
        case 6:
            let values = (0..<Int.random(in: 0...900, using: &random)).map { _ in value(type, &random) }
            let position = Int.random(in: 0...count, using: &random)
            try list.insert(contentsOf: values, at: position)
            model.insert(contentsOf: values, at: position)
        case 7..<9 where count > 0:
            let position = Int.random(in: 0..<count, using: &random)
            try list.remove(at: position)
            model.remove(at: position)
        case 9 where count > 0:
            let start = Int.random(in: 0..<count, using: &random)
            let range = start..<Int.random(in: start...min(count, start + 700), using: &random)
            try list.remove(range)
            model.removeSubrange(range)
        case 10..<12 where count > 0:
            let value = value(type, &random), position = Int.random(in: 0..<count, using: &random)
            try list.replace(at: position, with: value)
            model[position] = value
        case 12..<14 where count > 0:
            let from = Int.random(in: 0..<count, using: &random), to = Int.random(in: 0..<count, using: &random)
            try list.move(from: from, to: to)
            model.insert(model.remove(at: from), at: to)
        case 14 where count > 0:
            let one = Int.random(in: 0..<count, using: &random), other = Int.random(in: 0..<count, using: &random)
            try list.swap(one, other)
            model.swapAt(one, other)
        case 15 where random.oneIn(6):
            try list.removeAll()
            model.removeAll()
        default: break
        }
    }

    /// A random element, null now and then.
    static func value(_ type: PropertyType, _ random: inout SeededRandom, isNullable: Bool = true) -> Value {
        if isNullable, random.oneIn(10) { return .null }
        let number = random.oneIn(8) ? Int64(truncatingIfNeeded: random.next()) : Int64.random(in: -100...100, using: &random)
        switch type {
        case .bool: return .bool(random.oneIn(2))
        case .int: return .int(number)
        case .link: return .link(ObjectKey(number))
        case .float: return .float(Float(number))
        case .double: return .double(Double(number) / 4)
        case .string: return .string(text(&random))
        case .data: return .data(Array(text(&random).utf8))
        case .date: return .date(Timestamp(seconds: number, nanoseconds: Int32.random(in: 0..<1_000_000_000, using: &random)))
        case .decimal: return .decimal(Decimal128(number))
        case .mixed: return mixed(&random, depth: 2)
        case .uuid: return .uuid(UniqueIdentifier(high: random.next(), low: random.next()))
        case .objectId: return .objectId(ObjectIdentifier12(high: random.next(), low: UInt32(truncatingIfNeeded: random.next())))
        }
    }

    /// A value of any type, now and then a list or map of such.
    private static func mixed(_ random: inout SeededRandom, depth: Int) -> Value {
        guard depth > 0, random.oneIn(6) else { return value(elementTypes.filter { $0 != .mixed }.randomElement(using: &random)!, &random) }
        let values = (0..<Int.random(in: 0...5, using: &random)).map { _ in mixed(&random, depth: depth - 1) }
        return random.oneIn(2) ? .list(values) : .map(TextMap(uniqueKeysWithValues: values.enumerated().map { ("key \($0)", $1) }))
    }

    static func text(_ random: inout SeededRandom) -> String {
        switch Int.random(in: 0..<60, using: &random) {
        case 0: ""
        case 1: String(repeating: "long ", count: Int.random(in: 50..<3000, using: &random))
        case 2: String(repeating: "huge ", count: Int.random(in: 12_000..<30_000, using: &random))
        case 3: "\u{0}zero"
        default: "word \(Int.random(in: 0..<1000, using: &random))"
        }
    }
}
