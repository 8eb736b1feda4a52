import FreeholdEngine

extension Ledger {
    private static let filmBytes = 5_000_000

    /// Streams a film in and looks at all that are there: each is whole, or not there at all.
    public static func stream(to database: Database) throws {
        try database.write(durability: .processCrash) { transaction in
            try transaction.createClass(ClassSchema("Film", [PropertySchema("tone", .int), PropertySchema("frames", .data)]))
        }
        let tone = Int64(try database.snapshot().table("Film").count % 200)
        let value = try database.beginLargeValue()
        for _ in 0..<10 { try value.write([UInt8](repeating: UInt8(tone), count: filmBytes / 10)) }
        try value.finish()
        try database.write { transaction in
            let films = try transaction.table("Film")
            let film = try transaction.insert(into: "Film", [("tone", .int(tone))])
            try transaction.set(film, in: films, films.column("frames"), to: value)
        }
        try examineFilms(database.snapshot())
    }

    private static func examineFilms(_ snapshot: Snapshot) throws {
        let films = try snapshot.table("Film"), tone = try films.column("tone"), frames = try films.column("frames")
        try films.forEach { row in
            let wanted = UInt8(try row.int(tone))
            for start in stride(from: 0, to: filmBytes, by: 500_000) {
                guard try row.read(frames, start..<start + 500_000) == [UInt8](repeating: wanted, count: 500_000) else {
                    throw Complaint("film \(row.key) differs from byte \(start) on")
                }
            }
            return true
        }
    }
}
