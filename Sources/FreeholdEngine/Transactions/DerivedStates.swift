/// The state of a derived index in one version of a file.
public enum DerivedIndexState: Sendable, Hashable {
    /// It has every object, and answers queries.
    case complete
    /// It has this many of the objects. Queries search object by object.
    case building(coveredCount: Int)
    /// An older program made it, or one with another stemmer or an older ICU: this one builds it anew. Queries search object by
    /// object.
    case older
    /// A newer program made it, or one with a newer ICU: this one cannot use it. It cannot write to the class either, unless the
    /// index is in a collation: that loses its entries then, and a program with such an ICU builds it anew.
    case newer
    /// It has a language, and this machine has no stemmer or no ICU for it, so this program cannot use it. It can write to the class:
    /// then a program with the library builds the index anew.
    case unavailable

    func coveredCount(of count: Int) -> Int {
        switch self {
        case .complete, .newer: count
        case .building(let covered): covered
        case .older, .unavailable: 0
        }
    }
}

/// A derived index of one version of a file, with its state.
struct DerivedEntry {
    let stored: StoredClass
    let index: StoredDerived
    let state: DerivedIndexState
    /// Nil without objects.
    let root: DerivedRoot?
    /// The number of sealed objects of its table.
    let sealedCount: Int

    /// The number of its objects that the index has.
    var coveredCount: Int { root?.isEmptied == true ? 0 : state.coveredCount(of: sealedCount) }

    var isToBeBuilt: Bool {
        switch state {
        case .building, .older: true
        case .complete, .newer, .unavailable: false
        }
    }
}

extension DerivedEntry {
    init(_ index: StoredDerived, of stored: StoredClass, _ table: TableRoot, in access: BlockAccess) throws(FreeholdError) {
        let reference = table.auxiliary(.derived, index.column), kind = DerivedKinds.kind(of: index, in: access)
        self.stored = stored
        self.index = index
        sealedCount = table.sealedCount
        guard !reference.isNull else {
            root = nil
            state = kind?.canFile == false ? .unavailable : table.sealedCount == 0 ? .complete : .building(coveredCount: 0)
            return
        }
        let root = try DerivedRoot(reference, in: access)
        self.root = root
        let handling = kind?.handling(of: root) ?? .refused
        guard handling == .own else {
            state = handling == .rebuilt ? .older : handling == .emptied && kind?.canFile == false ? .unavailable : .newer
            return
        }
        state = root.state == .complete ? .complete
            : .building(coveredCount: try table.sealedCount(below: root.position, in: access))
    }
}

extension StoredSchema {
    /// The derived indexes of all classes, with their state in a version.
    ///
    /// - Parameter skipping: whether to leave out those whose root is damaged, instead of throwing.
    func derivedStates(at top: TopBlock, in access: BlockAccess, skippingDamaged skipping: Bool) throws(FreeholdError) -> [DerivedEntry] {
        guard hasDerived else { return [] }
        var entries: [DerivedEntry] = []
        for stored in presentTables where !stored.derived.isEmpty {
            let table = try TableRoot(top.table(Int(stored.number)), in: access)
            for index in stored.derived {
                do throws(FreeholdError) { entries.append(try DerivedEntry(index, of: stored, table, in: access)) } catch {
                    guard skipping, error.code.band == .damaged else { throw error }
                }
            }
        }
        return entries
    }
}

extension Snapshot {
    /// The derived indexes of all classes.
    ///
    /// - Parameter skipping: whether to leave out those whose root is damaged, instead of throwing.
    func derivedStates(skippingDamaged skipping: Bool = false) throws(FreeholdError) -> [DerivedEntry] {
        let (schema, top) = try contents()
        return try schema.derivedStates(at: top, in: core.access, skippingDamaged: skipping)
    }
}

extension DerivedDeclarations {
    /// The derived indexes that the classes have now, with the state of the version that the transaction began with; one added
    /// since has none of that version's objects.
    func states() throws(FreeholdError) -> [DerivedEntry] {
        try transaction.requireOpen()
        return try transaction.schema.derivedStates(at: transaction.base, in: transaction.pending.access, skippingDamaged: false)
    }
}
