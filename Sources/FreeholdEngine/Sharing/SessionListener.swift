import Platform
import Synchronization

/// Notifies an event loop, by a descriptor, that a newer version has become visible.
///
/// ```
/// commit ─► armed? ─► byte ─┐
///                           ├─► descriptor readable ─► take: drain, look at the version, then arm, look again ─► newer version
/// 250 ms, or 1 ms in a storm ┘                         (in a storm: not armed, the next look is the alarm's)
/// ```
/// 1. The listener arms first, then looks: a version that becomes visible after the last look finds it armed, and sends
///    a byte.
/// 2. While it is not armed its alarm goes off within a millisecond.
/// 3. A process that should have notified it may die before it does. So its alarm goes off four times a second, and the
///    listener then does for dead processes what waiters do.
final class SessionListener: Sendable {
    private let session: Session
    private let pipe: any NotifyPipe
    private let place: ListenerTable.Place
    private let state: Mutex<State>

    private struct State {
        var pace: WakePace
        /// Whether the alarm makes it look again four times a second.
        var rereads = true
        /// The interval to which the alarm is set.
        var alarm: UInt64? = WakePace.reread
        /// When it last looked for unfinished work of dead processes.
        var healed: UInt64
    }

    init(_ session: Session) throws(FreeholdError) {
        try session.checkValid()
        self.session = session
        let system = session.system
        let now = system.monotonicNanoseconds
        state = Mutex(State(pace: WakePace(told: session.visibleVersion, now: now), healed: now))
        let place = try session.bell.listeners.claim(session.member.slot.token)
        let path = session.bell.listeners.pipePath(place)
        do throws(SystemError) {
            let status = try session.file.file.status()
            try session.member.paths.makeManagement(like: status, system)
            if try !system.makeNotifyPipe(path, permissions: 0o600) {
                try system.removeFile(path)
                _ = try system.makeNotifyPipe(path, permissions: 0o600)
            }
            var permissions = status
            permissions.permissions &= 0o666
            try system.setPermissions(of: path, like: permissions)
            pipe = try system.openNotifyPipeForReading(path)
            try pipe.setAlarm(everyNanoseconds: WakePace.reread)
        } catch {
            session.bell.listeners.release(place, of: session.member.slot.token, system)
            throw FreeholdError(error, "make a notify pipe")
        }
        self.place = place
        session.bell.listeners.arm(place)
        point("wait.armed", system)
    }

    /// The descriptor to poll: readable when `take` is to be called; close-on-exec. Never read from it.
    var fileDescriptor: Int32 { pipe.descriptor }

    /// Whether it becomes readable four times a second even without a notification (3).
    var rereads: Bool {
        get { state.withLock { $0.rereads } }
        set {
            state.withLock { $0.rereads = newValue }
            // A forked child has its parent's alarm.
            if !session.isForked, session.member.isValid { try? setAlarm(WakePace.reread) }
        }
    }

    /// Acknowledges pending notifications.
    /// - Returns: the newest visible version, if it is newer than what was returned before.
    func take() throws(FreeholdError) -> UInt64? {
        try session.checkValid()
        session.bell.noteWakeUp()
        let before = state.withLock { $0.pace.told }
        _ = try translating("read a notify pipe") { () throws(SystemError) in try pipe.drain() }
        var visible = session.visibleVersion
        if visible == before, isTimeToHeal() {
            try session.finishForTheDead()
            visible = session.visibleVersion
        }
        if mayBeWoken(after: visible) {
            session.bell.listeners.arm(place)
            point("wait.armed", session.system)
            visible = session.visibleVersion
            let now = session.system.monotonicNanoseconds
            state.withLock { $0.pace.tell(visible, now: now) }
            try setAlarm(WakePace.reread)
        } else {
            try setAlarm(WakePace.interval)
        }
        return visible > before ? visible : nil
    }

    /// Acknowledges pending notifications, and returns the newest visible version.
    func acknowledge() throws(FreeholdError) -> UInt64 { try take() ?? session.visibleVersion }

    /// Waits for a version that was not returned before.
    /// - Returns: nil if the timeout passed.
    func wait(timeoutMilliseconds: Int) throws(FreeholdError) -> UInt64? {
        let deadline = Deadline(timeoutMilliseconds, session.system)
        while true {
            try session.checkValid()
            let isTold = try translating("wait for a notify pipe") { () throws(SystemError) in
                try pipe.waitUntilTold(timeoutMilliseconds: deadline.remainingMilliseconds)
            }
            if !isTold { return nil }
            if let version = try take() { return version }
        }
    }

    /// Closes the listener.
    func close() {
        pipe.close()
        guard session.member.isValid else { return }
        session.bell.listeners.release(place, of: session.member.slot.token, session.system)
    }

    private func mayBeWoken(after version: UInt64) -> Bool {
        let now = session.system.monotonicNanoseconds
        return state.withLock { state in
            state.pace.tell(version, now: now)
            return state.pace.rest(now: now) == 0
        }
    }

    private func isTimeToHeal() -> Bool {
        let now = session.system.monotonicNanoseconds
        return state.withLock { state in
            // The alarm may be a little early by this clock.
            guard now - state.healed >= WakePace.reread / 2 else { return false }
            state.healed = now
            return true
        }
    }

    /// Sets the alarm.
    ///
    /// - Parameter every: the interval; `WakePace.reread` means no alarm unless `rereads` is set.
    private func setAlarm(_ every: UInt64) throws(FreeholdError) {
        let wanted: UInt64?? = state.withLock { state in
            let wanted: UInt64? = every == WakePace.reread && !state.rereads ? nil : every
            if wanted == state.alarm { return nil }
            state.alarm = wanted
            return .some(wanted)
        }
        guard let wanted else { return }
        try translating("set an alarm") { () throws(SystemError) in try pipe.setAlarm(everyNanoseconds: wanted) }
    }
}
