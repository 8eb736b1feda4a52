import FreeholdEngine

extension Editor {
    /// Undoes a commit of this tab, or an undo, unless something that it would put back was changed since: then nothing
    /// is changed, and the outcome has the conflicts.
    ///
    /// Objects that come back have new keys where the class numbers its objects; links to them are put back, too.
    ///
    /// - Parameter id: the `undo` of a commit's outcome.
    /// - Throws: `.notFound` for one that is unknown, or was dropped because later ones needed its space; as `preview`.
    public func undo(_ id: String) throws -> EditOutcome {
        guard let record = history[id] else {
            throw FreeholdError(.notFound, "there is nothing to undo as '\(id)': it was undone already, or is too long ago")
        }
        let transaction = try database.beginWrite(timeoutMilliseconds: lockTimeoutMilliseconds)
        defer { transaction.rollback() }
        guard SchemaMemory.reach(of: record.classNames, transaction.classes) == record.classes else {
            var outcome = EditOutcome(.schemaChanged)
            outcome.warning = "the classes concerned have changed since, so this cannot be undone any more"
            return outcome
        }
        let run = UndoRun(transaction, cells, record)
        var outcome = EditOutcome(.committed)
        run.report(into: &outcome)
        do {
            try run.apply()
        } catch let error as FreeholdError where error.isRefusal {
            outcome.errors.append(EditOutcome.Refusal(operation: nil, message: error.message))
        } catch let mistake as OperationMistake {
            outcome.errors.append(EditOutcome.Refusal(operation: nil, message: mistake.message))
        }
        outcome.conflicts = run.conflicts
        guard outcome.conflicts.isEmpty, outcome.errors.isEmpty else {
            outcome.status = .conflict
            return outcome
        }
        outcome.undoable = true
        uploads.beginUse()
        let keys = run.keys
        try finish(transaction, &outcome, renaming: keys, undoing: id)
        return outcome
    }
}
