import FreeholdEngine

/// A row by columns, as a database keeps it: single values one by one, what the merge knows of each as arrays by the property's number,
/// and a collection as one value.
///
/// 1. Arrays of `registers` have an element for each property of the class, or fewer: what is missing was never written.
/// 2. `StoredRow(columns, …)` takes whatever a database gives, and throws where no row has it so.
public struct RowColumns: Hashable, Sendable {
    public var isAlive = true
    public var last: UInt64 = 0
    public var birth: UInt64 = 0
    public var births: [UInt32] = []
    public var death: UInt64 = 0
    public var killer: UInt32 = 0
    /// Replicas that have changed the object, and the last transaction of each.
    public var writers: [UInt32] = []
    public var seen: [UInt64] = []
    /// The single properties.
    public var registers = Registers()
    /// Sums of counters by property, ascending.
    public var counters: [Counter] = []
    /// Collections by property, ascending: their entries, members or elements with all that the merge knows of them.
    public var collections: [Collection] = []

    /// Single properties: an element of each array is one of them.
    public struct Registers: Hashable, Sendable {
        /// Their values.
        public var values: [SyncValue] = []
        public var stamps: [UInt64] = []
        public var replicas: [UInt32] = []
        public var epochs: [UInt64] = []
        public var written: [UInt64] = []
        public var given: [UInt64] = []
        public var instances: [UInt64] = []
        /// For tests; zeros otherwise.
        public var traces: [UInt32] = []

        public init() {}
    }

    /// The sum of a counter.
    public struct Counter: Hashable, Sendable {
        public var property: Int32
        public var sum: Int64

        public init(property: Int32, sum: Int64) { (self.property, self.sum) = (property, sum) }
    }

    /// A collection as one value.
    public struct Collection: Hashable, Sendable {
        public var property: Int32
        public var bytes: [UInt8]

        public init(property: Int32, bytes: [UInt8]) { (self.property, self.bytes) = (property, bytes) }
    }

    public init() {}
}

extension StoredRow {
    /// The row by columns.
    public var columns: RowColumns {
        var made = RowColumns()
        (made.isAlive, made.last, made.birth, made.births) = (isAlive, last, birth, births)
        (made.death, made.killer) = death
        (made.writers, made.seen) = (changed.pairs.map(\.replica), changed.pairs.map(\.transaction))
        made.registers.values = registers.map(\.value)
        made.registers.stamps = registers.map(\.stamp.rawValue)
        made.registers.replicas = registers.map(\.replica)
        made.registers.epochs = registers.map(\.epoch)
        made.registers.written = registers.map(\.transaction)
        made.registers.given = registers.map(\.given.rawValue)
        made.registers.instances = registers.map(\.instance.rawValue)
        made.registers.traces = registers.map(\.trace)
        made.counters = counters.sorted { $0.key < $1.key }.map { .init(property: $0.key, sum: $0.value) }
        made.collections = collections
        return made
    }

    /// The row that a database has.
    ///
    /// - Throws: `.corrupt` with what is wrong.
    public init(_ columns: RowColumns, of type: Int32, _ schema: SyncSchema) throws(FreeholdError) {
        let properties = schema.classes[Int(type)].properties
        self.init(transaction: columns.last, propertyCount: properties.count)
        (isAlive, birth, births, death) = (columns.isAlive, columns.birth, columns.births, (columns.death, columns.killer))
        guard columns.writers.count == columns.seen.count, Set(columns.writers).count == columns.writers.count else {
            throw Self.damaged("as many writers as transactions", type, schema)
        }
        for (writer, transaction) in zip(columns.writers, columns.seen) { changed[writer] = transaction }
        try read(columns.registers, type, schema)
        for one in columns.counters {
            guard properties.indices.contains(Int(one.property)) else { throw Self.damaged("counters that it has", type, schema) }
            counters[one.property] = one.sum
        }
        for one in columns.collections {
            guard properties.indices.contains(Int(one.property)) else { throw Self.damaged("collections that it has", type, schema) }
            try read(one, properties[Int(one.property)].kind, schema)
        }
    }

    private mutating func read(_ columns: RowColumns.Registers, _ type: Int32, _ schema: SyncSchema) throws(FreeholdError) {
        let count = columns.stamps.count
        let lengths = [columns.values.count, columns.replicas.count, columns.epochs.count, columns.written.count, columns.given.count,
                       columns.instances.count, columns.traces.count]
        guard count <= registers.count, lengths.allSatisfy({ $0 == count }) else {
            throw Self.damaged("\(registers.count) properties", type, schema)
        }
        for place in 0..<count {
            registers[place] = StoredRegister(
                value: columns.values[place], stamp: SyncStamp(rawValue: columns.stamps[place]), transaction: columns.written[place],
                epoch: columns.epochs[place], given: SyncStamp(rawValue: columns.given[place]),
                instance: SyncIdentity(rawValue: columns.instances[place]), replica: columns.replicas[place], trace: columns.traces[place])
        }
    }

    private static func damaged(_ what: String, _ type: Int32, _ schema: SyncSchema) -> FreeholdError {
        FreeholdError(.corrupt, "a row of class \(schema.classes[Int(type)].name) at the sync server is damaged: expected \(what); "
            + "restore its table from a backup")
    }
}
