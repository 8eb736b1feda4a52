/// An object as the server has it.
public struct SyncRow: Hashable, Sendable {
    /// A value, and the write that it is of.
    public struct Register: Hashable, Sendable {
        public var path: SyncPath
        public var value: SyncValue
        public var stamp: SyncStamp
        /// The writer, as a number of the message's table.
        public var replica: UInt32
        /// Whether another replica has written it since the cursor that was asked with.
        public var isFresh: Bool
        /// A number by which a test follows the write. It is not sent.
        public var trace: UInt32

        public init(path: SyncPath, value: SyncValue, stamp: SyncStamp, replica: UInt32, isFresh: Bool, trace: UInt32 = 0) {
            self.path = path
            self.value = value
            self.stamp = stamp
            self.replica = replica
            self.isFresh = isFresh
            self.trace = trace
        }
    }

    /// The sum of a counter.
    public struct Counter: Hashable, Sendable {
        public var property: Int32
        public var sum: Int64

        public init(property: Int32, sum: Int64) {
            self.property = property
            self.sum = sum
        }
    }

    /// An element of a set.
    public struct Member: Hashable, Sendable {
        public var property: Int32
        public var element: SyncValue
        /// Whether another replica has added it since the cursor that was asked with.
        public var isFresh: Bool

        public init(property: Int32, element: SyncValue, isFresh: Bool) {
            self.property = property
            self.element = element
            self.isFresh = isFresh
        }
    }

    /// An element of a list, and where it stands.
    public struct Element: Hashable, Sendable {
        public var identity: SyncIdentity
        public var position: SyncIdentity
        public var value: SyncValue
        /// A number by which a test follows the value. It is not sent.
        public var trace: UInt32

        public init(identity: SyncIdentity, position: SyncIdentity, value: SyncValue, trace: UInt32 = 0) {
            self.identity = identity
            self.position = position
            self.value = value
            self.trace = trace
        }
    }

    /// The elements of a list, in order.
    public struct List: Hashable, Sendable {
        public var property: Int32
        public var elements: [Element]

        public init(property: Int32, elements: [Element]) {
            self.property = property
            self.elements = elements
        }
    }

    public var object: SyncObject
    /// Whether another replica has changed the object since the cursor that was asked with.
    public var hasOthers: Bool
    /// Whether this life of the object began since then, and the replica that asks has no part in it.
    public var isBorn: Bool
    public var registers: [Register]
    public var counters: [Counter]
    public var members: [Member]
    public var lists: [List]

    public init(object: SyncObject, hasOthers: Bool = false, isBorn: Bool = false, registers: [Register] = [], counters: [Counter] = [],
                members: [Member] = [], lists: [List] = []) {
        self.object = object
        self.hasOthers = hasOthers
        self.isBorn = isBorn
        self.registers = registers
        self.counters = counters
        self.members = members
        self.lists = lists
    }
}
