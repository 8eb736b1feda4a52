extension WriteTransaction {
    /// Sets a savepoint to which the transaction can roll back. Savepoints nest. A savepoint costs next to nothing
    /// until something is changed after it, and then as much as is changed.
    ///
    /// ```swift
    /// let savepoint = try transaction.savepoint()
    /// try transaction.delete(key, from: people)
    /// try transaction.rollback(to: savepoint)     // the object is there again
    /// ```
    /// - Throws: `.invalidArgument` while an object is being filled, `.notInWrite` after the transaction's end.
    public func savepoint() throws(FreeholdError) -> Savepoint {
        try requireSteady()
        for writer in writers { try writer?.prepareForSavepoint() }
        let level = SavepointLevel(mark: pending.mark(), schema: schema, isSchemaChanged: isSchemaChanged)
        levels.append(level)
        for writer in writers { writer?.watch(for: level.saved) }
        return Savepoint(level: level)
    }

    /// Reverts every change since the savepoint: objects, indexes, keys given, classes and properties. Savepoints set
    /// since become invalid; this one stays, and can be rolled back to again. Rows read since must not be used any
    /// more.
    ///
    /// - Throws: `.invalidArgument` if the savepoint was released, or is of another transaction.
    public func rollback(to savepoint: Savepoint) throws(FreeholdError) {
        try requireSteady()
        let place = try place(of: savepoint), level = levels[place]
        pending.rollBack(to: level.mark)
        for number in Set(levels[place...].flatMap { $0.saved.tables.keys }) {
            let saves = levels[place...].compactMap { $0.saved.tables[number] }
            guard let writer = writers[number] else { continue }
            saves[0].restore(writer, Array(saves.dropFirst()))
            writer.follow(levels[..<place].last { $0.saved.tables[number] != nil }?.saved.tables[number])
        }
        levels.removeSubrange((place + 1)...)
        level.saved.tables.removeAll()
        takeBack(level.schema, isChanged: level.isSchemaChanged)
        for writer in writers { writer?.watch(for: level.saved) }
        assert(writers.allSatisfy { $0?.checkInvariants(fully: true) ?? true }, "the invariants hold")
    }

    /// Releases the savepoint and those set since, and keeps the changes.
    ///
    /// - Throws: `.invalidArgument` if the savepoint was released, or is of another transaction.
    public func release(_ savepoint: Savepoint) throws(FreeholdError) {
        try requireSteady()
        let place = try place(of: savepoint)
        while levels.count > place { releaseNewest() }
    }

    /// Runs `body`; if it throws, its changes are reverted, and the transaction continues from where it was.
    @discardableResult
    public func nested<Result>(_ body: () throws -> Result) throws -> Result {
        let savepoint = try savepoint()
        let result: Result
        do {
            result = try body()
        } catch {
            if !isFinished {
                try rollback(to: savepoint)
                try release(savepoint)
            }
            throw error
        }
        if !isFinished { try release(savepoint) }
        return result
    }

    /// What changed since the newest savepoint is since the one before now.
    private func releaseNewest() {
        let released = levels.removeLast()
        pending.release(to: levels.last?.mark)
        for (number, save) in released.saved.tables {
            guard let outer = levels.last else {
                writers[number]?.follow(nil)
                continue
            }
            if let known = outer.saved.tables[number] { known.inherit(save) } else { outer.saved.tables[number] = save }
            writers[number]?.follow(outer.saved.tables[number])
        }
        for case let writer? in writers where levels.last?.saved.tables[Int(writer.number)] == nil { writer.watch(for: levels.last?.saved) }
        for case let writer? in writers where writer.saving.waiting === released.saved { writer.watch(for: nil) }
    }

    private func place(of savepoint: Savepoint) throws(FreeholdError) -> Int {
        if let place = levels.firstIndex(where: { $0 === savepoint.level }) { return place }
        throw FreeholdError(.invalidArgument, "this savepoint was released or rolled back, or belongs to another transaction",
                            path: core.path)
    }

    func requireSteady() throws(FreeholdError) {
        try requireOpen()
        for writer in writers { try writer?.requireNoneIsFilled() }
    }
}

/// A point in a write transaction to which it can roll back; see `WriteTransaction.savepoint`.
public struct Savepoint {
    let level: SavepointLevel
}

/// What a transaction knew at a savepoint.
final class SavepointLevel {
    let mark: PendingBlocks.Mark
    let schema: StoredSchema
    let isSchemaChanged: Bool
    let saved = SavedTables()

    init(mark: PendingBlocks.Mark, schema: StoredSchema, isSchemaChanged: Bool) {
        self.mark = mark
        self.schema = schema
        self.isSchemaChanged = isSchemaChanged
    }
}
