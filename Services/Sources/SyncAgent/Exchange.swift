import Foundation
import FreeholdEngine
import FreeholdMerge
import SyncBackends
import Synchronization

/// The exchange of one file with one server, while the lease is held and the settings stay: a thread that pulls, and one that pushes.
///
/// ```
/// pull (waits up to 25 s) ─► apply ─┐     a commit ─► seal, push ─► acknowledged ─┐
///   ▲                               │        ▲                                    │
///   └───────────────────────────────┘        └────────────────────────────────────┘
/// ```
/// Each waits for itself after an error, twice as long each time, at most a minute. A batch that was not acknowledged is made anew: the
/// server applies no epoch twice.
final class Exchange: Sendable {
    private let database: Database
    private let address: SyncServerAddress
    private let settings: SyncSettings
    private let standing: SyncStanding
    private let transfers = Mutex<[HTTPClient.Transfer]>([])
    private let hasEnded = Atomic(false)
    private let threads = DispatchGroup()
    /// Woken when it ends, so that nobody waits in vain.
    private let pullRest = DispatchSemaphore(value: 0), pushRest = DispatchSemaphore(value: 0)
    /// Answers that were applied: a batch of another history waits for the next one.
    private let answers = Atomic(0)
    /// The last question of a program whether all is here that the server has, and the pull that it has ended because of that.
    private let asked = Atomic<Int64>(0)
    private let isInterrupted = Atomic(false)
    private let pulling = Mutex<HTTPClient.Transfer?>(nil)

    static let pullWait = 25
    /// The most bytes of an answer; it is in memory until it is applied.
    private static let answerLimit = 4 << 30
    private static let refusedWait = 60.0

    init(_ database: Database, _ address: SyncServerAddress, _ settings: SyncSettings, _ standing: SyncStanding) {
        (self.database, self.address, self.settings, self.standing) = (database, address, settings, standing)
    }

    func start() {
        standing.noteConnecting()
        begin("sync-pull") { $0.pullAll() }
        begin("sync-push") { $0.pushAll() }
    }

    /// Ends requests under way, and waits for the threads.
    func end() {
        hasEnded.store(true, ordering: .releasing)
        transfers.withLock { for one in $0 { one.isCancelled.store(true, ordering: .relaxed) } }
        pullRest.signal()
        pushRest.signal()
        threads.wait()
    }

    /// Asks the server at once, for a program that waits: `SyncDownload`. A pull that waits for news ends, one that gets some does not.
    func hurry(_ number: Int64) {
        if asked.exchange(number, ordering: .acquiringAndReleasing) == number { return }
        pulling.withLock { transfer in
            guard let transfer else { return }
            isInterrupted.store(true, ordering: .releasing)
            transfer.cancelWaiting()
        }
        pullRest.signal()
    }

    private var isEnded: Bool { hasEnded.load(ordering: .acquiring) }

    private func begin(_ name: String, _ body: @escaping @Sendable (Exchange) -> Void) {
        threads.enter()
        let thread = Thread { [self] in
            body(self)
            threads.leave()
        }
        thread.name = name
        thread.start()
    }

    // MARK: Pulling

    private func pullAll() {
        var delay = RetryDelay(), random = SystemRandomNumberGenerator(), client: HTTPClient?, told: Int64 = 0
        while !isEnded {
            let number = asked.load(ordering: .acquiring)
            do throws(FreeholdError) {
                if client == nil { client = try HTTPClient(silence: Self.pullWait + 15) }
                guard let reply = try pull(client!, number, isAsked: number > told) else { continue }
                switch reply {
                case .message(let answer):
                    if let report = try SyncReplica(database).apply(answer) {
                        standing.noteLosses(report)
                        answers.add(1, ordering: .acquiringAndReleasing)
                        pushRest.signal()
                    }
                    standing.noteAnswer("pull", exchanged: true)
                    delay.reset()
                case .nothing, .otherHistory:
                    standing.noteAnswer("pull")
                    try tell(number, &told)
                    delay.reset()
                case .refused(let refusal):
                    standing.note(refusal, of: "pull", isRefused: true)
                    try tell(number, &told, Self.error(refusal).message)
                    rest(pullRest, Self.refusedWait)
                case .later(let refusal, let seconds):
                    standing.note(refusal, of: "pull", isRefused: false)
                    rest(pullRest, delay.next(atLeast: seconds, using: &random))
                }
            } catch {
                client = nil
                if !isInterrupted.exchange(false, ordering: .acquiringAndReleasing) { fail("pull", error, pullRest, &delay) }
            }
        }
    }

