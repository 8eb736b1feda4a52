/// Reads the rows of a table one after another, and of each the values that are asked for.
///
/// ```swift
/// let rows = try file.rows(of: table, after: nil)
/// while try rows.next() { print(rows.key, try rows.cell(0)) }
/// ```
///
///     record: | header's count | serial type | serial type | … | value | value | …
///
/// Safe throughout: a record is in a page or in `whole`, which the tree and this class have checked to hold it, and a
/// field is given only if it ends within the record.
final class SQLiteRows {
    let table: SQLiteTable
    let encoding: SQLiteEncoding
    private let tree: SQLiteTree
    private let record: SQLiteRecord
    /// The table's columns: position in the record, -1 for virtual ones, and -2 for the rowid.
    private let places: [Int]
    private let isReal: [Bool]
    private var ordinal: Int64 = -1
    /// The row's rowid; in a table WITHOUT ROWID its position, from 0.
    private(set) var key: Int64 = 0

    init(_ pages: SQLitePages, _ table: SQLiteTable, after key: Int64?, budget: SQLiteBudget? = nil) throws(SourceError) {
        self.table = table
        encoding = pages.header.encoding
        tree = SQLiteTree(pages, root: table.rootPage, isIndex: table.isWithoutRowid, budget: budget ?? SQLiteBudget(pages))
        record = SQLiteRecord(pages, columnCount: table.storedCount)
        places = table.columns.enumerated().map { $0.offset == table.rowidColumn ? -2 : $0.element.place ?? -1 }
        isReal = table.columns.map { $0.affinity == .real }
        try tree.start(after: table.isWithoutRowid ? nil : key)
        while table.isWithoutRowid, let key, ordinal < key {
            guard try tree.next() else { break }
            ordinal += 1
        }
    }

    /// Goes to the next row; false at the end.
    @inline(__always)
    func next() throws(SourceError) -> Bool {
        guard try tree.next() else { return false }
        if table.isWithoutRowid {
            ordinal += 1
            key = ordinal
        } else {
            key = tree.entry.rowid
        }
        try record.read(tree)
        return true
    }

    /// The value of a column where it lies, valid until another one is asked for.
    @inline(__always)
    func field(_ column: Int) throws(SourceError) -> SQLiteField {
        let place = places[column]
        if place < 0 { return place == -2 ? .int(key) : .null }
        let field = try record.field(place, tree)
        // Whole numbers are stored as integers to save space.
        if isReal[column], case .int(let value) = field { return .real(Double(value)) }
        return field
    }

    /// The bytes that the row takes, of which a page has at least the first ones.
    var byteCount: Int { tree.entry.count }

    /// The value of a column.
    func cell(_ column: Int) throws(SourceError) -> SQLiteCell {
        switch try field(column) {
        case .null: return .null
        case .int(let value): return .int(value)
        case .real(let value): return .real(value)
        case .text(let bytes):
            if encoding == .utf8 { return .text(Array(bytes)) }
            var text: [UInt8] = []
            SQLiteText.append(bytes, encoding, to: &text)
            guard text.count > SourceLimits.shortBytes else { return .text(text) }
            return .long(try SQLiteLongValue.text(record.part(tree, Self.range(bytes, of: record)), encoding))
        case .blob(let bytes): return .blob(Array(bytes))
        case .spilled(let isText, let range):
            let part = record.part(tree, range)
            return .long(isText ? try SQLiteLongValue.text(part, encoding) : SQLiteLongValue.bytes(part))
        case .missing:
            if case .value(let cell) = table.columns[column].fallback { return cell }
            return .null
        }
    }

    private static func range(_ bytes: UnsafeRawBufferPointer, of record: SQLiteRecord) -> Range<Int> {
        guard let start = bytes.baseAddress else { return 0..<0 }
        let offset = start - record.base
        return offset..<offset + bytes.count
    }
}

