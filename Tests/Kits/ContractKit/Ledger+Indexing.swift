@testable import FreeholdEngine

extension Ledger {
    private static let pages = 1700

    /// Declares full-text indexes of the entries, which others add meanwhile, and of pages, whose places are indexed, too; builds
    /// what is not built yet, in small slices; and searches by them.
    public static func index(_ database: Database) throws {
        try DerivedBudget.$standard.withValue(DerivedBudget(objects: 500, bytes: 1 << 20)) {
            try database.write(durability: .processCrash) { transaction in
                if try transaction.table("Entry").fullTextIndexes.isEmpty { try transaction.fullText.add(["note"], to: "Entry") }
                try transaction.createClass(ClassSchema("Page", [
                    PropertySchema("text", .string), PropertySchema("latitude", .double), PropertySchema("longitude", .double),
                ]))
                if try transaction.table("Page").count > 0 { return }
                for number in 0..<pages {
                    let text = "page \(number), \(number % 2 == 0 ? "even" : "odd")"
                    let latitude = Value.double(Double(number) / 20), longitude = Value.double(Double(number) / 10)
                    try transaction.insert(into: "Page", [("text", .string(text)), ("latitude", latitude), ("longitude", longitude)])
                }
                try transaction.fullText.add(["text"], to: "Page")
                try transaction.places.add(latitude: "latitude", longitude: "longitude", to: "Page")
            }
            try database.buildIndexes()
        }
        let table = try database.snapshot().table("Page")
        let query = try table.prepare(ObjectQuery("text TEXT 'page odd'"))
        guard try query.count() == pages / 2 else { throw Complaint("\(try query.count()) odd pages, of \(pages / 2)") }
        guard try query.explanation().contains("index for") else { throw Complaint("no index: \(try query.explanation())") }
        let near = try table.prepare(ObjectQuery("latitude, longitude GEOWITHIN geoBox([10, 0], [20, 90])"))
        guard try near.count() == 101 else { throw Complaint("\(try near.count()) pages in a box, of 101") }
        guard try near.explanation().contains("index for") else { throw Complaint("no index: \(try near.explanation())") }
    }
}
