/// Part of a file's plain bytes, in memory.
///
/// Safe throughout: the memory belongs to the object; spans of it keep the object alive and stay within it.
final class RealmChunk {
    let base: UnsafeMutableRawPointer
    let count: Int
    /// Pages that are not authentic, one bit each.
    var damagedPages: UInt64 = 0

    init(count: Int) {
        base = .allocate(byteCount: max(count, 1), alignment: 16)
        self.count = count
    }

    deinit { base.deallocate() }
}

/// Bytes of a chunk.
///
/// Safe throughout: offsets are checked against the span's length, which is that of bytes in the chunk.
struct RealmSpan {
    let chunk: RealmChunk
    let start: Int
    let count: Int

    /// A little-endian integer at an offset within the span.
    @inline(__always)
    func load<Number: FixedWidthInteger>(_ offset: Int, as type: Number.Type) -> Number {
        precondition(offset >= 0 && offset + MemoryLayout<Number>.size <= count, "a read beyond a span")
        return Number(littleEndian: (chunk.base + start + offset).loadUnaligned(as: type))
    }

    /// Calls `body` with the bytes, which are valid until it returns.
    @inline(__always)
    func withBytes<Result, Failure: Error>(_ body: (UnsafeRawBufferPointer) throws(Failure) -> Result) throws(Failure) -> Result {
        defer { extendLifetime(chunk) }
        return try body(UnsafeRawBufferPointer(start: chunk.base + start, count: count))
    }

    /// Appends the bytes to an array.
    func append(to bytes: inout [UInt8]) { withBytes { bytes.append(contentsOf: $0) } }

    /// Appends some of the bytes to an array.
    @inline(__always)
    func append(_ range: Range<Int>, to bytes: inout [UInt8]) {
        // Safe: the slice is checked to lie within the buffer.
        withBytes { bytes.append(contentsOf: UnsafeRawBufferPointer(rebasing: $0[range])) }
    }

    /// Part of the span.
    func part(_ range: Range<Int>) -> RealmSpan {
        precondition(range.lowerBound >= 0 && range.upperBound <= count, "a part beyond a span")
        return RealmSpan(chunk: chunk, start: start + range.lowerBound, count: range.count)
    }
}

/// The plain bytes of a Realm file, by offset: read in chunks as they are needed, decrypted if need be, with a small
/// cache.
final class RealmPages {
    /// Whole pages, and a whole fraction of what one page of vectors covers.
    static let chunkBytes = 32 << 10
    /// The longest run of bytes that is read at once; no node of a Realm file is longer.
    static let longestSpan = 17 << 20
    private static let slotCount = 256

    /// The number of plain bytes.
    let count: Int
    let file: RealmDescriptor
    private let cipher: RealmCipher?
    private var slots: [(index: Int, chunk: RealmChunk)?] = Array(repeating: nil, count: slotCount)

    init(_ file: RealmDescriptor, count: Int, cipher: RealmCipher?) {
        self.file = file
        self.count = count
        self.cipher = cipher
    }

    /// The bytes in a range.
    /// - Throws: `.damaged` if they are not all in the file.
    func span(at offset: Int, count length: Int) throws(SourceError) -> RealmSpan {
        guard offset >= 0, length >= 0, offset <= count, length <= count - offset else {
            throw .damaged("\(length) bytes are expected where the file ends", offset)
        }
        guard length <= Self.longestSpan else { throw .damaged("\(length) bytes in one piece are more than a Realm file has", offset) }
        let index = offset / Self.chunkBytes, start = offset % Self.chunkBytes
        if start + length <= Self.chunkBytes {
            let chunk = try chunk(index)
            if chunk.damagedPages != 0 { try requireAuthentic(chunk, index, start..<start + length) }
            return RealmSpan(chunk: chunk, start: start, count: length)
        }
        let whole = RealmChunk(count: length)
        var done = 0
        while done < length {
            let place = offset + done
            let part = try span(at: place, count: min(length - done, Self.chunkBytes - place % Self.chunkBytes))
            // Safe: the part is no longer than what is left of the new chunk.
            part.withBytes { (whole.base + done).copyMemory(from: $0.baseAddress!, byteCount: $0.count) }
            done += part.count
        }
        return RealmSpan(chunk: whole, start: 0, count: length)
    }

    private func chunk(_ index: Int) throws(SourceError) -> RealmChunk {
        let slot = index % Self.slotCount
        if let kept = slots[slot], kept.index == index { return kept.chunk }
        let chunk = RealmChunk(count: min(Self.chunkBytes, count - index * Self.chunkBytes))
        if let cipher {
            try cipher.read(into: chunk, at: index * Self.chunkBytes, of: file)
        } else {
            // Safe: the chunk has as many bytes as it says.
            try file.read(into: UnsafeMutableRawBufferPointer(start: chunk.base, count: chunk.count), at: index * Self.chunkBytes)
        }
        slots[slot] = (index, chunk)
        return chunk
    }

    private func requireAuthentic(_ chunk: RealmChunk, _ index: Int, _ range: Range<Int>) throws(SourceError) {
        guard !range.isEmpty else { return }
        for page in range.lowerBound / RealmCipher.pageBytes...(range.upperBound - 1) / RealmCipher.pageBytes
        where chunk.damagedPages >> UInt64(page) & 1 == 1 {
            let plain = index * Self.chunkBytes + page * RealmCipher.pageBytes
            throw .damaged("a page of the encrypted file is not authentic", RealmCipher.offset(ofPage: plain / RealmCipher.pageBytes))
        }
    }
}
