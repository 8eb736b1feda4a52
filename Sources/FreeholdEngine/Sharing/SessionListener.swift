import Platform

/// Tells an event loop, by a descriptor, that a newer version has become visible.
///
/// When the descriptor is readable, call `acknowledge`: it takes the bytes out, arms the listener again and returns
/// the visible version, in this order, so nothing is missed.
final class SessionListener: Sendable {
    private let session: Session
    private let pipe: any NotifyPipe
    private let place: ListenerTable.Place

    init(_ session: Session) throws(FreeholdError) {
        try session.checkValid()
        self.session = session
        let system = session.system
        let place = try session.listeners.claim(session.slot.token)
        let path = session.listeners.pipePath(place)
        do throws(SystemError) {
            let status = try session.file.file.status()
            if try system.makeDirectory(session.paths.management, permissions: 0o777) {
                var folder = status
                // Whoever may read or write the file may enter.
                folder.permissions |= (status.permissions & 0o444) >> 2 | (status.permissions & 0o444) >> 1
                try system.setPermissions(of: session.paths.management, like: folder)
            }
            if try !system.makeNotifyPipe(path, permissions: status.permissions & 0o666) {
                try system.removeFile(path)
                _ = try system.makeNotifyPipe(path, permissions: status.permissions & 0o666)
            }
            try system.setPermissions(of: path, like: status)
            pipe = try system.openNotifyPipeForReading(path)
        } catch {
            session.listeners.release(place, of: session.slot.token, system)
            throw FreeholdError(error, "make a notify pipe")
        }
        self.place = place
        session.listeners.arm(place)
        point("wait.armed", system)
    }

    /// Readable when there is something to acknowledge; close-on-exec. Never read from it.
    var fileDescriptor: Int32 { pipe.descriptor }

    /// Takes note, and returns the newest visible version.
    func acknowledge() throws(FreeholdError) -> UInt64 {
        try session.checkValid()
        _ = try translating("read a notify pipe") { () throws(SystemError) in try pipe.drain() }
        session.listeners.arm(place)
        point("wait.armed", session.system)
        return session.visibleVersion
    }

    /// Waits until the descriptor is readable, and acknowledges.
    /// - Returns: nil if the time is over.
    func wait(timeoutMilliseconds: Int) throws(FreeholdError) -> UInt64? {
        let isTold = try translating("wait for a notify pipe") { () throws(SystemError) in
            try pipe.waitUntilTold(timeoutMilliseconds: timeoutMilliseconds)
        }
        return isTold ? try acknowledge() : nil
    }

    /// Ends it.
    func close() {
        pipe.close()
        guard session.isValid else { return }
        session.listeners.release(place, of: session.slot.token, session.system)
    }
}

extension Session {
    /// Wakes the event loops of the armed listeners.
    func tellListeners() {
        for place in listeners.takeArmed() {
            guard let pipe = teller(place) else { continue }
            if (try? pipe.tell()) == .nobody { state.withLock { _ = $0.tellers.removeValue(forKey: place) } }
        }
    }

    private func teller(_ place: ListenerTable.Place) -> (any NotifyPipe)? {
        if let pipe = state.withLock({ $0.tellers[place] }) { return pipe }
        guard let pipe = try? system.openNotifyPipeForWriting(listeners.pipePath(place)) else { return nil }
        let known: (any NotifyPipe)? = state.withLock { state in
            if let known = state.tellers[place] { return known }
            // Lines that were given up leave pipes behind here; begin anew before they become many. The pipes close
            // themselves when the last user lets go of them.
            if state.tellers.count >= 64 { state.tellers = [:] }
            state.tellers[place] = pipe
            return nil
        }
        if known != nil { pipe.close() }
        return known ?? pipe
    }
}
