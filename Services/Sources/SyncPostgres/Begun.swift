import FreeholdEngine
import FreeholdMerge
import SyncBackends

/// An answer that a thread makes: told to who waits for it with its first part, or when it is known that nothing is new.
final class Begun {
    typealias Told = Result<(SyncUser, AnswerParts?), SyncFailure>

    private var waiting: CheckedContinuation<Told, Never>?
    private var parts: AnswerParts?
    private let makeParts: () -> AnswerParts

    init(_ waiting: CheckedContinuation<Told, Never>, makeParts: @escaping () -> AnswerParts) {
        (self.waiting, self.makeParts) = (waiting, makeParts)
    }

    /// Whether a part is on its way.
    var hasBegun: Bool { parts != nil }

    func put(_ part: [UInt8], _ user: SyncUser) throws(FreeholdError) {
        if parts == nil {
            parts = makeParts()
            tell(.success((user, parts)))
        }
        try parts!.put(part)
    }

    func finish(_ user: SyncUser) {
        parts?.finish()
        tell(.success((user, nil)))
    }

    func fail(_ failure: SyncFailure) {
        parts?.finish(failure)
        tell(.failure(failure))
    }

    private func tell(_ told: Told) {
        waiting?.resume(returning: told)
        waiting = nil
    }
}
