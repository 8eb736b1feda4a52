import FreeholdEngine

/// Follows what a merge makes of each change, by the changes' `trace`: for the judge of a test.
package protocol MergeObserver: AnyObject {
    /// The first thing that was made of a change; what is known already stays.
    func note(_ trace: UInt32, _ fate: MergeFate)
    /// What has become of a change, in place of what was known.
    func set(_ trace: UInt32, _ fate: MergeFate)
    /// A register is about to be set.
    func willSet(_ change: SyncChange, _ path: SyncPath, _ entry: SyncEntry, _ stamp: SyncStamp, old: StoredRegister, value: SyncValue)
    /// A write lost to another one.
    func wasBeaten(_ entry: SyncEntry, by winner: UInt32)
    /// Contents are about to be applied to a life that the writer is taken to have had.
    func willApply(to object: SyncObject, birth: UInt64)
    /// An addition to a set by another replica was removed.
    func removed(_ element: SyncValue, from object: SyncObject)
    /// The server takes the writer to have seen what a transaction made of an object.
    func isTakenAsSeen(_ object: SyncObject)
    /// A batch named a position that is not there.
    func missedPosition(of object: SyncObject, birth: UInt64)
    /// A sum was added (won), was contained in what is there (overwritten), or has no object (void).
    func counted(_ object: SyncObject, _ trace: UInt32, _ fate: MergeFate)
    /// The values of an object were wiped.
    func wiped(_ object: SyncObject)
}

/// What became of a change at the server.
package enum MergeFate: Sendable {
    case won, overwritten, beaten, void, refused
}
