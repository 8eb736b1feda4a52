/// What has changed at the server since a cursor. A file applies it in one commit, if it still has that cursor.
public struct SyncAnswer: Hashable, Sendable {
    /// Why an object is gone.
    public enum Leaving: UInt8, Hashable, Sendable {
        case deleted
        /// The user does not see it any more.
        case left
    }

    /// An object that is gone.
    public struct Gone: Hashable, Sendable {
        public var object: SyncObject
        public var reason: Leaving

        public init(object: SyncObject, reason: Leaving) {
            self.object = object
            self.reason = reason
        }
    }

    /// The replica that asked.
    public var replica: ReplicaIdentity
    /// The history and cursor that were asked with.
    public var askedHistory: UInt64
    public var askedCursor: SyncCursor
    public var history: UInt64
    /// The snapshot that the rows are of.
    public var cursor: SyncCursor
    /// What a reset does not name is not there.
    public var isReset: Bool
    /// The last epoch of the replica that the snapshot contains.
    public var known: UInt64
    /// The server's time in milliseconds since 1970.
    public var time: Int64
    /// The device's monotonic clock when it asked.
    public var sent: UInt64
    public var names: SyncNames
    /// The replicas that rows and rejections name.
    public var replicas: [ReplicaIdentity]
    /// The rows, which may be in the bytes of a message.
    public var storedRows: SyncRows
    public var gone: [Gone]
    public var rejections: [SyncRejection]

    public init(replica: ReplicaIdentity, askedHistory: UInt64, askedCursor: SyncCursor, history: UInt64, cursor: SyncCursor,
                isReset: Bool, known: UInt64, time: Int64, sent: UInt64, names: SyncNames, replicas: [ReplicaIdentity] = [],
                rows: [SyncRow] = [], gone: [Gone] = [], rejections: [SyncRejection] = []) {
        self.replica = replica
        self.askedHistory = askedHistory
        self.askedCursor = askedCursor
        self.history = history
        self.cursor = cursor
        self.isReset = isReset
        self.known = known
        self.time = time
        self.sent = sent
        self.names = names
        self.replicas = replicas
        storedRows = SyncRows(rows)
        self.gone = gone
        self.rejections = rejections
    }

    /// The rows in memory. Of rows that were left in a message that is damaged there is none; `storedRows.forEach` says what is wrong.
    public var rows: [SyncRow] {
        get { storedRows.array }
        _modify { yield &storedRows.array }
    }
}
