import Dispatch
import FreeholdEngine
import Synchronization

/// An answer on its way: a thread makes its parts, a connection sends them.
///
/// A few parts wait in memory. What a slow connection has not taken of the others is in a file, so that the thread is free for other
/// answers; without room for that the thread waits.
///
/// ```swift
/// for try await part in parts { try await send(part) }
/// ```
public final class AnswerParts: AsyncSequence, Sendable {
    public typealias Element = [UInt8]

    private struct State {
        /// Parts that wait in memory, before those in the file.
        var parts: [[UInt8]] = []
        var file: AnswerSpool.File?
        /// Lengths of the parts in the file that were not taken, and where the first of them begins.
        var spooled: [Int] = []
        var first = 0
        var start = 0
        /// Where the file ends, and whether a part is being written there.
        var end = 0
        var isWriting = false
        var result: Result<Void, any Error>?
        var isCancelled = false
        var taker: CheckedContinuation<Void, Never>?
        var threadWaits = false

        var hasSpooled: Bool { isWriting || first < spooled.count }
        /// Whether a taker finds something.
        var isReady: Bool { isCancelled || !parts.isEmpty || first < spooled.count || result != nil }

        mutating func takeTaker() -> CheckedContinuation<Void, Never>? {
            defer { taker = nil }
            return taker
        }

        /// Whether the thread is to be given a signal.
        mutating func takeWaiting() -> Bool {
            defer { threadWaits = false }
            return threadWaits
        }
    }

    private let state = Mutex(State())
    // It begins at 0: a semaphore may not end with less than it began with.
    private let room = DispatchSemaphore(value: 0)
    private let spool: AnswerSpool?
    private let caller: SyncCaller
    /// A connection that takes nothing for so long is given up, if its answer has no room in a file.
    private let patience: Int
    private static let mostWaiting = 6

    /// - Parameters:
    ///   - spool: room for what waits to be sent to the caller.
    ///   - patience: seconds.
    public init(for caller: SyncCaller, spool: AnswerSpool? = nil, patience: Int = 30) {
        (self.caller, self.spool, self.patience) = (caller, spool, patience)
    }

    // MARK: The thread

    private enum Placed { case taken, full, gone }

    /// Hands over the next part; waits while too many are there and the file has no room.
    ///
    /// - Throws: `.io` if nobody takes them any more.
    public func put(_ part: [UInt8]) throws(FreeholdError) {
        var isLate = false
        while true {
            switch place(part) {
            case .taken: return
            case .gone: throw Self.gone
            case .full:
                if spooled(part) { return }
                if isLate || isCancelled { throw Self.gone }
                isLate = waitForRoom()
            }
        }
    }

    private static let gone = FreeholdError(.io, "the connection takes no more of the answer")
    private var isCancelled: Bool { state.withLock { $0.isCancelled } }

    private func place(_ part: [UInt8]) -> Placed {
        let (placed, taker) = state.withLock { state -> (Placed, CheckedContinuation<Void, Never>?) in
            if state.isCancelled { return (.gone, nil) }
            if state.hasSpooled || state.parts.count >= Self.mostWaiting { return (.full, nil) }
            state.parts.append(part)
            return (.taken, state.takeTaker())
        }
        taker?.resume()
        return placed
    }

    /// Writes a part to the file. Not under the lock: the disk may be slow, and who takes parts must not wait for it.
    private func spooled(_ part: [UInt8]) -> Bool {
        guard let spool else { return false }
        let begun = state.withLock { state -> (file: AnswerSpool.File, end: Int)? in
            if state.file == nil { state.file = AnswerSpool.File(spool, for: caller) }
            guard let file = state.file else { return nil }
            state.isWriting = true
            return (file, state.end)
        }
        guard let (file, end) = begun else { return false }
        let isWritten = file.write(part, at: end)
        let taker = state.withLock { state -> CheckedContinuation<Void, Never>? in
            state.isWriting = false
            guard isWritten else { return nil }
            state.spooled.append(part.count)
            state.end += part.count
            return state.takeTaker()
        }
        taker?.resume()
        return isWritten
    }

    /// Waits until a part is taken; true if none is for too long.
    private func waitForRoom() -> Bool {
        let waits = state.withLock { state in
            // The last part may have been taken meanwhile.
            state.threadWaits = !state.isCancelled && (state.hasSpooled || state.parts.count >= Self.mostWaiting)
            return state.threadWaits
        }
        if !waits { return false }
        if room.wait(timeout: .now() + .seconds(patience)) == .success { return false }
        if state.withLock({ $0.takeWaiting() }) { return true }
        // A part was taken just now: the signal comes, and must not be left for the next time.
        room.wait()
        return false
    }

    public func finish(_ error: (any Error)? = nil) {
        let taker = state.withLock { state in
            state.result = state.result ?? error.map { .failure($0) } ?? .success(())
            return state.takeTaker()
        }
        taker?.resume()
    }

    // MARK: The connection

    /// Nobody takes any more of it: the thread need not wait.
    public func giveUp() {
        let (taker, waits) = state.withLock { state in
            state.isCancelled = true
            (state.parts, state.file) = ([], nil)
            return (state.takeTaker(), state.takeWaiting())
        }
        taker?.resume()
        if waits { room.signal() }
    }

    public func makeAsyncIterator() -> Iterator { Iterator(parts: self) }

    public struct Iterator: AsyncIteratorProtocol {
        let parts: AnswerParts

        public mutating func next() async throws -> [UInt8]? {
            while true {
                switch try parts.take() {
                case .part(let part): return part
                case .end: return nil
                case .nothing: await parts.wait()
                }
            }
        }
    }

    private enum Taken {
        case part([UInt8])
        case end, nothing
    }

    private enum Found {
        case taken(Taken)
        case spooled(AnswerSpool.File, count: Int, at: Int)
    }

    private func take() throws -> Taken {
        let (found, waits) = try state.withLock { state -> (Found, Bool) in
            if state.isCancelled { throw CancellationError() }
            if !state.parts.isEmpty { return (.taken(.part(state.parts.removeFirst())), state.takeWaiting()) }
            if state.first < state.spooled.count {
                return (.spooled(state.file!, count: state.spooled[state.first], at: state.start), false)
            }
            guard let result = state.result else { return (.taken(.nothing), false) }
            try result.get()
            return (.taken(.end), false)
        }
        if waits { room.signal() }
        switch found {
        case .taken(let taken): return taken
        case .spooled(let file, let count, let place):
            guard let part = file.read(count, at: place) else { throw FreeholdError(.io, "a temporary file cannot be read") }
            noteTaken(count)
            return .part(part)
        }
    }

    /// The first part in the file was taken. With the last one the file begins anew.
    private func noteTaken(_ count: Int) {
        let waits = state.withLock { state in
            state.first += 1
            state.start += count
            if !state.hasSpooled {
                state.file?.empty()
                (state.spooled, state.first, state.start, state.end) = ([], 0, 0, 0)
            }
            return state.takeWaiting()
        }
        if waits { room.signal() }
    }

    private func wait() async {
        await withTaskCancellationHandler {
            await withCheckedContinuation { taker in
                let isReady = state.withLock { state in
                    if !state.isReady { state.taker = taker }
                    return state.isReady
                }
                if isReady { taker.resume() }
            }
        } onCancel: {
            giveUp()
        }
    }
}
