import Synchronization

/// How a write transaction ended, for handovers of things it created.
final class WriteOutcome: Sendable {
    private let committed = Atomic<Bool>(false)

    var isCommitted: Bool { committed.load(ordering: .acquiring) }
    func end(isCommitted: Bool) { committed.store(isCommitted, ordering: .releasing) }
}
