import Foundation
@testable import FreeholdEngine
import TestKit
import Testing

/// Synced classes on the command line.
@Suite struct SyncVerbTests {
    /// Two files with the same objects; the classes of the second one are synced.
    private func place() throws -> Workplace {
        let place = try Workplace()
        for name in ["plain", "synced"] {
            let database = try Database.open(place.folder.appending(path: name).path)
            defer { database.close() }
            try database.write { transaction in
                try transaction.createClass(ClassSchema("Task", primaryKey: "id", [
                    PropertySchema("id", .string), PropertySchema("title", .string), PropertySchema("stock", .int),
                ]))
                for id in 0..<300 {
                    try transaction.insert(into: "Task", [("id", .string("t\(id)")), ("title", .string("title")), ("stock", .int(2))])
                }
                if name == "synced" { try transaction.sync.mark("Task", SyncRules(counters: ["stock"])) }
            }
        }
        return place
    }

    @Test("info counts what is pending, also as JSON; a file without synced classes has no such line")
    func info() throws {
        let place = try place()
        let info = try place.run("info", "synced").output
        #expect(info.contains(" 300 created objects, 300 counters pending\n"), "\(info)")
        try place.run("set", "synced", "Task", "t1", "title=x")
        try place.run("delete", "synced", "Task", "t2")
        let json = try place.run("info", "synced", "--json", "--sizes").output
        #expect(json.contains(#","pending":{"created":299,"deleted":0,"changes":1,"sums":299},"space":{"#), "\(json)")
        let plain = try place.run("info", "plain"), plainJSON = try place.run("info", "plain", "--json")
        #expect(!plain.output.contains("pending") && !plainJSON.output.contains("pending") && plain.status == 0)
        let database = try Database.open(place.folder.appending(path: "empty").path)
        try database.write { transaction in
            try transaction.createClass(ClassSchema("Task", primaryKey: "id", [PropertySchema("id", .string)]))
            try transaction.sync.mark("Task")
        }
        database.close()
        #expect(try place.run("info", "empty").output.contains(" nothing is pending\n"))
    }

    @Test("classes and schema say that a class is synced, and print models that declare it", arguments: [
        ("classes", "", ["  synced (deletions win; counters stock)\n"]),
        ("classes", "--json", [#""syncRules":{"onConflict":"deletionWins","counters":["stock"],"merged":[]}"#]),
        ("schema", "", ["  synced (deletions win; counters stock)\n"]),
        ("schema", "--format json", [#""syncRules":{"onConflict":"deletionWins","counters":["stock"],"merged":[]}"#]),
        ("schema", "--format dot", ["synced (deletions win; counters stock)"]),
        ("schema", "--format swift", ["@Persisted(counter: true) var stock: Int\n",
                                      "override class func syncRules() -> SyncRules? { SyncRules() }"]),
        ("schema", "--format c", ["FREEHOLD_PROPERTY_COUNTER }", ".sync = FREEHOLD_SYNC_DELETION_WINS }"]),
        ("schema", "--format cpp", ["FREEHOLD_TYPE_INT, FREEHOLD_PROPERTY_COUNTER, ", ", false, FREEHOLD_SYNC_DELETION_WINS},",
                                    "static constexpr freehold_sync_t sync = FREEHOLD_SYNC_DELETION_WINS;"]),
        ("schema", "--format python", ["@freehold.model(sync=\"deletion_wins\")", "stock: int = freehold.field(counter=True)"]),
    ])
    func shown(verb: String, rest: String, wanted: [String]) throws {
        let place = try place()
        let plain = try place.shell("freehold \(verb) plain \(rest)"), synced = try place.shell("freehold \(verb) synced \(rest)")
        #expect(plain.status == 0 && synced.status == 0)
        for text in wanted { #expect(synced.output.contains(text) && !plain.output.contains(text), "\(text): \(synced.output)") }
    }

    @Test("other verbs show a synced file like one that is not")
    func hidden() throws {
        let place = try place()
        let verbs = [("list", "Task"), ("query", "Task \"stock == 2\"")]
        for (verb, rest) in verbs {
            let outcomes = try ["plain", "synced"].map { name in try place.shell("freehold \(verb) \(name) \(rest)") }
            #expect(outcomes[0].status == 0 && outcomes[0].output == outcomes[1].output, "\(verb) \(rest): \(outcomes)")
        }
        let files = try ["plain", "synced"].map { try place.run("export", $0, "Task", "--format", "csv").output }
        #expect(files[0] == files[1] && files[0].contains("t299"))
        #expect(try place.run("check", "synced").output.hasPrefix("clean: "))
    }
}
