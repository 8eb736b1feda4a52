import DatabaseKit
@testable import FreeholdEngine
import TestKit
import Testing

/// Each delete rule with each kind of collection that links stand in.
@Suite struct DeleteRuleShapeTests {
    private static let shapes: [[CollectionKind]] = [[], [.list], [.set], [.map], [.list, .list], [.map, .list], [.list, .map], [.map, .set]]
    /// In cells, and in trees of several leaves.
    private static let sizes = [3, 700]

    /// An owner that links to as many things as `size` says (a single link to one), by a property with the rule; one more thing is
    /// linked to by nothing, and another owner links to thing 0 without a rule.
    private func withOwner(_ rule: DeleteRule, _ kinds: [CollectionKind], _ size: Int, _ body: (Database, ObjectKey, Int) throws -> Void) throws {
        let machine = SimulatedSystem(seed: 6), count = kinds.isEmpty ? 1 : size
        defer { machine.discard() }
        let database = try Database.open("/rules.freehold", OpenOptions.simulated, on: machine.makeProcess())
        defer { database.close() }
        let owner = try database.writing { transaction in
            try transaction.createClass(ClassSchema("Thing", [PropertySchema("number", .int)]))
            try transaction.createClass(ClassSchema("Owner", [
                PropertySchema("links", linkTo: "Thing", deleteRule: rule, collections: kinds), PropertySchema("plain", linkTo: "Thing"),
            ]))
            for _ in 0...count { try transaction.insert(into: "Thing", []) }
            try transaction.insert(into: "Owner", [("plain", .link(ObjectKey(0)))])
            return try transaction.insert(into: "Owner", [("links", Self.links(kinds[...], count))])
        }
        try body(database, owner, count)
        let report = try database.check()
        #expect(report.isClean, "\(report.problems.prefix(5))")
    }

    /// All links to `count` things, in the innermost of two collections, the other of which is empty.
    private static func links(_ kinds: ArraySlice<CollectionKind>, _ count: Int) -> Value {
        guard let kind = kinds.first else { return .link(ObjectKey(0)) }
        let values: [Value] = kinds.count == 1 ? (0..<count).map { .link(ObjectKey(Int64($0))) }
            : [CollectionShape(kinds.dropFirst(), .link, isNullable: false).empty, links(kinds.dropFirst(), count)]
        return switch kind {
        case .list: .list(values)
        case .set: .set(values)
        case .map: .map(TextMap(uniqueKeysWithValues: values.enumerated().map { ("key \($0)", $1) }))
        }
    }

    @Test("nullify: deleting the owner leaves the things it linked to", arguments: shapes, sizes)
    func nullify(kinds: [CollectionKind], size: Int) throws {
        try withOwner(.nullify, kinds, size) { database, owner, count in
            try database.write { try $0.delete(owner, from: $0.table("Owner")) }
            #expect(try database.snapshot().table("Thing").count == count + 1)
        }
    }

    @Test("cascade: deleting the owner deletes the things it linked to, which others lose, and nothing else", arguments: shapes, sizes)
    func cascade(kinds: [CollectionKind], size: Int) throws {
        try withOwner(.cascade, kinds, size) { database, owner, count in
            try database.write { try $0.delete(owner, from: $0.table("Owner")) }
            let snapshot = try database.snapshot(), things = try snapshot.table("Thing"), owners = try snapshot.table("Owner")
            let left = try things.contains(ObjectKey(Int64(count))), plain = try owners.value(ObjectKey(0), owners.column("plain"))
            #expect(things.count == 1 && left && plain == .null)
        }
    }

    @Test("deny: the owner is not deleted while a thing is left that it links to", arguments: shapes, sizes)
    func deny(kinds: [CollectionKind], size: Int) throws {
        try withOwner(.deny, kinds, size) { database, owner, count in
            func refused(_ transaction: WriteTransaction) throws {
                let owners = try transaction.table("Owner")
                let error = #expect(throws: FreeholdError.self) { try transaction.delete(owner, from: owners) }
                #expect(error?.code == .deleteDenied && error?.message.contains("'links'") == true && owners.count == 2)
            }
            try database.write { transaction in
                let things = try transaction.table("Thing")
                try refused(transaction)
                try transaction.delete((0..<Int64(count - 1)).map { ObjectKey($0) }, from: things)
                try refused(transaction)
            }
            try database.write { transaction in
                try refused(transaction)
                try transaction.delete(ObjectKey(Int64(count - 1)), from: transaction.table("Thing"))
                try transaction.delete(owner, from: transaction.table("Owner"))
            }
            let snapshot = try database.snapshot(), things = try snapshot.table("Thing"), owners = try snapshot.table("Owner")
            #expect(things.count == 1 && owners.count == 1)
        }
    }

    @Test("whatever the rule, a thing that is deleted goes from lists and sets and leaves null in maps",
          arguments: [DeleteRule.nullify, .cascade, .deny], shapes)
    func targets(rule: DeleteRule, kinds: [CollectionKind]) throws {
        for size in Self.sizes {
            try withOwner(rule, kinds, size) { database, owner, count in
                let gone = ObjectKey(Int64(count - 1))
                try database.write { try $0.delete(gone, from: $0.table("Thing")) }
                let owners = try database.snapshot().table("Owner"), column = try owners.column("links")
                let found = try owners.value(owner, column)
                #expect(found == Self.links(kinds[...], count).without(gone.rawValue) ?? .null)
                #expect(try owners.backlinks(to: gone, from: column).isEmpty)
            }
        }
    }
}

extension Value {
    /// What is left of it when an object is gone; nil for the very link to that.
    fileprivate func without(_ target: Int64) -> Value? {
        switch self {
        case .link(let key): key.rawValue == target ? nil : self
        case .list(let values): .list(values.compactMap { $0.without(target) })
        case .set(let values): .set(values.compactMap { $0.without(target) })
        case .map(let entries): .map(entries.mapValues { $0.without(target) ?? .null })
        default: self
        }
    }
}
