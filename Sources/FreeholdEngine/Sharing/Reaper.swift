import Platform
import Synchronization

/// Clears up after dead processes: their cells, reservations, listeners and slots.
final class Reaper: Sendable {
    private let member: Membership
    private let held: HeldVersions
    private let reservations: Reservations
    private let listeners: ListenerTable
    private let isReaping = Atomic(false)
    /// When a commit of this process last looked for dead processes, in monotonic nanoseconds.
    private let lastReaped = Atomic<UInt64>(0)

    init(_ member: Membership, _ held: HeldVersions, _ reservations: Reservations, _ listeners: ListenerTable) {
        (self.member, self.held, self.reservations, self.listeners) = (member, held, reservations, listeners)
    }

    /// The versions that a commit must leave whole. Dead processes are reaped first: ten times a second at most, and
    /// only if a version other than the newest is held. The caller owns the writer lock.
    ///
    /// - Parameter now: the time at which the write began, in monotonic nanoseconds: near enough, and known.
    /// - Parameter mayRevoke: whether to revoke a parked version.
    func heldVersionsForCommit(at now: UInt64, revoking mayRevoke: (UInt64) -> Bool = { _ in false }) -> [UInt64] {
        let versions = held.versions(revoking: mayRevoke)
        guard versions.count > 1, now > lastReaped.load(ordering: .relaxed).addingReportingOverflow(Self.reapingNanoseconds).partialValue
        else { return versions }
        lastReaped.store(now, ordering: .relaxed)
        reap()
        return held.versions(revoking: mayRevoke)
    }

    private static let reapingNanoseconds: UInt64 = 100_000_000

    /// Reaps dead processes. Called when a session is joined and whenever the allocator finds old versions held.
    func reap() {
        guard member.isWritable, isReaping.compareExchange(expected: false, desired: true, ordering: .acquiringAndReleasing).exchanged
        else { return }
        member.slots.reap(except: member.slot, member.system) { token in
            held.cells.releaseAll(of: token)
            reservations.releaseAll(of: token)
            listeners.releaseAll(of: token, member.system)
        }
        isReaping.store(false, ordering: .releasing)
    }
}
