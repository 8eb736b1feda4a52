import DatabaseKit
@testable import FreeholdEngine

/// Synced classes of the golden files.
extension GoldenContent {
    /// Objects of synced classes, changed in two epochs.
    static func synced(_ scribe: Scribe) throws {
        try scribe.write {
            try scribe.make(
                ClassSchema("Project", primaryKey: "number", [PropertySchema("number", .int), PropertySchema("name", .string)]),
                ClassSchema("Place", isEmbedded: true, [PropertySchema("street", .string)]),
                ClassSchema("Task", primaryKey: "id", [
                    PropertySchema("id", .string), PropertySchema("title", .string), PropertySchema("stock", .int),
                    PropertySchema("note", .string, isNullable: true), PropertySchema("tags", .string, collections: [.set]),
                    PropertySchema("map", .int, collections: [.map]), PropertySchema("list", .int, collections: [.list]),
                    PropertySchema("project", linkTo: "Project"), PropertySchema("place", linkTo: "Place"),
                ]))
            for number in 0..<300 {
                try scribe.insert("Project", [("number", .int(Int64(number * 2))), ("name", .string("project \(number)"))])
                try insert(number, scribe)
            }
            try scribe.markSynced("Task", onConflict: .updateWins, counters: ["stock"], merged: ["note"])
            try scribe.markSynced("Project")
        }
        for round in 0..<3 {
            try scribe.write {
                for number in 0..<20 {
                    let key = ObjectKey(Int64(number * 7 + round))
                    try scribe.set("Task", key, "title", .string("title \(round)"))
                    try scribe.set("Task", key, "stock", .int(Int64(number - round * 5)))
                    try scribe.set("Task", key, "tags", .set([.string("a\(round)"), .string("b")]))
                    try scribe.set("Task", key, "map", .map(["k\(round)": .int(1)]))
                    try scribe.set("Task", key, "list", .list([.int(Int64(round))]))
                }
                // Inserted, then one of them changed and one moved, then one deleted.
                let long = (0..<500).map { Value.int($0) }
                let moved = [.int(-1)] + long[1..<400] + [long[450]] + long[400..<450] + long[451...]
                try scribe.set("Task", ObjectKey(0), "list", .list([long, moved, Array(long[10...])][round]))
                try scribe.embed([("street", .string("street \(round)"))], of: "Place", in: ObjectKey(Int64(round)), of: "Task", "place")
                for number in 300 + round * 40..<320 + round * 40 { try insert(number, scribe) }
                try scribe.delete("Task", (0..<5).map { ObjectKey(Int64(200 + round * 10 + $0)) })
                try scribe.delete("Project", [ObjectKey(Int64(400 + round * 2))])
                try scribe.insert("Project", [("number", .int(Int64(400 + round * 2))), ("name", .string("anew"))])
            }
            if round == 1 { try scribe.seal() }
        }
    }

    private static func insert(_ number: Int, _ scribe: Scribe) throws {
        try scribe.insert("Task", [
            ("id", .string("task \(number)")), ("title", .string("t")), ("stock", .int(Int64(number % 3))), ("note", .null),
            ("tags", .set([])), ("map", .map([:])), ("list", .list([])), ("project", .null),
            ("place", .null),
        ])
    }
}
