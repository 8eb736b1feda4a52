import CShims
import Platform

/// Memory in which the chunks of a long value are assembled as in the file, one after another.
///
/// ```
/// │ written │ sealed, less than a page │ sealed by the next `seal` … │ chunk being filled │
///           0                          `sealed`                      `current`            `count` once it is complete
/// ```
/// Safe throughout: what is staged never exceeds `capacity`: `beginChunk` follows an `isFull` that was false, or a `drop`, and a
/// chunk takes `longestChunk` bytes at most; zeros behind the last one take less than a page.
final class ChunkStaging {
    private static let body = 1 << 20
    private static var capacity: Int { body + 2 * BlockLayout.page }

    private let memory: UnsafeMutableRawPointer
    private let cipher: FileCipher?
    private let prefix: Int
    /// Bytes that a full chunk takes in the file.
    let longestChunk: Int
    /// The chunks that are not sealed yet: the offset of each in memory, and its number of bytes of the value.
    private var open: [(start: Int, bytes: Int)] = []
    /// Number of bytes at the start that are sealed already.
    private var sealed = 0

    init(cipher: FileCipher?) {
        self.cipher = cipher
        prefix = cipher == nil ? 0 : FileCipher.prefixLength
        longestChunk = Self.chunkLength(LargeValue.chunkBytes, prefix: prefix)
        memory = .allocate(byteCount: Self.capacity, alignment: BlockLayout.page)
        beginChunk()
    }

    deinit { memory.deallocate() }

    private static func chunkLength(_ bytes: Int, prefix: Int) -> Int {
        BlockLayout.granules(references: 0, body: bytes, prefix: prefix) * BlockLayout.granule
    }

    /// Number of pages that a value of `bytes` bytes takes in one run.
    static func pages(holding bytes: Int, cipher: FileCipher?) -> Int {
        let prefix = cipher == nil ? 0 : FileCipher.prefixLength
        let chunks = (bytes + LargeValue.chunkBytes - 1) / LargeValue.chunkBytes
        return FileLayout.pages(holding: chunks * chunkLength(LargeValue.chunkBytes, prefix: prefix)) / BlockLayout.page
    }

    /// Bytes staged, as the file gets them.
    var count: Int {
        guard let last = open.last else { return sealed }
        return last.start + (last.bytes == 0 ? 0 : Self.chunkLength(last.bytes, prefix: prefix))
    }

    /// Bytes of the value that are not sealed yet.
    var bodyBytes: Int { open.reduce(0) { $0 + $1.bytes } }
    var isChunkComplete: Bool { open.last.map { $0.bytes == LargeValue.chunkBytes } ?? true }
    /// Whether there is no room for another chunk.
    var isFull: Bool { count + longestChunk > Self.body }

    /// All staged bytes of a value of which nothing was sealed.
    var bytes: [UInt8] {
        var all: [UInt8] = []
        all.reserveCapacity(bodyBytes)
        for chunk in open { all += UnsafeRawBufferPointer(start: memory + bodyStart(chunk.start), count: chunk.bytes) }
        return all
    }

    private func bodyStart(_ chunk: Int) -> Int { chunk + prefix + BlockLayout.references }

    func beginChunk() {
        assert(isChunkComplete, "a chunk begins before the one before it is full")
        assert(count + longestChunk <= Self.capacity, "there is no room for another chunk")
        open.append((count, 0))
    }

    /// Appends the bytes that the chunk has room for; returns their number.
    func append(_ bytes: UnsafeRawBufferPointer) -> Int {
        let last = open[open.count - 1], taken = min(LargeValue.chunkBytes - last.bytes, bytes.count)
        if let base = bytes.baseAddress { (memory + bodyStart(last.start) + last.bytes).copyMemory(from: base, byteCount: taken) }
        open[open.count - 1].bytes += taken
        assert(count <= Self.capacity, "\(count) bytes are staged in \(Self.capacity)")
        return taken
    }

    /// Seals the chunks as blocks for the file from `offset` on, the place of the memory's first byte.
    func seal(from offset: Int) throws(FreeholdError) -> [BlockReference] {
        var made: [BlockReference] = []
        let end = count
        assert(offset % BlockLayout.granule == 0, "a chunk begins at a granule")
        for chunk in open where chunk.bytes > 0 {
            let length = Self.chunkLength(chunk.bytes, prefix: prefix), block = memory + chunk.start + prefix
            writeHeader(at: block, bytes: chunk.bytes)
            let used = BlockLayout.references + chunk.bytes
            (block + used).initializeMemory(as: UInt8.self, repeating: 0, count: length - prefix - used)
            let granule = UInt64((offset + chunk.start) / BlockLayout.granule)
            var reference = BlockReference(location: granule << 16 | UInt64(length / BlockLayout.granule), birth: 0, check: 0, tag: 0)
            try seal(memory + chunk.start, length, &reference)
            made.append(reference)
        }
        open.removeAll(keepingCapacity: true)
        sealed = end
        assert(sealed % BlockLayout.granule == 0, "sealed chunks end within a granule")
        return made
    }

    private func seal(_ start: UnsafeMutableRawPointer, _ length: Int, _ reference: inout BlockReference) throws(FreeholdError) {
        guard let cipher else {
            reference.check = freehold_shim_checksum(start, length)
            return
        }
        do throws(SystemError) {
            (reference.check, reference.tag) = try cipher.seal(
                UnsafeMutableRawBufferPointer(start: start, count: length), location: reference.location, birth: FileCipher.unborn)
        } catch { throw FreeholdError(error, "encrypt a block") }
    }

    /// Writes the header of a chunk without a table: the table is not known yet.
    private func writeHeader(at block: UnsafeMutableRawPointer, bytes: Int) {
        block.initializeMemory(as: UInt8.self, repeating: 0, count: BlockLayout.references)
        block.storeBytes(of: BlockKind.largeValue.rawValue, as: UInt8.self)
        block.storeBytes(of: UInt32(bytes), toByteOffset: BlockLayout.bodyLength, as: UInt32.self)
        block.storeBytes(of: UInt32.max, toByteOffset: BlockLayout.table, as: UInt32.self)
    }

    /// The first `length` bytes, with zeros after the last block.
    func prepared(_ length: Int) -> UnsafeRawBufferPointer {
        assert(length >= sealed || open.isEmpty, "staged chunks are not sealed")
        assert(length <= Self.capacity, "\(length) bytes are staged in \(Self.capacity)")
        if length > sealed { (memory + sealed).initializeMemory(as: UInt8.self, repeating: 0, count: length - sealed) }
        return UnsafeRawBufferPointer(start: memory, count: length)
    }

    /// Drops the first `length` bytes, which were written; the rest moves to the start.
    func drop(_ length: Int) {
        assert(length >= 0 && open.allSatisfy { $0.bytes == 0 }, "chunks are dropped before they are sealed")
        let left = max(0, sealed - length)
        if left > 0 { memory.copyMemory(from: memory + length, byteCount: left) }
        sealed = left
    }
}
