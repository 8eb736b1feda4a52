import FreeholdEngine
import Gzip
import Hummingbird
import NIOCore
import SyncBackends
import Synchronization

/// Bytes of bodies that are in memory at once, of all requests together. One user has a part of them at most: who says that much will come,
/// and does not send it, takes nothing from the others.
final class BodyBudget: Sendable {
    private struct State {
        var free: Int
        var taken: [SyncCaller: Int] = [:]
    }

    private let state: Mutex<State>
    /// Bytes of one body.
    let limit: Int
    /// Bytes of one user.
    private let share: Int

    init(limit: Int, total: Int) {
        self.limit = limit
        share = max(total / 4, limit)
        state = Mutex(State(free: max(total, limit)))
    }

    /// Bytes that are taken from the budget until the end of a request.
    struct Body {
        let caller: SyncCaller
        var bytes: [UInt8] = []
        fileprivate(set) var taken = 0

        init(of caller: SyncCaller) { self.caller = caller }
    }

    /// Reads a body. Give it back with `release`, also after an error.
    func read(_ request: Request, into body: inout Body) async throws {
        guard let coding = ContentCoding(named: request.headers[.contentEncoding]) else {
            throw SyncFailure(.malformed, what: "the body is compressed in a way that the server cannot read",
                              place: "the header Content-Encoding", advice: "use gzip, or none")
        }
        switch coding {
        case .identity: try await readPlain(request, into: &body)
        case .gzip: try await readCompressed(request, into: &body)
        }
    }

    private func readPlain(_ request: Request, into body: inout Body) async throws {
        if let length = request.headers[.contentLength].flatMap({ Int($0) }) {
            guard length <= limit else { throw tooLarge }
            try take(length, &body)
            body.bytes.reserveCapacity(length)
        }
        for try await part in request.body {
            guard body.bytes.count + part.readableBytes <= limit else { throw tooLarge }
            let more = body.bytes.count + part.readableBytes - body.taken
            if more > 0 { try take(more, &body) }
            body.bytes.append(contentsOf: part.readableBytesView)
        }
    }

    /// The limits count what the body is when it is read: a small one may be a thousand times as long.
    private func readCompressed(_ request: Request, into body: inout Body) async throws {
        let reader = try GzipReader()
        do {
            for try await part in request.body {
                try part.withUnsafeReadableBytes { bytes in
                    try reader.read(bytes) { piece in
                        guard body.bytes.count + piece.count <= limit else { throw tooLarge }
                        try take(piece.count, &body)
                        body.bytes.append(contentsOf: piece)
                    }
                }
            }
            try reader.finish()
        } catch let error as FreeholdError {
            throw SyncFailure(error, in: "the request's body")
        }
    }

    func release(_ body: Body) {
        state.withLock { state in
            let left = state.taken[body.caller, default: 0] - body.taken
            state.taken[body.caller] = left > 0 ? left : nil
            state.free += body.taken
        }
    }

    private func take(_ count: Int, _ body: inout Body) throws {
        let caller = body.caller
        let isThere = state.withLock { state in
            guard state.free >= count, state.taken[caller, default: 0] + count <= share else { return false }
            state.free -= count
            state.taken[caller, default: 0] += count
            return true
        }
        guard isThere else {
            throw SyncFailure(.busy, what: "the server reads as many bodies, of all or of the user, as it has memory for",
                              place: "the request's body", advice: "send the same again", retryAfter: 5)
        }
        body.taken += count
    }

    private var tooLarge: SyncFailure {
        SyncFailure(.tooLarge, what: "the body is larger than \(limit) bytes", place: "the request's body",
                    advice: "raise the server's --body-limit, or change less between two exchanges")
    }
}
