/// When a change was made, and in which epoch of which replica. Epochs say whether the server has applied it.
public struct SyncEntry: Hashable, Sendable {
    /// The stamp of the commit.
    public var stamp: SyncStamp
    /// The epoch that was open then.
    public var epoch: UInt64
    /// The replica whose epoch it is, as a number of the message's table.
    public var replica: UInt32
    /// A number by which a test follows the change through a merge. It is not sent.
    public var trace: UInt32

    public init(stamp: SyncStamp, epoch: UInt64, replica: UInt32 = 0, trace: UInt32 = 0) {
        self.stamp = stamp
        self.epoch = epoch
        self.replica = replica
        self.trace = trace
    }
}
