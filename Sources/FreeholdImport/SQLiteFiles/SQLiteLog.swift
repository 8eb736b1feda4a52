/// The write-ahead log beside a database (`NAME-wal`), up to its last valid commit.
///
///     log:    | header 32 | frame | frame | …
///     header: | magic | version | page size | sequence | salt 1 | salt 2 | checksum 1 | checksum 2 |
///     frame:  | page number | size in pages after a commit, or 0 | salt 1 | salt 2 | checksum 1 | checksum 2 | the page |
///
/// 1. A frame is valid if its salts are those of the header and its checksum, which goes on from that of the frame
///    before, is right. Reading ends at the first frame that is not.
/// 2. Frames after the last commit do not count.
final class SQLiteLog: Sendable {
    let handle: SQLiteHandle
    let pageSize: Int
    /// The database's size in pages, as of the last commit.
    let pageCount: UInt32
    /// The header, and the checksum of the last frame that counts: what tells this state of the log from another.
    let stamp: [UInt8]
    /// By page, the offset of its newest bytes in the log.
    private let offsets: [UInt32: UInt64]

    static let headerCount = 32
    private static let frameHeaderCount = 24

    /// Reads the log; nil if it has no valid commit.
    init?(_ handle: SQLiteHandle) throws(SourceError) {
        let start = try handle.bytes(at: 0, count: Self.headerCount)
        guard let header = try SQLiteLogHeader(start) else { return nil }
        var checksum = header.checksum
        var offsets: [UInt32: UInt64] = [:], pending: [(page: UInt32, offset: UInt64)] = []
        var pageCount: UInt32 = 0, stamp: [UInt8] = []
        var offset = UInt64(Self.headerCount)
        let buffer = SQLitePageBuffer(count: Self.frameHeaderCount + header.pageSize)
        while try handle.read(at: offset, into: buffer.bytes) == buffer.bytes.count {
            let frame = Self.frame(UnsafeRawBufferPointer(buffer.bytes))
            guard frame.page > 0, frame.salts == header.salts else { break }
            checksum.add(UnsafeRawBufferPointer(rebasing: buffer.bytes[0..<8]))
            checksum.add(UnsafeRawBufferPointer(rebasing: buffer.bytes[Self.frameHeaderCount...]))
            guard frame.checksum == checksum.value else { break }
            pending.append((frame.page, offset + UInt64(Self.frameHeaderCount)))
            offset += UInt64(buffer.bytes.count)
            guard frame.pageCount > 0 else { continue }
            for (page, offset) in pending { offsets[page] = offset }
            pending.removeAll(keepingCapacity: true)
            pageCount = frame.pageCount
            stamp = start + buffer.bytes[16..<Self.frameHeaderCount]
        }
        guard pageCount > 0 else { return nil }
        self.handle = handle
        (pageSize, self.pageCount, self.stamp, self.offsets) = (header.pageSize, pageCount, stamp, offsets)
    }

    /// Where the log has a page; nil if the file's own is the newest.
    func offset(of page: UInt32) -> UInt64? { offsets[page] }

    private static func frame(_ bytes: UnsafeRawBufferPointer) -> (page: UInt32, pageCount: UInt32, salts: UInt64, checksum: UInt64) {
        // Safe: the buffer holds a frame, whose header these are.
        func word(_ offset: Int) -> UInt32 { UInt32(bigEndian: bytes.loadUnaligned(fromByteOffset: offset, as: UInt32.self)) }
        return (word(0), word(4), UInt64(word(8)) << 32 | UInt64(word(12)), UInt64(word(16)) << 32 | UInt64(word(20)))
    }
}

/// The header of a write-ahead log.
private struct SQLiteLogHeader {
    let pageSize: Int
    let salts: UInt64
    /// The checksum of the header, with which that of the frames begins.
    let checksum: SQLiteChecksum

    /// Nil if the header is not one: the log is then without effect, as it is for SQLite.
    init?(_ bytes: [UInt8]) throws(SourceError) {
        guard bytes.count == SQLiteLog.headerCount else { return nil }
        func word(_ offset: Int) -> UInt32 { bytes[offset..<offset + 4].reduce(0) { $0 << 8 | UInt32($1) } }
        guard word(0) & ~1 == 0x377F_0682 else { return nil }
        pageSize = Int(word(8))
        guard (512...65_536).contains(pageSize), pageSize & (pageSize - 1) == 0 else { return nil }
        salts = UInt64(word(16)) << 32 | UInt64(word(20))
        var checksum = SQLiteChecksum(isBigEndian: word(0) & 1 == 1)
        // Safe: the buffer is that of the array, and is not kept.
        bytes.withUnsafeBytes { checksum.add(UnsafeRawBufferPointer(rebasing: $0[0..<24])) }
        guard checksum.value == UInt64(word(24)) << 32 | UInt64(word(28)) else { return nil }
        guard word(4) == 3_007_000 else {
            throw SourceError(.unsupported, "the write-ahead log has version \(word(4)); close the database in all programs, "
                + "which removes the log", offset: 4)
        }
        self.checksum = checksum
    }
}

/// The checksum of a write-ahead log: two sums over pairs of words, in the byte order of the machine that wrote it.
private struct SQLiteChecksum {
    let isBigEndian: Bool
    private var first: UInt32 = 0
    private var second: UInt32 = 0

    init(isBigEndian: Bool) { self.isBigEndian = isBigEndian }

    var value: UInt64 { UInt64(first) << 32 | UInt64(second) }

    /// Adds bytes, a multiple of eight.
    mutating func add(_ bytes: UnsafeRawBufferPointer) {
        // Safe: both words are within the buffer, and the sums wrap by their definition.
        for offset in stride(from: 0, to: bytes.count & ~7, by: 8) {
            let one = bytes.loadUnaligned(fromByteOffset: offset, as: UInt32.self)
            let two = bytes.loadUnaligned(fromByteOffset: offset + 4, as: UInt32.self)
            first = first &+ (isBigEndian ? UInt32(bigEndian: one) : UInt32(littleEndian: one)) &+ second
            second = second &+ (isBigEndian ? UInt32(bigEndian: two) : UInt32(littleEndian: two)) &+ first
        }
    }
}
