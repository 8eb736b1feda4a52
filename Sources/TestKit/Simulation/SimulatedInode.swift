import Platform
import Synchronization

/// A file of the simulated disk, as its processes see it: its region is at once the page cache and every mapping.
final class SimulatedInode {
    static let pageSize = 4096

    let number: Int
    let kind: FileKind
    private(set) var region: Region
    /// Safe: allocated here, freed with the inode, which the machine keeps as long as itself.
    let faults: UnsafeMutablePointer<Atomic<UInt32>>

    var permissions: UInt32 = 0
    var userID: UInt32 = 0
    var groupID: UInt32 = 0
    var linkCount = 1
    private(set) var storedPages = 0
    private var isStored: [Bool] = []

    /// Who holds which byte.
    var byteLocks: [Int: [ByteLock]] = [:]
    /// What the log knows of a file that is mapped writable; nil if it is not.
    private(set) var recorded: Region?
    /// Bytes in a FIFO, and how many ends for reading each process has open.
    var pipeBytes = 0
    var pipeReaders: [Int: Int] = [:]

    struct ByteLock {
        var file: ObjectIdentifier
        var process: Int
        var isExclusive: Bool
    }

    /// Takes the region over as its content.
    init(number: Int, kind: FileKind, region: Region) {
        self.number = number
        self.kind = kind
        self.region = region
        faults = .allocate(capacity: 1)
        faults.initialize(to: Atomic(0))
        mark(0, region.length, stored: true)
    }

    deinit {
        faults.deinitialize(count: 1)
        faults.deallocate()
    }

    var capacity: Int { region.capacity }
    var length: Int { region.length }
    var bytes: UnsafeMutableRawBufferPointer { region.bytes }

    /// Gives its memory back before it goes. Nothing may be done with it afterwards.
    func discard() {
        region = Region(capacity: 0)
        recorded = nil
    }

    /// From now on stores may happen that nobody reports.
    func becomeMappedWritable() {
        if recorded == nil { recorded = region.copy() }
        region.isMappedWritable = true
    }

    /// Copies bytes in, growing the file as needed. The caller has checked the capacity.
    func store(_ source: UnsafeRawBufferPointer, at offset: Int) {
        region.write(source, at: offset)
        recorded?.write(source, at: offset)
        mark(offset, source.count, stored: true)
    }

    /// Cuts or extends.
    func setLength(_ newLength: Int) {
        let oldLength = length
        region.setLength(newLength)
        recorded?.setLength(newLength)
        let firstWhole = (newLength + Self.pageSize - 1) / Self.pageSize * Self.pageSize
        if firstWhole < oldLength { mark(firstWhole, oldLength - firstWhole, stored: false) }
    }

    /// Zeros a range and gives its whole pages back.
    func punch(_ offset: Int, _ count: Int) {
        let end = min(offset + count, length)
        guard offset < end else { return }
        region.clear(offset, count)
        recorded?.clear(offset, count)
        let page = Self.pageSize
        let first = (offset + page - 1) / page
        let last = (end == length ? end + page - 1 : end) / page
        if first < last { mark(first * page, (last - first) * page, stored: false) }
    }

    /// How many more pages would be stored if the range were written.
    func pagesMissing(_ offset: Int, _ count: Int) -> Int {
        var missing = 0
        for page in pages(offset, count) where page >= isStored.count || !isStored[page] { missing += 1 }
        return missing
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
}
