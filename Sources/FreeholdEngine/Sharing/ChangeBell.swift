import Platform
import Synchronization

/// Wakes the threads that wait for commits, in all processes, and limits how often those of this process are woken.
///
/// `SessionListener` is the other end for event loops, `Session.waitForChange` that for threads.
final class ChangeBell: Sendable {
    private let member: Membership
    let listeners: ListenerTable
    /// The listeners' pipes that this process keeps open.
    private let tellers = Mutex<[ListenerTable.Place: any NotifyPipe]>([:])
    /// Number of times a waiter or listener of this process was woken to look for commits.
    let wakeUps = Atomic<UInt64>(0)
    /// Limits how often callers of `waitForChange` are woken.
    private let pace: Mutex<WakePace>

    init(_ member: Membership) {
        self.member = member
        listeners = ListenerTable(lockFile: member.lockFile, folder: member.paths.management)
        pace = Mutex(WakePace(told: 0, now: member.system.monotonicNanoseconds))
    }

    private var memory: LockMemory { member.memory }

    /// Wakes the waiters and listeners, since the visible version may have moved.
    func ring() {
        memory.changeBell.advance()
        if memory.changeSleepers.load() != 0, memory.changeSleepers.exchange(0) != 0 {
            member.system.wake(memory.changeBell.word, count: .max)
        }
        if memory.listenersArmed.loadInOrder() != 0 { tellListeners() }
    }

    /// The visible version, if it is newer than `version`.
    func visible(after version: UInt64) -> UInt64? {
        let visible = memory.visible.version
        if visible <= version { return nil }
        let now = member.system.monotonicNanoseconds
        pace.withLock { $0.tell(visible, now: now) }
        return visible
    }

    /// Lets others commit undisturbed for the rest of a millisecond, if this process has just been notified of many
    /// versions.
    func restFromStorm(_ deadline: Deadline) {
        if deadline.hasPassed { return }
        let now = member.system.monotonicNanoseconds
        if pace.withLock({ $0.rest(now: now) }) == 0 { return }
        member.system.sleep(milliseconds: 1)
        noteWakeUp()
    }

    func noteWakeUp() { wakeUps.wrappingAdd(1, ordering: .relaxed) }

    /// Wakes the event loops of the armed listeners.
    private func tellListeners() {
        for place in listeners.takeArmed() {
            guard let pipe = teller(place) else { continue }
            if (try? pipe.tell()) == .nobody { tellers.withLock { _ = $0.removeValue(forKey: place) } }
        }
    }

    /// Number of listeners' pipes that a process keeps open: more than the programs that share a file. Others are
    /// opened for each notification.
    private static let tellerLimit = 128

    private func teller(_ place: ListenerTable.Place) -> (any NotifyPipe)? {
        if let pipe = tellers.withLock({ $0[place] }) { return pipe }
        guard let pipe = try? member.system.openNotifyPipeForWriting(listeners.pipePath(place)) else { return nil }
        let known: (any NotifyPipe)? = tellers.withLock { tellers in
            if let known = tellers[place] { return known }
            // Released lines leave pipes here. A pipe closes itself when its last user releases it.
            if tellers.count >= Self.tellerLimit { tellers = tellers.filter { listeners.isCurrent($0.key) } }
            if tellers.count >= Self.tellerLimit, let some = tellers.keys.first { tellers[some] = nil }
            tellers[place] = pipe
            assert(tellers.count <= Self.tellerLimit, "\(tellers.count) pipes are kept open")
            return nil
        }
        if known != nil { pipe.close() }
        return known ?? pipe
    }

    /// Closes the pipes of the listeners.
    func close() {
        let open = tellers.withLock { tellers in
            defer { tellers = [:] }
            return tellers
        }
        for teller in open.values { teller.close() }
    }
}
