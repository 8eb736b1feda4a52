/// Lists that lose elements because the answer deletes what these link to. The trees of identities have these elements until the commit.
extension AnswerApplication {
    /// A list with links to an object that the answer deletes.
    struct CutList: Hashable {
        let table: Int
        let object: Int64
        let column: Int
    }

    /// Notes the lists in which something is pending and that link to an object, before it is deleted.
    func noteCuts(_ own: AppliedClass, _ object: Int64) throws(FreeholdError) {
        for (source, column) in transaction.schema.incoming[own.table] {
            let writer = try transaction.writer(source), property = writer.stored.properties[column]
            guard property.collections == [.list], property.type != .mixed,
                  !PendingTrees(writer.state.root).changes.isNull else { continue }
            for link in try writer.links.sources(linkingTo: LinkTarget(object), column) {
                cuts.insert(CutList(table: source, object: link, column: column))
            }
        }
    }

    /// Forgets what is pending of elements that have gone with what they link to, as capture does. Of one that had another value at the
    /// server, a deletion stays.
    func settleCuts() throws(FreeholdError) {
        for cut in cuts {
            let own = try table(cut.table), property = own.stored.properties[cut.column]
            guard let place = try own.writer.state.find(cut.object),
                  let reader = try own.writer.state.collection(place, cut.column) else { continue }
            try own.pending.write()
            var notes = ElementNotes()
            for entry in try own.pending.changes(of: cut.object) where entry.property == property.number {
                if case .element(_, let change) = entry.what { notes.load(change, entry.stamp, entry.origin) }
            }
            let (runs, lost) = try runs(own, cut.object, cut.column, reader), gone = lost.map(\.identities).joined()
            if gone.isEmpty { continue }
            let inserted = notes.take(.inserted, gone).map(\.change.identities).joined()
            _ = notes.take(.moved, gone)
            for range in notes.take(.changed, gone).map(\.change.identities).joined().removing(inserted) {
                notes.add(ElementChange(.deleted, range), now(), origin)
            }
            for run in lost { notes.vanish(run.positions) }
            let ages = try PositionAges(body) { replica throws(FreeholdError) in try own.identities.number(of: replica) }
            try notes.moveNeighbours { _ in ListWindow(runs, ages) }
            for note in notes.dropped { own.pending.remove(note.entry(cut.object, property.number)) }
            for note in notes.added { own.pending.insert(note.entry(cut.object, property.number)) }
            try own.pending.write()
        }
        cuts = []
    }

    /// The identities of a list's elements as it is now, and of those that it has lost in this transaction.
    func runs(_ own: AppliedClass, _ object: Int64, _ column: Int,
              _ reader: CollectionReader) throws(FreeholdError) -> (runs: [IdentityRun], lost: [IdentityRun]) {
        let known = try own.identities.runs(of: object, own.stored.properties[column].number)
        if known.elements == reader.count { return (known, []) }
        guard let before = try listBefore(own, object, column), before.count == known.elements else { throw ListIdentities.damaged() }
        // What is left is in the old order, and no element that has gone has the value of one that stayed.
        var kept: [IdentityRun] = [], lost: [IdentityRun] = [], index = 0, place = 0
        for run in known {
            for offset in 0..<run.count {
                let one = run.part(offset..<offset + 1), old = try value(before, place)
                place += 1
                guard index < reader.count, try value(reader, index).isIdentical(to: old) else {
                    lost.append(joining: one)
                    continue
                }
                kept.append(joining: one)
                index += 1
            }
        }
        guard index == reader.count else { throw ListIdentities.damaged() }
        return (kept, lost)
    }

    /// A list in the version that the transaction began with.
    private func listBefore(_ own: AppliedClass, _ object: Int64, _ column: Int) throws(FreeholdError) -> CollectionReader? {
        let access = transaction.pending.access, root = try TableRoot(transaction.base.table(own.table), in: access)
        let state = try TableState(own.stored, root: root, buffer: nil, in: access)
        guard let place = try state.find(object) else { return nil }
        return try state.collection(place, column)
    }
}
