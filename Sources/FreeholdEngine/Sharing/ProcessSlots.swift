// Safe throughout: a slot's index is below the count of initialised lines.
import Platform

/// The processes of a session: each has a slot, and a byte lock that proves that it lives.
///
/// ```
///  0  state: generation << 8 | status (0 free, 1 claiming, 2 live, 3 being reaped)
///  8  process id    16  since, monotonic nanoseconds    24  name, 16 bytes    40  pid namespace
/// ```
/// 1. A slot is claimed by compare-and-swap, then its byte is locked, then the state is read again, and only then it
///    is live. A process reaps under the byte, so it cannot mistake a claimer for a dead process for long.
/// 2. A byte that can be locked belongs to a dead process, whatever its id says: ids decide nothing.
/// 3. A token names one life of one slot; it is never 0 and never used again.
struct ProcessSlots: Sendable {
    let lockFile: LockFile
    /// The descriptor that holds the byte locks: never mapped, so no mapping keeps them alive.
    let liveness: any File
    let isWritable: Bool

    static let free: UInt64 = 0
    static let claiming: UInt64 = 1
    static let live: UInt64 = 2
    static let reaping: UInt64 = 3

    private var memory: LockMemory { lockFile.memory }

    /// Number of initialised slots.
    var count: Int { Int(min(memory.processCount.loadInOrder(), UInt64(LockLayout.processLimit))) }

    func address(_ index: Int) -> UnsafeMutableRawPointer {
        assert(index >= 0 && index < LockLayout.processLimit, "slot \(index) lies beyond the table")
        return memory.base + LockLayout.processes.offset(index)
    }

    func state(_ index: Int) -> SharedWord { SharedWord(address(index), 0) }

    /// Takes a slot for this process.
    func claim(_ system: any System) throws(FreeholdError) -> ProcessSlot {
        for index in 0..<LockLayout.processLimit {
            try lockFile.makeLine(index, ofTable: LockLayout.processes, count: memory.processCount)
            let word = state(index)
            let before = word.loadInOrder()
            guard before & 0xff == Self.free else { continue }
            let generation = (before >> 8) + 1
            guard word.replace(before, with: generation << 8 | Self.claiming) else { continue }
            if try becomeLive(index, generation, system) { return ProcessSlot(index: index, generation: generation) }
        }
        throw FreeholdError(
            .inUse, "\(LockLayout.processLimit) processes have this database open already; close some",
            path: liveness.path)
    }

    private func becomeLive(_ index: Int, _ generation: UInt64, _ system: any System) throws(FreeholdError) -> Bool {
        let byte = LivenessByte.process(index)
        // With private memory no other process looks for this byte, and the bytes of sessions must not be taken for it.
        let isLonely = lockFile.identity == nil
        let isLocked = try isLonely ? true : translating("lock a byte of the file") { () throws(SystemError) in
            try liveness.tryLock(byte: byte, exclusive: isWritable)
        }
        guard isLocked else {
            // Another process reaps it, or a forked child of its former owner still holds the byte.
            _ = state(index).replace(generation << 8 | Self.claiming, with: generation << 8 | Self.free)
            return false
        }
        describe(index, system)
        guard state(index).replace(generation << 8 | Self.claiming, with: generation << 8 | Self.live) else {
            try translating("unlock a byte of the file") { () throws(SystemError) in try liveness.unlock(byte: byte) }
            return false
        }
        return true
    }

    /// Releases the slot. Its cells must have been released before.
    func release(_ slot: ProcessSlot) {
        if state(slot.index).replace(slot.liveState, with: slot.generation << 8 | Self.free) {
            try? liveness.unlock(byte: LivenessByte.process(slot.index))  // else it goes with the descriptor
        }
    }

    /// Ends the lives of all slots: no other process is in the session, so one that believes it is has lost its locks.
    func endAll() {
        for index in 0..<count {
            let word = state(index)
            word.storeInOrder(((word.loadInOrder() >> 8) + 1) << 8 | Self.free)
        }
    }

    /// Whether the process life that a token names still goes on.
    func isAlive(_ token: UInt64, own: ProcessSlot) -> Bool {
        guard let slot = ProcessSlot(token: token), slot.index < count else { return false }
        let state = state(slot.index).loadInOrder()
        guard state >> 8 & 0xffff_ffff == slot.generation & 0xffff_ffff, state & 0xff != Self.free else { return false }
        if slot == own { return true }
        // An error (no locks left) must not declare a process dead.
        return (try? liveness.isLocked(byte: LivenessByte.process(slot.index))) ?? true
    }

    /// Whether any process other than `own` lives.
    func hasLiveProcess(except own: ProcessSlot?) -> Bool {
        for index in 0..<count where index != own?.index {
            let state = state(index).loadInOrder()
            guard state & 0xff != Self.free else { continue }
            if (try? liveness.isLocked(byte: LivenessByte.process(index))) ?? true { return true }
        }
        return false
    }

    /// The identity of a token's process, for messages and information.
    func process(of token: UInt64) -> ProcessIdentity? {
        guard let slot = ProcessSlot(token: token), slot.index < count else { return nil }
        return identity(slot.index)
    }

    /// The names of the processes whose slots are taken, by their ids; a process that died may still be among them.
    func liveNames() -> [Int32: String] {
        var names: [Int32: String] = [:]
        for index in 0..<count where state(index).loadInOrder() & 0xff == Self.live {
            let process = identity(index)
            names[process.id] = process.name
        }
        return names
    }

    func processIdentifier(_ index: Int) -> Int32 { Int32(truncatingIfNeeded: RecordFields(start: address(index))[8]) }

    func identity(_ index: Int) -> ProcessIdentity {
        let fields = RecordFields(start: address(index))
        var name: [UInt8] = []
        for word in [fields[24], fields[32]] {
            for shift in stride(from: UInt64(0), to: 64, by: 8) { name.append(UInt8(truncatingIfNeeded: word >> shift)) }
        }
        return ProcessIdentity(
            id: processIdentifier(index), name: String(decoding: name.prefix { $0 != 0 }, as: UTF8.self))
    }

    private func describe(_ index: Int, _ system: any System) {
        let fields = RecordFields(start: address(index))
        let process = system.process
        fields[8] = UInt64(UInt32(bitPattern: process.id))
        fields[16] = system.monotonicNanoseconds
        var words: [UInt64] = [0, 0]
        for (place, byte) in process.name.utf8.prefix(15).enumerated() {
            words[place / 8] |= UInt64(byte) << UInt64(place % 8 * 8)
        }
        fields[24] = words[0]
        fields[32] = words[1]
        fields[40] = system.processNamespace
    }
}

/// One life of one process slot.
struct ProcessSlot: Equatable, Sendable {
    let index: Int
    let generation: UInt64

    init(index: Int, generation: UInt64) {
        assert(index >= 0 && index < LockLayout.processLimit, "slot \(index) lies beyond the table")
        self.index = index
        self.generation = generation
    }

    init?(token: UInt64) {
        guard token >> 32 != 0, token >> 32 <= LockLayout.processLimit else { return nil }
        self.init(index: Int(token >> 32) - 1, generation: token & 0xffff_ffff)
    }

    /// The number by which cells and locks name their owner.
    var token: UInt64 { UInt64(index + 1) << 32 | generation & 0xffff_ffff }
    /// The slot's state while this life goes on.
    var liveState: UInt64 { generation << 8 | ProcessSlots.live }
}
