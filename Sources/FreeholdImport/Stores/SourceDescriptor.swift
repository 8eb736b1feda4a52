import Glibc
import Synchronization

/// A descriptor for reading a source.
///
/// When a process closes a descriptor of a file, the system releases all locks of the older kind (POSIX) that the process has on the file:
/// those of a SQLite connection of the program, too, which would lose what it writes after that. So while the process has the file open
/// elsewhere the descriptor stays open, and is used again when the file is opened next.
final class SourceDescriptor: Sendable {
    let number: Int32
    private let file: Identity

    private struct Identity: Hashable {
        let device: UInt64
        let inode: UInt64

        init(_ status: stat) {
            device = UInt64(truncatingIfNeeded: status.st_dev)
            inode = UInt64(truncatingIfNeeded: status.st_ino)
        }
    }

    /// The descriptors that are in use, and those that are kept open.
    private struct Descriptors {
        var used: Set<Int32> = []
        var kept: [Identity: [Int32]] = [:]

        func isOwn(_ number: Int32) -> Bool { used.contains(number) || kept.values.contains { $0.contains(number) } }
    }

    private static let all = Mutex(Descriptors())

    /// `F_OFD_SETLK` of Linux, which Swift does not import.
    static let setLock: Int32 = 37

    /// Opens a file for reading; nil if that fails, and `errno` says why.
    init?(_ path: String) {
        let opened = Self.all.withLock { all -> (Int32, Identity)? in
            var status = stat()
            if stat(path, &status) == 0 {
                let wanted = Identity(status)
                while let kept = all.kept[wanted]?.popLast() {
                    // If the program closed it, its number may be another file's by now.
                    guard Self.isOpen(kept, wanted) else { continue }
                    all.used.insert(kept)
                    return (kept, wanted)
                }
            }
            let number = Glibc.open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
            guard number >= 0 else { return nil }
            guard fstat(number, &status) == 0 else {
                let code = errno
                Glibc.close(number)
                errno = code
                return nil
            }
            all.used.insert(number)
            return (number, Identity(status))
        }
        guard let opened else { return nil }
        (number, file) = opened
    }

    deinit {
        let number = number, file = file
        Self.all.withLock { all in
            let isElsewhere = Self.isOpen(file, besides: all)
            all.used.remove(number)
            if !isElsewhere {
                for kept in all.kept.removeValue(forKey: file) ?? [] where Self.isOpen(kept, file) { Glibc.close(kept) }
                if Self.isOpen(number, file) { Glibc.close(number) }
                return
            }
            var whole = flock(l_type: Int16(F_UNLCK), l_whence: Int16(SEEK_SET), l_start: 0, l_len: 0, l_pid: 0)
            // Safe: the record lives until the call ends.
            _ = withUnsafeMutablePointer(to: &whole) { fcntl(number, Self.setLock, $0) }
            all.kept[file, default: []].append(number)
        }
    }

    /// Whether the process has the file open by a descriptor that is not of this kind; also if that is not known.
    private static func isOpen(_ file: Identity, besides all: Descriptors) -> Bool {
        guard let folder = opendir("/proc/self/fd") else { return true }
        defer { closedir(folder) }
        while let entry = readdir(folder) {
            // Safe: the name ends within the entry.
            let name = withUnsafeBytes(of: &entry.pointee.d_name) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
            guard let number = Int32(name), !all.isOwn(number) else { continue }
            if isOpen(number, file) { return true }
        }
        return false
    }

    private static func isOpen(_ number: Int32, _ file: Identity) -> Bool {
        var status = stat()
        return fstat(number, &status) == 0 && Identity(status) == file
    }
}
