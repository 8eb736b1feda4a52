import CShims
import Glibc
import Synchronization

/// One end of a FIFO. The reader polls a set of two: the FIFO, and a timer.
final class LinuxNotifyPipe: NotifyPipe {
    let path: String
    private let fifo: Atomic<Int32>
    private let timer = Atomic<Int32>(-1)
    private let pollSet = Atomic<Int32>(-1)
    /// The FIFO's identity: the number may belong to another file if the program closed a descriptor that was not its
    /// own.
    private let identity: FileIdentity

    /// Takes ownership of the descriptor, even if it throws because the name does not belong to a FIFO.
    init(path: String, descriptor: Int32, reads: Bool) throws(SystemError) {
        self.path = path
        fifo = Atomic(descriptor)
        var raw = stat()
        let isKnown = fstat(descriptor, &raw) == 0
        let code = errno
        identity = FileStatus(raw).identity
        if !isKnown { throw failure(code, "fstat", path) }
        if raw.st_mode & S_IFMT != S_IFIFO { throw SystemError(code: ESPIPE, call: "open FIFO", path: path) }
        guard reads else { return }
        var timer: Int32 = -1
        let set = freehold_shim_alarm_make(descriptor, &timer)
        if set < 0 { throw failure(-set, "epoll_create1", path) }
        self.timer.store(timer, ordering: .relaxed)
        pollSet.store(set, ordering: .relaxed)
    }

    deinit { close() }

    var descriptor: Int32 { pollSet.load(ordering: .relaxed) }

    func setAlarm(everyNanoseconds: UInt64?) throws(SystemError) {
        let timer = timer.load(ordering: .relaxed)
        let result = freehold_shim_alarm_set(timer, Int64(clamping: everyNanoseconds ?? 0))
        if result < 0 { throw failure(-result, "timerfd_settime", path, on: timer, isOwn: isOwn) }
    }

    func tell() throws(SystemError) -> TellOutcome {
        let fifo = try requireOwn("write")
        let result = freehold_shim_tell(fifo)
        switch result {
        case 1: return .told
        case -EAGAIN: return .full
        case -EPIPE: return .nobody
        default: throw failure(-result, "write", path, on: fifo, isOwn: isOwn)
        }
    }

    @discardableResult
    func drain() throws(SystemError) -> Bool {
        let fifo = try requireOwn("read"), timer = timer.load(ordering: .relaxed)
        let alarm = freehold_shim_alarm_drain(timer)
        if alarm < 0 { throw failure(-alarm, "read", path, on: timer, isOwn: isOwn) }
        // Safe: the buffer is only filled, never looked at.
        return try withUnsafeTemporaryAllocation(byteCount: 512, alignment: 8) { buffer throws(SystemError) -> Bool in
            var found = false
            while true {
                let count = uninterrupted { read(fifo, buffer.baseAddress, buffer.count) }
                if count == -Int(EAGAIN) || count == 0 { return found }
                if count < 0 { throw failure(Int32(-count), "read", path, on: fifo, isOwn: isOwn) }
                found = true
                if count < buffer.count { return found }
            }
        }
    }

    func waitUntilTold(timeoutMilliseconds: Int) throws(SystemError) -> Bool {
        let clock = LinuxSystem.shared
        let end = clock.monotonicNanoseconds + UInt64(max(timeoutMilliseconds, 0)) * 1_000_000
        while true {
            let now = clock.monotonicNanoseconds
            let left = end > now ? (end - now + 999_999) / 1_000_000 : 0
            var entry = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
            let count = poll(&entry, 1, Int32(clamping: left))
            if count > 0 { return true }
            if count < 0 && errno != EINTR { throw failure(errno, "poll", path, on: descriptor, isOwn: isOwn) }
            if count == 0 && left == 0 { return false }
        }
    }

    /// The FIFO's number, if it is still the FIFO's: a byte must not be written to another file, nor be read from it.
    private func requireOwn(_ call: StaticString) throws(SystemError) -> Int32 {
        let descriptor = fifo.load(ordering: .relaxed)
        if !isOwn { throw failure(EBADF, call, path, on: descriptor, isOwn: false) }
        return descriptor
    }

    private var isOwn: Bool {
        var raw = stat()
        return fstat(fifo.load(ordering: .relaxed), &raw) == 0 && FileStatus(raw).identity == identity
    }

    func close() {
        // A program that closed the FIFO's number has closed the others too: all may be other files' by now.
        let isOwn = isOwn
        for descriptor in [pollSet.exchange(-1, ordering: .relaxed), timer.exchange(-1, ordering: .relaxed), fifo.exchange(-1, ordering: .relaxed)]
        where descriptor >= 0 && isOwn { Glibc.close(descriptor) }
    }
}
