import CFreehold
import CShims
import FreeholdEngine

/// The reading side of a snapshot or a transaction: what both answer alike, and what was given out of them.
///
/// 1. Names and long values given out live until the snapshot moves, or the next call on the transaction.
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
    private var isHeld = true
    private var known: KnownClasses?
    private var longValues: [LongValue] = []

    private struct KnownClasses {
        let schemas: [ClassSchema]
        var classes: [ReadClass?]
    }

    init(_ snapshot: Snapshot) {
        source = .snapshot(snapshot)
        thread = 0
    }

    init(_ transaction: WriteTransaction) {
        source = .transaction(transaction)
        thread = UInt(freehold_shim_thread_address())
    }

    /// Must begin every call that reads.
    @inline(__always)
    func use() throws(FreeholdError) {
        if case .transaction = source { try useTransaction() }
        guard isHeld else { throw FreeholdError(.closed, "this reader's snapshot or transaction has ended") }
    }

    private func useTransaction() throws(FreeholdError) {
        guard thread == UInt(freehold_shim_thread_address()) else {
            throw FreeholdError(.notInWrite, "a transaction belongs to the thread that began it; this is another")
        }
        longValues.removeAll()
    }

    /// Drops what was given out; `isHeld` says whether there is something to read now.
    func moved(isHeld: Bool) {
        self.isHeld = isHeld
        known = nil
        longValues.removeAll()
    }

    /// Drops what is known of the schema, after a change of it.
    func schemaChanged() { known = nil }

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
        let opened = ReadClass(try table(known.schemas[Int(number)].name), number, known.schemas)
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

    /// Keeps a copy of a value that the engine put together for one call only.
    func keep(_ bytes: UnsafeRawBufferPointer) -> UnsafeRawPointer {
        let value = LongValue(bytes)
        longValues.append(value)
        return value.start
    }
}

/// A copy of a value's bytes.
///
/// Safe throughout: allocated here with the source's length, never changed, freed with this object.
private final class LongValue {
    let start: UnsafeRawPointer

    init(_ bytes: UnsafeRawBufferPointer) {
        let copy = UnsafeMutableRawBufferPointer.allocate(byteCount: max(bytes.count, 1), alignment: 1)
        copy.copyMemory(from: bytes)
        start = UnsafeRawPointer(copy.baseAddress!)
    }

    deinit { start.deallocate() }
}