/// The record of the current row, parsed.
///
/// Safe throughout: `base` has `available` bytes, checked by the tree for those in a page and held by `whole` for others;
/// values beyond them are read through the overflow chain.
final class SQLiteRecord {
    private let pages: SQLitePages
    /// By column, the serial type, and the offset of the value after which it ends.
    private var types: [UInt64]
    private var ends: [Int]
    private var count = 0
    private var bodyStart = 0
    private(set) var base: UnsafeRawPointer
    private var available = 0
    private var whole: SQLitePageBuffer
    private var overflow: SQLiteOverflow?
    /// A value that was read from overflow pages.
    private lazy var spilled = SQLitePageBuffer(count: Self.spilledLimit)

    /// Records of no more bytes are put together in memory.
    private static let wholeLimit = 2 * SourceLimits.shortBytes
    private static let headerLimit = 1 << 19
    /// Values of larger records are read into memory up to this size.
    private static let spilledLimit = 16 << 10

    init(_ pages: SQLitePages, columnCount: Int) {
        self.pages = pages
        types = Array(repeating: 0, count: columnCount)
        ends = Array(repeating: 0, count: columnCount)
        whole = SQLitePageBuffer(count: pages.pageSize)
        base = whole.base
    }

    /// Parses the header of the tree's entry.
    @inline(__always)
    func read(_ tree: SQLiteTree) throws(SourceError) {
        guard let start = tree.entry.start else { throw tree.damage("a row has no record") }
        base = start
        available = tree.entry.localCount
        if tree.entry.overflow != 0 || available < tree.entry.count { try gather(tree) }
        let header = SQLiteNumber.varint(base, end: base + available)
        guard header.count > 0, header.value <= UInt64(available) else { throw tree.damage("a row has a header of \(header.value) bytes") }
        try parse(from: header.count, to: Int(header.value), tree)
    }

    @inline(__always)
    private func parse(from first: Int, to headerEnd: Int, _ tree: SQLiteTree) throws(SourceError) {
        let total = tree.entry.count, limit = types.count, end = base + headerEnd
        var at = base + first, offset = headerEnd, index = 0
        bodyStart = headerEnd
        while at < end, index < limit {
            let type = SQLiteNumber.varint(at, end: end)
            guard type.count > 0 else { throw tree.damage("the header of a row ends within a number") }
            at += type.count
            offset += Self.length(type.value)
            guard offset <= total else { throw tree.damage("a value of a row ends outside of it") }
            types[index] = type.value
            ends[index] = offset
            index += 1
        }
        count = index
    }

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
    func field(_ place: Int, _ tree: SQLiteTree) throws(SourceError) -> SQLiteField {
        guard place < count else { return .missing }
        let type = types[place], start = place == 0 ? bodyStart : ends[place - 1], end = ends[place]
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
    private func spilledField(_ type: UInt64, _ range: Range<Int>) throws(SourceError) -> SQLiteField {
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
    private func gather(_ tree: SQLiteTree) throws(SourceError) {
        let entry = tree.entry
        let local = UnsafeRawBufferPointer(start: base, count: entry.localCount)
        var overflow = SQLiteOverflow(pages, local: local, first: entry.overflow, count: entry.count)
        var wanted = entry.count
        if wanted > Self.wholeLimit {
            let header = SQLiteNumber.varint(base, end: base + available)
            guard header.count > 0, header.value <= UInt64(Self.headerLimit) else {
                throw tree.damage("a row has a header of \(header.value) bytes")
            }
            wanted = max(Int(header.value), entry.localCount)
        }
        if whole.bytes.count < wanted { whole = SQLitePageBuffer(count: max(wanted, min(2 * whole.bytes.count, Self.wholeLimit))) }
        try overflow.read(from: 0, into: UnsafeMutableRawBufferPointer(rebasing: whole.bytes[..<wanted]))
        (base, available) = (whole.base, wanted)
        self.overflow = overflow
    }

    /// A range of the record, read later.
    func part(_ tree: SQLiteTree, _ range: Range<Int>) -> SQLiteRecordPart {
        if let overflow, tree.entry.localCount < tree.entry.count { return SQLiteRecordPart(.chain(overflow.separate()), range) }
        return SQLiteRecordPart(.bytes(Array(UnsafeRawBufferPointer(start: base + range.lowerBound, count: range.count))), range)
    }
}
