@testable import FreeholdEngine
import Synchronization

/// What simulated processes did with one database, written down in the order in which it happened, and judged as it is:
///
/// 1. A version that is read holds exactly what its writer meant, however often and by whomever it is read.
/// 2. A write begins with the newest version committed: no version that was read or acknowledged is above it.
/// 3. A number is used for one version: one that was read or acknowledged is never committed again.
/// 4. No handle's versions ever decrease, none is below its own last commit, nor below a version it was told of.
/// 5. When every process is killed, nothing is lost that was acknowledged or read.
/// 6. When the power is cut, no version is lost that was acknowledged as durable; nor one committed as durable that
///    is at or below what a mere reader has seen.
public final class Chronicle: Sendable {
    private struct State {
        /// By version: what whoever writes it, or wrote it, means it to hold.
        var contents: [UInt64: Shelf] = [1: Shelf()]
        /// Those of them that were meant to be durable.
        var full: Set<UInt64> = []
        /// The newest version that was read, acknowledged or built upon.
        var newestKnown: UInt64 = 1
        var newestAcknowledged: UInt64 = 1
        var newestDurable: UInt64 = 1
        var newestRead: UInt64 = 1
        var tally = Tally()
        var complaints: [String] = []

        mutating func compare(_ found: Shelf, _ version: UInt64, _ what: String) {
            guard let meant = contents[version] else { return complaints.append("\(what) version \(version), which nobody committed") }
            if found != meant { complaints.append("\(what) version \(version), but \(found.difference(from: meant))") }
        }
    }

    /// How much happened: a run in which nothing does proves nothing.
    public struct Tally: Sendable {
        public var commits = 0
        public var reads = 0
        public var tidings = 0
    }

    private let state = Synchronization.Mutex(State())

    public init() {}

    public var tally: Tally { state.withLock { $0.tally } }
    public var complaints: [String] { state.withLock { $0.complaints } }

    public func complain(_ text: String) { state.withLock { $0.complaints.append(text) } }

    private func change(_ body: (inout State) -> Void) { state.withLock { body(&$0) } }

    /// Somebody has the writer lock, and found this to begin with.
    func began(base: UInt64, next: UInt64, found: Shelf) {
        change { state in
            state.compare(found, base, "a writer begins with")
            if base < state.newestKnown { state.complaints.append("a writer begins with \(base), but \(state.newestKnown) was committed") }
            if next <= max(base, state.newestKnown) { state.complaints.append("version \(next) is given twice") }
            // Nobody else writes now: what lies above never was committed.
            state.contents = state.contents.filter { $0.key <= base }
            state.full = state.full.filter { $0 <= base }
            state.newestKnown = max(state.newestKnown, base)
        }
    }

    /// The writer is about to commit this.
    func intends(_ version: UInt64, _ shelf: Shelf, _ durability: Durability) {
        change { state in
            state.contents[version] = shelf
            if durability == .full { state.full.insert(version) }
        }
    }

    /// The commit returned; `isDurable` if it promised as much.
    func acknowledged(_ version: UInt64, isDurable: Bool) {
        change { state in
            state.tally.commits += 1
            if state.contents[version] == nil { state.complaints.append("version \(version) is acknowledged, and was not meant") }
            state.newestKnown = max(state.newestKnown, version)
            state.newestAcknowledged = max(state.newestAcknowledged, version)
            if isDurable { state.newestDurable = max(state.newestDurable, version) }
        }
    }

    /// Somebody read a version.
    /// - Parameter isMereReader: who never committed anything, and so sees only what all may see.
    func read(_ version: UInt64, _ shelf: Shelf, isMereReader: Bool) {
        change { state in
            state.tally.reads += 1
            state.compare(shelf, version, "a reader sees")
            state.newestKnown = max(state.newestKnown, version)
            if isMereReader { state.newestRead = max(state.newestRead, version) }
        }
    }

    func heard() { change { $0.tally.tidings += 1 } }

    /// Everybody closed the database and nobody was killed: then all is durable.
    public func everybodyClosed() { change { $0.newestDurable = max($0.newestDurable, $0.newestKnown) } }

    /// What was found when all was over.
    public func judge(_ version: UInt64, _ shelf: Shelf, afterPowerCut: Bool) {
        change { state in
            state.compare(shelf, version, "what is left is")
            let seen = state.full.filter { $0 <= state.newestRead }.max() ?? 1
            let promised = afterPowerCut ? max(state.newestDurable, seen) : state.newestKnown
            if version < promised {
                state.complaints.append("version \(version) is left; acknowledged were \(state.newestAcknowledged), durably "
                    + "\(state.newestDurable), read \(state.newestRead), known \(state.newestKnown)")
            }
        }
    }
}
