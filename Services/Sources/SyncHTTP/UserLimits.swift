import SyncBackends
import Synchronization

/// How much one user may ask at once, so that no user takes the server from the others.
final class UserLimits: Sendable {
    enum Kind: Hashable { case push, pull }

    fileprivate struct Name: Hashable {
        let caller: SyncCaller
        let kind: Kind
    }

    /// A request under way: it leaves with the last reference. The body of an answer whose client has gone is dropped, and never asked for.
    final class Place: Sendable {
        private let limits: UserLimits
        private let name: Name

        fileprivate init(_ limits: UserLimits, _ name: Name) { (self.limits, self.name) = (limits, name) }

        deinit { limits.leave(name) }
    }

    private let counts = Mutex<[Name: Int]>([:])
    private let pushes: Int
    private let pulls: Int

    init(pushes: Int, pulls: Int) { (self.pushes, self.pulls) = (pushes, pulls) }

    /// Enters a request, which is under way as long as its place is kept.
    func enter(_ caller: SyncCaller, _ kind: Kind) throws -> Place {
        let name = Name(caller: caller, kind: kind), limit = kind == .push ? pushes : pulls
        let isEntered = counts.withLock { counts in
            guard counts[name, default: 0] < limit else { return false }
            counts[name, default: 0] += 1
            return true
        }
        guard isEntered else {
            throw SyncFailure(.busy, what: "the user has \(limit) requests of this kind under way, which is the most", place: "the user",
                              advice: "wait for their answers; give each user a token of their own", retryAfter: 2)
        }
        return Place(self, name)
    }

    private func leave(_ name: Name) {
        counts.withLock { counts in
            guard let count = counts[name] else { return }
            counts[name] = count > 1 ? count - 1 : nil
        }
    }
}
