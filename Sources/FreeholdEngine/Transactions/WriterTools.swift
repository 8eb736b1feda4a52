/// What a process's writer keeps from one transaction to the next, so that a small commit allocates next to nothing:
/// the space map, the commit writer, the memory of blocks and rows, the leaf builders.
///
/// Used by the holder of the writer lock only, or by a transaction that has lost it, which keeps them to itself.
final class WriterTools {
    private let access: BlockAccess
    private let path: String
    private let cipher: FileCipher?
    private let findOldestHeld: () -> UInt64
    /// The shadow's generation that what is kept of classes belongs to.
    private var generation: UInt64 = 0
    private var spare: PendingBlocks?
    /// What writes each class, by its number.
    private var tableWriters: [TableWriter?] = []
    private(set) var commitWriter: CommitWriter?
    /// How long the file was, as far as this process knows.
    var fileLength: UInt64 = 0
    private var commitsSinceCut = 0
    private var commitsSincePunch = 0
    private var canPunch = true
    let maker = LeafMaker()
    /// Whether a transaction has them. If it is so when the next one begins, that transaction is lost, and may still be at work with them.
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

    /// What writes a class, brought to its root in the file; the one known, if it is of the very same class.
    func tableWriter(_ stored: StoredClass, at root: BlockReference, in pending: PendingBlocks) throws(FreeholdError) -> TableWriter {
        let number = Int(stored.number)
        while tableWriters.count <= number { tableWriters.append(nil) }
        if let known = tableWriters[number], known.pending === pending, known.stored === stored {
            try known.begin(at: root)
            return known
        }
        let made = try TableWriter(stored, root: TableRoot(root, in: pending.access), buffer: RowBuffer(), maker: maker, in: pending)
        made.standing.root = root
        tableWriters[number] = made
        return made
    }

    /// Lets go of what was kept of classes: after a change of the schema, or what made it large.
    func forgetTables() { tableWriters.removeAll(keepingCapacity: true) }

    /// The commit writer, its space map brought to `root`.
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

    /// The same for what could be given back in the middle.
    func mayTryToPunch() -> Bool {
        commitsSincePunch += 1
        guard canPunch, commitsSincePunch >= 64 else { return false }
        commitsSincePunch = 0
        return true
    }

    /// The file system cannot make holes.
    func givesUpPunching() { canPunch = false }

    /// Looking for what could be cut costs a little: one commit in 16 does.
    func mayTryToCut() -> Bool {
        commitsSinceCut += 1
        guard commitsSinceCut >= 16 else { return false }
        commitsSinceCut = 0
        return true
    }
}
