// Transactions that wait for the writer lock, and commits that wait for the disk.
//
// Safe throughout: an out parameter is NULL or writable memory of the caller; the descriptor is closed when its last
// user is freed.
import CFreehold
import CShims
import FreeholdEngine
import Glibc
import Platform
import Synchronization

/// A descriptor that becomes readable once an event has happened.
private final class Signal: Sendable {
    let descriptor: Int32

    init() throws(FreeholdError) {
        descriptor = freehold_shim_event_descriptor()
        if descriptor < 0 { throw FreeholdError(.system, "no descriptor could be had", systemCode: -descriptor) }
    }

    deinit { Glibc.close(descriptor) }

    func set() {
        var one: UInt64 = 1
        // The counter overflows long after it has become readable.
        _ = Glibc.write(descriptor, &one, MemoryLayout<UInt64>.size)
    }

    func clear() {
        var count: UInt64 = 0
        _ = Glibc.read(descriptor, &count, MemoryLayout<UInt64>.size)
    }
}

/// A flush of committed versions, on a thread of its own.
private final class Flush: Sendable {
    private let outcome = Mutex<Result<Void, FreeholdError>?>(nil)

    /// Starts the flush. The commit is complete by now, so a failure here is an outcome of the flush too.
    func start(_ owner: OpenDatabase, _ signal: Signal) {
        let database = KeptOpen(owner)
        do throws(SystemError) {
            try LinuxSystem.shared.startThread("freehold-flush") { [self] in
                var found: Result<Void, FreeholdError> = .success(())
                do throws(FreeholdError) { try database.opened?.flush() } catch { found = .failure(error) }
                database.close()
                end(found, signal)
            }
        } catch {
            end(.failure(FreeholdError(.outOfMemory, "it is committed, but a thread that waits for the disk could not be made: \(error)")), signal)
        }
    }

    private func end(_ found: Result<Void, FreeholdError>, _ signal: Signal) {
        outcome.withLock { $0 = found }
        signal.set()
    }

    /// Whether the flush is done; throws its error.
    func isDone() throws(FreeholdError) -> Bool {
        guard let outcome = outcome.withLock({ $0 }) else { return false }
        try outcome.get()
        return true
    }
}

/// Keeps a database open for a thread of the library until the thread is done.
///
/// Safe: of the object behind a C program's handle only the engine's database is used, which any thread may use; the
/// mutex guards the reference.
private final class KeptOpen: @unchecked Sendable {
    private let owner: Mutex<Held>

    private struct Held: @unchecked Sendable {
        var owner: OpenDatabase?
    }

    init(_ owner: OpenDatabase) { self.owner = Mutex(Held(owner: owner)) }

    var opened: Database? { owner.withLock { $0.owner?.database } }

    func close() { owner.withLock { $0.owner = nil } }
}

/// A write request or a flush in progress, held by C programs through a handle.
final class Pending: Handled {
    static let kind = HandleKind.pending

    private enum Work {
        case write(AsyncWriteRequest, OpenDatabase)
        case flush(Flush)
    }

    private let signal: Signal
    private let work: Work

    /// Requests a write transaction.
    init(_ owner: OpenDatabase, timeoutMilliseconds: Int) throws(FreeholdError) {
        let signal = try Signal()
        let request = owner.writes.request(owner.database, timeoutMilliseconds: timeoutMilliseconds) { signal.set() }
        (self.signal, work) = (signal, .write(request, owner))
    }

    /// A flush that has not been started.
    init() throws(FreeholdError) { (signal, work) = (try Signal(), .flush(Flush())) }

    /// Starts a flush of what is committed by now.
    func beginFlush(_ owner: OpenDatabase) {
        if case .flush(let flush) = work { flush.start(owner, signal) }
    }

    deinit { if case .write(let request, let owner) = work { owner.writes.cancel(request) } }

    var descriptor: Int32 { signal.descriptor }

    /// Waits until there is a transaction to take, or until the flush is done; false if the time is up.
    func wait(timeoutMilliseconds: Int) throws(FreeholdError) -> Bool {
        var entry = pollfd(fd: signal.descriptor, events: Int16(POLLIN), revents: 0)
        let end = LinuxSystem.shared.monotonicNanoseconds + UInt64(timeoutMilliseconds) * 1_000_000
        while try !isReady() {
            let now = LinuxSystem.shared.monotonicNanoseconds
            if now >= end { return false }
            _ = poll(&entry, 1, Int32(clamping: (end - now) / 1_000_000 + 1))
        }
        return true
    }

