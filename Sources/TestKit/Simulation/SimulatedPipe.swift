import Platform

/// One end of a FIFO of the simulated machine.
///
/// Safe to share unchecked: see `SimulatedSystem`.
final class SimulatedPipe: NotifyPipe, @unchecked Sendable {
    private let process: SimulatedProcess
    private let path: String
    private let inode: SimulatedInode
    private let reads: Bool
    private var isOpen = true
    private var alarmEvery: UInt64?
    private var nextAlarm = UInt64.max

    init(_ process: SimulatedProcess, _ path: String, _ inode: SimulatedInode, reads: Bool) throws(SystemError) {
        if inode.kind != .fifo { throw process.error(ErrorNumber.notSupported, .openPipe, path) }
        self.process = process
        self.path = path
        self.inode = inode
        self.reads = reads
        if reads { inode.pipeReaders[process.number, default: 0] += 1 }
    }

    deinit { close() }

    var descriptor: Int32 { -1 }

    func setAlarm(everyNanoseconds: UInt64?) throws(SystemError) {
        try process.step(.setAlarm, path)
        alarmEvery = everyNanoseconds
        nextAlarm = everyNanoseconds.map { process.machine.nanoseconds + $0 } ?? .max
    }

    func tell() throws(SystemError) -> TellOutcome {
        try process.step(.tell, path)
        if inode.pipeReaders.isEmpty { return .nobody }
        if inode.pipeBytes >= process.machine.options.pipeCapacity { return .full }
        inode.pipeBytes += 1
        process.machine.scheduler.wake(.pipe(inode: inode.number))
        return .told
    }

    @discardableResult
    func drain() throws(SystemError) -> Bool {
        try process.step(.drain, path)
        if let alarmEvery {
            while nextAlarm <= process.machine.nanoseconds { nextAlarm += alarmEvery }
        }
        defer { inode.pipeBytes = 0 }
        return inode.pipeBytes > 0
    }

    func waitUntilTold(timeoutMilliseconds: Int) throws(SystemError) -> Bool {
        try process.step(.awaitPipe, path)
        let end = process.deadline(after: timeoutMilliseconds)
        while inode.pipeBytes == 0 {
            if process.machine.nanoseconds >= nextAlarm { return true }
            if process.machine.nanoseconds >= end { return false }
            _ = process.block(.pipe(inode: inode.number), until: min(end, nextAlarm))
        }
        return true
    }

    func close() {
        guard isOpen else { return }
        isOpen = false
        guard reads, process.isAlive, let count = inode.pipeReaders[process.number] else { return }
        inode.pipeReaders[process.number] = count > 1 ? count - 1 : nil
        if inode.pipeReaders.isEmpty { inode.pipeBytes = 0 }
    }
}
