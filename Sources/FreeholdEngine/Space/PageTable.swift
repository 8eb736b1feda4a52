/// The lifetime of a page: commit `birth` wrote it, commit `death` freed its last block (0 while blocks live).
///
/// A reusable page has no such history: the run index keeps its links in these 16 bytes.
struct PageInterval: Equatable {
    var birth: UInt64
    var death: UInt64
}

/// A mark and an interval for every page of the file: 17 bytes a page, in chunks of 1,024 pages.
///
/// Safe throughout: `chunkCount` chunks are allocated, enough for `count` pages, and freed with the object;
/// callers pass pages below `count` (replay checks what it read from the file first).
final class PageTable {
    static let chunkPages = 1024
    private static let marksOffset = chunkPages * MemoryLayout<PageInterval>.stride
    private static let chunkBytes = marksOffset + chunkPages + 64
    /// Maximum number of pages: page numbers fit 32 bits (16 TiB).
    static let maximumPages = Int(UInt32.max) - 1

    /// Number of pages of the file.
    // Safe: one thread at a time owns the table (the writer), and no accessor re-enters it.
    @exclusivity(unchecked) private(set) var count = 0
    @exclusivity(unchecked) private(set) var chunkCount = 0
    @exclusivity(unchecked) private var capacity = 16
    @exclusivity(unchecked) private var chunks: UnsafeMutablePointer<UnsafeMutableRawPointer>

    init() { chunks = .allocate(capacity: 16) }

    deinit {
        for index in 0..<chunkCount { chunks[index].deallocate() }
        chunks.deallocate()
    }

    /// Whether the table has an entry for the page.
    @inline(__always) private func has(_ page: Int) -> Bool { page >= 0 && page < chunkCount * Self.chunkPages }

    @inline(__always) func mark(_ page: Int) -> UInt8 {
        assert(has(page), "page \(page) is beyond the table")
        return chunks[page &>> 10].load(fromByteOffset: Self.marksOffset &+ (page & 1023), as: UInt8.self)
    }

    @inline(__always) func setMark(_ page: Int, _ mark: UInt8) {
        assert(has(page), "page \(page) is beyond the table")
        assert(mark <= PageMark.full || PageMark.isReusable(mark) || mark >= PageMark.taken && mark <= PageMark.reserved, "\(mark) is no mark")
        chunks[page &>> 10].storeBytes(of: mark, toByteOffset: Self.marksOffset &+ (page & 1023), as: UInt8.self)
    }

    @inline(__always) func interval(_ page: Int) -> PageInterval { slot(page).pointee }
    @inline(__always) func setInterval(_ page: Int, _ interval: PageInterval) { slot(page).pointee = interval }
    @inline(__always) func setBirth(_ page: Int, _ birth: UInt64) { slot(page).pointee.birth = birth }
    @inline(__always) func setDeath(_ page: Int, _ death: UInt64) { slot(page).pointee.death = death }

    @inline(__always) private func slot(_ page: Int) -> UnsafeMutablePointer<PageInterval> {
        assert(has(page), "page \(page) is beyond the table")
        return chunks[page &>> 10].assumingMemoryBound(to: PageInterval.self) + (page & 1023)
    }

    /// Whether a page of this chunk changed since the last fold.
    @inline(__always) func isTouched(chunk: Int) -> Bool {
        chunks[chunk].load(fromByteOffset: Self.marksOffset + Self.chunkPages, as: UInt8.self) != 0
    }

    @inline(__always) func touch(_ page: Int) {
        chunks[page &>> 10].storeBytes(of: 1, toByteOffset: Self.marksOffset &+ Self.chunkPages, as: UInt8.self)
    }

    func forgetTouches() {
        for chunk in 0..<chunkCount {
            chunks[chunk].storeBytes(of: 0, toByteOffset: Self.marksOffset + Self.chunkPages, as: UInt8.self)
        }
    }

    /// Makes room for `count` pages; new ones are `absent` until their caller marks them.
    func extend(to count: Int) {
        while chunkCount * Self.chunkPages < count { addChunk() }
        assert(count >= self.count, "a table is made longer by `extend` only")
        self.count = count
    }

    /// Forgets the pages from `count` on.
    func shrink(to count: Int) {
        assert(count <= self.count, "a table is made shorter by `shrink` only")
        for page in count..<max(count, self.count) { setMark(page, PageMark.absent) }
        self.count = count
    }

    private func addChunk() {
        if chunkCount == capacity {
            let grown = UnsafeMutablePointer<UnsafeMutableRawPointer>.allocate(capacity: capacity * 2)
            grown.update(from: chunks, count: capacity)
            chunks.deallocate()
            chunks = grown
            capacity *= 2
        }
        let chunk = UnsafeMutableRawPointer.allocate(byteCount: Self.chunkBytes, alignment: 64)
        chunk.initializeMemory(as: UInt8.self, repeating: 0, count: Self.chunkBytes)
        (chunk + Self.marksOffset).initializeMemory(as: UInt8.self, repeating: PageMark.absent, count: Self.chunkPages)
        chunks[chunkCount] = chunk
        chunkCount += 1
    }
}
