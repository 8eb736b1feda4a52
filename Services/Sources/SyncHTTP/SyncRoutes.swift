import Gzip
import HTTPTypes
import Hummingbird
import Metrics
import NIOCore
import SyncBackends

/// What can be asked of a sync server: the table of docs/sync-server.md.
struct SyncRoutes: Sendable {
    typealias Context = BasicRequestContext

    let tenants: any SyncTenants
    let keys: TokenKeys
    let budget: BodyBudget
    let users: UserLimits
    let metrics: Prometheus?
    /// What answers wait in; only its size is asked for.
    let spool: AnswerSpool?
    /// Whether answers are compressed for those who take that.
    let compresses: Bool

    private static let longestWait = 60.0
    private static let pushedBytes = Counter(label: "freehold_sync_pushed_bytes")
    private static let answeredBytes = Counter(label: "freehold_sync_answered_bytes")
    /// The same as they are sent, compressed or not.
    private static let sentBytes = Counter(label: "freehold_sync_sent_bytes")
    private static let waiting = Meter(label: "freehold_sync_waiting_pulls")
    private static let spooled = Meter(label: "freehold_sync_spooled_bytes")

    func router() -> Router<Context> {
        let router = Router(context: Context.self)
        router.add(middleware: MetricsMiddleware())
        // Seen with the server's --verbose.
        router.add(middleware: LogRequestsMiddleware(.debug))
        router.add(middleware: FailureMiddleware())
        router.get("/health") { _, _ in Self.text("ok\n") }
        router.get("/ready") { _, _ in
            try await tenants.check()
            return Self.text("ready\n")
        }
        if let metrics {
            router.get("/metrics") { _, _ in
                Self.waiting.set(tenants.all.reduce(0) { $0 + $1.waitingCount })
                if let spool { Self.spooled.set(spool.takenCount) }
                return Self.text(metrics.text)
            }
        }
        router.post("/v1/push") { request, _ in try await push(request) }
        router.post("/v1/pull") { request, _ in try await pull(request) }
        router.get("/v1/schema") { request, _ in
            let caller = try await caller(request)
            return Self.response(try await backend(caller).schema(for: caller), type: "application/json")
        }
        router.post("/v1/schema") { request, _ in
            let caller = try await caller(request), backend = try backend(caller)
            let place = try users.enter(caller, .push)
            defer { withExtendedLifetime(place) {} }
            return try await withBody(request, of: caller) { bytes in
                Self.response(try await backend.add(classes: bytes, by: caller), type: "application/json")
            }
        }
        return router
    }

    // MARK: Requests

    private func push(_ request: Request) async throws -> Response {
        let caller = try await caller(request), backend = try backend(caller)
        let place = try users.enter(caller, .push)
        defer { withExtendedLifetime(place) {} }
        return try await withBody(request, of: caller) { bytes in
            Self.pushedBytes.increment(by: bytes.count)
            guard let ack = try await backend.push(bytes, by: caller) else {
                throw SyncFailure(.otherHistory, what: "the batch belongs to another history of the server", place: "the batch",
                                  advice: "pull first, then make the batch anew")
            }
            return Self.response(ack, type: Self.messageType)
        }
    }

    private func pull(_ request: Request) async throws -> Response {
        let caller = try await caller(request), backend = try backend(caller)
        let wait = try Self.wait(request), place = try users.enter(caller, .pull)
        defer { withExtendedLifetime(place) {} }
        let parts = try await withBody(request, of: caller) { bytes in try await backend.pull(bytes, by: caller, wait: wait) }
        guard let parts else { return Response(status: .noContent) }
        let answer = Answer(parts: parts, place: place)
        let coding = compresses ? ContentCoding(accepted: request.headers[.acceptEncoding]) : .identity
        let body = ResponseBody { writer in
            let gzip = coding == .gzip ? try GzipWriter() : nil
            for try await part in answer.parts {
                Self.answeredBytes.increment(by: part.count)
                let sent = gzip?.add(part) ?? part
                Self.sentBytes.increment(by: sent.count)
                try await writer.write(ByteBuffer(bytes: sent))
            }
            if let end = gzip?.finish() { try await writer.write(ByteBuffer(bytes: end)) }
            try await writer.finish(nil)
        }
        var headers: HTTPFields = [.contentType: Self.messageType]
        if coding == .gzip { headers[.contentEncoding] = "gzip" }
        return Response(status: .ok, headers: headers, body: body)
    }

    /// An answer as long as its body is kept: when that is dropped, sent or not, the thread that makes it is told.
    private final class Answer: Sendable {
        let parts: AnswerParts
        private let place: UserLimits.Place

        init(parts: AnswerParts, place: UserLimits.Place) { (self.parts, self.place) = (parts, place) }

        deinit { parts.giveUp() }
    }

    /// Reads a request's body, within the server's memory.
    private func withBody<Result>(_ request: Request, of caller: SyncCaller, _ body: ([UInt8]) async throws -> Result)
        async throws -> Result
    {
        var read = BodyBudget.Body(of: caller)
        defer { budget.release(read) }
        do {
            try await budget.read(request, into: &read)
        } catch let failure as SyncFailure {
            throw failure
        } catch {
            throw SyncFailure(.malformed, what: "the body cannot be read: \(error)", place: "the request's body", advice: "send it again")
        }
        return try await body(read.bytes)
    }

    private func caller(_ request: Request) async throws -> SyncCaller {
        guard let header = request.headers[.authorization], header.lowercased().hasPrefix("bearer ") else {
            throw SyncFailure(.unauthorized, what: "there is no token", place: "the header Authorization",
                              advice: "send `Authorization: Bearer` and a token")
        }
        return try await keys.caller(String(header.dropFirst(7).drop { $0 == " " }))
    }

    private func backend(_ caller: SyncCaller) throws -> any SyncBackend {
        guard let backend = tenants.backend(caller.tenant) else {
            throw SyncFailure(.forbidden, what: "the server has no tenant `\(caller.tenant)`", place: "the token's claim `tenant`",
                              advice: "ask the server that has it, or get another token")
        }
        return backend
    }

    private static func wait(_ request: Request) throws -> Duration {
        guard let text = request.uri.queryParameters["wait"] else { return .zero }
        guard let seconds = Double(String(text)), seconds >= 0, seconds.isFinite else {
            throw SyncFailure(.malformed, what: "`\(text.prefix(20))` is no number of seconds", place: "the parameter `wait`",
                              advice: "use 0 to \(Int(longestWait))")
        }
        return .milliseconds(Int64(min(seconds, longestWait) * 1000))
    }

    // MARK: Answers

    private static let messageType = "application/vnd.freehold.sync"

    private static func response(_ bytes: [UInt8], type: String) -> Response {
        Response(status: .ok, headers: [.contentType: type], body: .init(byteBuffer: ByteBuffer(bytes: bytes)))
    }

    private static func text(_ text: String) -> Response {
        Response(status: .ok, headers: [.contentType: "text/plain; charset=utf-8"], body: .init(byteBuffer: ByteBuffer(string: text)))
    }
}
