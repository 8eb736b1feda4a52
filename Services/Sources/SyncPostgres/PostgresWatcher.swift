import Foundation
import FreeholdEngine
import FreeholdMerge
import SyncBackends
import Synchronization

/// Notices what is committed, by this server and by others, and wakes the pulls of those whom it concerns.
///
/// PostgreSQL is asked for its snapshot after each batch of this server, and twenty times a second while a request waits; that reads one
/// row. Only when transactions have ended, rows and views of these are read, for their users.
///
/// It also sees what other software has written: as often while somebody waits, and once a second otherwise. And it says when an hour is
/// over.
///
/// One at a replica does nothing but wake: what was committed at the primary is there some time later.
final class PostgresWatcher: Sendable {
    private let address: String
    private let bells: Bells
    private let signal: Signal
    private let isAtReplica: Bool
    private let hasEnded = Atomic(false)
    private let onError: @Sendable (FreeholdError) -> Void
    private let onForeign: @Sendable () -> Void
    private let onHour: @Sendable () -> Void
    private static let period = DispatchTimeInterval.milliseconds(50)
    private static let idlePeriod = DispatchTimeInterval.seconds(1)
    /// The least time between two looks: what comes meanwhile is seen by the next one.
    private static let pause: UInt32 = 2_000

    /// Calls the watcher; calls before it looks are one.
    final class Signal: Sendable {
        private let wake = DispatchSemaphore(value: 0)
        private let isGiven = Atomic(false)

        func give() {
            if isGiven.exchange(true, ordering: .acquiringAndReleasing) { return }
            wake.signal()
        }

        fileprivate func wait(_ limit: DispatchTime) {
            _ = wake.wait(timeout: limit)
            isGiven.store(false, ordering: .releasing)
        }
    }

    /// - Parameters:
    ///   - onForeign: called when other software has written, until that is taken over.
    ///   - onHour: called at the beginning, and once an hour.
    init(
        _ address: String, _ bells: Bells, _ signal: Signal, onForeign: @escaping @Sendable () -> Void,
        onHour: @escaping @Sendable () -> Void, onError: @escaping @Sendable (FreeholdError) -> Void
    ) {
        (self.address, self.bells, self.signal, isAtReplica) = (address, bells, signal, false)
        (self.onForeign, self.onHour, self.onError) = (onForeign, onHour, onError)
    }

    /// Of a replica.
    init(replica address: String, _ bells: Bells, _ signal: Signal, onError: @escaping @Sendable (FreeholdError) -> Void) {
        (self.address, self.bells, self.signal, isAtReplica) = (address, bells, signal, true)
        (onForeign, onHour, self.onError) = ({}, {}, onError)
    }

    func start() {
        let thread = Thread { [self] in run() }
        thread.name = "sync-watcher"
        thread.start()
    }

    /// Something was committed, or somebody waits.
    func look() { signal.give() }

    func end() {
        hasEnded.store(true, ordering: .releasing)
        signal.give()
    }

    private func run() {
        var connection: PostgresConnection?, last: SyncCursor?, hour = ContinuousClock.now
        while !hasEnded.load(ordering: .acquiring) {
            // Nobody is to be woken; who comes is told of everything meanwhile. Not while those who were woken look: each who waits again
            // would wake the others, and with many of them none would come to rest.
            if !bells.isAwaited { last = nil }
            signal.wait(.now() + (bells.isAwaited ? Self.period : Self.idlePeriod))
            if hasEnded.load(ordering: .acquiring) { return }
            let isAwaited = bells.isAwaited
            do throws(FreeholdError) {
                if connection == nil { connection = try PostgresWorker.connect(address, limit: isAtReplica ? PostgresReplica.limit : nil) }
                if isAwaited { try look(connection!, &last) }
                if isAtReplica { continue }
                if try connection!.run("SELECT EXISTS (SELECT FROM freehold.foreign)").bool(0, 0) { onForeign() }
                if ContinuousClock.now >= hour {
                    hour = .now + .seconds(3600)
                    onHour()
                }
            } catch where isAtReplica && error.code == .busy {
                // It is behind: the primary is asked, until it is not.
            } catch {
                // While nobody waits, who asks next is told what the matter is.
                if isAwaited { onError(error) }
                (connection, last) = (nil, nil)
                // Those who wait ask again, and are told what the matter is; without a replica the primary does as well.
                if !isAtReplica { bells.ringAll() }
                usleep(isAtReplica ? 2_000_000 : 500_000)
            }
            usleep(Self.pause)
        }
    }

    private func snapshot(_ connection: PostgresConnection) throws(FreeholdError) -> SyncCursor {
        if isAtReplica { return try PostgresStore.snapshotByEnded(connection) }
        return try PostgresStore.snapshot(connection, knowsRunning: true)
    }

    private func look(_ connection: PostgresConnection, _ last: inout SyncCursor?) throws(FreeholdError) {
        let now = try snapshot(connection)
        defer { last = now }
        guard let before = last else { return bells.ringAll() }
        guard now != before else { return }
        let found = try connection.run("""
            SELECT v."user" FROM freehold."row" r JOIN freehold.view v USING (object) WHERE r.last >= $1 \
            UNION SELECT "user" FROM freehold.view WHERE since >= $1
            """, .transaction(before.oldest))
        let users = (0..<found.count).map { SyncUser(rawValue: found.int($0, 0)) }
        if users.contains(.everyone) { bells.ringAll() } else { bells.ring(for: users) }
    }
}
