import Glibc

/// Waits for input until a signal requests the end: its handler writes a byte to a pipe, which is polled with the
/// input.
final class Interruption {
    /// The pipe's write end, -1 for none.
    ///
    /// Safe: set while no handler is in place, and read by handlers as a word of the machine.
    nonisolated(unsafe) private static var pipe: Int32 = -1
    private static let signals = [SIGINT, SIGTERM]

    private var ends: [Int32] = [-1, -1]

    init() throws(Failure) {
        guard Glibc.pipe(&ends) == 0 else { throw Failure("no pipe can be created: \(String(cString: strerror(errno)))") }
        for end in ends {
            _ = fcntl(end, F_SETFD, FD_CLOEXEC)
            _ = fcntl(end, F_SETFL, O_NONBLOCK)
        }
        Self.pipe = ends[1]
        // The parent process may have blocked the signals.
        var wanted = sigset_t()
        sigemptyset(&wanted)
        for number in Self.signals { sigaddset(&wanted, number) }
        pthread_sigmask(SIG_UNBLOCK, &wanted, nil)
        for number in Self.signals {
            signal(number) { _ in
                let known = errno
                var byte: UInt8 = 1
                _ = write(Interruption.pipe, &byte, 1)
                errno = known
            }
        }
    }

    deinit {
        for number in Self.signals { signal(number, SIG_DFL) }
        Self.pipe = -1
        for end in ends where end >= 0 { close(end) }
    }

    /// Waits until a descriptor is readable.
    ///
    /// - Returns: false if the end was requested.
    /// - Throws: `OutputClosed` if the reader of the output has closed it.
    func wait(for descriptor: Int32) throws -> Bool {
        var entries = [
            pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0), pollfd(fd: ends[0], events: Int16(POLLIN), revents: 0),
            pollfd(fd: STDOUT_FILENO, events: 0, revents: 0),
        ]
        while true {
            let ready = poll(&entries, 3, -1)
            if ready < 0 && errno != EINTR { throw Failure("waiting for changes failed: \(String(cString: strerror(errno)))") }
            if ready <= 0 { continue }
            if entries[1].revents != 0 { return false }
            if entries[2].revents & Int16(POLLERR) != 0 { throw OutputClosed() }
            if entries[0].revents != 0 { return true }
        }
    }
}
