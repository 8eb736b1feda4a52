import Dispatch
import FreeholdEngine
import Synchronization

/// An answer on its way: a thread makes its parts, a connection sends them. A few wait at most, so a slow connection takes no memory.
///
/// ```swift
/// for try await part in parts { try await send(part) }
/// ```
public final class AnswerParts: AsyncSequence, Sendable {
    public typealias Element = [UInt8]

    private let stream: AsyncThrowingStream<[UInt8], any Error>
    private let source: AsyncThrowingStream<[UInt8], any Error>.Continuation
    // Its room is added by signals: a semaphore may not end with less than it began with.
    private let room = DispatchSemaphore(value: 0)
    private let isCancelled = Atomic(false)
    private static let mostWaiting = 6
    /// A connection that takes nothing for so long is given up.
    private let patience: Int

    /// - Parameter patience: seconds.
    public init(patience: Int = 30) {
        self.patience = patience
        (stream, source) = AsyncThrowingStream.makeStream(of: [UInt8].self)
        for _ in 0..<Self.mostWaiting { room.signal() }
        source.onTermination = { [weak self] _ in self?.giveUp() }
    }

    // MARK: The thread

    /// Hands over the next part; waits while too many are there.
    ///
    /// - Throws: `.io` if nobody takes them any more.
    public func put(_ part: [UInt8]) throws(FreeholdError) {
        let isLate = room.wait(timeout: .now() + .seconds(patience)) == .timedOut
        if isLate || isCancelled.load(ordering: .acquiring) { throw FreeholdError(.io, "the connection takes no more of the answer") }
        source.yield(part)
    }

    public func finish(_ error: (any Error)? = nil) { source.finish(throwing: error) }

    // MARK: The connection

    /// Nobody takes any more of it: the thread need not wait.
    public func giveUp() {
        isCancelled.store(true, ordering: .releasing)
        room.signal()
    }

    public func makeAsyncIterator() -> Iterator { Iterator(parts: self, inner: stream.makeAsyncIterator()) }

    public struct Iterator: AsyncIteratorProtocol {
        let parts: AnswerParts
        var inner: AsyncThrowingStream<[UInt8], any Error>.Iterator

        public mutating func next() async throws -> [UInt8]? {
            let part = try await inner.next()
            if part != nil { parts.room.signal() }
            return part
        }
    }
}
