import Dispatch
import Foundation
import FreeholdEngine
import Synchronization

/// Waits for commits to a file on a thread of its own, and tells whom it concerns.
///
/// After each notification it rests for a moment: a writer that commits a thousand times a second wakes it twenty times.
final class FileWatcher: Sendable {
    private let file: OpenFile
    private let told: @Sendable () -> Void
    private let replaced: @Sendable () -> Void
    private let isStopped = Atomic(false)
    private static let restMilliseconds = 40
    private static let waitMilliseconds = 500

    /// - Parameters:
    ///   - told: called after commits.
    ///   - replaced: called once the path leads to another file.
    init(_ file: OpenFile, _ told: @escaping @Sendable () -> Void, replaced: @escaping @Sendable () -> Void) {
        (self.file, self.told, self.replaced) = (file, told, replaced)
    }

    func start() {
        let thread = Thread { self.watch() }
        thread.name = "watch \(file.identifier)"
        thread.start()
    }

    func stop() { isStopped.store(true, ordering: .relaxed) }

    private func watch() {
        var version = Version.zero
        let rest = DispatchSemaphore(value: 0)
        while !isStopped.load(ordering: .relaxed) {
            if file.checkPlace() { replaced() }
            do {
                let newest = try file.database.waitForChange(after: version, timeoutMilliseconds: Self.waitMilliseconds)
                guard let newest else { continue }
                version = newest
                told()
                _ = rest.wait(timeout: .now() + .milliseconds(Self.restMilliseconds))
            } catch {
                // The tabs meet the same error when they read, and tell it.
                told()
                return
            }
        }
    }
}
