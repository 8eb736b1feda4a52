/// What becomes, in a crash, of writes that were not flushed.
public enum SurvivingWrites: Sendable, Equatable {
    /// All are lost.
    case none
    /// All have reached the disk.
    case all
    /// The seed decides for each 512-byte sector of each write by itself; new names survive up to some moment.
    case sectors(seed: UInt64)
    /// As `sectors`, and some sectors are half new, half old.
    case torn(seed: UInt64)
}

/// Walks along the log and knows, at its place, what is durable and what is only pending.
///
/// 1. `durable` holds the effect of exactly those operations before `position` that a flush has covered.
/// 2. `pending` are the other operations before `position` that change something, in order.
/// 3. No pending operation of a file is older than a durable one of it. (A failed flush settles its operations at once,
///    so that this stays true.)
struct CrashImager {
    static let sector = 512

    private let start: DiskContents
    private let seed: UInt64
    private var durable: DiskContents
    private var position = 0
    private var pending: [(index: Int, operation: DiskOperation)] = []

    /// Takes the contents over.
    init(_ start: DiskContents, seed: UInt64) {
        self.start = start
        self.seed = seed
        durable = start.copy()
    }

    /// What a crash at `place` in the log leaves.
    mutating func image(of log: [DiskOperation], at place: Int, surviving: SurvivingWrites) -> DiskContents {
        advance(to: place, in: log)
        var result = durable.copy()
        switch surviving {
        case .none:
            break
        case .all:
            for entry in pending { result.apply(entry.operation) }
        case .sectors(let seed):
            var chance = Survival(seed: seed, tears: false)
            chance.apply(pending.map(\.operation), to: &result)
        case .torn(let seed):
            var chance = Survival(seed: seed, tears: true)
            chance.apply(pending.map(\.operation), to: &result)
        }
        return result
    }

    private mutating func advance(to place: Int, in log: [DiskOperation]) {
        if place < position {
            durable = start.copy()
            position = 0
            pending = []
        }
        while position < place {
            take(log[position])
            position += 1
        }
    }

    private mutating func take(_ operation: DiskOperation) {
        switch operation {
        case .synchronize(let inode, let upTo):
            settle { index, pending in index < upTo && pending.changedInode == inode } by: { durable, operations in
                for operation in operations { durable.apply(operation) }
            }
        case .synchronizeFailed(let inode, let upTo):
            var chance = Survival(seed: seed ^ UInt64(position), tears: false)
            settle { index, pending in index < upTo && pending.changedInode == inode } by: { durable, operations in
                chance.apply(operations, to: &durable)
            }
        case .synchronizeNames(let directory):
            settle { _, pending in pending.changedDirectories.contains(directory) } by: { durable, operations in
                for operation in operations { durable.apply(operation) }
            }
        default:
            pending.append((position, operation))
        }
    }

    /// Takes the operations that match out of `pending` and hands them over in order.
    private mutating func settle(
        _ matches: (Int, DiskOperation) -> Bool, by settling: (inout DiskContents, [DiskOperation]) -> Void
    ) {
        let settled = pending.filter { matches($0.index, $0.operation) }.map(\.operation)
        pending.removeAll { matches($0.index, $0.operation) }
        settling(&durable, settled)
    }
}
