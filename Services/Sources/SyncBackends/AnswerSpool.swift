import Glibc
import Synchronization

/// Room on the disk for answers whose clients take them slowly: what made them is free for others meanwhile.
///
/// One user has a quarter of it at most. Files have no name: the system drops them with the process.
public final class AnswerSpool: Sendable {
    private struct State {
        var free: Int
        var taken: [SyncCaller: Int] = [:]
    }

    private let state: Mutex<State>
    /// The folder of its files.
    private let folder: String
    /// Bytes of one user.
    private let share: Int
    /// What is to be left on a large disk: other programs must not find it full.
    private static let margin: UInt64 = 64 << 20

    /// - Parameters:
    ///   - limit: bytes of all files together; 0 for no room.
    ///   - folder: where the files are made; by default where the system has temporary files (`TMPDIR`, or `/tmp`).
    public init(limit: Int, folder: String? = nil) {
        state = Mutex(State(free: limit))
        share = limit / 4
        self.folder = folder ?? getenv("TMPDIR").map { String(cString: $0) } ?? "/tmp"
    }

    /// Bytes that are taken.
    public var takenCount: Int { state.withLock { $0.taken.values.reduce(0, +) } }

    /// Takes room, if there is some and the disk has it.
    fileprivate func take(_ count: Int, for caller: SyncCaller) -> Bool {
        state.withLock { state in
            let taken = state.taken[caller, default: 0]
            guard state.free >= count, taken + count <= share else { return false }
            state.free -= count
            state.taken[caller] = taken + count
            return true
        }
    }

    fileprivate func release(_ count: Int, of caller: SyncCaller) {
        if count == 0 { return }
        state.withLock { state in
            state.free += count
            let left = state.taken[caller, default: 0] - count
            state.taken[caller] = left > 0 ? left : nil
        }
    }

    fileprivate func makeFile() -> Int32? {
        var template = Array("\(folder)/freehold-sync-XXXXXX".utf8CString)
        let descriptor = mkstemp(&template)
        if descriptor < 0 { return nil }
        unlink(template)
        _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
        return descriptor
    }

    /// A file that one thread writes and one reads, both from its beginning.
    final class File: Sendable {
        private let spool: AnswerSpool
        private let caller: SyncCaller
        private let descriptor: Int32
        private let taken = Mutex(0)

        init?(_ spool: AnswerSpool, for caller: SyncCaller) {
            guard let descriptor = spool.makeFile() else { return nil }
            (self.spool, self.caller, self.descriptor) = (spool, caller, descriptor)
        }

        deinit {
            close(descriptor)
            empty()
        }

        /// Writes bytes to a place; false if there is no room for them.
        func write(_ bytes: [UInt8], at place: Int) -> Bool {
            guard hasRoom(bytes.count), spool.take(bytes.count, for: caller) else { return false }
            taken.withLock { $0 += bytes.count }
            // Safe: the bytes are used within the call that lends them.
            return bytes.withUnsafeBytes { bytes in
                var done = 0
                while done < bytes.count {
                    let count = pwrite(descriptor, bytes.baseAddress! + done, bytes.count - done, off_t(place + done))
                    if count < 0, errno == EINTR { continue }
                    if count <= 0 { return false }
                    done += count
                }
                return true
            }
        }

        /// The bytes of a place; nil if they cannot be read.
        func read(_ count: Int, at place: Int) -> [UInt8]? {
            let bytes = [UInt8](unsafeUninitializedCapacity: count) { bytes, done in
                while done < count {
                    // Safe: there is room for `count` bytes.
                    let read = pread(descriptor, bytes.baseAddress! + done, count - done, off_t(place + done))
                    if read < 0, errno == EINTR { continue }
                    if read <= 0 { return }
                    done += read
                }
            }
            return bytes.count == count ? bytes : nil
        }

        /// All of it has been read: its room is free again.
        func empty() {
            let count = taken.withLock { taken in
                defer { taken = 0 }
                return taken
            }
            spool.release(count, of: caller)
        }

        private func hasRoom(_ count: Int) -> Bool {
            var status = statvfs()
            guard fstatvfs(descriptor, &status) == 0 else { return true }
            let unit = UInt64(status.f_frsize), free = UInt64(status.f_bavail) * unit, whole = UInt64(status.f_blocks) * unit
            return free >= UInt64(count) + min(AnswerSpool.margin, whole / 8)
        }
    }
}
