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

    func append(_ operation: DiskOperation) {
        recordMappedStores()
        log.append(operation)
    }

    /// Stores through writable mappings cannot be seen when they happen; they are looked for before each operation.
    private func recordMappedStores() {
        for inode in inodes where inode.recorded != nil { recordMappedStores(of: inode) }
    }

    private func recordMappedStores(of inode: SimulatedInode) {
        let page = SimulatedInode.pageSize
        var changed: [Range<Int>] = []
        // Safe: every range ends within both.
        inode.recorded?.withUnsafeMutableBytes { recorded in
            let now = UnsafeRawBufferPointer(inode.bytes)
            for start in stride(from: 0, to: min(recorded.count, now.count), by: page) {
                let range = start..<min(start + page, recorded.count, now.count)
                let current = UnsafeRawBufferPointer(rebasing: now[range])
                let known = UnsafeMutableRawBufferPointer(rebasing: recorded[range])
                if freehold_shim_compare(current.baseAddress, known.baseAddress, range.count) != 0 {
                    known.copyMemory(from: current)
                    changed.append(range)
                }
            }
        }
        for range in changed {
            log.append(.mappedStore(inode: inode.number, offset: range.lowerBound, bytes: Array(inode.bytes[range])))
        }
    }
}
