import Synchronization

/// What the versions of a file held that several simulated processes write, and what was promised about them when. Writers note it while
/// they have the writer lock. Places are those of the machine's log.
///
/// 1. A version holds what was noted for the newest one at or below it: compaction makes versions of the same content.
/// 2. What a writer noted and died before committing is removed when the next one begins, whose base is below it. Until then its version may
///    be given to somebody else; so content is compared with it and with the one before, until a commit that was acknowledged.
final class Ledger: Sendable {
    typealias Model = [Int64: UInt8]

    private struct Entry {
        let version: UInt64
        let model: Model
        let intended: Int
        var removed = Int.max
        var acknowledged = Int.max
        var durable = Int.max
    }

    private struct State {
        var entries: [Entry] = []
        var complaints: [String] = []
        var counts: [String: Int] = [:]
    }

    private let state = Mutex(State())

    var complaints: [String] { state.withLock { $0.complaints } }
    var commits: Int { state.withLock { $0.entries.count { $0.acknowledged < .max } } }

    /// How often something happened: a history in which it does not proves nothing about it.
    var counts: [String: Int] { state.withLock { $0.counts } }
    func note(_ what: String) { state.withLock { $0.counts[what, default: 0] += 1 } }

    func complain(_ text: String) { state.withLock { $0.complaints.append(text) } }

    /// A writer has the lock and builds on `base`.
    /// - Returns: what that version may hold.
    func began(_ base: UInt64, at place: Int) -> [Model] {
        state.withLock { state in
            for index in state.entries.indices where state.entries[index].removed == .max && state.entries[index].version > base {
                state.entries[index].removed = place
                if state.entries[index].acknowledged < .max {
                    state.complaints.append("a writer begins with \(base), although \(state.entries[index].version) was acknowledged")
                }
            }
        }
        return contents(of: base, at: place)
    }

    /// The writer is about to commit.
    func intends(_ version: UInt64, _ model: Model, at place: Int) {
        state.withLock { $0.entries.append(Entry(version: version, model: model, intended: place)) }
    }

    /// The commit returned.
    func acknowledged(_ version: UInt64, isDurable: Bool, at place: Int) {
        state.withLock { state in
            guard let index = state.entries.lastIndex(where: { $0.version == version && $0.removed == .max }) else {
                return state.complaints.append("version \(version) is acknowledged, but a writer began below it")
            }
            state.entries[index].acknowledged = place
            if isDurable { state.entries[index].durable = place }
        }
    }

    /// What a version may hold, found in a machine as it was at a place of the log: the likeliest first.
    func contents(of version: UInt64, at place: Int) -> [Model] {
        state.withLock { state in
            let there = state.entries.filter { $0.version <= version && $0.intended <= place && $0.removed > place }
            var found: [Model] = []
            for entry in there.sorted(by: { $0.version > $1.version }) {
                found.append(entry.model)
                if entry.acknowledged <= place { break }
            }
            return found
        }
    }

    /// The newest version that must be there after a crash.
    func promised(at place: Int, afterPowerCut: Bool) -> UInt64 {
        state.withLock { state in
            state.entries.filter { (afterPowerCut ? $0.durable : $0.acknowledged) <= place }.map(\.version).max() ?? 0
        }
    }
}
