import DatabaseKit
@testable import FreeholdEngine
import TestKit
import Testing

/// What a file says about its sync, and what an agent reads to know whether to send.
@Suite struct SyncSettingsTests {
    @Test("settings, state and issues are ordinary objects, which are there once sync is set up, and are not synced")
    func records() throws {
        try SyncCaptureTests.withFile { database, _, process in
            #expect(try database.syncSettings() == nil && database.syncState() == nil && database.syncIssues().isEmpty)
            var settings = SyncSettings(address: "https://a.example", token: "t")
            try database.setSyncSettings(settings)
            #expect(try database.syncSettings() == settings)
            settings = SyncSettings(address: "https://b.example", tokenFile: "/t", isWanted: false)
            try database.setSyncSettings(settings)
            let other = try Database.open(SyncCaptureTests.path, .simulated, on: process)
            defer { other.close() }
            #expect(try other.syncSettings() == settings && other.syncState() == nil)
            var state = SyncState()
            state.connection = .connected
            state.lastExchange = Timestamp(seconds: 5, nanoseconds: 7)
            (state.isPending, state.bytesSending, state.bytesReceiving) = (true, 1 << 40, 3)
            let issue = SyncIssue(date: Timestamp(seconds: 1), code: "beaten", what: "x", className: "A", primaryKey: "k", property: "a.b")
            try database.noteSync(state, issues: [issue])
            #expect(try other.syncState() == state && other.syncIssues() == [issue])
            #expect(try SyncReplica(database).isPending() == false)
            #expect(try database.check().isClean)
        }
    }

    @Test("a file keeps the last thousand issues")
    func issues() throws {
        try SyncCaptureTests.withFile { database, _, _ in
            for start in [0, 600, 1_300] {
                let issues = (start..<start + 700).map { SyncIssue(date: Timestamp(seconds: Int64($0)), code: "\($0)", what: "w") }
                try database.noteSync(SyncState(), issues: issues)
            }
            let kept = try database.syncIssues()
            #expect(kept.count == 1_000 && kept.first?.code == "1000" && kept.last?.code == "1999")
            try database.noteSync(SyncState(), issues: (0..<2_500).map { SyncIssue(date: Timestamp(seconds: 0), code: "\($0)", what: "w") })
            #expect(try database.syncIssues().map(\.code) == (1_500..<2_500).map { "\($0)" })
        }
    }

    @Test("a class of that name with other properties is an error that says what to do")
    func misfit() throws {
        try SyncCaptureTests.withFile { database, _, _ in
            try database.write { transaction in
                try transaction.createClass(ClassSchema(SyncSettings.className, primaryKey: "id", [
                    PropertySchema("id", .int), PropertySchema("address", .int), PropertySchema("token", .int),
                ]))
                try transaction.insert(into: SyncSettings.className, key: .int(1), [("address", .int(4)), ("token", .int(4))])
            }
            #expect { try database.syncSettings() } throws: { ($0 as? FreeholdError)?.code == .schemaMismatch }
            #expect(throws: FreeholdError.self) { try database.setSyncSettings(SyncSettings(address: "a")) }
            #expect(try database.check().isClean)
        }
    }

    @Test("a batch is made if something was captured since the one that was acknowledged, and else no lock is taken")
    func marks() throws {
        try SyncCaptureTests.withFile { database, _, _ in
            let replica = SyncReplica(database)
            #expect(try replica.push(after: nil) == nil)
            try SyncCaptureTests.set(database, 0, "title", .string("x"))
            let first = try #require(try replica.push(after: nil)), version = try database.snapshot().version
            #expect(try replica.push(after: first.mark) == nil)
            #expect(try database.snapshot().version == version)
            // What is no change of a synced class does not count, and a batch that was not acknowledged is made again.
            try database.noteSync(SyncState())
            #expect(try replica.push(after: first.mark) == nil)
            #expect(try replica.push(after: nil)?.mark == first.mark)
            try SyncCaptureTests.set(database, 1, "title", .string("y"))
            let second = try #require(try replica.push(after: first.mark))
            #expect(second.mark != first.mark)
            #expect(try replica.push(after: second.mark) == nil)
        }
    }
}
