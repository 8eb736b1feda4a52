import Platform
import Synchronization

/// Builds the derived indexes of an open file in the background, slice by slice.
///
/// ```
/// start ──► thread: snapshot ─► slice ─► writer lock, a few milliseconds ─► commit ─┐
///                      ▲                                                            │
///                      └────────────────── until all are complete ──────────────────┘
/// stop  ──► the slice under way ends early and is discarded; returns once the thread uses the file no longer
/// ```
/// 1. The builder keeps the file open only within a step: its owner closes the file after `stop`.
/// 2. An error ends building; one of a damaged index only once all others are complete. The index stays as it is; the next
///    `start` tries again.
/// 3. The process may end at any time: a slice is committed or not at all.
/// 4. A forked child has no builder thread, and `start` and `stop` do nothing.
///
/// Safe to share: the mutex guards all mutable state; the word lives as long as the builder.
public final class IndexBuilder: @unchecked Sendable {
    private let system: any System
    private let forkGeneration: UInt32
    private let inside = Mutex(Inside())
    private let isStopping = Atomic<Bool>(false)
    /// The word that changes when the thread ends.
    private let memory: UnsafeMutableRawPointer

    private struct Inside {
        var database: Database?
        var isRunning = false
        /// Whether `start` was called since the thread looked for an index to build.
        var isAsked = false
        var failure: FreeholdError?
        /// That of the thread that called `start`.
        var budget = DerivedBudget.standard
    }

    /// How long the thread waits for the writer lock before it looks whether it is to stop.
    private static let lockMilliseconds = 20

    public convenience init() { self.init(on: LinuxSystem.shared) }

    /// A builder on a given system: tests pass a simulated one.
    init(on system: any System) {
        self.system = system
        forkGeneration = system.forkGeneration
        memory = .allocate(byteCount: 8, alignment: 8)
        memory.initializeMemory(as: UInt64.self, repeating: 0, count: 1)
    }

    deinit { memory.deallocate() }

    private var bell: SharedBell { SharedBell(memory, 0) }
    private var isForked: Bool { system.forkGeneration != forkGeneration }

    /// Builds what is not complete. Returns at once.
    public func start(on database: Database) {
        if isForked || isStopping.load(ordering: .relaxed) { return }
        let mustStart = inside.withLock { inside in
            inside.isAsked = true
            inside.database = database
            inside.budget = .standard
            defer { inside.isRunning = true }
            return !inside.isRunning
        }
        guard mustStart else { return }
        do throws(SystemError) { try system.startThread("freehold-index") { [self] in run() } } catch {
            _ = end(FreeholdError(.outOfMemory, "a thread that builds indexes could not be created: \(error)"))
        }
    }

    /// Stops building for good: waits until the thread uses the file no longer.
    public func stop() {
        isStopping.store(true, ordering: .relaxed)
        waitUntilDone()
    }

    /// Waits until all indexes are complete, or building has failed.
    func waitUntilDone() {
        if isForked { return }
        while true {
            let seen = bell.load()
            if !inside.withLock(\.isRunning) { return }
            _ = system.wait(on: bell.word, whileEqual: seen, timeoutMilliseconds: .max)
        }
    }

    /// The error that has ended building; nil if none has since the last start.
    var failure: FreeholdError? { inside.withLock(\.failure) }

    private func run() {
        while true {
            var failure: FreeholdError?, stopped = StoppedIndexes()
            do throws(FreeholdError) { while try addSlice(passing: &stopped) {} } catch { failure = error }
            if end(failure ?? stopped.error) { return }
        }
    }

    /// Ends the thread; false if `start` was called meanwhile.
    private func end(_ failure: FreeholdError?) -> Bool {
        // The owner closes the file once nothing runs, so the reference is given up before that.
        var database = inside.withLock { inside -> Database? in
            inside.failure = failure
            return inside.isAsked && failure == nil && isWanted ? nil : inside.database.take()
        }
        if database == nil { return false }
        database = nil
        let isOver = inside.withLock { inside in
            inside.isRunning = inside.database != nil
            return !inside.isRunning
        }
        if isOver {
            bell.advance()
            system.wake(bell.word, count: .max)
        }
        return isOver
    }

    /// Adds a slice; false if there is none to add, or building is to stop.
    private func addSlice(passing stopped: inout StoppedIndexes) throws(FreeholdError) -> Bool {
        let found = inside.withLock { inside in
            inside.isAsked = false
            return (inside.database, inside.budget)
        }
        guard let database = found.0, isWanted else { return false }
        let snapshot = try database.snapshot()
        defer { snapshot.end() }
        guard let slice = try DerivedSliceCommit.next(from: snapshot, found.1, passing: &stopped, while: { isWanted }) else { return false }
        while isWanted {
            let transaction: WriteTransaction
            do throws(FreeholdError) { transaction = try database.beginWrite(timeoutMilliseconds: Self.lockMilliseconds) } catch {
                if error.code == .busy { continue }
                throw error
            }
            _ = try slice.commit(transaction, passing: &stopped)
            return true
        }
        return false
    }

    private var isWanted: Bool { !isStopping.load(ordering: .relaxed) }
}
