import Platform

/// A file opened by a simulated process.
///
/// Safe to share unchecked: see `SimulatedSystem`.
final class SimulatedFile: File, @unchecked Sendable {
    let path: String
    let process: SimulatedProcess
    let inode: SimulatedInode
    let isWritable: Bool
    private let forkGeneration: UInt32
    private var isOpen = true

    init(_ process: SimulatedProcess, _ path: String, _ inode: SimulatedInode, isWritable: Bool) {
        self.process = process
        self.path = path
        self.inode = inode
        self.isWritable = isWritable
        forkGeneration = process.forkGeneration
    }

    deinit { close() }

    var machine: SimulatedSystem { process.machine }

    /// Whether this process may release what the file holds: a forked child may not.
    var ownsLocks: Bool { process.isAlive && forkGeneration == process.forkGeneration }

    /// Begins a call that an injected fault may end.
    func begin(_ call: SimulatedCall, changing: Bool = false) throws(SystemError) {
        requireOpen(call, changing: changing)
        try process.step(call, path)
    }

    /// A closed file, or one opened for reading that is to be changed, is a defect of the caller.
    func requireOpen(_ call: SimulatedCall, changing: Bool = false) {
        precondition(isOpen, "\(call) on a closed file: \(path)")
        precondition(!changing || isWritable, "\(call) on a file opened for reading: \(path)")
    }

    func status() throws(SystemError) -> FileStatus {
        try begin(.status)
        return inode.status
    }

    func standing() throws(SystemError) -> FileStanding {
        let status = try status()
        return FileStanding(identity: status.identity, linkCount: status.linkCount, length: status.length)
    }

    func setPermissions(like status: FileStatus) throws(SystemError) {
        try begin(.setPermissions)
        try process.setPermissions(of: inode, like: status, path)
    }

    func fileSystem() throws(SystemError) -> FileSystemStatus {
        try begin(.fileSystem)
        return machine.options.fileSystem
    }

    func map(
        reserve: Int, minimum: Int, writable: Bool, dontFork: Bool
    ) throws(SystemError) -> Mapping {
        try begin(.map, changing: writable)
        if minimum > inode.capacity { throw process.error(ErrorNumber.outOfMemory, .map, path) }
        if writable {
            machine.beginLog()
            inode.becomeMappedWritable()
        }
        return Mapping(
            base: inode.region.memory, reservedLength: min(reserve, inode.capacity), faults: UnsafePointer(inode.faults),
            token: 0, forkGeneration: process.forkGeneration)
    }

    func close() {
        guard isOpen else { return }
        isOpen = false
        guard ownsLocks else { return }
        for byte in inode.byteLocks.keys.sorted() {
            machine.releaseByte(inode, byte) { $0.file == ObjectIdentifier(self) }
        }
    }
}
