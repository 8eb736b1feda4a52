/// Walks a b-tree in the order of its keys.
///
///     page:   | header 8 or 12 | cell pointers | free | cells | reserved |      page 1 begins after the file's header
///     header: | type | first free block 2 | cells 2 | start of cells 2 | fragments | rightmost child 4, of inner pages |
///     types:  2 inner index, 5 inner table, 10 leaf index, 13 leaf table
///
/// 1. Every page visited, and every overflow page of an entry, is taken from a budget of the pages that the database has:
///    a sound tree has each once, so a tree that refers to itself, or shares parts, ends with an error. Walks of several
///    trees may share a budget, as sound trees have no page in common.
/// 2. Rowids ascend strictly.
/// 3. The entry lies in the buffer of its level until the next one is asked for.
///
/// A value, not an object: accesses of an object's properties are checked at run time, which costs more than the rows.
///
/// Safe throughout: pointers are into the buffer of a level, whose pages have been read, and every cell is checked to end
/// within the usable bytes of its page before it is read.
struct SQLiteTree {
    /// A page on the way to the entry.
    private struct Level {
        let page: UInt32
        let isLeaf: Bool
        let cellCount: Int
        /// The offset of the cell pointers.
        let pointers: Int
        let rightmost: UInt32
        /// The page.
        let base: UnsafeRawPointer
        /// Leaves that are sought: the next cell. Inner table pages: the next child. Inner index pages: child 0, cell 0, child 1, …
        var step = 0
    }

    let pages: SQLitePages
    private let root: UInt32
    private let isIndex: Bool
    private let usable: Int
    private var levels: [Level] = []
    private var buffers: [SQLitePageBuffer] = []
    /// The leaf whose cells are being read, which is the last level.
    private var leaf: Level?
    private var leafStep = 0
    private var leafCount = 0
    private let budget: SQLiteBudget
    private(set) var entry = SQLiteEntry()

    /// SQLite goes no deeper either.
    private static let maximumDepth = 20

    init(_ pages: SQLitePages, root: UInt32, isIndex: Bool, budget: SQLiteBudget) {
        self.pages = pages
        (self.root, self.isIndex, usable, self.budget) = (root, isIndex, pages.usableSize, budget)
    }

    /// Goes to the first entry of a table whose rowid is greater than `rowid`; nil: to the first.
    mutating func start(after rowid: Int64?) throws(SourceError) {
        levels.removeAll()
        (leaf, leafStep, leafCount) = (nil, 0, 0)
        entry.rowid = rowid ?? Int64.min
        entry.isFirst = rowid == nil
        try push(root)
        guard let rowid else { return }
        while var level = levels.last {
            level.step = try firstCell(of: level, after: rowid)
            levels[levels.count - 1] = level
            if level.isLeaf { return enter(level) }
            try push(try child(of: level, level.step))
            levels[levels.count - 2].step += 1
        }
    }

    /// Goes to the next entry; false at the end.
    @inline(__always)
    mutating func next() throws(SourceError) -> Bool {
        if leafStep < leafCount, let leaf {
            leafStep += 1
            try readCell(leaf, leafStep - 1)
            return true
        }
        return try nextByWalk()
    }

    /// Makes a leaf the one whose cells are read.
    private mutating func enter(_ level: Level) { (leaf, leafStep, leafCount) = (level, level.step, level.cellCount) }

    @inline(never)
    private mutating func nextByWalk() throws(SourceError) -> Bool {
        if let last = levels.last, last.isLeaf {
            if leaf == nil {
                enter(last)
                return try next()
            }
            levels.removeLast()
            (leaf, leafStep, leafCount) = (nil, 0, 0)
        }
        while let level = levels.last {
            let step = level.step
            guard step < (isIndex ? 2 * level.cellCount + 1 : level.cellCount + 1) else {
                levels.removeLast()
                continue
            }
            levels[levels.count - 1].step += 1
            if isIndex, step & 1 == 1 {
                try readCell(level, step / 2)
                return true
            }
            try push(try child(of: level, isIndex ? step / 2 : step))
            if let last = levels.last, last.isLeaf, last.cellCount > 0 {
                enter(last)
                return try next()
            }
            if levels.last?.isLeaf ?? false { levels.removeLast() }
        }
        return false
    }

    func damage(_ message: String, page: UInt32? = nil) -> SourceError {
        let page = page ?? levels.last?.page ?? root
        return SourceError(.damaged, message, offset: pages.offset(of: page))
    }

    // MARK: Pages

    private mutating func push(_ page: UInt32) throws(SourceError) {
        let depth = levels.count
        guard depth < Self.maximumDepth else { throw damage("a tree is deeper than \(Self.maximumDepth) pages") }
        try spend(1)
        if buffers.count == depth { buffers.append(SQLitePageBuffer(count: pages.pageSize)) }
        let buffer = buffers[depth]
        try pages.read(page, into: buffer.bytes)
        let header = page == 1 ? SQLiteHeader.count : 0
        let start = buffer.base + header
        let type = start.load(as: UInt8.self)
        let isLeaf = type >= 10
        guard isIndex ? type == 2 || type == 10 : type == 5 || type == 13 else {
            throw damage("page \(page) is not \(isIndex ? "an index" : "a table") page (type \(type))", page: page)
        }
        let pointers = header + (isLeaf ? 8 : 12)
        let cellCount = SQLiteNumber.word16(start + 3)
        guard pointers + 2 * cellCount <= usable else { throw damage("page \(page) has room for fewer cells than it says", page: page) }
        let rightmost = isLeaf ? 0 : SQLiteNumber.word32(start + 8)
        let level = Level(page: page, isLeaf: isLeaf, cellCount: cellCount, pointers: pointers, rightmost: rightmost, base: buffer.base)
        levels.append(level)
    }

