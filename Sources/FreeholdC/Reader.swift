import CFreehold
import CShims
import FreeholdEngine

/// The reading side of a snapshot or a transaction: calls that both support, and the memory of what they returned.
///
/// 1. Names and values returned are valid until the snapshot moves, or until the next call on the transaction returns.
/// 2. An ended reader throws `.closed`, even if something still refers to it.
final class Reader: Handled {
    static let kind = HandleKind.reader

    enum Source {
        case snapshot(Snapshot)
        case transaction(WriteTransaction)
    }

    let source: Source
    /// The thread that a transaction belongs to; 0 for a snapshot.
    private let thread: UInt
    // Safe (all exclusivity below): a reader is used by one thread at a time, and none of its calls enters it again.
    @exclusivity(unchecked) private var isHeld = true
    @exclusivity(unchecked) private var known: KnownClasses?
    /// The count of events that invalidate earlier look-ups: moves, ends and schema changes.
    @exclusivity(unchecked) private(set) var generation: UInt64 = 0
    /// Whether a callback may be running within a change.
    @exclusivity(unchecked) private var isChanging = false
    /// The recent rows of a snapshot; nil for a transaction.
    let recentRows: UnsafeMutablePointer<RecentRows>?
    /// Returned values that do not lie in the database. Those of a transaction's last call may still be arguments of
    /// the present one.
    @exclusivity(unchecked) private(set) var memory = ValueMemory()
    @exclusivity(unchecked) private var lastMemory = ValueMemory()

    private struct KnownClasses {
        let schemas: [ClassSchema]
        var classes: [ReadClass?]
        /// The engine's class numbers by C's, and the reverse; the numbers differ once a class was dropped.
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

    // Safe: the handle that refers to it ends before the reader does, and is not used meanwhile.
    deinit { if let recentRows { RecentRows.free(recentRows) } }

    /// Checks that the reader can be used. Every call that reads must begin with it.
    @inline(__always)
    func use() throws(FreeholdError) {
        if case .transaction = source { try useTransaction() }
        guard isHeld else { throw FreeholdError(.closed, "this reader's snapshot or transaction has ended") }
    }

    private func useTransaction() throws(FreeholdError) {
        guard thread == UInt(freehold_shim_thread_number()) else {
            throw FreeholdError(.notInWrite, "a transaction belongs to the thread that began it; call from that thread")
        }
        swap(&memory, &lastMemory)
        memory.clear()
    }

    /// Runs a change that calls callbacks: these may read through the transaction, but neither change nor end it.
    func change<Result>(_ body: () throws -> Result) rethrows -> Result {
        isChanging = true
        // The change's arguments may be borrowed from the last call, so the callbacks' calls use other memory.
        let lent = lastMemory
        lastMemory = ValueMemory()
        defer {
            lastMemory = lent
            isChanging = false
        }
        return try body()
    }

    /// Throws within a change. Every call that changes or ends the transaction must begin with it.
    @inline(__always)
    func requireUnchanging() throws(FreeholdError) {
        guard !isChanging else {
            throw FreeholdError(.invalidArgument, "the function that called the callback is changing this transaction; change it after that function returns")
        }
    }

    /// Invalidates everything returned; `isHeld` tells whether there is a version to read now.
    func moved(isHeld: Bool) {
        self.isHeld = isHeld
        recentRows?.pointee.forget()  // Safe: it lives as long as the reader.
        known = nil
        generation += 1
        memory.clear()
    }

    /// Frees returned values after a refresh that found no newer version; look-ups stay valid.
    func stayed() { memory.clear() }

    /// Whether there is a version to read.
    var canStay: Bool { isHeld }

    /// Discards the cached schema after a schema change.
    func schemaChanged() {
        known = nil
        generation += 1
    }

    /// The transaction of this reader; throws for a snapshot's reader.
    func transaction() throws(FreeholdError) -> WriteTransaction {
        try requireUnchanging()
        if case .transaction(let transaction) = source { return transaction }
        throw FreeholdError(.notInWrite, "this was read through a snapshot; to change it, read it through the transaction's reader")
    }

    /// The snapshot of this reader; throws for a transaction's reader.
    func snapshot() throws(FreeholdError) -> Snapshot {
        if case .snapshot(let snapshot) = source { return snapshot }
        throw FreeholdError(.invalidArgument, "this is a transaction's reader; a snapshot's is needed")
    }

    /// Whether the next change may invalidate look-ups.
    var isTransaction: Bool { thread != 0 }

    var version: Version {
        switch source {
        case .snapshot(let snapshot): snapshot.version
        case .transaction(let transaction): transaction.version
        }
    }

    /// The version number of the program's classes; nil if none is set.
    func schemaVersion() throws(FreeholdError) -> UInt64? {
        switch source {
        case .snapshot(let snapshot): try snapshot.schemaVersion
        case .transaction(let transaction): transaction.schemaVersion
        }
    }

    /// All classes, by number.
    func schemas() throws(FreeholdError) -> [ClassSchema] { try knownClasses().schemas }

    /// The class with a number.
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

    /// The table of an object that a mixed property links to.
    func table(of object: ObjectReference) throws(FreeholdError) -> Table {
        switch source {
        case .snapshot(let snapshot): try snapshot.table(of: object)
        case .transaction(let transaction): try transaction.table(of: object)
        }
    }

    /// The class with a name.
    func readClass(named name: String) throws(FreeholdError) -> ReadClass {
        guard let number = try knownClasses().schemas.firstIndex(where: { $0.name.isSame(as: name) }) else {
            throw FreeholdError(.unknownClass, "class '\(name)' no longer exists")
        }
        return try readClass(freehold_class_t(number))
    }
}

/// Links of mixed properties: they lead to any class, and the engine numbers classes differently from C.
extension Reader {
    /// Converts a link to the engine's object reference.
    func reference(to link: freehold_link_t) throws(FreeholdError) -> ObjectReference {
        let numbers = try engineNumbers()
        guard link.object_class < numbers.count else {
            throw FreeholdError(.unknownClass, "there is no class number \(link.object_class); there are \(numbers.count)")
        }
        return ObjectReference(classNumber: numbers[Int(link.object_class)], key: ObjectKey(link.key))
    }

    /// Converts the engine's object reference to a link; `object_class` is the object's own class, even if that extends
    /// another.
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
        // A subclass has the engine's number of its superclass, and follows it.
        for (number, engineNumber) in numbers.enumerated().reversed() { known?.numbers[engineNumber] = freehold_class_t(number) }
        known?.engineNumbers = numbers
        return numbers
    }
}
