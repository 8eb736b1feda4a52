import Platform
import Synchronization

/// The calls that bring one descriptor's pages to the disk: one at a time in a process, and what the first one was told that failed.
///
/// 1. The kernel tells each descriptor once that writing failed: whichever call asks first. All threads of a process use one descriptor, so a
///    thread that asks after another one was told, or beside it, is told that all went well.
/// 2. So no call begins while another one is under way, nor before what that one was told is written down here; and from then on every
///    call of this process fails.
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
    /// - Parameter isWaiting: whether to wait for it, however long the disk takes.
    /// - Returns: false if another thread has it.
    func begin(isWaiting: Bool) -> Bool {
        while !lock.acquire(timeoutMilliseconds: isWaiting ? Self.pieceMilliseconds : 0) {
            if !isWaiting { return false }
        }
        return true
    }

    /// A wait without bound is made of pieces.
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
