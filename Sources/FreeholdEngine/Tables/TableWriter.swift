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
    /// The state that this writer keeps from one transaction to the next.
    // Safe: as below.
    @exclusivity(unchecked) var standing = Standing()
    // Safe (all exclusivity below): a transaction is used on one thread, and no access here is held over a call that
    // comes back to the same property.
    /// The clusters with deleted rows.
    @exclusivity(unchecked) var tombstones = Tombstones()
    /// The next key before the latest insertion.
    @exclusivity(unchecked) var nextKeyBefore: Int64 = 0
    /// The number of rows being filled, nested: meanwhile rows keep their positions in the buffer.
    @exclusivity(unchecked) var filling = 0
    /// The next key when the transaction began: only keys below it may have belonged to another object before.
    @exclusivity(unchecked) private(set) var firstNewKey: Int64 = 0
    /// Whether there is any change.
    @exclusivity(unchecked) var isChanged = false
    /// The template of the class as it is now; `state` retains its layout.
    @exclusivity(unchecked) private(set) var template: RowTemplate
    /// Whether the primary key is the object key.
    @exclusivity(unchecked) private(set) var isKeyedByInteger: Bool
    /// Whether the table's class has subclasses.
    @exclusivity(unchecked) private(set) var hasFamily: Bool
    /// The number of sealed objects from which a string column is checked again for a dictionary.
    @exclusivity(unchecked) var nextDictionaryLook: [Int: Int] = [:]
    /// The root block that the transaction's end has created.
    @exclusivity(unchecked) var madeRoot = BlockReference.null
    /// The number of tail blocks that the transaction's end has created.
    @exclusivity(unchecked) var writtenTails = 0
    /// Whether the open tail block's rows have been moved into the buffer.
    @exclusivity(unchecked) private var isOpen = false
    /// Whether it is open, saved for the newest savepoint, and not read since the last change: then a change needs no
    /// preparation.
    @exclusivity(unchecked) var isReady = false
    /// Whether rows were searched while there were many of them in the buffer.
    @exclusivity(unchecked) private var isAsked = false
    /// Whether a rollback to a savepoint has undone the sealing of rows.
    @exclusivity(unchecked) private var hasSealedInVain = false
    /// Whether its class was created after a savepoint that the transaction rolled back to.
    @exclusivity(unchecked) var isGone = false
    /// The savepoint that must save the class before its next change (`TableSavepoint`).
    @exclusivity(unchecked) var waitingSave: SavedTables?
    /// The state of the class in the newest savepoint that has saved it.
    @exclusivity(unchecked) var newestSave: TableSavepoint?

    /// The maximum number of rows in the tail, and of rows and bytes in one of its blocks.
    static let tailRows = 255
    static let tailBlockRows = 64
    static let tailBlockBytes = 8 * 1024
    /// The number of rows in the buffer at which they are sealed before the transaction continues.
    static let bufferRows = 65_536

    init(_ stored: StoredClass, root: TableRoot, buffer: RowBuffer, maker: LeafMaker, in pending: PendingBlocks) throws(FreeholdError) {
        buffer.removeAll()
        template = stored.layout.template
        isKeyedByInteger = stored.isKeyedByInteger
        hasFamily = stored.family != nil
        let state = try TableState(stored, root: root, buffer: buffer, in: pending.access)
        table = WrittenTable(number: stored.number, state: state, buffer: buffer, pending: pending, maker: maker)
        indexes = IndexQueue(table)
        leaves = ColumnLeaves(table, indexes: indexes)
        claims = UniqueClaims(table)
        firstNewKey = root.nextKey
    }

    /// Begins a transaction on the class with its root in the file.
    func begin(at reference: BlockReference) throws(FreeholdError) {
        isOpen = false
        isAsked = false
        hasSealedInVain = false
        buffer.hasGivenRows = false
        state.forgetTailOrders()
        watch(for: nil)
        follow(nil)
        defer { firstNewKey = state.root.nextKey }
        if !isChanged, standing.root == reference { return }
        isChanged = false
        standing = Standing()
        buffer.removeAll()
        claims.forget()
        tombstones.removeAll()
        indexes.removeAll()
        try state.move(to: TableRoot(reference, in: pending.access))
        standing.root = reference
    }

    var number: UInt32 { table.number }
    var state: TableState { table.state }
    var buffer: RowBuffer { table.buffer }
    var pending: PendingBlocks { table.pending }
    var maker: LeafMaker { table.maker }
    var stored: StoredClass { table.state.stored }
    var layout: RowLayout { table.state.stored.layout }

    /// Switches to the class as it is now.
    func become(_ stored: StoredClass) {
        state.stored = stored
        state.stamp = stored.stamp
        template = stored.layout.template
        isKeyedByInteger = stored.isKeyedByInteger
        hasFamily = stored.family != nil
    }

    /// The part of its state that a savepoint saves and restores.
    var status: Status {
        Status(isOpen: isOpen, isChanged: isChanged, standing: standing, tombstones: tombstones, nextKeyBefore: nextKeyBefore,
               nextDictionaryLook: nextDictionaryLook, writtenTails: writtenTails)
    }

    /// - Parameter rowsSince: the number of rows that the buffer had until now.
    func restore(_ status: Status, rowsSince: Int) {
        // A `Row` handed out before is no longer valid: the class has changed twice.
        buffer.hasGivenRows = false
        if rowsSince < buffer.count, hasManyRows { hasSealedInVain = true }
        isOpen = status.isOpen
        isReady = false
        state.forgetTailOrders()
        isChanged = status.isChanged
        standing = status.standing
        tombstones = status.tombstones
        tombstones.stopMarking()
        nextKeyBefore = status.nextKeyBefore
        nextDictionaryLook = status.nextDictionaryLook
        writtenTails = status.writtenTails
        claims.forget()
        indexes.codesOfRows.removeAll()
    }

    /// Throws if a row is being filled, before an action that would remove rows from the buffer.
    func requireNoneIsFilled() throws(FreeholdError) {
        if filling == 0 { return }
        throw FreeholdError(.invalidArgument, "an object of class '\(stored.name)' is being filled; delete objects of its "
            + "class, add properties to it and commit when that is done")
    }

    /// Moves the open tail block's rows into the buffer; called before the first change.
    ///
    /// - Parameter keepingRows: no object is about to change: rows that were handed out must not move.
    func open(keepingRows: Bool = false) throws(FreeholdError) {
        if isReady, !buffer.hasGivenRows { return }
        saveIfWanted()
        isChanged = true
        state.forgetTailOrders()
        if !keepingRows {
            isReady = true
            buffer.hasGivenRows = false
            try sealIfAsked()
        }
        if isOpen { return }
        isOpen = true
        if standing.holdsOpenTail {
            standing.holdsOpenTail = false
            return pending.free(state.root.tails.removeLast())
        }
        guard let last = state.tails.last, !isFull(last.count, last.view.bodyLength) else { return }
        try absorbLastTail()
    }

    /// Seals the rows of the buffer if there were many and they were searched.
    private func sealIfAsked() throws(FreeholdError) {
        guard isAsked, !wouldSealInVain else { return }
        isAsked = false
        if hasManyRows, filling == 0 { try seal() }
    }

    /// Whether there is a savepoint, and an earlier rollback has undone the sealing of rows.
    private var wouldSealInVain: Bool { hasSealedInVain && (newestSave != nil || waitingSave != nil) }

    private var hasManyRows: Bool { buffer.count > 4 * Self.tailRows }

    /// Must be called before rows of tail and buffer are searched, and before a tree is read along with them: many rows
    /// in the buffer are sealed, so that repeated queries do not search them each time. If a `Row` may be in use, or an
    /// iteration over rows, the next change does that.
    ///
    /// Returns whether what is found stays true until the next change.
    @discardableResult
    func noteQuestion() throws(FreeholdError) -> Bool {
        isReady = false
        if hasManyRows {
            if buffer.hasGivenRows || filling > 0 || wouldSealInVain { isAsked = true } else { try seal() }
        }
        return filling == 0
    }

    /// Moves every tail row into the buffer.
    func absorbTails() throws(FreeholdError) {
        while !state.tails.isEmpty { try absorbLastTail() }
    }

    private func absorbLastTail() throws(FreeholdError) {
        let tail = state.tails.removeLast()
        for index in 0..<tail.count {
            let row = try state.checked(tail.row(index))
            try adopt(row)
            if tail.incarnation(index) != 0 { buffer.incarnations[row.key] = tail.incarnation(index) }
        }
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

    /// The object's position in the buffer if it is in the tail; moves it from the tail blocks if necessary.
    func bufferPlace(_ key: Int64) throws(FreeholdError) -> Int? {
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
