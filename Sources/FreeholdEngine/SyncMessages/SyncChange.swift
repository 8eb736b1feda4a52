/// What a batch says of one object.
public struct SyncChange: Hashable, Sendable {
    /// A property, an entry of a map or a property of an embedded object was set.
    public struct Register: Hashable, Sendable {
        public var path: SyncPath
        public var entry: SyncEntry
        public var value: SyncValue

        public init(path: SyncPath, entry: SyncEntry, value: SyncValue) {
            self.path = path
            self.entry = entry
            self.value = value
        }
    }

    /// An element was added to a set, or removed.
    public struct Member: Hashable, Sendable {
        public var property: Int32
        public var element: SyncValue
        public var isMember: Bool
        public var entry: SyncEntry

        public init(property: Int32, element: SyncValue, isMember: Bool, entry: SyncEntry) {
            self.property = property
            self.element = element
            self.isMember = isMember
            self.entry = entry
        }
    }

    /// What was done to an element of a list.
    public enum Act: UInt8, Hashable, Sendable {
        case inserted, changed, moved, deleted
    }

    /// An element of a list was inserted, changed in place, moved or deleted.
    public struct Element: Hashable, Sendable {
        public var property: Int32
        public var element: SyncIdentity
        public var act: Act
        public var entry: SyncEntry
        /// The new position of what was inserted or moved, and those beside it at the commit; else `.none`.
        public var position: SyncIdentity
        public var left: SyncIdentity
        public var right: SyncIdentity
        public var value: SyncValue

        public init(property: Int32, element: SyncIdentity, act: Act, entry: SyncEntry, position: SyncIdentity = .none,
                    left: SyncIdentity = .none, right: SyncIdentity = .none, value: SyncValue = .null) {
            self.property = property
            self.element = element
            self.act = act
            self.entry = entry
            self.position = position
            self.left = left
            self.right = right
            self.value = value
        }
    }

    /// The sum of the increments of a counter in one epoch of one replica.
    public struct Sum: Hashable, Sendable {
        public var property: Int32
        /// A number of the message's table.
        public var replica: UInt32
        public var epoch: UInt64
        public var amount: Int64
        /// How many increments it is the sum of. Of two sums of one epoch that began together, that with more contains the other.
        public var count: UInt32
        /// The stamp of the first of them: after a deletion another sum begins, in the same epoch.
        public var began: SyncStamp
        /// A number by which a test follows it. It is not sent.
        public var trace: UInt32

        public init(property: Int32, replica: UInt32, epoch: UInt64, amount: Int64, count: UInt32, began: SyncStamp,
                    trace: UInt32 = 0) {
            self.property = property
            self.replica = replica
            self.epoch = epoch
            self.amount = amount
            self.count = count
            self.began = began
            self.trace = trace
        }
    }

    public var object: SyncObject
    /// The object was deleted.
    public var deleted: SyncEntry?
    /// The object was created, after its deletion if that is given too.
    public var created: SyncEntry?
    public var registers: [Register]
    public var members: [Member]
    /// In the order in which their positions were made.
    public var elements: [Element]
    public var sums: [Sum]

    public init(object: SyncObject, deleted: SyncEntry? = nil, created: SyncEntry? = nil, registers: [Register] = [],
                members: [Member] = [], elements: [Element] = [], sums: [Sum] = []) {
        self.object = object
        self.deleted = deleted
        self.created = created
        self.registers = registers
        self.members = members
        self.elements = elements
        self.sums = sums
    }
}
