import Platform
import Synchronization

/// A lock between the threads of one process, with a timeout. It belongs to no thread.
///
/// Safe throughout: the word lives as long as this object.
final class LocalLock: @unchecked Sendable {
    private let system: any System
    /// The lock word: 0 free, 1 taken, 2 taken and waited for.
    private let memory: UnsafeMutableRawPointer
    private var word: SharedBell { SharedBell(memory, 0) }

    init(_ system: any System) {
        self.system = system
        memory = .allocate(byteCount: 8, alignment: 8)
        memory.initializeMemory(as: UInt64.self, repeating: 0, count: 1)
    }

    deinit { memory.deallocate() }

    /// Takes the lock.
    ///
    /// - Returns: false if the timeout passed first.
    func acquire(timeoutMilliseconds: Int) -> Bool {
        if word.replace(0, with: 1) { return true }
        let deadline = Deadline(timeoutMilliseconds, system)
        while word.exchange(2) != 0 {
            let left = deadline.remainingMilliseconds
            if left == 0 { return false }
            _ = system.wait(on: word.word, whileEqual: 2, timeoutMilliseconds: left)
        }
        return true
    }

    func release() {
        if word.exchange(0) == 2 { system.wake(word.word, count: 1) }
    }
}

/// The moment at which a wait ends.
struct Deadline {
    private let system: any System
    private let end: UInt64

    init(_ milliseconds: Int, _ system: any System) {
        self.system = system
        let (sum, overflow) = system.monotonicNanoseconds.addingReportingOverflow(
            UInt64(max(0, min(milliseconds, 1 << 40))) * 1_000_000)
        end = overflow ? .max : sum
    }

    /// Milliseconds left, rounded up; 0 when the moment has passed.
    var remainingMilliseconds: Int {
        let now = system.monotonicNanoseconds
        return now >= end ? 0 : Int((end - now + 999_999) / 1_000_000)
    }

    var hasPassed: Bool { remainingMilliseconds == 0 }
}
