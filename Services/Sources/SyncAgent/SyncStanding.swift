import Foundation
import FreeholdEngine
import Synchronization

/// How the sync of a file goes, as its loops find it; written into the file at most once a second, and only when something else is to
/// be said.
final class SyncStanding: Sendable {
    private struct Content {
        var state = SyncState()
        var issues: [SyncIssue] = []
        var written: SyncState?
        /// What was said last of pulling and pushing, so that it is said once.
        var said: [String: ServerReply.Refusal] = [:]
        var failing: Set<String> = []
        var refused: Set<String> = []
    }

    private let content = Mutex(Content())

    /// A loop got an answer.
    func noteAnswer(_ loop: String, exchanged: Bool = false) {
        content.withLock { content in
            content.said[loop] = nil
            content.failing.remove(loop)
            content.refused.remove(loop)
            content.state.connection = content.refused.isEmpty ? .connected : .refused
            if exchanged { content.state.lastExchange = Self.now }
        }
    }

    /// A loop got none, or a refusal; it is an issue if it is not what was said before.
    func note(_ refusal: ServerReply.Refusal, of loop: String, isRefused: Bool) {
        content.withLock { content in
            if isRefused { content.refused.insert(loop) } else { content.failing.insert(loop) }
            content.state.connection = isRefused || !content.refused.isEmpty ? .refused : .connecting
            // A server that cannot be reached is no issue, but a state: it will be back.
            if refusal.code == Self.unreachable || content.said[loop] == refusal { return }
            content.said[loop] = refusal
            content.issues.append(refusal.issue(at: Self.now))
        }
    }

    func noteLosses(_ report: SyncReport) {
        content.withLock { content in
            for loss in report.losses {
                content.issues.append(SyncIssue(
                    date: Self.now, code: loss.reason.rawValue, what: loss.reason.sentence,
                    className: loss.className, primaryKey: KeyText.text(loss.primaryKey), property: loss.property))
            }
        }
    }

    func notePending(_ isPending: Bool) { content.withLock { $0.state.isPending = isPending } }

    func noteConnecting() { content.withLock { $0.state.connection = .connecting } }

    /// Writes what has changed since it was written last.
    ///
    /// - Parameter stopped: whether the agent ends.
    func write(to database: Database, stopped: Bool = false) throws(FreeholdError) {
        let (state, issues) = content.withLock { content -> (SyncState?, [SyncIssue]) in
            if stopped { content.state.connection = .stopped }
            let isSame = content.written == content.state && content.issues.isEmpty
            defer { content.issues = [] }
            return (isSame ? nil : content.state, content.issues)
        }
        guard let state else { return }
        do throws(FreeholdError) { try database.noteSync(state, issues: issues) } catch {
            // They are written with the next ones.
            content.withLock { $0.issues = issues + $0.issues }
            throw error
        }
        content.withLock { $0.written = state }
    }

    /// Whether this agent has said anything in the file.
    var hasWritten: Bool { content.withLock { $0.written != nil } }

    static let unreachable = "unreachable"

    private static var now: Timestamp {
        var now = timespec()
        clock_gettime(CLOCK_REALTIME, &now)
        return Timestamp(seconds: Int64(now.tv_sec), nanoseconds: Int32(now.tv_nsec))
    }
}

extension SyncReport.Reason {
    /// What became of the change.
    var sentence: String {
        switch self {
        case .beaten: "another write of the property is later"
        case .deleted: "the object was deleted elsewhere"
        case .updated: "the object was deleted here, and changed or created anew elsewhere: it is there again"
        case .notVisible: "the user does not see the object"
        case .notAllowed: "the user may not change it"
        case .conflict: "the property had another value at the server"
        case .notUnique: "another object has the unique value"
        case .unknown: "the server does not know the property, or the value is of another kind"
        }
    }
}
