import Platform
import Synchronization

/// Decides, by the machine's seed, which thread runs.
///
/// 1. Between `run`'s start and end exactly one thread has the baton: `current`, or the one in `run` itself.
/// 2. A thread gives the baton away only in `hand`, and afterwards touches nothing until it has it again.
/// 3. The same seed, threads and code give the same steps.
///
/// Safe to share unchecked: by (1) only one thread at a time touches it.
final class Scheduler: @unchecked Sendable {
    private(set) var current: SimulatedThread?
    private(set) var threads: [SimulatedThread] = []
    var stepCount: Int { steps.load(ordering: .relaxed) }
    /// Atomic because `run` looks at it from outside.
    private let steps = Atomic(0)
    /// A fingerprint of all steps so far.
    private(set) var trace: UInt64 = 0
    private var stepLimit = Int.max
    private var end: RunEnd?
    private let outside = Baton()
    private var startedCount = 0

    /// Runs all threads until nobody can go on.
    func run(_ machine: SimulatedSystem, stepLimit: Int) -> RunEnd {
        precondition(current == nil, "a run within a run")
        self.stepLimit = stepCount + stepLimit
        end = nil
        if let first = next(machine) {
            hand(to: first)
            var patience = 12
            var last = steps.load(ordering: .relaxed)
            outside.take {
                let now = steps.load(ordering: .relaxed)
                patience = now == last ? patience - 1 : 12
                last = now
                if patience == 0 { fatalError(Self.stuck) }
            }
        }
        threads.removeAll { $0.state == .over }
        return end ?? (threads.isEmpty ? .finished : .idle)
    }

    func add(_ process: SimulatedProcess, _ body: @escaping @Sendable () -> Void) throws(SystemError) {
        let thread = SimulatedThread(process: process, number: startedCount)
        startedCount += 1
        threads.append(thread)
        let machine = process.machine
        let work = Work(body)
        try LinuxSystem.shared.startThread("simulated") { [self] in
            thread.baton.take()
            if thread.isKilled {
                work.leak()
                return
            }
            work.runAndRelease()
            thread.state = .over
            machine.releaseMutexes { $0 === thread }
            leave(machine)
        }
    }

    private static let stuck = """
        no simulated process has made a step for two minutes: one of them waits for something the machine does not know, \
        such as a lock within the program that another of its threads holds while it waits for its turn
        """

    // MARK: Called by the thread that runs

    /// Lets the test strike and others run.
    /// - Parameter dying: done first if the thread is killed here.
    func step(_ machine: SimulatedSystem, _ name: StaticString, isPoint: Bool, dying: () -> Void) {
        guard let thread = current else { return }
        let process = thread.process
        note(process.number, name)
        let verdict = machine.onStep.map {
            $0(
                Step(
                    process: process, name: name.description, isPoint: isPoint, number: stepCount,
                    processStep: process.stepCount))
        }
        steps.wrappingAdd(1, ordering: .relaxed)
        process.stepCount += 1
        switch verdict ?? .proceed {
        case .proceed: break
        case .kill:
            dying()
            process.kill()
        case .stop: process.isStopped = true
        case .powerCut: finish(machine, .powerCut)
        }
        if stepCount >= stepLimit { finish(machine, .stepLimit) }
        if thread.isKilled { vanish(thread, machine) }
        if process.isStopped || machine.random.oneIn(machine.options.switchOneIn) { switchAway(thread, machine) }
    }

    /// Waits for the target.
    /// - Returns: false if the bound has passed.
    func block(_ machine: SimulatedSystem, on target: WaitTarget, until deadline: UInt64?) -> Bool {
        guard let thread = current else {
            // Outside a run nobody else can act: all that can happen is that time passes.
            machine.nanoseconds = max(machine.nanoseconds, deadline ?? 0)
            precondition(deadline != nil, "a wait without bound outside a run would never end")
            return false
        }
        thread.hasTimedOut = false
        thread.state = .blocked(on: target, deadline: deadline)
        switchAway(thread, machine)
        return !thread.hasTimedOut
    }

    /// Makes up to `count` threads that wait for the target runnable, the longest-waiting first.
    func wake(_ target: WaitTarget, count: Int = .max) {
        var left = count
        for thread in threads where left > 0 {
            if case .blocked(target, _) = thread.state {
                thread.state = .runnable
                left -= 1
            }
        }
    }

    /// Marks the threads of a process dead. Each ends itself when it gets the baton one last time.
    func kill(_ process: SimulatedProcess) {
        for thread in threads where thread.process === process && thread.state != .over {
            thread.state = .over
            thread.isKilled = true
            if thread !== current { thread.baton.give() }
        }
    }

    /// Ends the calling thread if its process was killed by itself.
    func vanishIfKilled(_ machine: SimulatedSystem) {
        if let thread = current, thread.isKilled { vanish(thread, machine) }
    }

    // MARK: Handing over

    private func finish(_ machine: SimulatedSystem, _ how: RunEnd) {
        end = how
        machine.killAllProcesses()
    }

    private func vanish(_ thread: SimulatedThread, _ machine: SimulatedSystem) -> Never {
        leave(machine)
        thread.vanish()
    }

    private func switchAway(_ thread: SimulatedThread, _ machine: SimulatedSystem) {
        let following = next(machine)
        if following === thread { return }
        if let following { hand(to: following) } else { handOutside() }
        thread.baton.take()
        if thread.isKilled { thread.vanish() }
    }

    /// Gives the baton away for good.
    private func leave(_ machine: SimulatedSystem) {
        if let following = next(machine) { hand(to: following) } else { handOutside() }
    }

    private func hand(to thread: SimulatedThread) {
        current = thread
        thread.baton.give()
    }

    private func handOutside() {
        current = nil
        outside.give()
    }

    /// Who runs next; nil if nobody can.
    private func next(_ machine: SimulatedSystem) -> SimulatedThread? {
        let runnable = threads.filter(\.isRunnable)
        let bounded = threads.filter { $0.deadline != nil }
        if runnable.isEmpty || (!bounded.isEmpty && machine.random.oneIn(machine.options.timeJumpOneIn)) {
            // Everybody else may just be slow: a bound may pass at any time.
            let earliest = bounded.min { ($0.deadline ?? 0, $0.number) < ($1.deadline ?? 0, $1.number) }
            if let earliest {
                machine.nanoseconds = max(machine.nanoseconds, earliest.deadline ?? 0)
                earliest.state = .runnable
                earliest.hasTimedOut = true
                return earliest
            }
        }
        return runnable.randomElement(using: &machine.random)
    }

    private func note(_ process: Int, _ name: StaticString) {
        // Overflow is wanted: a hash (FNV-1a).
        trace = (trace ^ UInt64(process)) &* 0x100_0000_01B3
        name.withUTF8Buffer { for byte in $0 { trace = (trace ^ UInt64(byte)) &* 0x100_0000_01B3 } }
    }
}
