/// The packed states of up to 1,024 pages: one leaf of the fold.
///
/// ```
/// block   count: pages; first key: first page
/// body    0  8  minimum birth      8  8  minimum death
///        16  1  bytes a birth     17  1  bytes a death
///        24  …  a mark for each page (reusable pages: 0x80)
///         …     for each page marked 0…64 its birth minus the minimum, in page order
///         …     for each page marked 0 its death minus the minimum
/// ```
enum SpaceLeaf {
    static let marksOffset = 24
    static let birthWidth = 16
    static let deathWidth = 17

    /// Packs the pages of one chunk of the table; nil if all are reusable.
    static func pack(_ table: PageTable, chunk: Int, into pending: PendingBlocks) -> BlockReference? {
        let first = chunk * PageTable.chunkPages
        let pages = first..<min(table.count, first + PageTable.chunkPages)
        let marks = pages.map { storedMark(table.mark($0)) }
        if marks.allSatisfy({ $0 == PageMark.reusable }) { return nil }
        let births = PackedNumbers(pages.lazy.filter { table.mark($0) <= PageMark.full }
            .map { table.interval($0).birth })
        let deaths = PackedNumbers(pages.lazy.filter { table.mark($0) == PageMark.dead }
            .map { table.interval($0).death })
        let (reference, block) = pending.make(.spaceLeaf, firstKey: Int64(first), count: pages.count,
                                              body: marksOffset + pages.count + births.byteCount + deaths.byteCount)
        // Safe: the body is exactly as long as the data stored in it here.
        let body = block.body
        body.storeBytes(of: births.least, as: UInt64.self)
        body.storeBytes(of: deaths.least, toByteOffset: 8, as: UInt64.self)
        body.storeBytes(of: UInt8(births.width), toByteOffset: birthWidth, as: UInt8.self)
        body.storeBytes(of: UInt8(deaths.width), toByteOffset: deathWidth, as: UInt8.self)
        marks.withUnsafeBytes { (body + marksOffset).copyMemory(from: $0.baseAddress.unsafelyUnwrapped, byteCount: $0.count) }
        births.store(at: body + marksOffset + pages.count)
        deaths.store(at: body + marksOffset + pages.count + births.byteCount)
        return reference
    }

    private static func storedMark(_ mark: UInt8) -> UInt8 {
        mark <= PageMark.full || mark == PageMark.header ? mark : PageMark.reusable
    }

    /// Calls `body` with page, mark and interval for each page below `limit`. Returns the leaf's fault, or nil.
    static func unpack(_ view: BlockView, firstPage: Int, limit: Int,
                       _ body: (Int, UInt8, PageInterval) -> Void) -> String? {
        guard view.kind == .spaceLeaf, view.referenceCount == 0, view.firstKey == Int64(firstPage),
              view.count <= PageTable.chunkPages, view.bodyLength >= marksOffset + view.count
        else { return "the leaf of page \(firstPage) has a wrong header" }
        let bytes = UnsafeRawBufferPointer(start: view.body, count: view.bodyLength)
        let marks = UnsafeRawBufferPointer(rebasing: bytes[marksOffset..<marksOffset + view.count])
        let birthWidth = Int(bytes[birthWidth]), deathWidth = Int(bytes[deathWidth])
        let births = marks.count { $0 <= PageMark.full }, deaths = marks.count { $0 == PageMark.dead }
        let birthsOffset = marksOffset + view.count, deathsOffset = birthsOffset + births * birthWidth
        guard birthWidth <= 8, deathWidth <= 8, deathsOffset + deaths * deathWidth <= bytes.count
        else { return "the leaf of page \(firstPage) is too short" }
        var birth = PackedReader(bytes, at: birthsOffset, width: birthWidth, leastAt: 0)
        var death = PackedReader(bytes, at: deathsOffset, width: deathWidth, leastAt: 8)
        for (index, mark) in marks.enumerated() {
            var interval = PageInterval(birth: 0, death: 0)
            if mark <= PageMark.full { interval.birth = birth.next() }
            if mark == PageMark.dead { interval.death = death.next() }
            if firstPage + index < limit { body(firstPage + index, mark, interval) }
        }
        return nil
    }
}

/// Numbers packed as their difference to the minimum, in as many whole bytes as the maximum difference needs.
struct PackedNumbers {
    let least: UInt64
    let width: Int
    private let numbers: [UInt64]

    init(_ numbers: some Sequence<UInt64>) {
        self.numbers = Array(numbers)
        least = self.numbers.min() ?? 0
        let greatest = (self.numbers.max() ?? 0) - least
        width = (64 - greatest.leadingZeroBitCount + 7) / 8
    }

    var byteCount: Int { numbers.count * width }

    /// Safe: the caller has `byteCount` bytes at `start`.
    func store(at start: UnsafeMutableRawPointer) {
        for (index, number) in numbers.enumerated() {
            for byte in 0..<width {
                start.storeBytes(of: UInt8(truncatingIfNeeded: (number - least) >> UInt64(8 * byte)),
                                 toByteOffset: index * width + byte, as: UInt8.self)
            }
        }
    }
}

/// Reads packed numbers in order.
///
/// Safe throughout: the caller has checked that they are there; the sum wraps only in a damaged leaf, whose wrong births are
/// found when they are used.
struct PackedReader {
    private let bytes: UnsafeRawBufferPointer
    private var offset: Int
    private let width: Int
    private let least: UInt64

    init(_ bytes: UnsafeRawBufferPointer, at offset: Int, width: Int, leastAt: Int) {
        (self.bytes, self.offset, self.width) = (bytes, offset, width)
        least = bytes.loadUnaligned(fromByteOffset: leastAt, as: UInt64.self)
    }

    mutating func next() -> UInt64 {
        var number: UInt64 = 0
        for byte in 0..<width { number |= UInt64(bytes[offset + byte]) << UInt64(8 * byte) }
        offset += width
        return least &+ number
    }
}
