import DatabaseKit
@testable import FreeholdEngine
import TestKit

/// A library with a full-text index of several runs and a merge under way, another index that is being built, and one in a
/// collation; and shops with indexes of places, of which one is being built, and with an index of vectors.
extension Base {
    static let words = [
        "tea", "leaf", "leaves", "green", "milk", "東京", "京都", "über", "wi-fi", "colour", "color", "data", "base", "database",
    ]

    static func text(_ random: inout SeededRandom) -> String {
        (0..<Int.random(in: 0..<8, using: &random)).map { _ in
            random.oneIn(4) ? "w\(Int.random(in: 0..<300, using: &random))" : words.randomElement(using: &random)!
        }.joined(separator: " ")
    }

    init(textOf seed: UInt64) throws {
        openOptions = .simulated
        var options = SimulatedSystem.Options(seed: seed)
        options.fileCapacity = 1 << 26
        options.recordsMappedStores = false
        options.collation = .invented(2)
        machine = SimulatedSystem(options)
        let process = machine.makeProcess()
        let database = try Database.open(Self.path, openOptions, on: process)
        var random = SeededRandom(seed: seed)
        try Self.fill(database, &random)
        database.close()
        states = [:]
        isClosed = true
        bytes = try Self.read(Self.path, on: machine.makeProcess())
        blocks = BlockMap(bytes)
    }

    private static func fill(_ database: Database, _ random: inout SeededRandom) throws {
        try database.write(durability: .full) { transaction in
            try transaction.createClass(ClassSchema("Author", [PropertySchema("name", .string)]))
            try transaction.createClass(ClassSchema("Article", [
                PropertySchema("title", .string), PropertySchema("body", .string, isNullable: true),
                PropertySchema("tags", .string, collections: [.list]), PropertySchema("author", linkTo: "Author"),
            ]))
            for _ in 0..<20 { try transaction.insert(into: "Author", [("name", .string(text(&random)))]) }
            for _ in 0..<700 {
                let author = Value.link(ObjectKey(Int64.random(in: 0..<20, using: &random)))
                try transaction.insert(into: "Article", [
                    ("title", .string(text(&random))), ("body", random.oneIn(3) ? .null : .string(text(&random))), ("author", author),
                ])
            }
            try transaction.fullText.add(["title", "body", "author.name"], to: "Article")
            try transaction.collations.add("body", "de", to: "Article")
            try fillShops(transaction, &random)
        }
        // The last commit merges less than the three before it have left.
        for count in [80, 80, 80, 2] {
            try database.write(durability: .full) { transaction in
                let articles = try transaction.table("Article"), title = try articles.column("title")
                for _ in 0..<count {
                    let key = ObjectKey(Int64.random(in: 0..<600, using: &random))
                    try transaction.set(key, in: articles, title, to: .string(text(&random)))
                }
            }
        }
        try DerivedBudget.$standard.withValue(DerivedBudget(objects: 100, bytes: 1 << 20)) {
            try database.write(durability: .full) { transaction in
                try transaction.fullText.add(["body"], to: "Article")
                try transaction.places.add("location", to: "Shop")
            }
        }
        let snapshot = try database.snapshot(), (_, top) = try snapshot.contents(), access = snapshot.core.access
        let table = try TableRoot(top.table(1), in: access)
        let roots = try [0, 2].map { try DerivedRoot(table.auxiliary(.derived, StoredDerived.firstColumn + $0), in: access) }
        let first = try FullTextKind.root(roots[0].contents)
        guard first.merges.contains(where: { $0.position != nil }), first.treeCount > 4, roots[1].state == .building else {
            throw Unexpected("a full-text index with \(first.treeCount) trees and \(first.merges.count) merges, another that is "
                + "\(roots[1].state): that is none of the states to be fuzzed")
        }
    }
}

extension Base {
    /// A degree within the bounds, or a little beyond.
    static func degree(_ random: inout SeededRandom) -> Value { .double(Double(Int.random(in: -190...190, using: &random)) / 2) }

    static func place(_ random: inout SeededRandom) -> [(String, Value)] {
        [("latitude", degree(&random)), ("longitude", degree(&random))]
    }

    static func point(_ random: inout SeededRandom) -> [(String, Value)] {
        [("type", .string("Point")), ("coordinates", .list([degree(&random), degree(&random)]))]
    }

    /// Bytes that nearly always are 70 in a few directions.
    static func vector(_ random: inout SeededRandom) -> Value {
        let direction = random.below(30), count = random.oneIn(30) ? 3 : 70
        return .data((0..<count).map { UInt8(truncatingIfNeeded: (direction + 2) * ($0 * $0 + 13) + random.below(40)) })
    }

    fileprivate static func fillShops(_ transaction: WriteTransaction, _ random: inout SeededRandom) throws {
        try transaction.createClass(ClassSchema("Location", isEmbedded: true, [
            PropertySchema("type", .string), PropertySchema("coordinates", .double, collections: [.list]),
        ]))
        try transaction.createClass(ClassSchema("Shop", [
            PropertySchema("latitude", .double), PropertySchema("longitude", .double), PropertySchema("location", linkTo: "Location"),
        ]))
        try transaction.createClass(ClassSchema("Item", [PropertySchema("embedding", .data)]))
        for _ in 0..<2_400 { try transaction.insert(into: "Item", [("embedding", vector(&random))]) }
        try transaction.vectors.add("embedding", dimensions: 70, elements: .int8, to: "Item")
        let shops = try transaction.table("Shop"), location = try shops.column("location")
        for _ in 0..<600 {
            let key = try transaction.insert(into: "Shop", place(&random))
            if !random.oneIn(3) { try transaction.embed(point(&random), in: key, of: shops, location) }
        }
        try transaction.places.add(latitude: "latitude", longitude: "longitude", to: "Shop")
    }
}

extension BlockMap {
    /// The blocks of derived indexes, and their roots alone.
    func derived(_ bytes: [UInt8]) -> (all: [Block], roots: [Block]) {
        let places = Dictionary(blocks.map { ($0.offset, $0) }) { one, _ in one }
        let roots = blocks.filter { bytes[$0.offset] == BlockKind.derivedRoot.rawValue }
        var all: [Int: Block] = [:], open = roots
        while let block = open.popLast() {
            guard all.updateValue(block, forKey: block.offset) == nil else { continue }
            for number in 0..<block.references {
                let place = block.offset + BlockLayout.references + number * BlockReference.byteCount
                let child = bytes.reference(at: place)
                if !child.isNull, let found = places[Int(child.byteOffset)] { open.append(found) }
            }
        }
        return (all.values.sorted { $0.offset < $1.offset }, roots)
    }
}
