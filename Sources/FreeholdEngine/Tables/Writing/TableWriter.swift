/// The changes of a write transaction to one class.
///
/// 1. New and changed tail rows are in `state.buffer`; `state.tails` are the tail blocks that are unchanged.
/// 2. Derived structures (trees over columns, counts) cover exactly the sealed rows; sealing and unsealed
///    changes never disagree about who covers a row.
/// 3. Index operations wait in `indexes` and are merged in one batch, at the commit or when a look-up needs the tree
/// (`index(_:)`).
/// 4. A deleted sealed row is a mark in its cluster until `compact` (`Tombstones`).
/// 5. It outlives its transaction: as long as the class's root in the file is the one that this writer's last commit
/// created, the next transaction continues with the state in memory, including the open tail block's rows.
final class TableWriter {
    let table: WrittenTable
    /// The index operations that are not merged yet.
    let indexes: IndexQueue
    let leaves: ColumnLeaves
    let claims: UniqueClaims
    // Safe (all exclusivity below): a transaction is used on one thread, and no access here is held over a call that
    // comes back to the same property.
    /// The class as it is now.
    @exclusivity(unchecked) private(set) var shape: WrittenClass
    /// How far the transaction's work on the table has come.
    @exclusivity(unchecked) var tail: OpenTail
    @exclusivity(unchecked) var filling: RowFilling
    /// The clusters with deleted rows.
    @exclusivity(unchecked) var tombstones = Tombstones()
    @exclusivity(unchecked) var dictionaries = DictionaryChoice()
    @exclusivity(unchecked) var saving = TableSaving()
    @exclusivity(unchecked) var touched = TouchedObjects()

    /// The maximum number of rows in the tail, and of rows and bytes in one of its blocks.
    static let tailRows = 255
    static let tailBlockRows = 64
    static let tailBlockBytes = 8 * 1024
    /// The number of rows in the buffer at which they are sealed before the transaction continues.
    static let bufferRows = 65_536

    /// - Parameter reference: where the root is in the file; nil if it is in none.
    init(_ stored: StoredClass, root: TableRoot, at reference: BlockReference? = nil, buffer: RowBuffer, maker: LeafMaker,
         in pending: PendingBlocks) throws(FreeholdError) {
        buffer.removeAll()
        shape = WrittenClass(stored)
        tail = OpenTail(at: reference)
        filling = RowFilling(nextKey: root.nextKey)
        let state = try TableState(stored, root: root, buffer: buffer, in: pending.access)
        table = WrittenTable(number: stored.number, state: state, buffer: buffer, pending: pending, maker: maker)
        indexes = IndexQueue(table)
        leaves = ColumnLeaves(table, indexes: indexes)
        claims = UniqueClaims(table)
    }

    /// Begins a transaction on the class with its root in the file.
    func begin(at reference: BlockReference) throws(FreeholdError) {
        saving.hasSealedInVain = false
        touched.removeAll()
        buffer.hasGivenRows = false
        state.forgetTailOrders()
        watch(for: nil)
        follow(nil)
        defer { filling.beginTransaction(nextKey: state.root.nextKey) }
        if tail.represents(reference) {
            assert(checkInvariants(fully: true), "the invariants hold")
            return
        }
        tail = OpenTail(at: nil)
        buffer.removeAll()
        claims.forget()
        tombstones.removeAll()
        indexes.removeAll()
        try state.move(to: TableRoot(reference, in: pending.access))
        tail = OpenTail(at: reference)
        assert(checkInvariants(), "the invariants hold")
    }

    var number: UInt32 { table.number }
    var state: TableState { table.state }
    var buffer: RowBuffer { table.buffer }
    var pending: PendingBlocks { table.pending }
    var maker: LeafMaker { table.maker }
    var stored: StoredClass { table.state.stored }
    var layout: RowLayout { table.state.stored.layout }
    var template: RowTemplate { shape.template }
    var isKeyedByInteger: Bool { shape.isKeyedByInteger }
    var isChanged: Bool { tail.isChanged }

    /// Switches to the class as it is now.
    func become(_ stored: StoredClass) {
        state.stored = stored
        state.stamp = stored.stamp
        shape = WrittenClass(stored)
    }

