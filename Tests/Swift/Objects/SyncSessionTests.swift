import Dispatch
import Foundation
@testable import Freehold
@testable import FreeholdEngine
import Synchronization
import Testing

/// What a program says and sees of sync; the test plays the agent.
@Suite struct SyncSessionTests {
    private let folder: Folder
    private let place: Place
    private let server = URL(string: "https://sync.example")!

    init() throws {
        folder = try Folder()
        place = Place(base: folder.configuration([Parcel.self, Carton.self, ParcelStamp.self]))
    }

    /// The file, on any thread.
    private struct Place: Sendable {
        let base: Realm.Configuration

        var path: String { base.fileURL!.path }

        func configuration(_ sync: SyncConfiguration? = nil) -> Realm.Configuration {
            var configuration = base
            configuration.syncConfiguration = sync
            return configuration
        }

        func settings() throws -> SyncSettings? { try Database.open(path).syncSettings() }

        func version() throws -> Version { try Database.open(path).snapshot().version }
    }

    @Test("a configuration is written when a file is opened, if it says something else; without one the file keeps its own")
    func configuring() throws {
        try onThread { [place] in
            let realm = try Realm(configuration: place.configuration())
            #expect(realm.syncSession == nil)
        }
        try onThread { [place, server] in
            let token = URL(fileURLWithPath: "/etc/app/token")
            let realm = try Realm(configuration: place.configuration(SyncConfiguration(serverURL: server, tokenFile: token)))
            let session = try #require(realm.syncSession)
            #expect(try place.settings() == SyncSettings(address: "https://sync.example", tokenFile: "/etc/app/token"))
            try session.suspend()
        }
        let before = try place.version()
        try onThread { [place, server] in
            let token = URL(fileURLWithPath: "/etc/app/token")
            let same = try Realm(configuration: place.configuration(SyncConfiguration(serverURL: server, tokenFile: token)))
            let silent = try Realm(configuration: place.configuration())
            #expect(same.syncSession != nil && silent.syncSession != nil)
        }
        #expect(try place.version() == before)
        try onThread { [place, server] in
            let realm = try Realm(configuration: place.configuration(SyncConfiguration(serverURL: server, token: "a")))
            let session = try #require(realm.syncSession)
            // It stays suspended, which the configuration says nothing of.
            #expect(try place.settings() == SyncSettings(address: "https://sync.example", token: "a", isWanted: false))
            try session.update(token: "b")
            try session.resume()
            #expect(try place.settings() == SyncSettings(address: "https://sync.example", token: "b"))
        }
    }

    @Test("a description names the server, and never the token")
    func described() {
        let words = "\(place.configuration(SyncConfiguration(serverURL: server, token: "secret")))"
        #expect(words.contains("syncConfiguration = https://sync.example") && !words.contains("secret"))
    }

    @Test("state and issues are the agent's, and an observer hears of another state within the commit that makes it")
    func observing() throws {
        let queue = DispatchQueue(label: "observed")
        try queue.sync {
            let sync = SyncConfiguration(serverURL: server), notes = Notes()
            let realm = try Realm(configuration: place.configuration(sync), queue: queue)
            let session = try #require(realm.syncSession), agent = try Database.open(place.path)
            defer { agent.close() }
            let before = try session.state
            #expect(before.connection == .stopped && !before.hasAgent && before.lastExchange == nil)
            #expect(try session.issues.isEmpty)
            let token = session.observe { notes.add("\($0.connection) \($0.isPending)") }
            try realm.write { realm.add(Parcel(value: ["id": "p"])) }
            try realm.write { realm.object(ofType: Parcel.self, forPrimaryKey: "p")?.title = "t" }
            #expect(notes.all == ["stopped true"])
            let lease = try #require(try agent.takeSyncLease())
            var state = SyncState()
            (state.connection, state.lastExchange) = (.connected, Timestamp(seconds: 1_000_000_000))
            try agent.noteSync(state, issues: [SyncIssue(date: Timestamp(seconds: 5), code: "beaten", what: "w", className: "Parcel")])
            realm.refresh()
            #expect(notes.all == ["stopped true", "connected true"])
            let after = try session.state, issues = try session.issues
            #expect(after.lastExchange == Date(timeIntervalSince1970: 1_000_000_000) && after.hasAgent)
            #expect(issues.map(\.code) == ["beaten"] && issues[0].className == "Parcel")
            lease.release()
            #expect(try session.state.connection == .stopped)
            token.invalidate()
            realm.beginWrite()
            #expect(throws: RealmError.self) { try session.suspend() }
            realm.cancelWrite()
        }
    }

