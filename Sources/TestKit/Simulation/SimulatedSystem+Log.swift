import CShims
import Platform

extension SimulatedSystem {
    /// How many operations the log has: a place to crash at later. Remember it when a commit is acknowledged.
    public var operationCount: Int {
        recordMappedStores()
        return log.count
    }

    /// The places in the log right before and right after every write, flush and change of a name: each is worth a crash.
    public var crashPlaces: ClosedRange<Int> { 0...operationCount }

    /// Called before the operation is carried out.
    func append(_ operation: DiskOperation) {
        beginLog()
        recordMappedStores()
        log.append(operation)
    }

    /// Keeps what the disk has before the first operation, or the first store nobody reports.
    func beginLog() { if imager == nil { imager = CrashImager(contents, seed: options.seed) } }

    /// What the machine started from, as long as nothing has changed.
    private var contents: DiskContents {
        var files: [Int: Region] = [:]
        for inode in inodes where inode.length > 0 { files[inode.number] = inode.region.copy() }
        return DiskContents(capacity: options.fileCapacity, files: files, names: names.mapValues(\.number))
    }

    /// Stores through writable mappings cannot be seen when they happen; they are looked for before each operation.
    private func recordMappedStores() {
        if options.recordsMappedStores { recordMappedStoresNow() }
    }

    func recordMappedStoresNow() {
        for inode in inodes where inode.recorded != nil { recordMappedStores(of: inode) }
    }

    private func recordMappedStores(of inode: SimulatedInode) {
        let page = SimulatedInode.pageSize
        // Safe: both regions are of the same length.
        guard let recorded = inode.recorded else { return }
        for start in stride(from: 0, to: inode.length, by: page) {
            let count = min(page, inode.length - start)
            if freehold_shim_compare(inode.region.memory + start, recorded.memory + start, count) == 0 { continue }
            let current = UnsafeRawBufferPointer(start: inode.region.memory + start, count: count)
            recorded.write(current, at: start)
            log.append(.mappedStore(inode: inode.number, offset: start, bytes: Array(current)))
        }
    }
}
