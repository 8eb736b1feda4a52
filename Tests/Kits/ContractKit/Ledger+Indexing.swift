@testable import FreeholdEngine
import Glibc
import Platform
import Synchronization

extension Ledger {
    private static let pages = 2100

    /// How indexes are built.
    public enum Building: String {
        /// By the thread that asks for it.
        case called
        /// By a thread of the engine's, which the program waits for.
        case background
        /// By a thread of the engine's, in whose first slice the program ends.
        case left
    }

    /// Declares full-text indexes of the entries, which others add meanwhile, and of pages, whose places, vectors and order are
    /// indexed, too; builds what is not built yet, in small slices; and searches by them.
    public static func index(_ database: Database, _ building: Building) throws {
        try DerivedBudget.$standard.withValue(DerivedBudget(objects: 500, bytes: 1 << 20)) {
            try database.write(durability: .processCrash) { transaction in
                if try transaction.table("Entry").fullTextIndexes.isEmpty { try transaction.fullText.add(["note"], to: "Entry") }
                try transaction.createClass(ClassSchema("Page", [
                    PropertySchema("text", .string), PropertySchema("latitude", .double), PropertySchema("longitude", .double),
                    PropertySchema("vector", .data),
                ]))
                if try transaction.table("Page").count > 0 { return }
                for number in 0..<pages {
                    let text = "page \(number), \(number % 2 == 0 ? "even" : "odd")"
                    let latitude = Value.double(Double(number) / 25), longitude = Value.double(Double(number) / 10)
                    try transaction.insert(into: "Page", [
                        ("text", .string(text)), ("latitude", latitude), ("longitude", longitude),
                        ("vector", .data(VectorElements.float32.bytes(of: vector(number)))),
                    ])
                }
                try transaction.fullText.add(["text"], to: "Page")
                try transaction.places.add(latitude: "latitude", longitude: "longitude", to: "Page")
                try transaction.vectors.add("vector", dimensions: 70, to: "Page")
                if hasICU { try transaction.collations.add("text", "de-u-kn", to: "Page") }
            }
            switch building {
            case .called: try database.buildIndexes()
            case .background:
                let builder = IndexBuilder()
                builder.start(on: database)
                builder.waitUntilDone()
                if let failure = builder.failure { throw failure }
                builder.stop()
            case .left: leave(database)
            }
        }
        try search(database)
    }

    private static var hasICU: Bool { (try? LanguageOrder("de", LinuxSystem.shared)) != nil }

    private static func vector(_ number: Int) -> [Float] {
        (0..<70).map { place in Float((number &* (place &* 40_503 &+ 7919)) >> 7 & 255) - 127.5 }
    }

    /// Ends the program while a thread of the engine's is in the middle of a transaction that adds a slice.
    private static func leave(_ database: Database) -> Never {
        let builder = IndexBuilder()
        PointTriggers.shared.setHook { name in
            guard name.description == "derived.slice" else { return }
            Self.isInside.store(true, ordering: .releasing)
            while true { pause() }
        }
        builder.start(on: database)
        while !Self.isInside.load(ordering: .acquiring) { sched_yield() }
        exit(0)
    }

    /// Whether the thread that builds is in the middle of its transaction.
    private static let isInside = Atomic<Bool>(false)

    private static func search(_ database: Database) throws {
        let table = try database.snapshot().table("Page")
        let query = try table.prepare(ObjectQuery("text TEXT 'page odd'"))
        guard try query.count() == pages / 2 else { throw Complaint("\(try query.count()) odd pages, of \(pages / 2)") }
        guard try query.explanation().contains("index for") else { throw Complaint("no index: \(try query.explanation())") }
        let near = try table.prepare(ObjectQuery("latitude, longitude GEOWITHIN geoBox([10, 0], [20, 90])"))
        guard try near.count() == 101 else { throw Complaint("\(try near.count()) pages in a box, of 101") }
        guard try near.explanation().contains("index for") else { throw Complaint("no index: \(try near.explanation())") }
        let vectors = ObjectQuery(.constant(true), [.nearest(QueryNearest(PropertyPath("vector"), to: vector(77), count: 1))])
        let nearest = try table.prepare(vectors), found = try nearest.keys()
        let wanted = try table.keys(matching: ObjectQuery("text = 'page 77, odd'"))
        guard found == wanted else { throw Complaint("the vector of page 77 is that of \(found)") }
        let plan = try nearest.explanation()
        guard plan.contains("index of sign bits") else { throw Complaint("no index: \(plan)") }
        if !hasICU { return }
        let order = try table.prepare(ObjectQuery("SORT(text COLLATE 'de-u-kn') OFFSET(77) LIMIT(1)"))
        guard try order.keys() == wanted else { throw Complaint("the page in position 77 is \(try order.keys())") }
        guard try order.explanation().contains("in the order of the index") else { throw Complaint("no index: \(try order.explanation())") }
    }
}