    @MainActor private func failure(_ configuration: Realm.Configuration) async -> RealmError? {
        do { _ = try await Realm(configuration: configuration, downloadBeforeOpen: .always) } catch { return error as? RealmError }
        return nil
    }

    @Test("opening that downloads ends with the agent's answer, and says what is missing when the time is over")
    @MainActor func downloading() async throws {
        // A file without a server has all that there is.
        _ = try await Realm(configuration: place.configuration(), downloadBeforeOpen: .always)
        var sync = SyncConfiguration(serverURL: server)
        sync.downloadTimeout = 0
        let file = place.configuration(sync)
        let missing = await failure(file)
        #expect(missing?.message.contains("no agent works at this file: start `freehold-sync") == true)
        sync.downloadTimeout = 600
        let patient = place.configuration(sync), agent = SyncAnswering(place.path)
        _ = try await Realm(configuration: patient, downloadBeforeOpen: .always)
        agent.refuse("the server refuses, unauthorized: no")
        let refused = await failure(patient)
        #expect(refused?.message.contains("unauthorized: no") == true && refused?.code == .fileAccess)
        agent.end()
    }

    @Test("opening in the background waits for the server's objects, and can be cancelled meanwhile")
    func downloadingInTheBackground() throws {
        var sync = SyncConfiguration(serverURL: server)
        sync.downloadTimeout = 600
        let file = place.configuration(sync), queue = DispatchQueue(label: "callback"), done = DispatchSemaphore(value: 0), notes = Notes()
        let waiting = DispatchSemaphore(value: 0)
        let cancelled = Realm.asyncOpen(configuration: file, callbackQueue: queue) { result in
            if case .failure(is CancellationError) = result { notes.add("cancelled") }
            done.signal()
        }
        cancelled.addProgressNotification(queue: queue) { if $0.step == .downloading { waiting.signal() } }
        waiting.wait()
        // Nobody answers, so only this ends it.
        cancelled.cancel()
        done.wait()
        let agent = SyncAnswering(place.path)
        Realm.asyncOpen(configuration: file, callbackQueue: queue) { result in
            notes.add("\((try? result.get())?.objects(Parcel.self).count ?? -1)")
            done.signal()
        }
        done.wait()
        agent.refuse("the server refuses, unauthorized: no")
        Realm.asyncOpen(configuration: file, callbackQueue: queue) { result in
            if case .failure(let error as RealmError) = result { notes.add("\(error.code)") }
            done.signal()
        }
        done.wait()
        agent.end()
        #expect(notes.all == ["cancelled", "0", "fileAccess"])
    }
}

/// An agent that answers every question, on a thread of its own.
private final class SyncAnswering: Sendable {
    private let refusal = Mutex<String?>(nil)
    private let isEnded = Atomic(false)
    private let ended = DispatchSemaphore(value: 0)

    init(_ path: String) {
        Thread { [self] in
            defer { ended.signal() }
            guard let database = try? Database.open(path) else { return }
            defer { database.close() }
            var version = Version.zero
            while !isEnded.load(ordering: .acquiring) {
                if let newest = try? database.waitForChange(after: version, timeoutMilliseconds: 100) { version = newest }
                guard let download = try? database.syncDownload(), download.asked > download.answered else { continue }
                try? database.noteSyncDownload(download.asked, failure: refusal.withLock { $0 })
            }
        }.start()
    }

    func refuse(_ words: String) { refusal.withLock { $0 = words } }

    func end() {
        isEnded.store(true, ordering: .releasing)
        ended.wait()
    }
}
