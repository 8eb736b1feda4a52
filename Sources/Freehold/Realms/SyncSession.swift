public import Foundation
public import FreeholdEngine

/// The sync of a file: how it goes, and whether it is wanted.
///
/// ```swift
/// if let session = realm.syncSession {
///     let token = session.observe { state in print(state.connection, state.isPending) }
///     try session.suspend()
/// }
/// ```
/// An agent does the work, in a process of its own; what it says is in the file.
public struct SyncSession {
    private let realm: Realm
    private let core: RealmCore

    fileprivate init(_ realm: Realm, _ core: RealmCore) { (self.realm, self.core) = (realm, core) }

    /// Whether the agent reaches the server: `stopped` without an agent.
    public typealias Connection = SyncState.Connection

    /// How the sync of a file is going.
    public struct State: Sendable, Equatable {
        /// Whether the agent reaches the server.
        public let connection: Connection
        /// When the file last sent or received a change.
        public let lastExchange: Date?
        /// Whether the file has changes that are not known to be at the server.
        public let isPending: Bool
        /// Whether a process syncs the file.
        public let hasAgent: Bool

        fileprivate init(_ status: SyncStatus) {
            (connection, isPending, hasAgent) = (status.connection, status.isPending, status.hasAgent)
            lastExchange = status.lastExchange?.date
        }
    }

    /// A change that was lost, or an error.
    public struct Issue: Sendable, Equatable {
        /// When the agent noticed it.
        public let date: Date
        /// A reason of `SyncReport.Reason` for a change that was lost, else the code of an error, such as `unauthorized`.
        public let code: String
        /// What happened, where, and what to do; the last two may be empty.
        public let what, place, advice: String
        /// The object whose change was lost, and the property; nil for errors, and for the whole object.
        public let className, primaryKey, property: String?

        fileprivate init(_ issue: SyncIssue) {
            (date, code, what, place, advice) = (issue.date.date, issue.code, issue.what, issue.place, issue.advice)
            (className, primaryKey, property) = (issue.className, issue.primaryKey, issue.property)
        }
    }

    /// How the sync of the file is going, in its newest version.
    ///
    /// - Throws: `RealmError`, also if a program has changed the class that the agent writes.
    public var state: State { get throws { State(try read { database throws(FreeholdError) in try database.syncStatus() }) } }

    /// The last issues, oldest first: at most 1,000. They are objects of the class `FreeholdSyncIssue`; a program deletes those that it
    /// has dealt with.
    public var issues: [Issue] {
        get throws { try read { database throws(FreeholdError) in try database.syncIssues() }.map { Issue($0) } }
    }

    /// Calls a block when the state becomes another one: after commits of any process, as `Realm.observe` does.
    ///
    /// An agent that is killed commits nothing: this is noticed with the next commit.
    public func observe(_ block: @escaping (State) -> Void) -> NotificationToken {
        var last = try? state
        return realm.observe { _, realm in
            guard let now = try? realm.syncSession?.state, now != last else { return }
            last = now
            block(now)
        }
    }

    /// Lets agents pause, until `resume`: of this file, in every process.
    public func suspend() throws { try change { $0.isWanted = false } }

    /// Lets agents go on.
    public func resume() throws { try change { $0.isWanted = true } }

    /// Gives the agent another token, in place of the one before or a token file. A realm that is opened with a `syncConfiguration`
    /// writes the token of that again.
    public func update(token: String) throws { try change { ($0.token, $0.tokenFile) = (token, nil) } }

    private func change(_ change: (inout SyncSettings) -> Void) throws {
        if core.transaction != nil { throw RealmError(.fail, "The settings of sync cannot be changed within a write transaction.") }
        try read { database throws(FreeholdError) in try database.changeSyncSettings(change) }
    }

    private func read<Result>(_ body: (Database) throws(FreeholdError) -> Result) throws -> Result {
        guard core.enter() else { throw RealmError(.fail, "Realm accessed from incorrect thread.") }
        do throws(FreeholdError) { return try body(core.shared.database) } catch { throw RealmError(error) }
    }
}

extension Realm {
    /// The sync of the file; nil if the file does not say where its server is (`Configuration.syncConfiguration`).
    public var syncSession: SyncSession? {
        guard core.enter() else { return nil }
        return core.attempt(nil) { try core.shared.database.syncSettings().map { _ in SyncSession(self, core) } }
    }
}
