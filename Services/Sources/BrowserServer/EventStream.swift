import BrowserData
import HTTPTypes
import Hummingbird
import NIOCore
import Synchronization

/// The events of a tab, as `text/event-stream`. A comment every ten seconds finds connections that have ended.
enum EventStream {
    private static let pulse = Duration.seconds(10)
    /// Events that wait for a page that does not read; then the connection ends, and the page connects anew.
    private static let waitingLimit = 256

    static func response(to request: Request, for tab: Tab, _ presence: Presence) async throws -> Response {
        let (events, source) = AsyncStream.makeStream(of: [UInt8].self, bufferingPolicy: .bufferingOldest(waitingLimit))
        let connection = try await tab.connect({ bytes in
            if case .dropped = source.yield(bytes) { source.finish() }
        }, end: { source.finish() })
        presence.enter()
        let beat = Task {
            while !Task.isCancelled {
                try? await Task.sleep(for: pulse)
                if case .terminated = source.yield(Array(": still here\n\n".utf8)) { return }
            }
        }
        return Response(
            status: .ok, headers: [.contentType: "text/event-stream", .init("X-Accel-Buffering")!: "no"],
            body: ResponseBody { writer in
                defer {
                    beat.cancel()
                    source.finish()
                    tab.disconnect(connection)
                    presence.leave()
                }
                try await request.body.consumeWithInboundCloseHandler({ _ in
                    try await writer.write(ByteBuffer(string: "event: hello\ndata: {}\n\n"))
                    for await bytes in events { try await writer.write(ByteBuffer(bytes: bytes)) }
                    try await writer.finish(nil)
                }, onInboundClosed: { source.finish() })
            })
    }
}

/// Whether any page is connected. A program without one for a while ends.
final class Presence: Sendable {
    private let state = Mutex((count: 0, since: ContinuousClock.now, hasBeen: false))

    func enter() {
        state.withLock { state in
            state.count += 1
            state.hasBeen = true
        }
    }

    func leave() {
        state.withLock { state in
            state.count -= 1
            state.since = .now
        }
    }

    /// For how long no page has been connected; nil if one is, or none ever was.
    var absence: Duration? {
        state.withLock { $0.count > 0 || !$0.hasBeen ? nil : ContinuousClock.now - $0.since }
    }
}
