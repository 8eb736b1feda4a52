import Glibc
import Platform
import Synchronization

/// A file of the simulated disk, as its processes see it: a reach of ordinary memory that is at once the page cache and
/// every mapping of the file.
final class SimulatedInode {
    static let pageSize = 4096

    let number: Int
    let kind: FileKind
    let capacity: Int
    /// Zero from `length` on, unless somebody stores beyond the end through a mapping.
    let memory: UnsafeMutableRawPointer
    /// Safe: allocated here, freed with the inode, which the machine keeps as long as itself.
    let faults: UnsafeMutablePointer<Atomic<UInt32>>

    var permissions: UInt32 = 0
    var userID: UInt32 = 0
    var groupID: UInt32 = 0
    var linkCount = 1
    private(set) var length = 0
    private(set) var storedPages = 0
    private var isStored: [Bool] = []
    private var isDiscarded = false

    /// Who holds which byte.
    var byteLocks: [Int: [ByteLock]] = [:]
    /// What the log knows of a file that is mapped writable; nil if it is not.
    var recorded: [UInt8]?
    /// Bytes in a FIFO, and the ends open.
    var pipeBytes = 0
    var pipeReaders: [Int: Int] = [:]

    struct ByteLock {
        var file: ObjectIdentifier
        var process: Int
        var isExclusive: Bool
    }

    init(number: Int, kind: FileKind, capacity: Int) {
        self.number = number
        self.kind = kind
        self.capacity = capacity
        let size = max(capacity, Self.pageSize)
        let flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE
        let address = mmap(nil, size, PROT_READ | PROT_WRITE, flags, -1, 0)
        guard let address, address != MAP_FAILED else { fatalError("no address space for a simulated file") }
        memory = address
        faults = .allocate(capacity: 1)
        faults.initialize(to: Atomic(0))
    }

    /// Gives the memory back before the inode goes. Nothing may be done with it afterwards.
    func discard() {
        if !isDiscarded { munmap(memory, max(capacity, Self.pageSize)) }
        isDiscarded = true
    }

    deinit {
        discard()
        faults.deinitialize(count: 1)
        faults.deallocate()
    }

    var bytes: UnsafeMutableRawBufferPointer { .init(start: memory, count: length) }

    /// Copies bytes in, growing the file as needed. The caller has checked the capacity.
    func store(_ source: UnsafeRawBufferPointer, at offset: Int) {
        guard !source.isEmpty else { return }
        (memory + offset).copyMemory(from: source.baseAddress.unsafelyUnwrapped, byteCount: source.count)
        length = max(length, offset + source.count)
        mark(offset, source.count, stored: true)
        record(offset, source.count)
    }

    /// Cuts or extends.
    func setLength(_ newLength: Int) {
        if newLength < length {
            memset(memory + newLength, 0, length - newLength)
            let firstWhole = (newLength + Self.pageSize - 1) / Self.pageSize * Self.pageSize
            if firstWhole < length { mark(firstWhole, length - firstWhole, stored: false) }
        }
        length = newLength
        if recorded != nil { recorded = Array(bytes) }
    }

    /// Zeros a range and gives its whole pages back.
    func punch(_ offset: Int, _ count: Int) {
        let end = min(offset + count, length)
        guard offset < end else { return }
        memset(memory + offset, 0, end - offset)
        let page = Self.pageSize
        let first = (offset + page - 1) / page
        let last = (end == length ? end + page - 1 : end) / page
        if first < last { mark(first * page, (last - first) * page, stored: false) }
        record(offset, end - offset)
    }

    /// How many more pages would be stored if the range were written.
    func pagesMissing(_ offset: Int, _ count: Int) -> Int {
        pages(offset, count).reduce(0) { $0 + ($1 < isStored.count && isStored[$1] ? 0 : 1) }
    }

    private func pages(_ offset: Int, _ count: Int) -> Range<Int> {
        count == 0 ? 0..<0 : offset / Self.pageSize..<(offset + count - 1) / Self.pageSize + 1
    }

    private func mark(_ offset: Int, _ count: Int, stored: Bool) {
        let range = pages(offset, count)
        if range.upperBound > isStored.count {
            isStored += repeatElement(false, count: range.upperBound - isStored.count)
        }
        for page in range where isStored[page] != stored {
            isStored[page] = stored
            storedPages += stored ? 1 : -1
        }
    }

    private func record(_ offset: Int, _ count: Int) {
        guard recorded != nil else { return }
        if recorded!.count < length {
            recorded! += repeatElement(0, count: length - recorded!.count)
        }
        let source = UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer(bytes)[offset..<offset + count])
        // Safe: both have `length` bytes at least, and the range ends within.
        recorded!.withUnsafeMutableBytes {
            UnsafeMutableRawBufferPointer(rebasing: $0[offset..<offset + count]).copyMemory(from: source)
        }
    }
}
