@testable import FreeholdEngine
import TestKit
import Testing

/// An index of places of which one block after the other is destroyed.
@Suite("Destroyed blocks of an index of places") struct PlaceWreckTests {
    private static let path = "/places.freehold", count = 2000
    private static let queries = [
        "GEOWITHIN geoCircle([0, 0], 0.3)", "GEOWITHIN geoBox([170, -90], [-170, 90])", "GEOWITHIN geoCircle([20, 60], 0.05)",
        "GEOWITHIN geoPolygon({[-90, -40], [-30, -40], [-60, 30], [-90, -40]})",
        "SORT(@distance(latitude, longitude, [30, 45])) LIMIT(8)", "SORT(@distance(latitude, longitude, [-120, -70])) LIMIT(20)",
    ]

    private static func place(_ number: Int) -> [(String, Value)] {
        let latitude = Double(number * 7919 % 1801 - 900) / 10, longitude = Double(number * 104_729 % 3601 - 1800) / 10
        return [("latitude", .double(latitude)), ("longitude", .double(longitude))]
    }

    /// A place within the third of the shapes.
    private static let elsewhere: [(String, Value)] = [("latitude", .double(60)), ("longitude", .double(20))]

    private static func set(_ key: Int, _ place: [(String, Value)], _ transaction: WriteTransaction) throws {
        let shops = try transaction.table("Shop")
        for (name, value) in place { try transaction.set(ObjectKey(Int64(key)), in: shops, shops.column(name), to: value) }
    }

    /// Shops with an index; the file is closed.
    private func make(_ process: SimulatedProcess) throws -> (blocks: [BlockReference], wanted: [String: [ObjectKey]]) {
        let database = try Database.open(Self.path, OpenOptions.simulated, on: process)
        defer { database.close() }
        try database.write(durability: .full) { transaction in
            try transaction.createClass(ClassSchema("Shop", [PropertySchema("latitude", .double), PropertySchema("longitude", .double)]))
            for number in 0..<Self.count { try transaction.insert(into: "Shop", Self.place(number)) }
            try transaction.places.add(latitude: "latitude", longitude: "longitude", to: "Shop")
        }
        // Of the newest version recovery reads every block, and takes the one before if one is destroyed.
        try database.write(durability: .full) { try $0.createClass(ClassSchema("Other", [PropertySchema("year", .int)])) }
        let snapshot = try database.snapshot(), (_, top) = try snapshot.contents(), access = snapshot.core.access
        var blocks: [BlockReference] = []
        func walk(_ reference: BlockReference) throws {
            blocks.append(reference)
            let view = try access.view(reference)
            for place in 0..<view.referenceCount where !view.reference(place).isNull { try walk(view.reference(place)) }
        }
        try walk(TableRoot(top.table(0), in: access).auxiliary(.derived, StoredDerived.firstColumn))
        return (blocks, try answers(database, mayFail: false))
    }

    private static func query(_ text: String) throws -> ObjectQuery {
        try ObjectQuery(text.hasPrefix("GEO") ? "latitude, longitude \(text)" : text)
    }

    /// What queries find, and nothing for those that damage has stopped.
    private func answers(_ database: Database, mayFail: Bool, isRoot: Bool = false) throws -> [String: [ObjectKey]] {
        let table = try database.snapshot().table("Shop")
        var found: [String: [ObjectKey]] = [:]
        for text in Self.queries {
            let query = try Self.query(text)
            do { found[text] = try table.keys(matching: query) } catch {
                guard mayFail, error.code == .corrupt else { throw error }
                #expect(!isRoot || error.message.contains("index of class 'Shop' cannot be read") && error.message.contains("drop it"))
            }
        }
        return found
    }

    private func expectWhole(_ database: Database, _ wanted: [String: [ObjectKey]], _ comment: Comment) throws {
        let table = try database.snapshot().table("Shop")
        #expect(try answers(database, mayFail: false) == wanted && table.count == Self.count, comment)
        // What lies below a destroyed block stays in use until the file is copied.
        #expect(try database.check().problems.allSatisfy { $0.kind == .lostSpace }, comment)
        #expect(try table.prepare(Self.query(Self.queries[0])).explanation().contains("index for"), comment)
    }

    @Test("a query gives the right answer or an error, a commit too; a new index and a salvaged file give all answers")
    func destroyed() throws {
        let machine = SimulatedSystem(seed: 1)
        defer { machine.discard() }
        let (blocks, wanted) = try make(machine.makeProcess())
        #expect(wanted.values.allSatisfy { !$0.isEmpty } && blocks.count > 6, "\(blocks.count) blocks")
        var stopped = 0, refused = 0
        for (number, block) in blocks.enumerated() {
            let copy = machine.image(boot: .next), process = copy.makeProcess(), what: Comment = "block \(number) of \(blocks.count)"
            defer { copy.discard() }
            let file = try process.openFile(Self.path, .readWrite)
            try file.write([UInt8](repeating: 0xEE, count: 64), at: Int(block.byteOffset))
            file.close()
            if number % 8 == 0 {
                _ = try Database.salvage(from: Self.path, to: "/salvaged", .simulated, on: process)
                let salvaged = try Database.open("/salvaged", OpenOptions.simulated, on: process)
                try expectWhole(salvaged, wanted, what)
                #expect(try salvaged.check().isClean, what)
                salvaged.close()
            }
            let database = try Database.open(Self.path, OpenOptions.simulated, on: process)
            defer { database.close() }
            let before = try answers(database, mayFail: true, isRoot: number == 0)
            #expect(number > 0 || before.isEmpty, "a damaged index is no reason to search object by object unasked")
            for (text, keys) in before { #expect(keys == wanted[text], "\(what): \(text)") }
            stopped += Self.queries.count - before.count
            #expect(try !database.check().problems.isEmpty, what)
            do {
                try database.write(durability: .full) { try Self.set(8, Self.elsewhere, $0) }
                let table = try database.snapshot().table("Shop")
                for (text, keys) in try answers(database, mayFail: true) where text.hasPrefix("GEO") {
                    let isWithin = try table.prepare(Self.query(text)).matches(ObjectKey(8))
                    #expect(keys.contains(ObjectKey(8)) == isWithin, "\(what): \(text)")
                    #expect(keys.filter { $0 != ObjectKey(8) } == wanted[text]?.filter { $0 != ObjectKey(8) }, "\(what): \(text)")
                }
            } catch let error as FreeholdError where error.code == .corrupt {
                #expect(error.message.contains("drop it and add it again"), what)
                refused += 1
            }
            try database.write(durability: .full) { transaction in
                try transaction.places.drop(latitude: "latitude", longitude: "longitude", from: "Shop")
                try Self.set(8, Self.place(8), transaction)
                try transaction.places.add(latitude: "latitude", longitude: "longitude", to: "Shop")
            }
            try expectWhole(database, wanted, what)
        }
        #expect(stopped > blocks.count / 2 && refused > 0 && refused < blocks.count, "\(stopped) queries, \(refused) commits")
    }
}
