/// Reads parts of a record whose bytes continue in a chain of overflow pages.
///
///     overflow page: | next page 4, or 0 | bytes |
///
/// A part after the one read last continues there; an earlier one begins anew.
///
/// Safe throughout: what is copied is checked against the destination's count and the page's usable bytes.
struct SQLiteOverflow {
    private let pages: SQLitePages
    private let first: UInt32
    /// The bytes of the record before those of the chain.
    private let local: [UInt8]
    private let count: Int
    private var buffer: SQLitePageBuffer
    /// The page in the buffer, 0 if none is, and the offset of its bytes in the record.
    private var page: UInt32 = 0
    private var pageStart = 0

    init(_ pages: SQLitePages, local: UnsafeRawBufferPointer, first: UInt32, count: Int) {
        self.pages = pages
        (self.first, self.local, self.count) = (first, Array(local), count)
        buffer = SQLitePageBuffer(count: pages.pageSize)
    }

    /// A reader of the same record with a state of its own.
    func separate() -> SQLiteOverflow {
        var copy = self
        copy.buffer = SQLitePageBuffer(count: pages.pageSize)
        copy.page = 0
        return copy
    }

    /// Copies the bytes of the record from `start` on.
    mutating func read(from start: Int, into destination: UnsafeMutableRawBufferPointer) throws(SourceError) {
        var at = start, done = 0
        if at < local.count {
            done = min(local.count - at, destination.count)
            destination.copyBytes(from: local[at..<at + done])
            at += done
        }
        while done < destination.count {
            try load(at)
            let available = pageStart + pages.usableSize - 4 - at
            let part = min(available, destination.count - done)
            let bytes = UnsafeRawBufferPointer(start: buffer.base + 4 + at - pageStart, count: part)
            UnsafeMutableRawBufferPointer(rebasing: destination[done..<done + part]).copyMemory(from: bytes)
            at += part
            done += part
        }
    }

    /// Reads the page that has the byte at this offset of the record.
    private mutating func load(_ offset: Int) throws(SourceError) {
        let step = pages.usableSize - 4
        if page == 0 || offset < pageStart {
            try pages.read(first, into: buffer.bytes)
            (page, pageStart) = (first, local.count)
        }
        while offset >= pageStart + step {
            let next = SQLiteNumber.word32(buffer.base)
            guard next != 0 else {
                throw SourceError(.damaged, "a row of \(count) bytes ends after \(pageStart + step)", offset: pages.offset(of: page))
            }
            try pages.read(next, into: buffer.bytes)
            (page, pageStart) = (next, pageStart + step)
        }
    }
}
