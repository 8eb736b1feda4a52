/// How far a transaction's work on a table has come, and who has the rows of its open tail block: the last one, if that
/// is not full. The first change moves its rows into the buffer; the next tail block begins with them.
///
/// ```
///     begin                                        begin
///       ▼                                            ▼
///   closed: the block has the rows              held: the buffer has them too
///       │                                            │
///       │ change: they move into the buffer          │ change: the block is freed
///       └──────────────────┬─────────────────────────┘
///                          ▼    savepoint, question
///                        ready ──────────────────────► open
///                          ▲ ▲                         │  │
///                          │ └──────── change ─────────┘  │ question while many rows
///                          │                              ▼ are in the buffer
///                          └──────── change: seals them ─ asked
///
///   end of the transaction: ready, open and asked become settled; the commit makes them held if the last block
///   written has room, else closed
///   change that concerns no object (a sequence): closed and held become open
///   gone: the class was dropped, or its creation rolled back
/// ```
/// 1. `closed` and `held`: nothing is changed; `root` is the table's root in the file, or nil if the table is in none.
/// 2. In `held` the buffer has the rows of the last tail block of the table's root, which `TableState.tails` omits. In
/// all other states every row of the tail is either in a block of `tails` or in the buffer.
/// 3. `ready`: the newest savepoint has saved the table and nobody has searched it since the last change, so a change
/// needs no preparation.
/// 4. `settled`: the blocks of the table are those of the new version, the tail's included; nothing is sealed, opened
/// or changed any more. Only the table root follows, after what is derived from the objects.
/// 5. A rollback to a savepoint restores the state at its creation, but never `ready` or `asked`.
struct OpenTail {
    enum Phase: UInt8 { case closed, held, open, ready, asked, settled, gone }

    private(set) var phase = Phase.closed
    /// The root in the file.
    private(set) var root: BlockReference?
    /// The number of tail blocks that the transaction's end has created, and the root block.
    private(set) var finished: (root: BlockReference, tails: Int) = (.null, 0)

    /// - Parameter root: the table's root in the file; nil if it is in none.
    init(at root: BlockReference?) { self.root = root }

    /// Whether there is any change.
    @inline(__always) var isChanged: Bool { phase.rawValue > Phase.held.rawValue }

    /// Whether the state in memory is that of the table with this root.
    func represents(_ reference: BlockReference) -> Bool { !isChanged && root == reference }

    /// Notes a change; returns the state before it, which says what has to be prepared.
    ///
    /// - Parameter keepingRows: no object is about to change: whatever objects need prepared is left to the next change.
    mutating func change(keepingRows: Bool) -> Phase {
        let before = phase
        assert(before != .settled, "(4): nothing changes a table that is settled")
        if phase == .gone { return before }
        if !keepingRows { phase = .ready } else if !isChanged { phase = .open }
        return before
    }

    /// Notes that something has to be prepared before the next change: a savepoint was created, or rows were searched.
    @inline(__always) mutating func expectPreparation() { if phase == .ready { phase = .open } }

    /// Notes that many rows of the buffer were searched: the next change seals them.
    mutating func askForSealing() { if isChanged, phase != .gone, phase != .settled { phase = .asked } }

    /// Notes that the class is dropped, or that its creation was rolled back.
    mutating func leave() { phase = .gone }

    /// Goes back to the state when a savepoint was created.
    mutating func rollBack(to saved: Phase) { phase = saved == .ready || saved == .asked ? .open : saved }

    /// Notes that the transaction's end has created all blocks of the table but its root, so many for the tail.
    mutating func settle(tails: Int) {
        phase = .settled
        finished = (.null, tails)
    }

    /// Notes the root block that the transaction's end has created.
    mutating func finish(_ root: BlockReference) { finished.root = root }

    /// Notes the commit: the table's root is now in the file at `root`.
    mutating func keep(as root: BlockReference, holdingRows: Bool) {
        phase = holdingRows ? .held : .closed
        self.root = root
    }
}
