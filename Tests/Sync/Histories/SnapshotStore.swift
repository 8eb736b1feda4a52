import FreeholdEngine
@testable import FreeholdMerge

/// A store that answers a pull within one snapshot.
protocol SnapshotStore: SyncStore {
    func reading<Result>(_ pull: SyncPull, _ body: () throws(FreeholdError) -> Result) throws(FreeholdError) -> Result
}

/// A store that forgets deletions, and what has left a user's view, of transactions below a horizon.
protocol PruningStore: SyncStore {
    func prune(below horizon: UInt64) throws(FreeholdError)
}

extension MemoryStore: PruningStore {}
