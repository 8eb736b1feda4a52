/// Decides by a seed which parts of unflushed operations a crash lets through.
struct Survival {
    private var random: SeededRandom
    private let tears: Bool
    /// Of a hundred sectors so many survive: images with few, half and nearly all of them find different defects.
    private let percentage: Int

    init(seed: UInt64, tears: Bool) {
        random = SeededRandom(seed: seed)
        self.tears = tears
        percentage = [10, 50, 90].randomElement(using: &random) ?? 50
    }

    mutating func apply(_ operations: [DiskOperation], to disk: inout DiskContents) {
        // A file system's journal keeps the order of names.
        let namings = operations.filter { !$0.changedDirectories.isEmpty }
        for operation in namings.prefix(Int.random(in: 0...namings.count, using: &random)) { disk.apply(operation) }
        for operation in operations where operation.changedInode != nil { apply(operation, to: &disk) }
    }

    private mutating func apply(_ operation: DiskOperation, to disk: inout DiskContents) {
        switch operation {
        case .write(let inode, let offset, let bytes):
            // The new length may be on the disk without the bytes, and then reads as zeros.
            if survives() { disk.extend(inode, to: offset + bytes.count) }
            apply(sectorsOf: bytes, inode, offset, to: &disk)
        case .mappedStore(let inode, let offset, let bytes):
            let count = max(disk.length(of: inode) - offset, 0)
            apply(sectorsOf: Array(bytes.prefix(count)), inode, offset, to: &disk)
        default:
            if survives() { disk.apply(operation) }
        }
    }

    private mutating func apply(sectorsOf bytes: [UInt8], _ inode: Int, _ offset: Int, to disk: inout DiskContents) {
        var next = 0
        while next < bytes.count {
            let end = min(bytes.count, (offset + next) / CrashImager.sector * CrashImager.sector + CrashImager.sector - offset)
            if survives() {
                let part = tears && random.oneIn(8) ? torn(next..<end) : next..<end
                if !part.isEmpty { disk.write(inode, offset + part.lowerBound, bytes[part]) }
            }
            next = end
        }
    }

    /// The first or the last part of a sector.
    private mutating func torn(_ sector: Range<Int>) -> Range<Int> {
        let cut = Int.random(in: sector, using: &random)
        return Bool.random(using: &random) ? sector.lowerBound..<cut : cut..<sector.upperBound
    }

    private mutating func survives() -> Bool { Int.random(in: 0..<100, using: &random) < percentage }
}
