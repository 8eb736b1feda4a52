import CShims
import Glibc
import Synchronization

/// An open file and its descriptor.
final class LinuxFile: File {
    let path: String
    /// -1 once closed, so that a late call stops the process instead of reaching another file with the same number.
    private let openDescriptor: Atomic<Int32>
    /// A forked child has the descriptor, but must not release the parent's locks.
    let forkGeneration: UInt32
    /// The file's identity: the number may belong to another file if the program closed a descriptor that was not its
    /// own.
    private let identity: FileIdentity?
    /// A slot of the shims, or 0; set once the descriptor has carried a lock. Forked children then close it at once,
    /// because they would otherwise keep the lock alive.
    private let lockPlace = Atomic<UInt>(0)

    var descriptor: Int32 { openDescriptor.load(ordering: .relaxed) }

    init(path: String, mode: OpenMode) throws(SystemError) {
        // A name that belongs to a FIFO or a terminal must not make the open wait, nor make it our controlling
        // terminal.
        let common = O_CLOEXEC | O_NONBLOCK | O_NOCTTY
        let descriptor: Int32 = uninterrupted {
            let opened = switch mode {
            case .readOnly: open(path, O_RDONLY | common)
            case .readWrite: open(path, O_RDWR | common)
            case .readWriteUnlinked: open(path, O_RDWR | O_NOFOLLOW | common)
            case .createExclusive(let permissions):
                open(path, O_RDWR | O_CREAT | O_EXCL | common, mode_t(permissions))
            }
            return freehold_shim_above_standard(opened)
        }
        if descriptor < 0 { throw failure(-descriptor, "open", path) }
        self.path = path
        openDescriptor = Atomic(descriptor)
        identity = Self.identity(descriptor)
        forkGeneration = freehold_shim_fork_generation()
    }

    deinit { close() }

    func close() {
        let descriptor = openDescriptor.exchange(-1, ordering: .relaxed)
        // Already closed: its slot may be another file's by now, which children must close.
        guard descriptor >= 0 else { return }
        // A number that belongs to another file by now must stay open, with its locks.
        let isForked = forkGeneration != freehold_shim_fork_generation(), place = OpaquePointer(bitPattern: lockPlace.load(ordering: .acquiring))
        // A child has already closed it: the number is free, or another file's.
        if isForked && place != nil { return }
        let isOwn = Self.identity(descriptor) == identity
        // A process that was just forked shares the description until it runs another program, so locks would outlast
        // their owner that long. This is done before children stop closing it: a child forked in between would keep the
        // locks of a parent that is killed.
        if isOwn && !isForked { freehold_shim_unlock_all(descriptor) }
        if let place { freehold_shim_keep_descriptor_in_child(place) }
        if !isOwn { return }
        // The result is ignored: durable data has been flushed, and the number is free in every case.
        Glibc.close(descriptor)
    }

    /// Call before the descriptor carries its first lock.
    func closeInChildren() {
        guard lockPlace.load(ordering: .relaxed) == 0, let place = freehold_shim_close_in_child(descriptor) else { return }
        if !lockPlace.compareExchange(expected: 0, desired: UInt(bitPattern: place), ordering: .acquiringAndReleasing).exchanged {
            freehold_shim_keep_descriptor_in_child(place)
        }
    }

    /// The error of a failed call on the descriptor.
    func failed(_ code: Int32, _ call: StaticString) -> SystemError {
        let descriptor = descriptor
        return failure(code, call, path, on: descriptor, isOwn: Self.identity(descriptor) == identity)
    }

    private static func identity(_ descriptor: Int32) -> FileIdentity? {
        var raw = freehold_shim_standing_t()
        let result = freehold_shim_standing(descriptor, &raw)
        if result == 0 { return FileIdentity(device: raw.device, inode: raw.inode) }
        var status = stat()
        if result == -EBADF || fstat(descriptor, &status) != 0 { return nil }
        return FileStatus(status).identity
    }

    func status() throws(SystemError) -> FileStatus {
        var raw = stat()
        let result = uninterrupted { fstat(descriptor, &raw) }
        if result < 0 { throw failed(-result, "fstat") }
        return FileStatus(raw)
    }

    func standing() throws(SystemError) -> FileStanding {
        var raw = freehold_shim_standing_t()
        let result = freehold_shim_standing(descriptor, &raw)
        if result == -ENOSYS || result == -EPERM {
            // For older kernels, and sandboxes that do not know the call: the expensive way.
            let status = try status()
            return FileStanding(identity: status.identity, linkCount: status.linkCount, length: status.length)
        }
        if result < 0 { throw failed(-result, "statx") }
        return FileStanding(identity: FileIdentity(device: raw.device, inode: raw.inode),
                            linkCount: Int(raw.link_count), length: Int(clamping: raw.length))
    }

    func setPermissions(like status: FileStatus) throws(SystemError) {
        try copyPermissions(of: status, to: descriptor) { self.failed($0, $1) }
    }

    func fileSystem() throws(SystemError) -> FileSystemStatus {
        try fileSystemStatus(descriptor, path)
    }
}
