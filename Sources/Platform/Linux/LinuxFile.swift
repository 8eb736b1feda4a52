import CShims
import Glibc
import Synchronization

/// An open file and its descriptor.
final class LinuxFile: File {
    let path: String
    /// -1 once closed, so that a late call stops the process rather than reaching whoever has the number now.
    private let openDescriptor: Atomic<Int32>
    /// A forked child has the descriptor, but not the right to give the parent's locks away.
    let forkGeneration: UInt32

    var descriptor: Int32 { openDescriptor.load(ordering: .relaxed) }

    init(path: String, mode: OpenMode) throws(SystemError) {
        // A name that belongs to a FIFO or a terminal must not make the open wait, or become ours.
        let common = O_CLOEXEC | O_NONBLOCK | O_NOCTTY
        let descriptor: Int32 = uninterrupted {
            switch mode {
            case .readOnly: open(path, O_RDONLY | common)
            case .readWrite: open(path, O_RDWR | common)
            case .createExclusive(let permissions):
                open(path, O_RDWR | O_CREAT | O_EXCL | common, mode_t(permissions))
            }
        }
        if descriptor < 0 { throw failure(-descriptor, "open", path) }
        self.path = path
        openDescriptor = Atomic(descriptor)
        forkGeneration = freehold_shim_fork_generation()
    }

    deinit { close() }

    func close() {
        let descriptor = openDescriptor.exchange(-1, ordering: .relaxed)
        if descriptor < 0 { return }
        // A process that was just forked has the same description until it runs another program: locks would outlast their owner so long.
        if forkGeneration == freehold_shim_fork_generation() { freehold_shim_unlock_all(descriptor) }
        // Its result is not asked for: what must be durable was flushed, and the number is free in every case.
        Glibc.close(descriptor)
    }

    func status() throws(SystemError) -> FileStatus {
        var raw = stat()
        let result = uninterrupted { fstat(descriptor, &raw) }
        if result < 0 { throw failure(-result, "fstat", path, invalidIsDefect: true) }
        return FileStatus(raw)
    }

    func standing() throws(SystemError) -> FileStanding {
        var raw = freehold_shim_standing_t()
        let result = freehold_shim_standing(descriptor, &raw)
        if result == -ENOSYS || result == -EPERM {
            // Older kernels, and sandboxes that have not heard of the call: the costly way.
            let status = try status()
            return FileStanding(identity: status.identity, linkCount: status.linkCount, length: status.length)
        }
        if result < 0 { throw failure(-result, "statx", path, invalidIsDefect: true) }
        return FileStanding(identity: FileIdentity(device: raw.device, inode: raw.inode),
                            linkCount: Int(raw.link_count), length: Int(clamping: raw.length))
    }

    func setPermissions(like status: FileStatus) throws(SystemError) {
        let owned = uninterrupted { fchown(descriptor, uid_t.max, gid_t(status.groupID)) }
        if owned < 0 && owned != -EPERM { throw failure(-owned, "fchown", path) }
        let result = uninterrupted { fchmod(descriptor, mode_t(status.permissions)) }
        if result < 0 { throw failure(-result, "fchmod", path) }
    }

    func fileSystem() throws(SystemError) -> FileSystemStatus {
        try fileSystemStatus(descriptor, path)
    }
}
