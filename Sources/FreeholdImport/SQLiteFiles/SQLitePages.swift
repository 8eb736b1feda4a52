/// The pages of a database as its last commit left them: from the write-ahead log, or from the file.
///
/// A page is read when it is needed, by `pread`: a file that another process cuts off gives an error, where mapped memory
/// would stop the process.
final class SQLitePages: Sendable {
    let header: SQLiteHeader
    /// The number of pages.
    let count: UInt32
    private let file: SQLiteHandle
    let log: SQLiteLog?

    var pageSize: Int { header.pageSize }
    var usableSize: Int { header.usableSize }

    init(_ file: SQLiteHandle, size: UInt64, log: SQLiteLog?) throws(SourceError) {
        self.file = file
        self.log = log
        let main = try SQLiteHeader(try file.bytes(at: 0, count: SQLiteHeader.count))
        guard let log else {
            header = main
            count = main.pageCount ?? UInt32(clamping: size / UInt64(main.pageSize))
            return
        }
        guard log.pageSize == main.pageSize else {
            throw SourceError(.damaged, "pages have \(log.pageSize) bytes in the write-ahead log, and \(main.pageSize) in the database")
        }
        count = log.pageCount
        guard let offset = log.offset(of: 1) else {
            header = main
            return
        }
        header = try SQLiteHeader(try log.handle.bytes(at: offset, count: SQLiteHeader.count))
        guard header.pageSize == main.pageSize else {
            throw SourceError(.damaged, "the first page in the write-ahead log has another page size")
        }
    }

    /// Reads a page.
    /// - Parameter buffer: memory for one page.
    func read(_ page: UInt32, into buffer: UnsafeMutableRawBufferPointer) throws(SourceError) {
        guard page > 0, page <= count else { throw SourceError(.damaged, "page \(page) is referred to, but the database has \(count)") }
        let read: Int
        if let offset = log?.offset(of: page), let log {
            read = try log.handle.read(at: offset, into: buffer)
        } else {
            read = try file.read(at: offset(of: page), into: buffer)
        }
        guard read == buffer.count else { throw SourceError(.damaged, "the file ends within page \(page)", offset: offset(of: page)) }
    }

    /// Where a page is in the database file, also if the log has a newer one.
    func offset(of page: UInt32) -> UInt64 { (UInt64(page) - (page > 0 ? 1 : 0)) * UInt64(pageSize) }
}

/// Memory for one page.
///
/// Safe throughout: the memory is `count` initialised bytes that this object owns, and every access is within them.
final class SQLitePageBuffer {
    let bytes: UnsafeMutableRawBufferPointer
    let base: UnsafeRawPointer

    init(count: Int) {
        bytes = .allocate(byteCount: count, alignment: 16)
        bytes.initializeMemory(as: UInt8.self, repeating: 0)
        guard let start = bytes.baseAddress else { preconditionFailure("a page has bytes") }
        base = UnsafeRawPointer(start)
    }

    deinit { bytes.deallocate() }

    /// The memory as values of a type without references, of which it has room for the whole number of strides.
    @inline(__always)
    func start<Element: BitwiseCopyable>(of type: Element.Type) -> UnsafeMutablePointer<Element> {
        UnsafeMutableRawPointer(mutating: base).assumingMemoryBound(to: type)
    }
}

/// Big-endian numbers in memory.
///
/// Safe throughout: the callers check that the bytes are within what they hold.
enum SQLiteNumber {
    @inline(__always) static func word16(_ start: UnsafeRawPointer) -> Int {
        Int(UInt16(bigEndian: start.loadUnaligned(as: UInt16.self)))
    }

    @inline(__always) static func word32(_ start: UnsafeRawPointer) -> UInt32 {
        UInt32(bigEndian: start.loadUnaligned(as: UInt32.self))
    }

    /// A varint that ends before `end`: its value and its length; length 0 if it does not end there.
    @inline(__always) static func varint(_ start: UnsafeRawPointer, end: UnsafeRawPointer) -> (value: UInt64, count: Int) {
        guard start < end else { return (0, 0) }
        let first = start.load(as: UInt8.self)
        if first < 0x80 { return (UInt64(first), 1) }
        return longVarint(start, end: end)
    }

    @inline(never) private static func longVarint(_ start: UnsafeRawPointer, end: UnsafeRawPointer) -> (value: UInt64, count: Int) {
        var value: UInt64 = 0
        for index in 0..<9 {
            guard start + index < end else { return (0, 0) }
            let byte = start.load(fromByteOffset: index, as: UInt8.self)
            if index == 8 { return (value << 8 | UInt64(byte), 9) }
            value = value << 7 | UInt64(byte & 0x7F)
            if byte < 0x80 { return (value, index + 1) }
        }
        return (0, 0)
    }

    /// A signed integer of 1, 2, 3, 4, 6 or 8 bytes.
    @inline(__always) static func signed(_ start: UnsafeRawPointer, count: Int) -> Int64 {
        switch count {
        case 1: Int64(start.load(as: Int8.self))
        case 2: Int64(Int16(bigEndian: start.loadUnaligned(as: Int16.self)))
        case 3: Int64(start.load(as: Int8.self)) << 16 | Int64(word16(start + 1))
        case 4: Int64(Int32(bigEndian: start.loadUnaligned(as: Int32.self)))
        case 6: Int64(Int16(bigEndian: start.loadUnaligned(as: Int16.self))) << 32 | Int64(word32(start + 2))
        default: Int64(bigEndian: start.loadUnaligned(as: Int64.self))
        }
    }
}
