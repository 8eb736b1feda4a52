import Dispatch
import Synchronization

/// Hands pieces of a file from the thread that makes them to the connection that sends them: at most a few wait, so a slow
/// connection needs no memory.
final class ChunkQueue: Sendable {
    struct Cancelled: Error {}

    let stream: AsyncThrowingStream<[UInt8], any Error>
    private let source: AsyncThrowingStream<[UInt8], any Error>.Continuation
    // Its room is added by signals: a semaphore may not end with less than it began with.
    private let room = DispatchSemaphore(value: 0)
    private static let pieces = 4
    private let isCancelled = Atomic(false)

    init() {
        (stream, source) = AsyncThrowingStream.makeStream(of: [UInt8].self)
        for _ in 0..<Self.pieces { room.signal() }
    }

    /// Makes the pieces. On a thread that may wait.
    func fill(_ body: (_ put: @escaping ([UInt8]) throws -> Void) throws -> Void) {
        do {
            try body { chunk in
                self.room.wait()
                if self.isCancelled.load(ordering: .acquiring) { throw Cancelled() }
                self.source.yield(chunk)
            }
            source.finish()
        } catch {
            source.finish(throwing: error)
        }
    }

    func noteTaken() { room.signal() }

    /// Nobody takes any more.
    func cancel() {
        isCancelled.store(true, ordering: .releasing)
        room.signal()
    }
}
