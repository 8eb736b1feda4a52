/// A batch: all that is pending in a file at a seal. The server applies it in one transaction.
public struct SyncPush: Hashable, Sendable {
    /// A replica that the file was before it was found to be a copy.
    public struct Inherited: Hashable, Sendable {
        /// A number of the message's table.
        public var replica: UInt32
        /// The epoch that was open when the file took another identity.
        public var openEpoch: UInt64
        /// The last stamp that the file had given then.
        public var last: SyncStamp

        public init(replica: UInt32, openEpoch: UInt64, last: SyncStamp) {
            self.replica = replica
            self.openEpoch = openEpoch
            self.last = last
        }
    }

    /// The epoch that was sealed.
    public var epoch: UInt64
    /// The history of the server that the cursor belongs to.
    public var history: UInt64
    /// What the file had of the server at the seal.
    public var cursor: SyncCursor
    /// The highest stamp that the file has seen.
    public var seen: SyncStamp
    public var names: SyncNames
    /// The replicas that the message names; the first one pushes.
    public var replicas: [ReplicaIdentity]
    public var inherited: [Inherited]
    public var changes: [SyncChange]

    public init(epoch: UInt64, history: UInt64, cursor: SyncCursor, seen: SyncStamp, names: SyncNames, replicas: [ReplicaIdentity],
                inherited: [Inherited] = [], changes: [SyncChange] = []) {
        self.epoch = epoch
        self.history = history
        self.cursor = cursor
        self.seen = seen
        self.names = names
        self.replicas = replicas
        self.inherited = inherited
        self.changes = changes
    }
}

/// The server has applied a batch, or had before: it need not be sent again soon. It clears nothing.
public struct SyncAck: Hashable, Sendable {
    public var replica: ReplicaIdentity
    public var epoch: UInt64

    public init(replica: ReplicaIdentity, epoch: UInt64) {
        self.replica = replica
        self.epoch = epoch
    }
}

/// A file asks what has changed since its cursor.
public struct SyncPull: Hashable, Sendable {
    public var replica: ReplicaIdentity
    /// The history of the server that the cursor belongs to; 0 before the first answer.
    public var history: UInt64
    public var cursor: SyncCursor
    /// Replicas that the file was before.
    public var inherited: [ReplicaIdentity]
    /// The device's monotonic clock, in milliseconds: the answer repeats it.
    public var sent: UInt64

    public init(replica: ReplicaIdentity, history: UInt64, cursor: SyncCursor, inherited: [ReplicaIdentity] = [], sent: UInt64) {
        self.replica = replica
        self.history = history
        self.cursor = cursor
        self.inherited = inherited
        self.sent = sent
    }
}
