import FreeholdEngine

/// An object at the server, alive or deleted. Replicas are numbers of the store's table.
public struct StoredRow: Sendable {
    /// Whether it is not deleted. A deleted one is kept for the retention, and of a class whose updates win with its values.
    public var isAlive = true
    /// The transaction that changed it last, and the one in which this life began.
    public var last: UInt64
    public internal(set) var birth: UInt64
    /// The replicas whose creation this life has.
    var births: [UInt32] = []
    /// The transaction and the replica of the deletion.
    var death: (transaction: UInt64, replica: UInt32) = (0, 0)
    /// The last transaction in which each replica has changed the object.
    var changed = TransactionsByReplica()
    /// Values of properties by number; what was never written has stamp `.none`.
    public internal(set) var registers: [StoredRegister] = []
    /// Entries of maps, by property and key.
    public internal(set) var entries: [SyncPath: StoredRegister] = [:]
    /// Sums of counters by property.
    public internal(set) var counters: [Int32: Int64] = [:]
    /// Additions to sets that no removal has taken.
    var members: [StoredMember: TransactionsByReplica] = [:]
    var lists: [Int32: StoredList] = [:]

    init(transaction: UInt64, propertyCount: Int) {
        last = transaction
        birth = transaction
        registers = Array(repeating: StoredRegister(), count: propertyCount)
    }

    /// The value of a property, null if it was never written.
    public func value(of property: Int32) -> SyncValue { registers[Int(property)].value }

    mutating func wipe() {
        registers = Array(repeating: StoredRegister(), count: registers.count)
        entries = [:]
        counters = [:]
        members = [:]
        lists = [:]
    }

    mutating func note(_ replica: UInt32, _ transaction: UInt64) {
        last = transaction
        changed[replica] = transaction
    }
}

/// A value, and the write that it is of.
public struct StoredRegister: Sendable {
    /// The value.
    public internal(set) var value = SyncValue.null
    /// The stamp that the server has given it; `.none` if nothing was written.
    public internal(set) var stamp = SyncStamp.none
    var transaction: UInt64 = 0
    var epoch: UInt64 = 0
    /// The stamp of its writer, if the server has given another one.
    var given = SyncStamp.none
    /// The embedded object that has the property.
    var instance = SyncIdentity.none
    var replica: UInt32 = 0
    /// A number by which a test follows the write.
    public internal(set) var trace: UInt32 = 0

    /// Whether it was ever written.
    public var isWritten: Bool { stamp != .none }
}

/// Of which write a value or a position is.
struct StoredWrite: Sendable {
    var stamp: SyncStamp
    var replica: UInt32
    var epoch: UInt64
    /// The stamp of its writer, if the server has given another one.
    var given: SyncStamp
    var transaction: UInt64
}

extension StoredRegister {
    var write: StoredWrite { StoredWrite(stamp: stamp, replica: replica, epoch: epoch, given: given, transaction: transaction) }
}

/// An element of a set of an object.
struct StoredMember: Hashable, Sendable {
    let property: Int32
    let element: SyncValue
}

/// A transaction for each of a few replicas.
struct TransactionsByReplica: Sendable {
    private(set) var pairs: [(replica: UInt32, transaction: UInt64)] = []

    var isEmpty: Bool { pairs.isEmpty }

    subscript(_ replica: UInt32) -> UInt64? {
        get { pairs.first { $0.replica == replica }?.transaction }
        set {
            if let index = pairs.firstIndex(where: { $0.replica == replica }) {
                if let newValue { pairs[index].transaction = newValue } else { pairs.remove(at: index) }
            } else if let newValue {
                pairs.append((replica, newValue))
            }
        }
    }
}