    /// Waits for news unless a program has asked; nil if one does meanwhile.
    private func pull(_ client: HTTPClient, _ number: Int64, isAsked: Bool) throws(FreeholdError) -> ServerReply? {
        let transfer = HTTPClient.Transfer(limit: Self.answerLimit)
        defer { pulling.withLock { $0 = nil } }
        if !isAsked {
            pulling.withLock { $0 = transfer }
            // It may have been asked before `pulling` was there to be ended.
            if asked.load(ordering: .acquiring) != number { return nil }
        }
        return try ask(client, "/v1/pull?wait=\(isAsked ? 0 : Self.pullWait)", SyncReplica(database).pull(), transfer)
    }

    /// Answers the question of a program.
    private func tell(_ number: Int64, _ told: inout Int64, _ failure: String? = nil) throws(FreeholdError) {
        if number <= told { return }
        try database.noteSyncDownload(number, failure: failure)
        told = number
    }

    // MARK: Pushing

    private func pushAll() {
        var delay = RetryDelay(), random = SystemRandomNumberGenerator(), client: HTTPClient?
        var mark: SyncReplica.PushMark?, version = Version.zero, offered: [ClassSchema] = []
        while !isEnded {
            do throws(FreeholdError) {
                let seen = answers.load(ordering: .acquiring)
                guard let batch = try SyncReplica(database).push(after: mark) else {
                    if mark == nil { standing.notePending(false) }
                    // In short steps: the end does not wake it.
                    if let newest = try database.waitForChange(after: version, timeoutMilliseconds: 500) { version = newest }
                    continue
                }
                standing.notePending(true)
                if client == nil { client = try HTTPClient() }
                if let reply = try offer(client!, &offered) {
                    if case .later(let refusal, let seconds) = reply {
                        standing.note(refusal, of: "push", isRefused: false)
                        rest(pushRest, delay.next(atLeast: seconds, using: &random))
                    } else if case .refused(var refusal) = reply {
                        refusal.what += "; nothing of the file is sent until then"
                        standing.note(refusal, of: "push", isRefused: true)
                        rest(pushRest, Self.refusedWait)
                    }
                    continue
                }
                switch try ask(client!, "/v1/push", batch.message, HTTPClient.Transfer(limit: 1 << 20)) {
                case .message, .nothing:
                    mark = batch.mark
                    standing.noteAnswer("push", exchanged: true)
                    standing.notePending(false)
                    delay.reset()
                case .otherHistory:
                    mark = nil
                    while !isEnded, answers.load(ordering: .acquiring) == seen { rest(pushRest, 1) }
                case .refused(let refusal):
                    // It had the classes, and has them no more, as after a restoration.
                    if refusal.code == "otherClass" { offered = [] }
                    standing.note(refusal, of: "push", isRefused: true)
                    rest(pushRest, Self.refusedWait)
                case .later(let refusal, let seconds):
                    standing.note(refusal, of: "push", isRefused: false)
                    rest(pushRest, delay.next(atLeast: seconds, using: &random))
                }
            } catch {
                client = nil
                fail("push", error, pushRest, &delay)
            }
        }
    }

    /// Tells the server of the classes that the file declares, before it gets objects of them: once, and again when there are others.
    ///
    /// While the server does not take them nothing is sent: it would refuse a batch that has any of them.
    ///
    /// - Returns: why it does not; nil if it has them.
    private func offer(_ client: HTTPClient, _ offered: inout [ClassSchema]) throws(FreeholdError) -> ServerReply? {
        let classes = try database.snapshot().classes
        if classes == offered { return nil }
        let reply = try ask(client, "/v1/schema", SchemaText.json(SyncSchema(declared: classes)), type: "application/json",
                            HTTPClient.Transfer(limit: 1 << 20))
        switch reply {
        // `notFound`: of a server that takes none by requests.
        case .refused(let refusal) where refusal.code != "notFound": return reply
        case .later: return reply
        default:
            offered = classes
            return nil
        }
    }

