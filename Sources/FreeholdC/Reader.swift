import CFreehold
import CShims
import FreeholdEngine

/// The reading side of a snapshot or a transaction: what both answer alike, and what was given out of them.
///
/// 1. Names and values given out live until the snapshot moves, or until the next call on the transaction returns.
/// 2. Once ended, it answers with `.closed`, whoever still holds it.
final class Reader: Handled {
    static let kind = HandleKind.reader

    enum Source {
        case snapshot(Snapshot)
        case transaction(WriteTransaction)
    }

    let source: Source
    /// The thread a transaction belongs to; 0 for a snapshot.
    private let thread: UInt
    // Safe (all exclusivity below): a reader is used by one thread at a time, and none of its calls enters it again.
    @exclusivity(unchecked) private var isHeld = true
    @exclusivity(unchecked) private var known: KnownClasses?
    /// Counts what makes anything looked up before out of date: moves, ends and changes of the schema.
    @exclusivity(unchecked) private(set) var generation: UInt64 = 0
    /// Whether a callback may be running in the midst of a change.
    @exclusivity(unchecked) private var isChanging = false
    /// Of a snapshot's.
    let recentRows: UnsafeMutablePointer<RecentRows>?
    /// What was given out and does not lie in the database; what a transaction's last call gave may still be an argument of this one.
    @exclusivity(unchecked) private(set) var memory = ValueMemory()
    @exclusivity(unchecked) private var lastMemory = ValueMemory()

    private struct KnownClasses {
        let schemas: [ClassSchema]
        var classes: [ReadClass?]
        /// The engine's numbers of classes, by C's, and the other way round: other numbers once a class was dropped.
        var engineNumbers: [Int]?
        var numbers: [Int: freehold_class_t] = [:]
    }

    init(_ snapshot: Snapshot) {
        source = .snapshot(snapshot)
        thread = 0
        recentRows = RecentRows.make()
    }

    init(_ transaction: WriteTransaction) {
        source = .transaction(transaction)
        thread = UInt(freehold_shim_thread_number())
        recentRows = nil
    }

    // Safe: the handle that names it ends before the reader does, and is not used meanwhile.
    deinit { if let recentRows { RecentRows.free(recentRows) } }

    /// Must begin every call that reads.
    @inline(__always)
    func use() throws(FreeholdError) {
        if case .transaction = source { try useTransaction() }
        guard isHeld else { throw FreeholdError(.closed, "this reader's snapshot or transaction has ended") }
    }

    private func useTransaction() throws(FreeholdError) {
        guard thread == UInt(freehold_shim_thread_number()) else {
            throw FreeholdError(.notInWrite, "a transaction belongs to the thread that began it; this is another")
        }
        swap(&memory, &lastMemory)
        memory.clear()
    }

    /// Runs a change that calls callbacks: these may read through the transaction, and neither change nor end it.
    func change<Result>(_ body: () throws -> Result) rethrows -> Result {
        isChanging = true
        // What the last call lent may be what this one takes in: the callbacks' calls lend of other memory.
        let lent = lastMemory
        lastMemory = ValueMemory()
        defer {
            lastMemory = lent
            isChanging = false
        }
        return try body()
    }

    /// Must begin every call that changes or ends the transaction.
    @inline(__always)
    func requireUnchanging() throws(FreeholdError) {
        guard !isChanging else {
            throw FreeholdError(.invalidArgument, "this transaction is being changed by the function that called the callback; change it afterwards")
        }
    }

    /// Drops what was given out; `isHeld` says whether there is something to read now.
    func moved(isHeld: Bool) {
        self.isHeld = isHeld
        recentRows?.pointee.forget()  // Safe: it lives as long as this.
        known = nil
        generation += 1
        memory.clear()
    }

    /// The snapshot was refreshed, and shows the same version: what was looked up is good, what was given out is not.
    func stayed() { memory.clear() }

    /// Whether there is something to read.
    var canStay: Bool { isHeld }

    /// Drops what is known of the schema, after a change of it.
    func schemaChanged() {
        known = nil
        generation += 1
    }

    /// The transaction that this is the reading side of; throws where it is a snapshot's.
    func transaction() throws(FreeholdError) -> WriteTransaction {
        try requireUnchanging()
        if case .transaction(let transaction) = source { return transaction }
        throw FreeholdError(.notInWrite, "this was read through a snapshot; to change it, begin with the transaction's reader")
    }

