import Platform

/// A machine that exists only in memory: a disk, shared memory, a clock, and processes (`makeProcess`), each of which is
/// a `System` to the code under test.
///
/// Everything that reaches the disk is an operation in a log, with what was flushed when. From any place in the log
/// `image(at:surviving:boot:)` makes the machine that would have come up after a crash there.
///
/// Used without `run`, calls are plain calls on the caller's thread, nothing switches, and a wait that nobody could end
/// lets the clock jump to its bound. With `run`, each process has threads of its own, of which one at a time runs; a
/// seed decides at every step which is next.
///
/// Safe to share unchecked: outside `run` a test uses it from one thread; within, only the thread that has the baton
/// touches it, and handing the baton over orders memory.
public final class SimulatedSystem: @unchecked Sendable {
    /// What a machine is made with.
    public struct Options: Sendable {
        /// Decides every choice the machine makes.
        public var seed: UInt64
        /// The longest a file can grow to, and so what a mapping reserves.
        public var fileCapacity = 256 << 20
        /// The bytes the disk can store; nil is endless.
        public var diskCapacity: Int?
        /// How many bytes a notify pipe holds.
        public var pipeCapacity = 65_536
        /// The kind of file system that all paths are on.
        public var fileSystem = FileSystemStatus(kind: .ext4, isReadOnly: false)
        /// Whether stores through writable mappings are looked for before every operation, which costs a comparison of the
        /// whole file each time. If not, only an image of now has them.
        public var recordsMappedStores = true
        /// A running thread is switched away from at one in so many steps (0: only where it must wait).
        public var switchOneIn = 4
        /// A waiting thread's bound passes at once, though others could run, at one in so many switches (0: never).
        public var timeJumpOneIn = 64

        /// Whether processes can tell which boot it is: not without `/proc`.
        public var knowsBoot = true
        /// Whether the library that encrypts is installed.
        public var hasCryptography = true
        /// The ICU of processes that have no other.
        public var collation = SimulatedCollation.installed

        public init(seed: UInt64 = 1) { self.seed = seed }
    }

    public var options: Options
    /// Bytes stored on the disk now.
    public internal(set) var storedBytes = 0
    /// The time of day, if it is to stand still; else it goes with the monotonic clock.
    public var wallClockNanoseconds: Int64?
    /// The monotonic clock.
    public internal(set) var nanoseconds: UInt64 = 1_000_000_000
    /// What names this boot.
    public let bootIdentity: BootIdentity
    /// What was encrypted with, here and on the machines of its images.
    public let nonces: NonceLog
    /// What `fillRandom` draws from.
    var secrets: SeededRandom
    /// Asked before every step of every process within `run`; see `Step`.
    public var onStep: ((Step) -> Verdict)?

    var random: SeededRandom
    var names: [String: SimulatedInode] = [:]
    /// Every file there ever was, by number: the log speaks of removed ones too.
    var inodes: [SimulatedInode] = []
    var log: [DiskOperation] = []
    var faults: [FaultRule] = []
    var mutexes: [UInt: SimulatedMutex] = [:]
    var processes: [SimulatedProcess] = []
    /// Made when the log begins: most images are opened, looked at and thrown away.
    var imager: CrashImager?
    let scheduler = Scheduler()

    /// An empty disk with a root directory.
    public convenience init(seed: UInt64 = 1) { self.init(Options(seed: seed)) }

    /// An empty disk with a root directory.
    public convenience init(_ options: Options) {
        var random = SeededRandom(seed: options.seed)
        let boot = BootIdentity(high: random.next(), low: random.next())
        self.init(options, random: random, boot: boot, nonces: NonceLog())
        names["/"] = addInode(.directory, permissions: 0o777, userID: 0, groupID: 0)
    }

    init(_ options: Options, random: SeededRandom, boot: BootIdentity, nonces: NonceLog) {
        self.nonces = nonces
        // Streams that began with seeds near each other would be parts of one. Safe: overflow only mixes.
        var seeds = SeededRandom(seed: options.seed ^ nonces.nextStream() &* 0xD134_2543_DE82_EF95)
        secrets = SeededRandom(seed: seeds.next() ^ seeds.next() << 1)
        self.options = options
        self.random = random
        bootIdentity = boot
    }

    /// A new process on this machine.
    /// - Parameter namespace: processes of different namespaces see each other's ids wrongly, as in containers.
    public func makeProcess(
        _ name: String = "process", userID: UInt32 = 1000, groupID: UInt32 = 1000, namespace: UInt64 = 1
    ) -> SimulatedProcess {
        let process = SimulatedProcess(
            machine: self, number: processes.count, name: name, userID: userID, groupID: groupID, namespace: namespace)
        processes.append(process)
        return process
    }

    /// Gives the memory of all files and of the log back; the machine is of no more use. Killed threads keep what their
    /// stacks held for ever, and so the machine: a test that kills in many runs calls this at the end of each.
    public func discard() {
        killAllProcesses()
        inodes.forEach { $0.discard() }
        log = []
        names = [:]
        imager = nil
    }

    /// Makes calls fail from now on.
    public func inject(_ fault: FaultRule) { faults.append(fault) }

    /// Ends all injected failures.
    public func clearFaults() { faults.removeAll() }

    /// A page of every mapping of the file cannot be had from now on, as when its disk fails.
    public func breakMappings(of path: String) {
        names[path]?.faults.pointee.wrappingAdd(1, ordering: .releasing)
    }

    func addInode(_ kind: FileKind, permissions: UInt32, userID: UInt32, groupID: UInt32) -> SimulatedInode {
        let region = Region(capacity: kind == .regular ? options.fileCapacity : 0)
        let inode = SimulatedInode(number: inodes.count, kind: kind, region: region)
        inode.permissions = permissions
        inode.userID = userID
        inode.groupID = groupID
        inodes.append(inode)
        return inode
    }
}
