/// A run of pages that a commit took: it starts at `page`, and its first `granules` granules hold blocks.
struct TakenRun: Equatable {
    var page: Int
    var granules: Int

    var pageCount: Int { (granules + BlockLayout.granulesPerPage - 1) / BlockLayout.granulesPerPage }
}

/// A range of granules that a commit freed, with neighbouring blocks joined.
struct FreedRange: Equatable {
    var granule: UInt64
    var count: Int
}

/// One commit's changes to the space, as stored in the log.
///
/// ```
/// version      difference to the record before (the first: to the chunk's first version)
/// range count  then for each range freed, ascending: granules since the end of the range before, granules
/// run count    then for each run taken, ascending: pages since the end of the run before, granules
/// ```
/// All numbers are variable-length: seven bits a byte, least significant first, the high bit set on all but the last.
/// A large commit has several records of one version.
enum SpaceRecord {
    static let maximumNumber = 10
    /// Bytes of the longest entry of a run or range: two numbers below 2^42.
    static let maximumEntry = 12

    /// The upper bound of a record's length with `runs` runs and `ranges` ranges, in bytes.
    static func bound(runs: Int, ranges: Int) -> Int { 3 * maximumNumber + maximumEntry * (runs + ranges) }
}

/// Appends numbers to memory.
///
/// Safe throughout: the memory's owner made it large enough (`SpaceRecord.bound`).
struct NumberWriter {
    private(set) var next: UnsafeMutableRawPointer

    init(at start: UnsafeMutableRawPointer) { next = start }

    @inline(__always) mutating func append(_ number: UInt64) {
        var rest = number
        while rest > 0x7f {
            next.storeBytes(of: UInt8(truncatingIfNeeded: rest) | 0x80, as: UInt8.self)
            next += 1
            rest >>= 7
        }
        next.storeBytes(of: UInt8(truncatingIfNeeded: rest), as: UInt8.self)
        next += 1
    }

    /// Appends the record's runs, ascending.
    mutating func append(runs: UnsafeBufferPointer<TakenRun>) {
        append(UInt64(runs.count))
        var end = 0
        for run in runs {
            append(UInt64(run.page - end))
            append(UInt64(run.granules))
            end = run.page + run.pageCount
        }
    }

    /// Appends the record's ranges, ascending.
    mutating func append(ranges: UnsafeBufferPointer<FreedRange>) {
        append(UInt64(ranges.count))
        var end: UInt64 = 0
        for range in ranges {
            append(range.granule - end)
            append(UInt64(range.count))
            end = range.granule + UInt64(range.count)
        }
    }
}

/// Reads numbers from a block's body; nil past the end, or for a number of more than 63 bits.
///
/// Safe throughout: reads below `end` only.
struct NumberReader {
    private var next: UnsafeRawPointer
    private let end: UnsafeRawPointer

    init(_ bytes: UnsafeRawBufferPointer) {
        next = bytes.baseAddress ?? UnsafeRawPointer(bitPattern: 1).unsafelyUnwrapped
        end = next + bytes.count
    }

    var isAtEnd: Bool { next >= end }

    @inline(__always) mutating func read() -> Int? {
        var number: UInt64 = 0, shift: UInt64 = 0
        while next < end, shift < 63 {
            let byte = next.load(as: UInt8.self)
            next += 1
            number |= UInt64(byte & 0x7f) << shift
            if byte < 0x80 { return Int(number) }
            shift += 7
        }
        return nil
    }
}
