import FreeholdMerge
import Synchronization

/// Wakes requests that wait for something new for their user.
///
/// ```swift
/// bells.enter()                       // before it looks for the first time
/// defer { bells.leave() }
/// let heard = bells.rings             // before it looks
/// if nothingIsNew { await bells.wait(for: user, past: heard, until: deadline) }
/// ```
/// A ring between the two is not missed. One task serves the deadlines of all who wait, so a waiting request costs an entry of a table.
/// Deadlines are kept to a quarter of a second.
public final class Bells: Sendable {
    private struct Waiting {
        let wakes: CheckedContinuation<Void, Never>
        let deadline: ContinuousClock.Instant
    }

    private struct State {
        var rings: UInt64 = 0
        /// The last ring for all, and for each user since then.
        var forAll: UInt64 = 0
        var forUser: [SyncUser: UInt64] = [:]
        var next: UInt64 = 0
        var waiting: [SyncUser: [UInt64: Waiting]] = [:]
        var count = 0
        var entered = 0
        /// Requests that were cancelled before they waited.
        var cancelled: Set<UInt64> = []
        var isSweeping = false
    }

    private let state = Mutex(State())
    private let begins: @Sendable () -> Void
    private static let tick = Duration.milliseconds(250)
    /// Users whose rings are kept apart; with more, one ring for all takes their place.
    private static let mostUsers = 100_000

    /// - Parameter begins: called when a request enters, after a time in which none was there.
    public init(begins: @escaping @Sendable () -> Void = {}) { self.begins = begins }

    /// How often it has rung.
    public var rings: UInt64 { state.withLock { $0.rings } }

    /// How many requests wait.
    public var waitingCount: Int { state.withLock { $0.count } }

    /// Whether a request has entered that may wait, or waits: one that was woken and looks is still there.
    public var isAwaited: Bool { state.withLock { $0.entered > 0 } }

    /// A request is to look, and to wait if nothing is new.
    public func enter() {
        let isFirst = state.withLock { state in
            state.entered += 1
            return state.entered == 1
        }
        if isFirst { begins() }
    }

    /// Waits no more.
    public func leave() { state.withLock { $0.entered -= 1 } }

    /// Wakes everyone who waits.
    public func ringAll() {
        let woken = state.withLock { state in
            state.rings += 1
            (state.forAll, state.forUser, state.count) = (state.rings, [:], 0)
            defer { state.waiting.removeAll() }
            return state.waiting.values.flatMap { $0.values.map(\.wakes) }
        }
        for wakes in woken { wakes.resume() }
    }

    /// Wakes the requests of some users.
    public func ring(for users: some Sequence<SyncUser>) {
        let woken = state.withLock { state -> [CheckedContinuation<Void, Never>] in
            state.rings += 1
            var woken: [CheckedContinuation<Void, Never>] = []
            for user in users {
                state.forUser[user] = state.rings
                guard let waiting = state.waiting.removeValue(forKey: user) else { continue }
                state.count -= waiting.count
                woken += waiting.values.map(\.wakes)
            }
            // Who has heard less is woken once too often.
            if state.forUser.count > Self.mostUsers { (state.forAll, state.forUser) = (state.rings, [:]) }
            return woken
        }
        for wakes in woken { wakes.resume() }
    }

    /// Waits until it has rung for the user after `heard`, until a time, or until the task is cancelled.
    public func wait(for user: SyncUser, past heard: UInt64, until deadline: ContinuousClock.Instant) async {
        let number = state.withLock { state in
            state.next += 1
            return state.next
        }
        await withTaskCancellationHandler {
            await withCheckedContinuation { wakes in
                let isOver = state.withLock { state in
                    !put(Waiting(wakes: wakes, deadline: deadline), number, user, heard, &state)
                }
                if isOver { wakes.resume() }
            }
        } onCancel: {
            let wakes = state.withLock { state -> CheckedContinuation<Void, Never>? in
                if let waiting = take(number, user, &state) { return waiting.wakes }
                state.cancelled.insert(number)
                return nil
            }
            wakes?.resume()
        }
        // A cancellation that came after the wake-up left its number.
        state.withLock { _ = $0.cancelled.remove(number) }
    }

    /// False if it need not wait.
    private func put(_ waiting: Waiting, _ number: UInt64, _ user: SyncUser, _ heard: UInt64, _ state: inout State) -> Bool {
        let last = max(state.forAll, state.forUser[user] ?? 0)
        if state.cancelled.remove(number) != nil || last > heard || waiting.deadline <= .now { return false }
        state.waiting[user, default: [:]][number] = waiting
        state.count += 1
        startSweeping(&state)
        return true
    }

    private func take(_ number: UInt64, _ user: SyncUser, _ state: inout State) -> Waiting? {
        guard let waiting = state.waiting[user]?.removeValue(forKey: number) else { return nil }
        if state.waiting[user]!.isEmpty { state.waiting[user] = nil }
        state.count -= 1
        return waiting
    }

    // MARK: Deadlines

    private func startSweeping(_ state: inout State) {
        guard !state.isSweeping else { return }
        state.isSweeping = true
        Task.detached {
            repeat { try? await Task.sleep(for: Self.tick) } while self.sweep()
        }
    }

    /// Wakes those whose time is over; false if nobody waits any more.
    private func sweep() -> Bool {
        let (late, goesOn) = state.withLock { state -> ([CheckedContinuation<Void, Never>], Bool) in
            let now = ContinuousClock.now
            var late: [CheckedContinuation<Void, Never>] = []
            for (user, waiting) in state.waiting {
                for number in waiting.filter({ $0.value.deadline <= now }).keys { late.append(take(number, user, &state)!.wakes) }
            }
            state.isSweeping = state.count > 0
            return (late, state.isSweeping)
        }
        for wakes in late { wakes.resume() }
        return goesOn
    }
}
