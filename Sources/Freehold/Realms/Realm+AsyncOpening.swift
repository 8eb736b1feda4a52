public import Dispatch
import Synchronization

/// Opening without waiting: copying, compacting and migrating happen elsewhere.
extension Realm {
    /// When a synchronised file is brought up to date. Files of this library are not synchronised: all three just open.
    public enum OpenBehavior: Sendable {
        case never, always, once
    }

    /// Opens a file for the actor that the caller runs in. Only what takes no time is done there.
    ///
    /// ```swift
    /// actor Store {
    ///     private var realm: Realm?
    ///     func open() async throws { realm = try await Realm.open(configuration: configuration) }
    /// }
    /// ```
    /// Within an actor's initialiser the compiler names no actor until every stored property has its value: call `open` from a method instead,
    /// or `Realm(configuration:actor:)` with the actor.
    /// - Throws: what `init(configuration:)` does; `Realm.Error` `.fail` where the caller is isolated to no actor.
    public static func open(configuration: Configuration = .defaultConfiguration, _isolation actor: isolated (any Actor)? = #isolation,
                            downloadBeforeOpen: OpenBehavior = .never) async throws -> Realm {
        guard let actor else {
            throw RealmError(.fail, "Realm.open was called outside of an actor, so there is no actor that the realm could belong to. Call it from a "
                + "method of an actor, not from its initialiser, or open the realm with Realm(configuration:actor:).")
        }
        let place = Confinement.of(actor), file = try await openElsewhere(configuration, for: place)
        return Realm(file.core(for: place))
    }

    /// Opens a file for the actor that the caller runs in: see `open`.
    public init(configuration: Configuration = .defaultConfiguration, actor: isolated any Actor, downloadBeforeOpen: OpenBehavior = .never) async throws {
        let place = Confinement.of(actor), file = try await Self.openElsewhere(configuration, for: place)
        core = file.core(for: place)
    }

    /// Opens a file for the main thread: see `open`.
    @MainActor
    public init(configuration: Configuration = .defaultConfiguration, downloadBeforeOpen: OpenBehavior) async throws {
        let file = try await Self.openElsewhere(configuration, for: .main)
        core = file.core(for: .main)
    }

    private nonisolated static func openElsewhere(_ configuration: Configuration, for place: Confinement) async throws -> OpenedFile {
        try await withCheckedThrowingContinuation { continuation in
            DispatchQueue.global().async { continuation.resume(with: Result { try OpenedFile(configuration, for: place) }) }
        }
    }

    /// Opens a file in the background, and hands a realm of `callbackQueue` to `callback`, which runs there.
    ///
    /// ```swift
    /// Realm.asyncOpen(configuration: configuration) { result in
    ///     switch result {
    ///     case .success(let realm): show(realm.objects(Person.self))
    ///     case .failure(let error): print(error)
    ///     }
    /// }
    /// ```
    @discardableResult
    public static func asyncOpen(configuration: Configuration = .defaultConfiguration, callbackQueue: DispatchQueue = .main,
                                 callback: @escaping @Sendable (Result<Realm, Swift.Error>) -> Void) -> AsyncOpenTask {
        let task = AsyncOpenTask()
        DispatchQueue.global().async {
            let opened = Result { try task.open(configuration, for: .on(callbackQueue)) }
            callbackQueue.async {
                callback(Result {
                    let file = try opened.get()
                    try task.requireWanted()
                    return Realm(file.core(for: .on(callbackQueue)))
                })
                task.end()
            }
        }
        return task
    }

    /// A file that is being opened.
    public struct AsyncOpenTask: Sendable {
        /// How far opening has come.
        public struct Progress: Sendable, Equatable {
            /// What is being done.
            public let step: OpeningStep
            /// Of the steps those that are done, from 0 to 1.
            public var fractionCompleted: Double { Double(max(0, step.rawValue - 1)) / Double(OpeningStep.finished.rawValue - 1) }
        }

        private let state = State()

        private final class State: Sendable {
            let steps = Mutex(Steps())
        }

        private struct Steps {
            var step = OpeningStep.waiting
            var isCancelled = false
            var listeners: [(queue: DispatchQueue, block: @Sendable (Progress) -> Void)] = []
        }

        fileprivate init() {}

        /// Gives opening up: the callback gets a `CancellationError`. What was done to the file by then stays.
        public func cancel() { state.steps.withLock { $0.isCancelled = true } }

        /// Calls `block` on `queue` with the step under way, and whenever another one begins.
        public func addProgressNotification(queue: DispatchQueue = .main, block: @escaping @Sendable (Progress) -> Void) {
            state.steps.withLock { steps in
                steps.listeners.append((queue, block))
                let progress = Progress(step: steps.step)
                queue.async { block(progress) }
            }
        }

        fileprivate func open(_ configuration: Configuration, for place: Confinement) throws -> OpenedFile {
            try requireWanted()
            return try OpenedFile(configuration, for: place, began: begin)
        }

        fileprivate func requireWanted() throws { if state.steps.withLock({ $0.isCancelled }) { throw CancellationError() } }

        fileprivate func end() { begin(.finished) }

        private func begin(_ step: OpeningStep) {
            state.steps.withLock { steps in
                steps.step = step
                for listener in steps.listeners { listener.queue.async { listener.block(Progress(step: step)) } }
            }
        }
    }
}
