/// What a process's writer keeps from one transaction to the next, so that a small commit allocates next to nothing:
/// the space map, the commit writer, the memory of blocks and rows, the leaf builders.
///
/// Used by the holder of the writer lock only, or by a transaction that has lost it, which keeps them to itself.
final class WriterTools {
    private let access: BlockAccess
    private let path: String
    private let cipher: FileCipher?
    private let findOldestHeld: () -> UInt64
    /// The shadow's generation to which the kept state of classes belongs.
    private var generation: UInt64 = 0
    private var spare: PendingBlocks?
    /// The writer of each class, by its number.
    private var tableWriters: [TableWriter?] = []
    private(set) var commitWriter: CommitWriter?
    /// The length of the file, as far as this process knows.
    var fileLength: UInt64 = 0
    /// When commits look for storage to give back.
    var upkeep = UpkeepTurns()
    let maker = LeafMaker()
    private var knownCapture: CaptureTools?
    /// Whether a transaction uses the tools. If it is set when the next one begins, that transaction is lost, and may
    /// still use them.
    private(set) var isLent = false

    init(access: BlockAccess, cipher: FileCipher?, path: String, findOldestHeld: @escaping () -> UInt64) {
        self.access = access
        self.cipher = cipher
        self.findOldestHeld = findOldestHeld
        self.path = path
    }

    func takePendingBlocks() -> PendingBlocks {
        if let shadow = access.shadow, shadow.generation != generation {
            generation = shadow.generation
            forgetTables()
        }
        defer { spare = nil }
        isLent = true
        return spare ?? PendingBlocks(reading: access, findOldestHeld: findOldestHeld)
    }

    func recycle(_ pending: PendingBlocks) {
        pending.reset()
        spare = pending
        isLent = false
    }

    /// The writer of a class, moved to its root in the file; reuses the known writer if it is of an identical class.
    func tableWriter(_ stored: StoredClass, at root: BlockReference, in pending: PendingBlocks) throws(FreeholdError) -> TableWriter {
        let number = Int(stored.number)
        while tableWriters.count <= number { tableWriters.append(nil) }
        if let known = tableWriters[number], known.pending === pending, known.stored === stored {
            try known.begin(at: root)
            return known
        }
        let made = try TableWriter(stored, root: TableRoot(root, in: pending.access), at: root, buffer: RowBuffer(), maker: maker, in: pending)
        tableWriters[number] = made
        return made
    }

    /// Releases the kept state of classes: after a change of the schema, or one that made it large.
    func forgetTables() {
        tableWriters.removeAll(keepingCapacity: true)
        knownCapture = nil
    }

    /// What capture of synced classes keeps.
    var capture: CaptureTools {
        if let knownCapture { return knownCapture }
        let made = CaptureTools()
        knownCapture = made
        return made
    }

    /// The commit writer, its space map moved to `root`.
    func writer(at root: Root) throws(FreeholdError) -> CommitWriter {
        let space = try TopBlock(root.top, in: access).space
        if let known = commitWriter {
            commitWriter = nil
            if (try? known.map.catchUp(to: root.version, root: space, length: root.length, access: access)) == true {
                commitWriter = known
                return known
            }
        }
        let map = try SpaceMap.load(version: root.version, root: space, length: root.length, access: access, path: path)
        let writer = CommitWriter(map: map, cipher: cipher)
        commitWriter = writer
        return writer
    }
}
