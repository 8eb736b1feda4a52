import FreeholdEngine

/// Changes one database for one tab: previews, commits and undoes requests, and receives uploads.
///
/// ```swift
/// let editor = Editor(database, cells)
/// let outcome = try editor.commit(try EditRequest(json))
/// if outcome.status != .committed { … }
/// ```
/// A request is one transaction: all of its operations, or none. Use it on one serial queue. Close it with the tab.
public final class Editor {
    let database: Database
    let cells: CellReading
    let limits: UndoLimits
    let uploads: Uploads
    let lockTimeoutMilliseconds: Int
    let history: UndoHistory
    let schemas = SchemaMemory()

    /// - Parameters:
    ///   - cells: creates the cells that the tab was given.
    ///   - lockTimeoutMilliseconds: how long to wait while another program writes, before `.busy` is thrown.
    ///   - now: the time, for idle uploads; tests pass their own.
    public init(
        _ database: Database, _ cells: CellReading, undo: UndoLimits = UndoLimits(), uploads: UploadLimits = UploadLimits(),
        lockTimeoutMilliseconds: Int = 3000, now: @escaping () -> ContinuousClock.Instant = { ContinuousClock.now }
    ) {
        self.database = database
        self.cells = cells
        limits = undo
        self.uploads = Uploads(uploads, now: now)
        self.lockTimeoutMilliseconds = lockTimeoutMilliseconds
        history = UndoHistory(undo)
    }

    /// Does everything that a commit would do, and rolls it back.
    ///
    /// - Parameter seen: a snapshot of the version that the tab shows, if one is held. Then long texts, data, collections,
    ///   embedded objects and objects to be deleted are compared in full, and not only as far as a cell shows them.
    /// - Throws: `.busy` if another program writes for too long, `.readOnly`, and what the file's state throws.
    public func preview(_ request: EditRequest, seen: Snapshot? = nil) throws -> EditOutcome {
        let transaction = try database.beginWrite(timeoutMilliseconds: lockTimeoutMilliseconds)
        defer { transaction.rollback() }
        return try apply(request, transaction, seen, as: .previewed)
    }

    /// Commits a request with full durability, unless there is a conflict or an operation cannot be done: then nothing
    /// is changed, and the outcome says why.
    ///
    /// - Parameter seen: as for `preview`.
    /// - Throws: as `preview`.
    public func commit(_ request: EditRequest, seen: Snapshot? = nil) throws -> EditOutcome {
        let transaction = try database.beginWrite(timeoutMilliseconds: lockTimeoutMilliseconds)
        defer { transaction.rollback() }
        var outcome = try apply(request, transaction, seen, as: .committed)
        guard outcome.status == .committed else { return outcome }
        if let expected = request.expected, expected != outcome.numbers {
            outcome.status = .conflict
            outcome.warning = "since the preview another program has committed, and the same operations would now do something else"
            return outcome
        }
        try finish(transaction, &outcome)
        return outcome
    }

    /// Applies a request in a transaction that the caller ends.
    private func apply(
        _ request: EditRequest, _ transaction: WriteTransaction, _ seen: Snapshot?, as status: EditOutcome.Status
    ) throws -> EditOutcome {
        uploads.beginUse()
        let classes = transaction.classes
        guard schemas.isCurrent(request, classes) else {
            var outcome = EditOutcome(.schemaChanged)
            outcome.warning = "the classes of the file have changed since the page read them; reload it"
            return outcome
        }
        let run = try EditRun(transaction, cells, uploads, limits, seen)
        try run.apply(request.operations)
        var outcome = EditOutcome(run.isClean ? status : run.conflicts.isEmpty ? .refused : .conflict)
        outcome.conflicts = run.conflicts
        outcome.errors = run.refusals
        outcome.omitted = run.omitted
        outcome.created = run.created
        try run.effects.report(into: &outcome, transaction, before: try transaction.snapshotBefore())
        return outcome
    }

    /// Commits, and keeps what an undo needs.
    ///
    /// - Parameters:
    ///   - keys: objects that got new keys.
    ///   - id: the commit that this one undoes.
    func finish(_ transaction: WriteTransaction, _ outcome: inout EditOutcome, renaming keys: KeyRenaming? = nil,
        undoing id: String? = nil) throws {
        let before = try transaction.snapshotBefore()
        var after: Snapshot?
        outcome.version = try commit(transaction, holding: &after, &outcome.warning)
        outcome.status = .committed
        uploads.noteCommit()
        if let id { history.remove(id) }
        // The commit stands, whatever becomes of this.
        outcome.undo = (try? after.flatMap { try keep(before, $0, isWanted: outcome.undoable, keys) }) ?? nil
        outcome.undoable = outcome.undo != nil
    }

    private func commit(_ transaction: WriteTransaction, holding after: inout Snapshot?, _ warning: inout String?) throws -> Version? {
        let result = Result { () throws(FreeholdError) in try transaction.commit(.full, holding: &after) }
        if case .failure(let error) = result, error.code == .notYetDurable {
            // The commit has been made: to report it as failed would have it made twice.
            warning = error.message
            return after?.version
        }
        return try result.get()
    }

    /// Records a commit, and renames objects in the records before it.
    ///
    /// - Returns: what names it for an undo; nil if it cannot be undone.
    private func keep(_ before: Snapshot, _ after: Snapshot, isWanted: Bool, _ keys: KeyRenaming?) throws -> String? {
        if let keys { history.rename(keys.read(from: ClassBook(after, try after.classes))) }
        guard isWanted else { return nil }
        return try UndoRecorder(before, after, limits).record().map(history.add)
    }

    /// Notes classes that the tab was shown, so that its requests are compared with these, class by class.
    public func noteShown(_ classes: [ClassSchema]) { schemas.note(classes) }

    /// Cancels the uploads and forgets what could be undone.
    public func close() {
        uploads.cancelAll()
        history.removeAll()
    }
}

/// Uploads.
extension Editor {
    /// Begins an upload.
    ///
    /// - Parameter bytes: its length, if that is known.
    /// - Returns: its identifier.
    /// - Throws: `.valueTooLarge` if the tab's uploads would be too many or too long, `.readOnly`.
    public func beginUpload(expecting bytes: Int?) throws(FreeholdError) -> String { try uploads.begin(database, expecting: bytes) }

    /// Appends bytes to an upload; after an error the upload is gone.
    public func write(_ bytes: UnsafeRawBufferPointer, to upload: String) throws(FreeholdError) { try uploads.write(bytes, to: upload) }

    /// Appends bytes to an upload; after an error the upload is gone.
    public func write(_ bytes: [UInt8], to upload: String) throws(FreeholdError) {
        // Safe: the pointer is used up before the call returns.
        try bytes.withUnsafeBytes { buffer in Result { () throws(FreeholdError) in try write(buffer, to: upload) } }.get()
    }

    /// Ends an upload and makes it durable; operations can set it then.
    ///
    /// - Returns: its length in bytes.
    public func finishUpload(_ upload: String) throws(FreeholdError) -> Int { try uploads.finish(upload) }

    /// Cancels an upload. Harmless if it does not exist.
    public func cancelUpload(_ upload: String) { uploads.cancel(upload) }

    /// Cancels uploads that were idle for too long; to be called now and then.
    public func dropIdleUploads() { uploads.dropIdle() }
}

extension EditOutcome {
    /// What an expectation is compared with.
    var numbers: EditRequest.Expectation { EditRequest.Expectation(objects: objects, inserted: inserted, deleted: deleted) }
}
