import Platform
import Synchronization

/// Serialises the calls that flush one descriptor's pages to the disk within a process, and keeps the error of the
/// first that failed.
///
/// 1. The kernel reports a failed write once for each descriptor, to the first call that asks. All threads of a process
///    use one descriptor, so a call made after or beside the one that got the error reports success.
/// 2. So no call begins while another one is under way, nor before the result of that one is recorded here. Once a call
///    has failed, every later call of this process fails.
final class DiskTurn: Sendable {
    private let system: any System
    private let lock: LocalLock
    private let failure = Mutex<SystemError?>(nil)

    init(_ system: any System) {
        self.system = system
        lock = LocalLock(system)
    }

    /// Takes the turn.
    ///
    /// - Parameter isWaiting: whether to wait for the turn, without a time limit.
    /// - Returns: false if another thread has it.
    func begin(isWaiting: Bool) -> Bool {
        while !lock.acquire(timeoutMilliseconds: isWaiting ? Self.pieceMilliseconds : 0) {
            if !isWaiting { return false }
        }
        return true
    }

    /// The length of one piece of an unbounded wait.
    private static let pieceMilliseconds = 1000

    func end() { lock.release() }

    /// Makes the call. The caller has the turn.
    ///
    /// - Returns: the error of this call, or of the first one that failed.
    func call(_ disk: () throws(SystemError) -> Void) -> SystemError? {
        var told: SystemError?
        do { try disk() } catch { told = error }
        point("flush.told", system)
        return failure.withLock { first in
            first = first ?? told
            return first
        }
    }

    /// Waits for the turn, and makes the call in it.
    func callInTurn(_ disk: () throws(SystemError) -> Void) -> SystemError? {
        _ = begin(isWaiting: true)
        defer { end() }
        return call(disk)
    }
}
