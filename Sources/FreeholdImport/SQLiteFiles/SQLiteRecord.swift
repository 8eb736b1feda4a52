/// The record of the current row, parsed.
///
/// Safe throughout: `base` has `available` bytes, checked by the tree for those in a page and held by `whole` for others;
/// values beyond them are read through the overflow chain.
struct SQLiteRecord {
    /// The serial type of a value, and the offset at which it ends.
    private typealias Slot = (type: UInt64, end: Int)

    private let pages: SQLitePages
    private let columnCount: Int
    private let slots: SQLitePageBuffer
    private var entry = SQLiteEntry()
    private var count = 0
    private var bodyStart = 0
    private var base: UnsafeRawPointer
    private var available = 0
    private var whole: SQLitePageBuffer
    private var overflow: SQLiteOverflow?
    /// A value that was read from overflow pages.
    private let spilled: SQLitePageBuffer

    /// Records of no more bytes are put together in memory.
    private static let wholeLimit = 2 * SourceLimits.shortBytes
    private static let headerLimit = 1 << 19
    /// Values of larger records are read into memory up to this size.
    private static let spilledLimit = 16 << 10

    init(_ pages: SQLitePages, columnCount: Int) {
        self.pages = pages
        self.columnCount = columnCount
        slots = SQLitePageBuffer(count: max(1, columnCount) * MemoryLayout<Slot>.stride)
        spilled = SQLitePageBuffer(count: Self.spilledLimit)
        whole = SQLitePageBuffer(count: pages.pageSize)
        base = whole.base
    }

    /// Parses the header of an entry, which stays where it is as long as the record is used.
    @inline(__always)
    mutating func read(_ entry: SQLiteEntry) throws(SourceError) {
        guard let start = entry.start else { throw damage("a row has no record") }
        self.entry = entry
        base = start
        available = entry.localCount
        if available < entry.count { try gather() }
        let header = SQLiteNumber.varint(base, end: base + available)
        guard header.count > 0, header.value <= UInt64(available) else { throw damage("a row has a header of \(header.value) bytes") }
        try parse(from: header.count, to: Int(header.value))
    }

    @inline(__always)
    private mutating func parse(from first: Int, to headerEnd: Int) throws(SourceError) {
        let total = entry.count, limit = columnCount, end = base + headerEnd
        let slots = slots.start(of: Slot.self)
        var at = base + first, offset = headerEnd, index = 0
        bodyStart = headerEnd
        while at < end, index < limit {
            let type = SQLiteNumber.varint(at, end: end)
            guard type.count > 0 else { throw damage("the header of a row ends within a number") }
            at += type.count
            offset += Self.length(type.value)
            guard offset <= total else { throw damage("a value of a row ends outside of it") }
            slots[index] = (type.value, offset)
            index += 1
        }
        count = index
    }

    private func damage(_ message: String) -> SourceError { SourceError(.damaged, message, offset: pages.offset(of: entry.page)) }

    /// The bytes of a value; more than any record has for values that are too long.
    @inline(__always)
    private static func length(_ type: UInt64) -> Int {
        switch type {
        case 0, 8, 9: 0
        case 1, 2, 3, 4: Int(type)
        case 5: 6
        case 6, 7: 8
        case 10, 11: 1 << 40
        default: type > 1 << 40 ? 1 << 40 : Int(type - 12) / 2
        }
    }

    @inline(__always)
    mutating func field(_ place: Int) throws(SourceError) -> SQLiteField {
        guard place < count else { return .missing }
        let slots = slots.start(of: Slot.self)
        let (type, end) = slots[place], start = place == 0 ? bodyStart : slots[place - 1].end
        switch type {
        case 0: return .null
        case 8: return .int(0)
        case 9: return .int(1)
        default: break
        }
        guard end <= available else { return try spilledField(type, start..<end) }
        switch type {
        case 1...6: return .int(SQLiteNumber.signed(base + start, count: end - start))
        case 7: return Self.real(base + start)
        default:
            let bytes = UnsafeRawBufferPointer(start: base + start, count: end - start)
            if bytes.count > SourceLimits.shortBytes { return .spilled(isText: type & 1 == 1, start..<end) }
            return type & 1 == 1 ? .text(bytes) : .blob(bytes)
        }
    }

    /// SQLite reads a number that is none as null.
    @inline(__always)
    private static func real(_ start: UnsafeRawPointer) -> SQLiteField {
        let value = Double(bitPattern: UInt64(bitPattern: SQLiteNumber.signed(start, count: 8)))
        return value.isNaN ? .null : .real(value)
    }

    /// A value of a large record: short ones are read into memory.
    private mutating func spilledField(_ type: UInt64, _ range: Range<Int>) throws(SourceError) -> SQLiteField {
        if type > 9, range.count > Self.spilledLimit { return .spilled(isText: type & 1 == 1, range) }
        let kept = spilled
        try overflow?.read(from: range.lowerBound, into: UnsafeMutableRawBufferPointer(rebasing: kept.bytes[..<range.count]))
        switch type {
        case 1...6: return .int(SQLiteNumber.signed(kept.base, count: range.count))
        case 7: return Self.real(kept.base)
        default:
            let bytes = UnsafeRawBufferPointer(start: kept.base, count: range.count)
            return type & 1 == 1 ? .text(bytes) : .blob(bytes)
        }
    }

    /// Puts the record together, or its header if it is large.
    @inline(never)
    private mutating func gather() throws(SourceError) {
        let local = UnsafeRawBufferPointer(start: base, count: entry.localCount)
        var overflow = SQLiteOverflow(pages, local: local, first: entry.overflow, count: entry.count)
        var wanted = entry.count
        if wanted > Self.wholeLimit {
            let header = SQLiteNumber.varint(base, end: base + available)
            guard header.count > 0, header.value <= UInt64(Self.headerLimit) else {
                throw damage("a row has a header of \(header.value) bytes")
            }
            wanted = max(Int(header.value), entry.localCount)
        }
        if whole.bytes.count < wanted { whole = SQLitePageBuffer(count: max(wanted, min(2 * whole.bytes.count, Self.wholeLimit))) }
        try overflow.read(from: 0, into: UnsafeMutableRawBufferPointer(rebasing: whole.bytes[..<wanted]))
        (base, available) = (whole.base, wanted)
        self.overflow = overflow
    }

    /// A range of the record, read later.
    func part(_ range: Range<Int>) -> SQLiteRecordPart {
        if let overflow, entry.localCount < entry.count { return SQLiteRecordPart(.chain(overflow.separate()), range) }
        return SQLiteRecordPart(.bytes(Array(UnsafeRawBufferPointer(start: base + range.lowerBound, count: range.count))), range)
    }
}
