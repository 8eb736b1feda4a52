public import Dispatch
import Synchronization

/// Asynchronous opening: copying, compacting, migrating and the building of indexes run in the background.
extension Realm {
    /// Whether opening waits until a synced file has what its server has. A file that names no server is just opened.
    public enum OpenBehavior: Sendable {
        /// Opening waits for nothing.
        case never
        /// Opening waits until the file has all that the server had when it began.
        case always
        /// As `always`, if the file never had all that its server had at some time: a new file, or one with new synced classes.
        case once
    }

    /// Opens a file for the caller's actor. Slow work runs elsewhere, not on the actor.
    ///
    /// ```swift
    /// actor Store {
    ///     private var realm: Realm?
    ///     func open() async throws { realm = try await Realm.open(configuration: configuration) }
    /// }
    /// ```
    /// Within an actor's initialiser the compiler names no actor until every stored property has its value: call `open`
    /// from a method instead, or call `Realm(configuration:actor:)` with the actor.
    /// - Throws: the errors of `init(configuration:)`; `Realm.Error` `.fail` if the caller is not isolated to an actor, and if what the
    ///   server has does not come in `syncConfiguration.downloadTimeout`: the message says what is missing, such as an agent.
    public static func open(configuration: Configuration = .defaultConfiguration, _isolation actor: isolated (any Actor)? = #isolation,
                            downloadBeforeOpen: OpenBehavior = .never) async throws -> Realm {
        guard let actor else {
            throw RealmError(.fail, "Realm.open was called outside of an actor, so the realm would have no actor to belong to. Call it from a "
                + "method of an actor, not from its initialiser, or open the realm with Realm(configuration:actor:).")
        }
        let place = Confinement.of(actor), file = try await openElsewhere(configuration, for: place, downloadBeforeOpen)
        let realm = Realm(file.core(for: place))
        if downloadBeforeOpen != .never { realm.refresh() }
        return realm
    }

    /// Opens a file for the caller's actor. Slow work runs elsewhere, as with `open`.
    public init(configuration: Configuration = .defaultConfiguration, actor: isolated any Actor, downloadBeforeOpen: OpenBehavior = .never) async throws {
        let place = Confinement.of(actor), file = try await Self.openElsewhere(configuration, for: place, downloadBeforeOpen)
        core = file.core(for: place)
        if downloadBeforeOpen != .never { refresh() }
    }

    /// Opens a file for the main thread. Slow work runs elsewhere, as with `open`.
    @MainActor
    public init(configuration: Configuration = .defaultConfiguration, downloadBeforeOpen: OpenBehavior) async throws {
        let file = try await Self.openElsewhere(configuration, for: .main, downloadBeforeOpen)
        core = file.core(for: .main)
        if downloadBeforeOpen != .never { refresh() }
    }

    private nonisolated static func openElsewhere(
        _ configuration: Configuration, for place: Confinement, _ behavior: OpenBehavior
    ) async throws -> OpenedFile {
        try await withCheckedThrowingContinuation { continuation in
            DispatchQueue.global().async {
                continuation.resume(with: Result {
                    let file = try OpenedFile(configuration, for: place, report: .silent)
                    try file.download(behavior)
                    return file
                })
            }
        }
    }

    /// Opens a file in the background, and passes a realm of `callbackQueue` to `callback`, which runs on that queue.
    ///
    /// With a `syncConfiguration` it waits until the file has all that its server had when this was called, as `open` does with
    /// `downloadBeforeOpen: .always`.
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
        let task = AsyncOpenTask(), isAnswered = Answered()
        let answer = { @Sendable (opened: Result<OpenedFile, Swift.Error>) in
            callbackQueue.async {
                if isAnswered.flag.exchange(true, ordering: .relaxed) { return }
                callback(Result {
                    let file = try opened.get()
                    try task.requireWanted()
                    return Realm(file.core(for: .on(callbackQueue)))
                })
                task.end()
            }
        }
        DispatchQueue.global().async {
            answer(Result {
                try task.open(configuration, for: .on(callbackQueue)) { answer(.failure(CancellationError())) }
            })
        }
        return task
    }

    /// Whether a callback was called: the callback of a cancelled opening does not wait for its end.
    private final class Answered: Sendable {
        let flag = Atomic(false)
    }

    /// A file that is being opened.
    public struct AsyncOpenTask: Sendable {
        /// The progress of opening.
        public struct Progress: Sendable, Equatable {
            /// The step under way.
            public let step: OpeningStep
            /// Fraction of this step completed, 0…1; known for `.indexing` only.
            public var stepFraction = 0.0
            /// Fraction of steps completed, 0…1.
            public var fractionCompleted: Double {
                (Double(max(0, step.rawValue - 1)) + stepFraction) / Double(OpeningStep.finished.rawValue - 1)
            }
        }

        private let state = State()

        private final class State: Sendable {
            let steps = Mutex(Steps())
        }

        private struct Steps {
            var progress = Progress(step: .waiting)
            var isCancelled = false
            /// Called when it is cancelled while it waits for a server.
            var whenCancelled: (@Sendable () -> Void)?
            var listeners: [(queue: DispatchQueue, block: @Sendable (Progress) -> Void)] = []
        }

        fileprivate init() {}

        /// Cancels opening: the callback receives a `CancellationError`. Changes already made to the file stay.
        public func cancel() {
            let tell = state.steps.withLock { steps in
                steps.isCancelled = true
                return steps.whenCancelled
            }
            tell?()
        }

        /// Calls `block` on `queue` with the step under way, and again whenever another step begins, or a part of an index
        /// is built.
        public func addProgressNotification(queue: DispatchQueue = .main, block: @escaping @Sendable (Progress) -> Void) {
            state.steps.withLock { steps in
                steps.listeners.append((queue, block))
                let progress = steps.progress
                queue.async { block(progress) }
            }
        }

        fileprivate func open(
            _ configuration: Configuration, for place: Confinement, whenCancelled: @escaping @Sendable () -> Void
        ) throws -> OpenedFile {
            try requireWanted()
            let report = OpeningReport(began: { begin($0) }, built: { fraction in
                begin(.indexing, fraction)
                return !state.steps.withLock { $0.isCancelled }
            })
            let file = try OpenedFile(configuration, for: place, report: report)
            guard configuration.syncConfiguration != nil else { return file }
            begin(.downloading)
            try state.steps.withLock { steps in
                if steps.isCancelled { throw CancellationError() }
                steps.whenCancelled = whenCancelled
            }
            defer { state.steps.withLock { $0.whenCancelled = nil } }
            try file.download(.always)
            return file
        }

        fileprivate func requireWanted() throws { if state.steps.withLock({ $0.isCancelled }) { throw CancellationError() } }

        fileprivate func end() { begin(.finished) }

        private func begin(_ step: OpeningStep, _ fraction: Double = 0) {
            state.steps.withLock { steps in
                steps.progress = Progress(step: step, stepFraction: fraction)
                let progress = steps.progress
                for listener in steps.listeners { listener.queue.async { listener.block(progress) } }
            }
        }
    }
}
