import Platform
import Synchronization
import TestKit
import Testing

/// Simulated processes that run in turns.
@Suite struct SchedulerTests {
    /// Processes that add to one number in a common file, each step by step, under a mutex or not.
    private struct Adders {
        let machine: SimulatedSystem
        let mapping: Mapping
        let processes: [SimulatedProcess]

        init(seed: UInt64, count: Int, locked: Bool, rounds: Int = 10) throws {
            machine = SimulatedSystem(seed: seed)
            let maker = machine.makeProcess("maker")
            let file = try maker.openFile("/lock", .createExclusive(permissions: 0o600))
            try file.setLength(4096)
            mapping = try file.map(reserve: 4096, minimum: 4096, writable: true, dontFork: true)
            maker.initializeMutex(at: mapping.base)
            processes = (0..<count).map { [machine] in machine.makeProcess("adder \($0)") }
            for process in processes {
                process.start { [mapping] process in
                    for _ in 0..<rounds { Self.add(process, mapping, locked) }
                }
            }
        }

        var sum: UInt32 { word(mapping, 128).pointee.load(ordering: .relaxed) }
        var deaths: UInt32 { word(mapping, 132).pointee.load(ordering: .relaxed) }

        private static func add(_ process: SimulatedProcess, _ mapping: Mapping, _ locked: Bool) {
            if locked {
                var outcome = MutexOutcome.timedOut
                while outcome == .timedOut { outcome = process.lockMutex(at: mapping.base, timeoutMilliseconds: 250) }
                if outcome == .ownerDied {
                    process.makeMutexConsistent(at: mapping.base)
                    word(mapping, 132).pointee.wrappingAdd(1, ordering: .relaxed)
                }
            }
            let before = word(mapping, 128).pointee.load(ordering: .relaxed)
            process.point("between")
            word(mapping, 128).pointee.store(before + 1, ordering: .relaxed)
            if locked { process.unlockMutex(at: mapping.base) }
        }
    }

    @Test func withoutALockSomeSeedLosesAnUpdateAndWithOneNoneDoes() throws {
        var lost = 0
        for seed in 0..<40 as Range<UInt64> {
            let open = try Adders(seed: seed, count: 3, locked: false)
            #expect(open.machine.run() == .finished)
            if open.sum < 30 { lost += 1 }
            let locked = try Adders(seed: seed, count: 3, locked: true)
            #expect(locked.machine.run() == .finished)
            #expect(locked.sum == 30, "seed \(seed)")
        }
        #expect(lost > 20)
    }

    @Test func aSeedRepeatsItsRunAndAnotherDiffers() throws {
        let traces = try (0..<20 as Range<UInt64>).map { seed in
            let runs = try (0..<2).map { _ in
                let adders = try Adders(seed: seed, count: 4, locked: true)
                #expect(adders.machine.run() == .finished)
                return [adders.machine.trace, UInt64(adders.machine.stepCount), adders.machine.nanoseconds]
            }
            #expect(runs[0] == runs[1], "seed \(seed)")
            return runs[0]
        }
        #expect(Set(traces).count == 20)
    }

    @Test func theMutexOfAProcessKilledWithinIsHandedOn() throws {
        for seed in 0..<20 as Range<UInt64> {
            let adders = try Adders(seed: seed, count: 3, locked: true)
            let victim = adders.processes[1]
            adders.machine.onStep = { step in
                step.process === victim && step.name == "between" && step.processStep > 5 ? .kill : .proceed
            }
            #expect(adders.machine.run() == .finished, "seed \(seed)")
            #expect(!victim.isAlive)
            // If it died last of all, the news waits for whoever comes.
            let left = adders.machine.makeProcess().tryLockMutex(at: adders.mapping.base)
            #expect(left == (adders.deaths == 1 ? .acquired : .ownerDied), "seed \(seed)")
            #expect(adders.sum >= 20 && adders.sum < 30, "seed \(seed)")
            adders.machine.discard()
        }
    }

    @Test func everyStepOfAProcessIsAPlaceToDie() throws {
        var steps = 0
        var died = 1
        while died == 1 {
            let adders = try Adders(seed: 5, count: 2, locked: true, rounds: 4)
            let victim = adders.processes[0]
            died = 0
            adders.machine.onStep = { step in
                guard step.process === victim, step.processStep == steps else { return .proceed }
                died = 1
                return .kill
            }
            #expect(adders.machine.run() == .finished, "step \(steps)")
            #expect(adders.sum >= 4)
            steps += 1
        }
        #expect(steps > 12)
    }

    @Test func aStoppedProcessHoldsWhatItHasUntilItGoesOn() throws {
        let adders = try Adders(seed: 3, count: 2, locked: true)
        let stopped = adders.processes[0]
        var once = true
        adders.machine.onStep = { step in
            guard once, step.process === stopped, step.name == "between" else { return .proceed }
            once = false
            return .stop
        }
        let held = adders.mapping
        let waiter = adders.machine.makeProcess("waiter")
        let outcome = Mutex<[MutexOutcome]>([])
        waiter.start { process in
            // By now the stopped one holds it, or soon will.
            while stopped.isStopped == false { process.sleep(milliseconds: 1) }
            let result = process.lockMutex(at: held.base, timeoutMilliseconds: 100)
            outcome.withLock { $0.append(result) }
            stopped.resume()
        }
        #expect(adders.machine.run() == .finished)
        #expect(outcome.withLock { $0 } == [.timedOut])
        #expect(adders.sum == 20)
    }

