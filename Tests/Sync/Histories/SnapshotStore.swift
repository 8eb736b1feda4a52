import FreeholdEngine
@testable import FreeholdMerge

/// A store that answers a pull within one snapshot.
protocol SnapshotStore: SyncStore {
    func reading<Result>(_ pull: SyncPull, _ body: () throws(FreeholdError) -> Result) throws(FreeholdError) -> Result
}