    private func isReady() throws(FreeholdError) -> Bool {
        switch work {
        case .write(let request, let owner):
            let state = renew(request, owner.writes)
            if let failure = owner.writes.failure(of: request) { throw failure }
            return state != .waiting && state != .withdrawn
        case .flush(let flush): return try flush.isDone()
        }
    }

    /// The transaction's handle, if the request was granted.
    func take() throws(FreeholdError) -> OpaquePointer? {
        guard case .write(let request, let owner) = work else {
            throw FreeholdError(.invalidArgument, "this is a commit that waits for the disk; there is no transaction to take")
        }
        if let transaction = try owner.writes.take(request) { return try HeldTransaction.make(transaction, of: owner, request).handle }
        let state = renew(request, owner.writes)
        if state == .taken || state == .over && owner.writes.failure(of: request) == nil {
            throw FreeholdError(.invalidArgument, "this transaction was taken before")
        }
        return nil
    }

    /// Repeats a request whose grant was withdrawn, and makes the descriptor readable only if there is something to take
    /// or to report. Returns the state.
    private func renew(_ request: AsyncWriteRequest, _ writes: AsyncWriteQueue) -> AsyncWriteRequest.State {
        // First of all: a grant from here on makes it readable.
        signal.clear()
        if writes.state(of: request) == .withdrawn { writes.requestAgain(request) }
        let state = writes.state(of: request)
        if state != .waiting && state != .withdrawn { signal.set() }
        return state
    }
}

@c @implementation
public func freehold_transaction_begin_async(
    _ database: OpaquePointer?, _ timeout_milliseconds: Int64, _ pending: UnsafeMutablePointer<OpaquePointer?>?
) -> freehold_error_code_t {
    done {
        let place = try Handles.place(pending), owner = try Handles.object(database, OpenDatabase.self)
        let isDefault = timeout_milliseconds == Int64(FREEHOLD_DEFAULT_TIMEOUT)
        let limit = isDefault ? owner.lockTimeoutMilliseconds : try milliseconds(timeout_milliseconds)
        place.pointee = try Handles.make(Pending(owner, timeoutMilliseconds: limit))
    }
}

@c @implementation
public func freehold_transaction_commit_async(
    _ transaction: OpaquePointer?, _ version: UnsafeMutablePointer<freehold_version_t>?,
    _ pending: UnsafeMutablePointer<OpaquePointer?>?
) -> freehold_error_code_t {
    done {
        let place = try Handles.place(pending), held = try Handles.transaction(transaction)
        // All resources are allocated before the commit; if that fails, the transaction stays open.
        let waiting = try Pending(), handle = try Handles.make(waiting)
        do {
            try held.end()
            try Handles.end(transaction, HeldTransaction.self)
            let made = try held.commit(.processCrash)
            version?.pointee = made.rawValue
        } catch {
            _ = try? Handles.end(handle, Pending.self)
            throw error
        }
        waiting.beginFlush(held.owner)
        place.pointee = handle
    }
}

@c @implementation
public func freehold_pending_descriptor(_ pending: OpaquePointer?) -> Int32 {
    var descriptor: Int32 = -1
    _ = done { descriptor = try Handles.object(pending, Pending.self).descriptor }
    return descriptor
}

@c @implementation
public func freehold_pending_wait(_ pending: OpaquePointer?, _ timeout_milliseconds: Int64) -> freehold_error_code_t {
    outcome {
        let pending = try Handles.object(pending, Pending.self)
        return try pending.wait(timeoutMilliseconds: try milliseconds(timeout_milliseconds)) ? Outcome.ok : Outcome.timedOut
    }
}

@c @implementation
public func freehold_pending_take(
    _ pending: OpaquePointer?, _ transaction: UnsafeMutablePointer<OpaquePointer?>?
) -> freehold_error_code_t {
    outcome {
        let place = try Handles.place(transaction)
        guard let taken = try Handles.object(pending, Pending.self).take() else { return Outcome.timedOut }
        place.pointee = taken
        return Outcome.ok
    }
}

@c @implementation
public func freehold_pending_close(_ pending: OpaquePointer?) -> freehold_error_code_t {
    done { if pending != nil { try Handles.end(pending, Pending.self) } }
}