    private func spend(_ count: Int) throws(SourceError) {
        budget.pages -= count
        if budget.pages < 0 { throw damage("a tree refers to more pages than the database has") }
    }

    private func child(of level: Level, _ number: Int) throws(SourceError) -> UInt32 {
        number == level.cellCount ? level.rightmost : SQLiteNumber.word32(try cell(of: level, number))
    }

    // MARK: Cells

    /// The start of a cell, after which at least four bytes are within the page.
    @inline(__always)
    private func cell(of level: Level, _ number: Int) throws(SourceError) -> UnsafeRawPointer {
        let base = level.base
        let offset = SQLiteNumber.word16(base + level.pointers + 2 * number)
        guard offset >= level.pointers + 2 * level.cellCount, offset <= usable - 4 else {
            throw damage("cell \(number) of page \(level.page) is outside of it")
        }
        return base + offset
    }

    /// The number of the first cell whose rowid is greater than `rowid`; the number of cells if none is.
    private func firstCell(of level: Level, after rowid: Int64) throws(SourceError) -> Int {
        var low = 0, high = level.cellCount
        while low < high {
            let middle = (low + high) / 2
            if try self.rowid(of: level, middle) > rowid { high = middle } else { low = middle + 1 }
        }
        return low
    }

    private func rowid(of level: Level, _ number: Int) throws(SourceError) -> Int64 {
        var at = try cell(of: level, number)
        let end = level.base + usable
        at += level.isLeaf ? try varint(at, end, level).count : 4
        return Int64(bitPattern: try varint(at, end, level).value)
    }

    @inline(__always)
    private func varint(
        _ at: UnsafeRawPointer, _ end: UnsafeRawPointer, _ level: Level
    ) throws(SourceError) -> (value: UInt64, count: Int) {
        let result = SQLiteNumber.varint(at, end: end)
        if result.count == 0 { throw damage("a cell of page \(level.page) ends outside of it") }
        return result
    }

    @inline(__always)
    private mutating func readCell(_ level: Level, _ number: Int) throws(SourceError) {
        var at = try cell(of: level, number)
        let end = level.base + usable
        entry.page = level.page
        if !level.isLeaf { at += 4 }
        let size = try varint(at, end, level)
        at += size.count
        if !isIndex {
            let rowid = try varint(at, end, level)
            at += rowid.count
            let key = Int64(bitPattern: rowid.value)
            guard key > entry.rowid || entry.isFirst else { throw damage("the rowids of page \(level.page) do not ascend") }
            entry.rowid = key
            entry.isFirst = false
        }
        guard size.value <= UInt64(Int32.max) else { throw damage("a row of page \(level.page) has \(size.value) bytes") }
        try readPayload(at, count: Int(size.value), end: end, level)
    }

    /// Finds the bytes of the payload that are in the page, and the first page of the others.
    @inline(__always)
    private mutating func readPayload(_ at: UnsafeRawPointer, count: Int, end: UnsafeRawPointer, _ level: Level) throws(SourceError) {
        let maximum = isIndex ? (usable - 12) * 64 / 255 - 23 : usable - 35
        entry.start = at
        entry.count = count
        if count <= maximum {
            guard end - at >= count else { throw damage("a row of page \(level.page) ends outside of it") }
            entry.localCount = count
            entry.overflow = 0
            return
        }
        let minimum = (usable - 12) * 32 / 255 - 23
        let wished = minimum + (count - minimum) % (usable - 4)
        let local = wished <= maximum ? wished : minimum
        guard end - at >= local + 4 else { throw damage("a row of page \(level.page) ends outside of it") }
        entry.localCount = local
        entry.overflow = SQLiteNumber.word32(at + local)
        try spend((count - local + usable - 5) / (usable - 4))
    }
}

/// The pages that may still be visited.
final class SQLiteBudget {
    fileprivate var pages: Int

    init(_ pages: SQLitePages) { self.pages = Int(pages.count) }
}

/// An entry of a b-tree: a row's key, and where its record is.
struct SQLiteEntry {
    var rowid = Int64.min
    /// The page it is in.
    fileprivate(set) var page: UInt32 = 0
    /// Whether no entry has been read yet.
    fileprivate(set) var isFirst = true
    /// The bytes of the record that are in the page.
    fileprivate(set) var start: UnsafeRawPointer?
    fileprivate(set) var localCount = 0
    /// The bytes of the whole record.
    fileprivate(set) var count = 0
    /// The first page of the bytes that are not in the page; 0 if all are.
    fileprivate(set) var overflow: UInt32 = 0
}
