import Platform

/// A process of a simulated machine: it has its own open files, byte locks, threads and identity, and shares disk and
/// memory with the others.
///
/// Safe to share unchecked: see `SimulatedSystem`.
public final class SimulatedProcess: System, @unchecked Sendable {
    public let machine: SimulatedSystem
    /// Counts from 0 in the order of `makeProcess`.
    public let number: Int
    public let name: String
    public var userID: UInt32
    public let groupID: UInt32
    public let namespace: UInt64
    /// Whether it has not been killed.
    public internal(set) var isAlive = true
    /// Whether it is stopped, as by SIGSTOP.
    public internal(set) var isStopped = false
    public internal(set) var forkGeneration: UInt32 = 0
    /// The ICU it has; nil for the machine's.
    public var collation: SimulatedCollation?
    /// Told of every file that is opened, before it is.
    public var onOpen: ((String, OpenMode) -> Void)?
    /// What it has of libstemmer; to be set before it opens a file.
    public var stemmers = SimulatedStemmers.usual
    /// How many steps it has made.
    public internal(set) var stepCount = 0

    init(
        machine: SimulatedSystem, number: Int, name: String, userID: UInt32, groupID: UInt32, namespace: UInt64
    ) {
        self.machine = machine
        self.number = number
        self.name = name
        self.userID = userID
        self.groupID = groupID
        self.namespace = namespace
    }

    // MARK: For tests

    /// Adds a thread, which runs in `SimulatedSystem.run`.
    public func start(_ body: @escaping @Sendable (SimulatedProcess) -> Void) {
        do { try machine.scheduler.add(self) { [self] in body(self) } } catch { fatalError("\(error)") }
    }

    /// Ends it at once, as SIGKILL does: its threads never run again, its locks are free, its mutexes tell the next
    /// owner. What its threads held in this program's memory is leaked; what a test holds of it must be leaked too,
    /// or a `deinit` would act for the dead (`leak`).
    public func kill() {
        guard isAlive else { return }
        isAlive = false
        machine.scheduler.kill(self)
        machine.releaseMutexes(ofProcess: number)
        machine.releaseFiles(ofProcess: number)
    }

    /// Keeps an object for ever, so that its `deinit` never runs.
    public func leak(_ object: AnyObject) { _ = Unmanaged.passRetained(object) }

    /// Does nothing until `resume`, as after SIGSTOP.
    public func stop() { isStopped = true }

    /// Goes on, as after SIGCONT.
    public func resume() { isStopped = false }

    /// From now on this process plays a forked child of itself: its generation counts up, its locks stay the parent's.
    public func becomeForkedChild() { forkGeneration += 1 }

    // MARK: Every call begins here

    /// A step of this process: time passes, others may run, the test may strike.
    func step(_ call: SimulatedCall, dying: () -> Void = {}) {
        requireAlive()
        machine.nanoseconds += 500
        machine.scheduler.step(machine, call.stepName, isPoint: false, dying: dying)
    }

    /// A step that an injected fault may end.
    func step(_ call: SimulatedCall, _ path: String) throws(SystemError) {
        step(call)
        if let fault = machine.fault(call, path) { throw error(fault.code, call, path) }
    }

    func error(_ code: Int32, _ call: SimulatedCall, _ path: String) -> SystemError {
        SystemError(code: code, call: call.stepName, path: path)
    }

    public func point(_ name: StaticString) {
        requireAlive()
        machine.scheduler.step(machine, name, isPoint: true, dying: {})
    }

    private func requireAlive() {
        if isAlive { return }
        machine.scheduler.vanishIfKilled(machine)
        preconditionFailure("a killed process went on: leak what the test holds of it")
    }
}
