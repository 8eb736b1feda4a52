import CShims
import Glibc

extension LinuxSystem {
    public func wait(
        on word: UnsafePointer<UInt32>, whileEqual value: UInt32, timeoutMilliseconds: Int
    ) -> WaitOutcome {
        let result = freehold_shim_futex_wait(word, value, nanoseconds(timeoutMilliseconds))
        switch result {
        case Int32(FREEHOLD_SHIM_WAIT_WOKEN): return .woken
        case Int32(FREEHOLD_SHIM_WAIT_CHANGED): return .changed
        case Int32(FREEHOLD_SHIM_WAIT_TIMED_OUT): return .timedOut
        default: stopForDefect(-result, "futex wait", "")
        }
    }

    public func wake(_ word: UnsafePointer<UInt32>, count: Int) {
        let result = freehold_shim_futex_wake(word, Int32(clamping: count))
        if result < 0 { stopForDefect(-result, "futex wake", "") }
    }

    public func sleep(milliseconds: Int) {
        pause(nanoseconds: nanoseconds(milliseconds))
    }

    public func startThread(
        _ name: StaticString, _ body: @escaping @Sendable () -> Void
    ) throws(SystemError) {
        let context = Unmanaged.passRetained(ThreadBody(body))
        let result = freehold_shim_thread_start(
            name.description,
            { context in
                guard let context else { return }
                // Safe: the retain made just before the start is taken over here, once.
                Unmanaged<ThreadBody>.fromOpaque(context).takeRetainedValue().run()
            }, context.toOpaque())
        if result < 0 {
            context.release()
            throw failure(-result, "pthread_create", name.description, invalidIsDefect: true)
        }
    }
}

/// Passes a closure through C.
private final class ThreadBody {
    let run: @Sendable () -> Void

    init(_ run: @escaping @Sendable () -> Void) { self.run = run }
}

/// At least 0, and short enough for every call that takes nanoseconds.
private func nanoseconds(_ milliseconds: Int) -> Int64 {
    Int64(min(max(milliseconds, 0), 1_000_000_000)) * 1_000_000
}

/// Sleeps for at least that long, even if signals arrive.
func pause(nanoseconds: Int64) {
    var left = timespec(tv_sec: Int(nanoseconds / 1_000_000_000), tv_nsec: Int(nanoseconds % 1_000_000_000))
    var rest = timespec()
    // Allowed: this is the seam's own sleep, for waits on what has no word to wait on.
    while nanosleep(&left, &rest) != 0 && errno == EINTR { left = rest }
}
