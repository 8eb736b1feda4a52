import FreeholdEngine
import Glibc

/// Whose turn it is to import into a file: a lock on it that the system releases with its process.
///
/// It keeps processes from doing the same work, and nothing else depends on it: two that import at once go on from the
/// same state.
final class ImportTurn {
    private var descriptor: Int32 = -1

    /// Whether this is the one who imports now.
    private(set) var isMine = false

    init(_ path: String) throws(FreeholdError) {
        descriptor = open(path, O_RDONLY | O_CLOEXEC)
        if descriptor < 0 {
            throw FreeholdError(.io, "'\(path)' cannot be opened to import into it: \(String(cString: strerror(errno)))", path: path)
        }
    }

    deinit { close(descriptor) }

    /// Takes the turn if nobody has it. Where the file system has no such locks, everybody may import.
    func take() -> Bool {
        if isMine { return true }
        while flock(descriptor, LOCK_EX | LOCK_NB) != 0 {
            if errno == EINTR { continue }
            isMine = errno != EWOULDBLOCK
            return isMine
        }
        isMine = true
        return true
    }
}
