/// What a program sees of the sync of its file: what the agent has said, and what the file itself tells.
public struct SyncStatus: Sendable, Equatable {
    /// What the agent says; `.stopped` without one, whatever one that was killed has left.
    public var connection = SyncState.Connection.stopped
    /// When the file last sent or received a change.
    public var lastExchange: Timestamp?
    /// Whether the file has changes that are not known to be at the server.
    public var isPending = false
    /// Whether a process syncs the file.
    public var hasAgent = false
}

extension Database {
    /// How the sync of the file is going, whether or not an agent is there.
    ///
    /// Observe class `FreeholdSyncState` for changes of it. An agent that is killed says nothing: whether one is there is found out now.
    public func syncStatus() throws(FreeholdError) -> SyncStatus {
        var status = SyncStatus()
        let said = try syncState()
        status.hasAgent = try hasSyncAgent
        if status.hasAgent { status.connection = said?.connection ?? .connecting }
        status.lastExchange = said?.lastExchange
        status.isPending = try SyncReplica(self).isPending()
        return status
    }
}