    /// The snapshot that this is the reading side of; throws where it is a transaction's.
    func snapshot() throws(FreeholdError) -> Snapshot {
        if case .snapshot(let snapshot) = source { return snapshot }
        throw FreeholdError(.invalidArgument, "this is a transaction's reader; a snapshot's is needed")
    }

    /// Whether what was looked up is out of date at the next change.
    var isTransaction: Bool { thread != 0 }

    var version: Version {
        switch source {
        case .snapshot(let snapshot): snapshot.version
        case .transaction(let transaction): transaction.version
        }
    }

    /// The number by which programs count the versions of their classes; nil if none is set.
    func schemaVersion() throws(FreeholdError) -> UInt64? {
        switch source {
        case .snapshot(let snapshot): try snapshot.schemaVersion
        case .transaction(let transaction): transaction.schemaVersion
        }
    }

    /// Every class, by number.
    func schemas() throws(FreeholdError) -> [ClassSchema] { try knownClasses().schemas }

    /// The class of this number.
    @inline(__always)
    func readClass(_ number: freehold_class_t) throws(FreeholdError) -> ReadClass {
        if let known, number < known.classes.count, let open = known.classes[Int(number)] { return open }
        return try open(number)
    }

    private func open(_ number: freehold_class_t) throws(FreeholdError) -> ReadClass {
        let known = try knownClasses()
        guard number < known.schemas.count else {
            throw FreeholdError(.unknownClass, "there is no class number \(number); there are \(known.schemas.count)")
        }
        let opened = ReadClass(self, try table(known.schemas[Int(number)].name), number, known.schemas)
        self.known?.classes[Int(number)] = opened
        return opened
    }

    private func table(_ name: String) throws(FreeholdError) -> Table {
        switch source {
        case .snapshot(let snapshot): try snapshot.table(name)
        case .transaction(let transaction): try transaction.table(name)
        }
    }

    private func knownClasses() throws(FreeholdError) -> KnownClasses {
        if let known { return known }
        let schemas = switch source {
        case .snapshot(let snapshot): try snapshot.classes
        case .transaction(let transaction): transaction.classes
        }
        let fresh = KnownClasses(schemas: schemas, classes: Array(repeating: nil, count: schemas.count))
        known = fresh
        return fresh
    }

    /// The class that has an object which a mixed property links to.
    func table(of object: ObjectReference) throws(FreeholdError) -> Table {
        switch source {
        case .snapshot(let snapshot): try snapshot.table(of: object)
        case .transaction(let transaction): try transaction.table(of: object)
        }
    }

    /// The class so named.
    func readClass(named name: String) throws(FreeholdError) -> ReadClass {
        guard let number = try knownClasses().schemas.firstIndex(where: { $0.name.isSame(as: name) }) else {
            throw FreeholdError(.unknownClass, "there is no class '\(name)' any more")
        }
        return try readClass(freehold_class_t(number))
    }
}

/// Links of mixed properties lead to any class, which the engine numbers in its own way.
extension Reader {
    /// The engine's name of an object.
    func reference(to link: freehold_link_t) throws(FreeholdError) -> ObjectReference {
        let numbers = try engineNumbers()
        guard link.object_class < numbers.count else {
            throw FreeholdError(.unknownClass, "there is no class number \(link.object_class); there are \(numbers.count)")
        }
        return ObjectReference(classNumber: numbers[Int(link.object_class)], key: ObjectKey(link.key))
    }

    /// C's name of an object: by its own class, where that extends the one whose objects it stands among.
    func link(to object: ObjectReference) throws(FreeholdError) -> freehold_link_t {
        _ = try engineNumbers()
        let number = known?.numbers[object.classNumber] ?? ReadClass.none
        return freehold_link_t(key: object.key.rawValue, object_class: number)
    }

    private func engineNumbers() throws(FreeholdError) -> [Int] {
        if let numbers = known?.engineNumbers { return numbers }
        let count = try knownClasses().schemas.count
        var numbers: [Int] = []
        for number in 0..<count {
            let table = try readClass(freehold_class_t(number)).table
            numbers.append(table.reference(to: ObjectKey(0)).classNumber)
        }
        // Those that extend another one have that one's number, and come behind it.
        for (number, engineNumber) in numbers.enumerated().reversed() { known?.numbers[engineNumber] = freehold_class_t(number) }
        known?.engineNumbers = numbers
        return numbers
    }
}
