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

    @Test("settings that the file has are no commit, and a change keeps the rest")
    func changing() throws {
        try SyncCaptureTests.withFile { database, _, _ in
            #expect { try database.changeSyncSettings { $0.isWanted = false } } throws: { ($0 as? FreeholdError)?.code == .invalidArgument }
            let settings = SyncSettings(address: "https://a.example", token: "t")
            try database.setSyncSettings(settings)
            let version = try database.snapshot().version
            try database.setSyncSettings(settings)
            try database.changeSyncSettings { $0.isWanted = true }
            #expect(try database.snapshot().version == version)
            try database.changeSyncSettings { $0.isWanted = false }
            try database.changeSyncSettings { $0.token = "u" }
            #expect(try database.syncSettings() == SyncSettings(address: "https://a.example", token: "u", isWanted: false))
        }
    }

    @Test("the status is what the agent says while one is there, and what the file knows of itself")
    func status() throws {
        try SyncCaptureTests.withFile { database, _, _ in
            #expect(try database.syncStatus() == SyncStatus() && !SyncReplica(database).hasDownloaded())
            try SyncCaptureTests.set(database, 0, "title", .string("x"))
            var state = SyncState()
            (state.connection, state.lastExchange) = (.connected, Timestamp(seconds: 5))
            try database.noteSync(state)
            var status = try database.syncStatus()
            #expect(!status.hasAgent && status.connection == .stopped && status.lastExchange == Timestamp(seconds: 5) && status.isPending)
            let lease = try #require(try database.takeSyncLease())
            status = try database.syncStatus()
            #expect(status.hasAgent && status.connection == .connected)
            lease.release()
        }
    }

    @Test("a download waits for the agent's answer to its own question, and says what was missing when time is over")
    func download() throws {
        try SyncCaptureTests.withFile { database, _, _ in
            func failure(_ milliseconds: Int = 0) -> FreeholdError? {
                do throws(FreeholdError) { try database.downloadSync(timeoutMilliseconds: milliseconds) } catch { return error }
                return nil
            }
            #expect(failure()?.code == .invalidArgument)
            try database.setSyncSettings(SyncSettings(address: "https://a.example", isWanted: false))
            #expect(failure()?.code == .invalidArgument)
            try database.changeSyncSettings { $0.isWanted = true }
            #expect(failure()?.code == .busy && failure()?.message.hasSuffix("start `freehold-sync \(database.path)`") == true)
            let lease = try #require(try database.takeSyncLease())
            defer { lease.release() }
            #expect(failure()?.message.hasSuffix("does not reach the server 'https://a.example'") == true)
            var state = SyncState()
            state.connection = .refused
            try database.noteSync(state, issues: [SyncIssue(date: Timestamp(seconds: 1), code: "unauthorized", what: "no")])
            #expect(failure()?.message.hasSuffix("refuses, unauthorized: no") == true)
            state.connection = .connected
            try database.noteSync(state)
            #expect(failure()?.message.hasSuffix("wait longer") == true)
            // Answers to earlier questions are none to the next one; a later answer is one to those before.
            let asked = try #require(try database.syncDownload()).asked
            try database.noteSyncDownload(asked)
            #expect(failure()?.code == .busy)
            try database.noteSyncDownload(asked + 2)
            #expect(try database.syncDownload() == SyncDownload(asked: asked + 1, answered: asked + 2))
            try database.noteSyncDownload(asked + 1, failure: "late")
            #expect(try database.syncDownload()?.failure == nil)
        }
    }
}