    @Test func onlyStoppedProcessesLeftMakeTheMachineIdle() throws {
        let adders = try Adders(seed: 3, count: 1, locked: false)
        adders.machine.onStep = { $0.number == 3 ? .stop : .proceed }
        #expect(adders.machine.run() == .idle)
        #expect(adders.machine.unfinished == ["adder 0: stopped, runnable"])
        #expect(adders.sum < 10)
        adders.processes[0].resume()
        #expect(adders.machine.run() == .finished)
        #expect(adders.sum == 10)
    }

    @Test func aPowerCutEndsEverybodyAtOnce() throws {
        let adders = try Adders(seed: 4, count: 3, locked: true)
        adders.machine.onStep = { $0.number == 17 ? .powerCut : .proceed }
        #expect(adders.machine.run() == .powerCut)
        #expect(adders.processes.allSatisfy { !$0.isAlive })
        #expect(adders.machine.stepCount == 18)
        #expect(adders.machine.run() == .finished)
    }

    @Test func aRunThatNeverEndsIsEnded() {
        let machine = SimulatedSystem(seed: 1)
        machine.makeProcess().start { process in
            while true { process.point("again") }
        }
        #expect(machine.run(stepLimit: 1000) == .stepLimit)
    }

    @Test func aProcessKilledWithinAWriteLeavesWholePages() throws {
        var lengths: Set<Int> = []
        for seed in 0..<40 as Range<UInt64> {
            let machine = SimulatedSystem(seed: seed)
            let file = try machine.makeProcess().openFile("/a", .createExclusive(permissions: 0o666))
            machine.makeProcess(userID: 0).start { process in
                let file = try? process.openFile("/a", .readWrite)
                try? file?.write([UInt8](repeating: 1, count: 8192), at: 0)
            }
            machine.onStep = { $0.name == "write" ? .kill : .proceed }
            #expect(machine.run() == .finished)
            lengths.insert(try file.length())
        }
        #expect(lengths == [0, 4096, 8192])
    }

    @Test func aByteIsFreeOnceItsHolderIsKilledAndAWaiterGetsIt() throws {
        for seed in 0..<20 as Range<UInt64> {
            let machine = SimulatedSystem(seed: seed)
            let watcher = machine.makeProcess("watcher")
            let file = try watcher.openFile("/a", .createExclusive(permissions: 0o666))
            let holder = machine.makeProcess("holder", userID: 0)
            let got = Mutex<[Bool]>([])
            holder.start { process in
                let file = try? process.openFile("/a", .readWrite)
                _ = try? file?.tryLock(byte: 1 << 62, exclusive: true)
                process.point("held")
                process.sleep(milliseconds: 1_000_000)
            }
            machine.makeProcess("waiter", userID: 0).start { process in
                guard let file = try? process.openFile("/a", .readWrite) else { return }
                while (try? file.isLocked(byte: 1 << 62)) == false { process.sleep(milliseconds: 1) }
                let early = try? file.tryLock(byte: 1 << 62, exclusive: true)
                holder.kill()
                let late = try? file.lock(byte: 1 << 62, exclusive: true, timeoutMilliseconds: 10)
                got.withLock { $0 = [early ?? true, late ?? false] }
            }
            #expect(machine.run() == .finished)
            #expect(got.withLock { $0 } == [false, true], "seed \(seed)")
            #expect(try !file.isLocked(byte: 1 << 62))
        }
    }

    @Test func wordsAndPipesWakeWhoWaits() throws {
        for seed in 0..<20 as Range<UInt64> {
            let adders = try Adders(seed: seed, count: 0, locked: false)
            let machine = adders.machine
            let mapping = adders.mapping
            _ = try machine.makeProcess().makeNotifyPipe("/pipe", permissions: 0o600)
            let seen = Mutex<[UInt32]>([])
            machine.makeProcess("listener").start { process in
                guard let pipe = try? process.openNotifyPipeForReading("/pipe") else { return }
                word(mapping, 256).pointee.store(1, ordering: .relaxed)
                process.wake(plain(word(mapping, 256)), count: .max)
                var last: UInt32 = 0
                while last < 10 {
                    _ = try? pipe.waitUntilTold(timeoutMilliseconds: 1_000_000)
                    _ = try? pipe.drain()
                    last = word(mapping, 128).pointee.load(ordering: .relaxed)
                    seen.withLock { $0.append(last) }
                }
            }
            machine.makeProcess("teller").start { process in
                while word(mapping, 256).pointee.load(ordering: .relaxed) == 0 {
                    _ = process.wait(on: plain(word(mapping, 256)), whileEqual: 0, timeoutMilliseconds: 250)
                }
                guard let pipe = try? process.openNotifyPipeForWriting("/pipe") else { return }
                for value in 1...UInt32(10) {
                    word(mapping, 128).pointee.store(value, ordering: .relaxed)
                    _ = try? pipe.tell()
                }
            }
            #expect(machine.run() == .finished)
            #expect(seen.withLock { $0.last } == 10, "seed \(seed)")
        }
    }

    @Test func aProcessMayStartThreadsOfItsOwn() {
        let machine = SimulatedSystem(seed: 1)
        let done = Mutex(0)
        machine.makeProcess().start { process in
            for _ in 0..<3 {
                try? process.startThread("inner") {
                    process.point("inner")
                    done.withLock { $0 += 1 }
                }
            }
        }
        #expect(machine.run() == .finished)
        #expect(done.withLock { $0 } == 3)
    }

    @Test func timeJumpsOverWaitsThatNobodyEnds() {
        let machine = SimulatedSystem(seed: 1)
        let before = machine.nanoseconds
        machine.makeProcess().start { $0.sleep(milliseconds: 3_600_000) }
        #expect(machine.run() == .finished)
        #expect(machine.nanoseconds - before >= 3_600_000_000_000)
    }
}
