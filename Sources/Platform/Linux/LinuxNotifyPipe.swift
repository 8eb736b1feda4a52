import CShims
import Glibc
import Synchronization

/// One end of a FIFO.
final class LinuxNotifyPipe: NotifyPipe {
    let path: String
    private let openDescriptor: Atomic<Int32>

    /// Takes the descriptor over, also if it throws because the name belongs to something else than a FIFO.
    init(path: String, descriptor: Int32) throws(SystemError) {
        self.path = path
        openDescriptor = Atomic(descriptor)
        var raw = stat()
        if fstat(descriptor, &raw) != 0 { throw failure(errno, "fstat", path) }
        if raw.st_mode & S_IFMT != S_IFIFO { throw SystemError(code: ESPIPE, call: "open FIFO", path: path) }
    }

    deinit { close() }

    var descriptor: Int32 { openDescriptor.load(ordering: .relaxed) }

    func tell() throws(SystemError) -> TellOutcome {
        let result = freehold_shim_tell(descriptor)
        switch result {
        case 1: return .told
        case -EAGAIN: return .full
        case -EPIPE: return .nobody
        default: throw failure(-result, "write", path, invalidIsDefect: true)
        }
    }

    @discardableResult
    func drain() throws(SystemError) -> Bool {
        // Safe: the buffer is only filled, never looked at.
        try withUnsafeTemporaryAllocation(byteCount: 512, alignment: 8) { buffer throws(SystemError) -> Bool in
            var found = false
            while true {
                let count = uninterrupted { read(descriptor, buffer.baseAddress, buffer.count) }
                if count == -Int(EAGAIN) || count == 0 { return found }
                if count < 0 { throw failure(Int32(-count), "read", path, invalidIsDefect: true) }
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
            if count < 0 && errno != EINTR { throw failure(errno, "poll", path, invalidIsDefect: true) }
            if count == 0 && left == 0 { return false }
        }
    }

    func close() {
        let descriptor = openDescriptor.exchange(-1, ordering: .relaxed)
        if descriptor >= 0 { Glibc.close(descriptor) }
    }
}