    // MARK: Requests

    private func ask(
        _ client: HTTPClient, _ path: String, _ body: [UInt8], type: String = HTTPClient.messageType, _ transfer: HTTPClient.Transfer
    ) throws(FreeholdError) -> ServerReply {
        transfers.withLock { $0.append(transfer) }
        defer { transfers.withLock { $0.removeAll { $0 === transfer } } }
        // It may have ended between the check of the loop and here.
        if isEnded { throw FreeholdError(.busy, "the exchange ends") }
        return ServerReply(try client.post(address.request(path), body, type: type, token: Token.current(settings), transfer))
    }

    private func fail(_ loop: String, _ error: FreeholdError, _ semaphore: DispatchSemaphore, _ delay: inout RetryDelay) {
        if isEnded { return }
        var random = SystemRandomNumberGenerator()
        let code = error.code == .io ? SyncStanding.unreachable : error.code.name
        standing.note(.init(code: code, what: error.message, advice: "it is tried again"), of: loop, isRefused: false)
        rest(semaphore, delay.next(using: &random))
    }

    private func rest(_ semaphore: DispatchSemaphore, _ seconds: Double) {
        if !isEnded { _ = semaphore.wait(timeout: .now() + seconds) }
    }

    // MARK: Once

    /// Exchanges until nothing is pending and nothing is new.
    ///
    /// - Throws: why it cannot be done, at the first failure.
    static func once(
        _ database: Database, _ address: SyncServerAddress, _ settings: SyncSettings, _ standing: SyncStanding
    ) throws(FreeholdError) -> SyncReport {
        let exchange = Exchange(database, address, settings, standing), client = try HTTPClient()
        let replica = SyncReplica(database)
        var whole = SyncReport(), mark: SyncReplica.PushMark?, offered: [ClassSchema] = []
        for _ in 0..<1_000 {
            var isQuiet = true
            if let batch = try replica.push(after: mark) {
                switch try exchange.offer(client, &offered) {
                case .refused(let refusal), .later(let refusal, _): throw exchange.failure(refusal)
                default: break
                }
                switch try exchange.ask(client, "/v1/push", batch.message, HTTPClient.Transfer(limit: 1 << 20)) {
                case .message, .nothing: mark = batch.mark
                case .otherHistory: mark = nil
                case .refused(let refusal), .later(let refusal, _): throw exchange.failure(refusal)
                }
                standing.noteAnswer("push", exchanged: true)
                isQuiet = false
            }
            switch try exchange.ask(client, "/v1/pull?wait=0", replica.pull(), HTTPClient.Transfer(limit: answerLimit)) {
            case .message(let answer):
                if let report = try replica.apply(answer) {
                    standing.noteLosses(report)
                    whole.add(report)
                }
                isQuiet = false
            case .nothing, .otherHistory: break
            case .refused(let refusal), .later(let refusal, _): throw exchange.failure(refusal)
            }
            standing.noteAnswer("pull", exchanged: true)
            if isQuiet, try !replica.isPending() { return whole }
        }
        throw FreeholdError(.busy, "others change the file or the server all the time; run the agent without --once")
    }

    /// The error of a refusal, which is an issue as well.
    private func failure(_ refusal: ServerReply.Refusal) -> FreeholdError {
        standing.note(refusal, of: "once", isRefused: true)
        return Self.error(refusal)
    }

    private static func error(_ refusal: ServerReply.Refusal) -> FreeholdError {
        let place = refusal.place.isEmpty ? "" : " (\(refusal.place))", advice = refusal.advice.isEmpty ? "" : "; \(refusal.advice)"
        return FreeholdError(.io, "the server refuses, \(refusal.code): \(refusal.what)\(place)\(advice)")
    }
}
