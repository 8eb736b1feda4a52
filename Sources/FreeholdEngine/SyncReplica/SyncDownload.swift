/// A program's question to the agent of its file: does the file have all that the server has?
///
/// It is an object of class `FreeholdSyncDownload`. A program adds one to `asked`, and the agent, when the server has said since then that
/// nothing is new, puts that number into `answered`. So both are woken by commits, and neither has to know the other.
///
/// ```
/// program:  asked 7 ─────────────────────────────────► answered 7: read
/// agent:             ─► pull, apply, pull: nothing new ─┘
/// ```
public struct SyncDownload: Sendable, Equatable {
    /// The number of the last question.
    public var asked: Int64 = 0
    /// The last question that the agent has answered.
    public var answered: Int64 = 0
    /// Why the server has refused, if that is the answer.
    public var failure: String?

    public init(asked: Int64 = 0, answered: Int64 = 0, failure: String? = nil) {
        (self.asked, self.answered, self.failure) = (asked, answered, failure)
    }

    /// The class that the question is an object of.
    public static let className = "FreeholdSyncDownload"

    static let schema = ClassSchema(className, primaryKey: "id", [
        PropertySchema("id", .int), PropertySchema("asked", .int), PropertySchema("answered", .int),
        PropertySchema("failure", .string, isNullable: true),
    ])

    var values: [(String, Value)] {
        [("asked", .int(asked)), ("answered", .int(answered)), ("failure", failure.map { .string($0) } ?? .null)]
    }

    init(_ row: SyncRecord) throws(FreeholdError) {
        self.init(asked: try row.number("asked"), answered: try row.number("answered"), failure: try row.text("failure"))
    }
}

extension Database {
    /// What programs have asked the agent, and what it has answered; nil before the first settings.
    public func syncDownload() throws(FreeholdError) -> SyncDownload? {
        try withRecord(SyncDownload.className) { row throws(FreeholdError) in try SyncDownload(row) }
    }

    /// Waits until the file has all that the server had when this was called.
    ///
    /// An agent has to work at the file, in any process. The wait ends by its commit; it takes no lock, and keeps no version.
    ///
    /// - Throws: `.invalidArgument` for a file without settings or synced classes, or one whose sync is not wanted; `.io` if the server
    ///   refuses; `.busy` when the time is over, with what was missing: an agent, the server, or the rest of the answer.
    public func downloadSync(timeoutMilliseconds: Int) throws(FreeholdError) {
        let deadline = Deadline(timeoutMilliseconds, try core().session.member.system)
        guard let settings = try syncSettings() else { throw withoutSyncSettings }
        guard settings.isWanted else { throw FreeholdError(.invalidArgument, "sync of the file is suspended; resume it first", path: path) }
        guard try SyncReplica(self).isSynced() else { throw SyncReplica(self).notSynced }
        let number = try askForDownload()
        while true {
            let snapshot = try snapshot(), version = snapshot.version
            snapshot.end()
            if let download = try syncDownload(), download.answered >= number {
                guard let failure = download.failure else { return }
                throw FreeholdError(.io, failure, path: path)
            }
            let left = deadline.remainingMilliseconds
            if left == 0 { throw try late(settings) }
            _ = try waitForChange(after: version, timeoutMilliseconds: left)
        }
    }

    /// Answers all questions up to a number. For agents.
    ///
    /// - Parameter failure: why the server has refused; nil if it has said, after the question, that nothing is new.
    public func noteSyncDownload(_ number: Int64, failure: String? = nil) throws(FreeholdError) {
        try changeDownload { download in
            if download.answered < number { (download.answered, download.failure) = (number, failure) }
        }
    }

    private func askForDownload() throws(FreeholdError) -> Int64 {
        var number: Int64 = 0
        try changeDownload { download in
            // A program may have set any numbers.
            if max(download.asked, download.answered) == .max { download = SyncDownload() }
            download.asked = max(download.asked, download.answered) + 1
            number = download.asked
        }
        return number
    }

    private func changeDownload(_ change: (inout SyncDownload) -> Void) throws(FreeholdError) {
        try changeRecords { transaction throws(FreeholdError) in
            let table = try transaction.table(SyncDownload.className)
            var download = SyncDownload()
            if let key = try table.key(primaryKey: .int(1)), let row = try table.row(key) {
                download = try SyncDownload(SyncRecord(row, table))
            }
            change(&download)
            try Self.put(download.values, SyncDownload.className, in: transaction)
        }
    }

    /// Why the answer has not come in time.
    private func late(_ settings: SyncSettings) throws(FreeholdError) -> FreeholdError {
        let status = try syncStatus(), what: String
        if !status.hasAgent {
            what = "no agent works at this file: start `freehold-sync \(path)`"
        } else if status.connection == .connected {
            what = "the agent has not got everything yet; wait longer"
        } else if status.connection == .refused, let issue = try syncIssues().last {
            what = "the server '\(settings.address)' refuses, \(issue.code): \(issue.what)"
        } else {
            what = "the agent does not reach the server '\(settings.address)'"
        }
        return FreeholdError(.busy, "what the server has did not come in time: \(what)", path: path)
    }
}
