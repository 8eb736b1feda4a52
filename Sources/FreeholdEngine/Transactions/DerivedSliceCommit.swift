import Platform

/// One slice of an index that is being built: prepared from a snapshot without the writer lock, then added by a short
/// transaction.
///
/// ```
/// snapshot                                                 writer lock held
/// find an index being built, its position ─► gather ─────► position still the same? else discard
///                                                          what changed in the slice since the snapshot is replaced
///                                                          write · position = the slice's end · commit
/// ```
/// Meanwhile other transactions keep what is below the position up to date, and leave the rest. A builder that dies
/// leaves an index that the next one continues.
struct DerivedSliceCommit {
    private let snapshot: Snapshot
    private let table: Int
    private let index: StoredDerived
    private let kind: any DerivedKind
    /// The root that the slice belongs to.
    private let root: DerivedRoot
    /// Whether the root is of an older version of the kind, and is replaced by the slice.
    private let isRestart: Bool
    private let start: Int64
    private let slice: DerivedSlice

    /// The first index of a version that is to be built on, with its next slice; nil if every index is complete, or of
    /// a kind or version that this program does not build.
    ///
    /// - Parameter isWanted: called now and then; once it returns false, the slice ends.
    /// - Throws: the error of the first index that a damaged block stops, if there is no other to be built.
    init?(from snapshot: Snapshot, _ budget: DerivedBudget = .standard, while isWanted: () -> Bool = { true }) throws(FreeholdError) {
        var stopped = StoppedIndexes()
        guard let next = try Self.next(from: snapshot, budget, passing: &stopped, while: isWanted) else {
            if let error = stopped.error { throw error }
            return nil
        }
        self = next
    }

    /// The next slice of the first index that is to be built on and is not in `stopped`; nil if there is none. An index that a
    /// damaged block stops is added to `stopped` and passed over.
    static func next(from snapshot: Snapshot, _ budget: DerivedBudget, passing stopped: inout StoppedIndexes,
                     while isWanted: () -> Bool = { true }) throws(FreeholdError) -> DerivedSliceCommit? {
        let (schema, top) = try snapshot.contents(), access = snapshot.core.access
        guard schema.hasDerived else { return nil }
        for stored in schema.presentTables where !stored.derived.isEmpty {
            let table = try TableRoot(top.table(Int(stored.number)), in: access)
            for index in stored.derived where !stopped.contains(index, of: Int(stored.number)) {
                let reference = table.auxiliary(.derived, index.column)
                do throws(FreeholdError) {
                    let next = try DerivedSliceCommit(index, of: stored, at: reference, from: snapshot, budget, while: isWanted)
                    if let next { return next }
                } catch {
                    try stopped.add(index, of: Int(stored.number), error)
                }
            }
        }
        return nil
    }

    /// The next slice of an index; nil if it is complete, or not for this program to build.
    private init?(_ index: StoredDerived, of stored: StoredClass, at reference: BlockReference, from snapshot: Snapshot,
                  _ budget: DerivedBudget, while isWanted: () -> Bool) throws(FreeholdError) {
        guard let kind = DerivedKinds.kind(of: index, in: snapshot.core.access), !reference.isNull else { return nil }
        let root = try DerivedRoot(reference, of: index, in: snapshot.core.access), handling = kind.handling(of: root)
        guard handling == .rebuilt || handling == .own && root.state == .building else { return nil }
        self.snapshot = snapshot
        self.index = index
        self.kind = kind
        self.root = root
        table = Int(stored.number)
        isRestart = handling == .rebuilt
        start = isRestart ? .min : root.position
        let reader = try DerivedReader(index, of: stored, in: snapshot.derivedTables(), as: snapshot.contents().schema)
        slice = try DerivedSlice(index, kind, reader, from: start, budget, while: isWanted)
        point("derived.analysed", snapshot.core.session.system)
    }

    /// Adds the slice in a transaction, as `commit` without `stopped` does. An index that a damaged block stops is added to
    /// `stopped`, and the transaction rolled back.
    func commit(_ transaction: WriteTransaction, passing stopped: inout StoppedIndexes) throws(FreeholdError) -> Bool {
        do throws(FreeholdError) { return try commit(transaction) } catch {
            transaction.rollback()
            try stopped.add(index, of: table, error)
            return false
        }
    }

    /// Adds the slice in a transaction, which is committed; or rolls it back if another builder was there before.
    ///
    /// Returns whether it was added.
    func commit(_ transaction: WriteTransaction) throws(FreeholdError) -> Bool {
        guard let stored = transaction.schema.find(number: table), stored.derived.contains(index) else {
            transaction.rollback()
            return false
        }
        let writer = try transaction.writer(table), reference = writer.state.root.auxiliary(.derived, index.column)
        var known = reference.isNull ? DerivedRoot(kind: index.kind, versions: kind.versions)
            : try DerivedRoot(reference, of: index, in: writer.pending.access)
        guard known.versions == root.versions, known.state == root.state, known.position == root.position else {
            transaction.rollback()
            return false
        }
        try replaceChanged(stored, transaction)
        try writer.open(keepingRows: true)
        if isRestart {
            try writer.pending.freeTree(reference)
            known = DerivedRoot(kind: index.kind, versions: kind.versions)
        } else {
            writer.pending.free(reference)
        }
        try known.add(slice, table: stored.number, in: writer.pending)
        point("derived.slice", transaction.core.session.system)
        writer.state.root.setAuxiliary(.derived, index.column, known.write(table: stored.number, in: writer.pending))
        let isComplete = known.state == .complete
        try transaction.commit(isComplete ? .full : .processCrash)
        if isComplete { point("derived.complete", transaction.core.session.system) }
        return true
    }

    /// Replaces the documents of the slice that have changed since they were gathered.
    private func replaceChanged(_ stored: StoredClass, _ transaction: WriteTransaction) throws(FreeholdError) {
        let before = try transaction.snapshotBefore()
        defer { before.end() }
        if before.root.version == snapshot.root.version { return }
        let difference = try DerivedDifference(index, of: stored, from: snapshot.derivedTables(), to: before.derivedTables(),
                                               since: snapshot.root.version, below: slice.end)
        try difference.forEach { key, old, new throws(FreeholdError) in
            if key >= start { try slice.change.replace(key, old, by: new) }
        }
    }
}

extension Snapshot {
    /// The tables of its version, for comparing documents; valid while the snapshot stays at its version.
    func derivedTables() throws(FreeholdError) -> DerivedTables {
        let (schema, top) = try contents(), access = core.access
        return DerivedTables(schema, in: access) { table throws(FreeholdError) in try TableRoot(top.table(table), in: access) }
    }
}