    /// Throws if a row is being filled, before an action that would remove rows from the buffer.
    func requireNoneIsFilled() throws(FreeholdError) {
        if filling.isNone { return }
        throw FreeholdError(.invalidArgument, "an object of class '\(stored.name)' is being filled; delete objects of its "
            + "class, add properties to it and commit when that is done")
    }

    /// Moves the open tail block's rows into the buffer; called before the first change.
    ///
    /// - Parameter keepingRows: no object is about to change: rows that were handed out must not move.
    func open(keepingRows: Bool = false) throws(FreeholdError) {
        if tail.phase == .ready, !buffer.hasGivenRows { return }
        try pending.requireWhole()
        saveIfWanted()
        state.forgetTailOrders()
        let before = tail.change(keepingRows: keepingRows)
        if !keepingRows { buffer.hasGivenRows = false }
        switch before {
        case .closed:
            guard let last = state.tails.last, !isFull(last.count, last.view.bodyLength) else { return }
            try absorbLastTail()
        case .held: pending.free(state.root.tails.removeLast())
        case .asked: if !keepingRows, hasManyRows, filling.isNone, !saving.wouldSealInVain { try seal() }
        case .open, .ready, .settled, .gone: return
        }
    }

    var hasManyRows: Bool { buffer.count > 4 * Self.tailRows }

    /// Must be called before rows of tail and buffer are searched, and before a tree is read along with them: many rows
    /// in the buffer are sealed, so that repeated queries do not search them each time. If a `Row` may be in use, or an
    /// iteration over rows, the next change does that.
    ///
    /// Returns whether what is found stays true until the next change.
    @discardableResult
    func noteQuestion() throws(FreeholdError) -> Bool {
        tail.expectPreparation()
        if hasManyRows {
            if buffer.hasGivenRows || !filling.isNone || saving.wouldSealInVain { tail.askForSealing() } else { try seal() }
        }
        return filling.isNone
    }

    /// Moves every tail row into the buffer.
    func absorbTails() throws(FreeholdError) {
        while !state.tails.isEmpty { try absorbLastTail() }
    }

    /// Moves the rows of the last tail block into the buffer: all of them, or none if one is damaged. A transaction that
    /// goes on after the error leaves the block as it is.
    private func absorbLastTail() throws(FreeholdError) {
        guard let tail = state.tails.last else { return }
        let end = buffer.end
        do throws(FreeholdError) {
            for index in 0..<tail.count { try adopt(state.checked(tail.row(index))) }
        } catch {
            buffer.removeRows(after: end)
            assert(checkInvariants(), "the invariants hold")
            throw error
        }
        for index in 0..<tail.count where tail.incarnation(index) != 0 {
            buffer.incarnations[tail.row(index).key] = tail.incarnation(index)
        }
        state.tails.removeLast()
        pending.free(state.root.tails.removeLast())
        claims.forget()
    }

    /// Copies a row into the buffer, in the class's current layout.
    private func adopt(_ row: RowView) throws(FreeholdError) {
        for column in stored.collectionColumns { _ = try state.cell(.tail(row), column) }
        guard row.columns < layout.types.count else {
            _ = buffer.append(copying: row)
            return
        }
        let place = buffer.append(key: row.key, template)
        for (column, type) in layout.types.enumerated() {
            guard let type else { continue }
            let value = column < row.columns ? try row.value(column, layout, type: type)
                : stored.properties[column].slotDefault
            buffer.set(place, column, layout, to: value)
        }
    }

    /// The position in the buffer of an object that is about to change, if it is in the tail; moves it from the tail blocks if
    /// necessary.
    func bufferPlace(_ key: Int64) throws(FreeholdError) -> Int? {
        touched.note(key)
        if let place = buffer.find(key) { return place }
        for tail in state.tails where tail.find(key) != nil {
            try absorbTails()
            return buffer.find(key)
        }
        return nil
    }
}

extension StoredProperty {
    /// The value of objects that are older than the property; null where their class does not have it.
    var defaultValue: Value { shape?.empty ?? slotDefault }

    /// The default value in the form that rows hold.
    fileprivate var slotDefault: Value {
        defaultsToNull ? .null : type.zero
    }

    /// The value of an object that was created without naming the property.
    var initialValue: Value { shape?.empty ?? (isNullable ? .null : type.zero) }
}
