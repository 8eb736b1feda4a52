/// The tree of an index in a collation, which has the objects of a class in the order of a sort term.
///
/// 1. It has every sealed object of the class, and none of the tail.
/// 2. Its keys are computed by the ICU that computes those of the sort: an index of another one is not used.
struct CollatedTree {
    let part: IndexPart
    /// The property and the collation, as text.
    let text: String

    /// Nil if no index of the class orders the term, complete and by the version of ICU that the term has. A transaction has not
    /// filed what it has changed, so it sorts object by object.
    init?(_ term: CheckedTerm, of table: Table) throws(FreeholdError) {
        guard table.writer == nil, let order = term.collation, let tree = try Self.found(term, of: table, order) else { return nil }
        part = IndexPart(index: tree, bounds: KeyBounds(behind: ByteBuffer(capacity: 16)), isSifted: table.scope != nil)
        text = Self.text(term, order)
    }

    static func text(_ term: CheckedTerm, _ order: LanguageOrder) -> String {
        "\(term.table.state.stored.properties[term.column.index].name) in the collation \"\(order.normalTag)\""
    }

    /// The tree of the complete index of a term, by the version of ICU that the term has.
    private static func found(_ term: CheckedTerm, of table: Table,
                              _ order: LanguageOrder) throws(FreeholdError) -> OrderedIndex? {
        let own = DerivedVersions(algorithm: 1, tables: 0, tool: order.version)
        for index in declared(term, of: table, order) {
            guard let root = try root(of: index, table), root.state == .complete, root.versions == own else { continue }
            do throws(FreeholdError) {
                let tree = try CollationKind.tree(root.contents, table.state.access)
                let entries = try tree.count(), state = table.state
                let sealed = state.root.sealedCount(ofOwner: index.owner, in: state.stored.family)
                guard entries == sealed else {
                    throw FreeholdError(.corrupt, "an index in a collation has \(entries) entries for \(sealed) objects",
                                        path: table.state.access.path)
                }
                return tree
            } catch { throw DerivedKinds.explained(error, table.state.stored, "read") }
        }
        return nil
    }

    private static func root(of index: StoredDerived, _ table: Table) throws(FreeholdError) -> DerivedRoot? {
        let reference = table.state.root.auxiliary(.derived, index.column)
        if reference.isNull { return nil }
        do throws(FreeholdError) { return try DerivedRoot(reference, of: index, in: table.state.access) } catch {
            throw DerivedKinds.explained(error, table.state.stored, "read")
        }
    }

    /// The indexes that order a term and have all objects of the table.
    private static func declared(_ term: CheckedTerm, of table: Table, _ order: LanguageOrder) -> [StoredDerived] {
        guard term.links.isEmpty, table.state.stored.derived.contains(where: \.isCollation) else { return [] }
        let property = table.state.stored.properties[term.column.index].number, tag = order.normalTag
        return table.state.stored.derived.filter { index in
            guard index.isCollation, index.fields[0].link == nil, index.fields[0].property == property,
                  index.options.elementsEqual(tag.utf8) else { return false }
            return index.owner.map { table.schemaOf.lineage(of: Int(table.number)).contains(Int($0)) } ?? true
        }
    }

    /// Why a term is sorted object by object although there is an index in its collation, a sentence each.
    static func notes(on term: CheckedTerm, of table: Table) throws(FreeholdError) -> [String] {
        guard let order = term.collation, try CollatedTree(term, of: table) == nil else { return [] }
        let name = "the index of \(text(term, order)) is not used: "
        var notes: [String] = []
        for index in declared(term, of: table, order) {
            if table.writer != nil {
                notes.append(name + "a transaction sorts what it has changed")
                continue
            }
            guard let root = try root(of: index, table) else { continue }
            if root.versions.tool != order.version {
                let known = LanguageOrder.release(root.versions.tool)
                let made = root.versions.tool == 0 ? "it has not been built yet" : "it is by ICU \(known)"
                notes.append(name + "\(made), and this process has ICU \(LanguageOrder.release(order.version))")
            } else if root.state == .building {
                let sealed = table.state.root.sealedCount
                let covered = try table.state.root.sealedCount(below: root.position, in: table.state.access)
                notes.append(name + "it is being built, \(sealed == 0 ? 0 : covered * 100 / sealed) %")
            } else {
                notes.append(name + "another version of Freehold has made it")
            }
        }
        return notes
    }
}
