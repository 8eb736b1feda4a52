/// The deletion of an object that another device has deleted, or that its user does not see any more.
extension SyncDeclarations {
    /// Deletes an object with what it embeds, and without regard to delete rules: what else went with it elsewhere is named by itself.
    ///
    /// - Parameter cut: called with the table, object and column of each link to it.
    func delete(_ key: Int64, _ table: Int, _ cut: (Int, Int64, Int) throws(FreeholdError) -> Void) throws(FreeholdError) {
        var doomed = Doomed(), waiting = [Doomed.Object(table: table, key: key)]
        while let object = waiting.popLast() {
            let writer = try transaction.writer(object.table)
            guard doomed.insert(object), let place = try writer.state.find(object.key) else { continue }
            doomed.objects.append(object)
            for rule in transaction.schema.rules[object.table] where rule.isOwned {
                try writer.state.forEachLink(place, rule.column) { waiting.append(.init(table: rule.target, key: $0.key)) }
            }
        }
        for (source, column) in transaction.schema.incoming[table] { try forEachSingleLink(to: key, table, source, column, cut) }
        try transaction.delete(doomed)
    }

    private func forEachSingleLink(to key: Int64, _ table: Int, _ source: Int, _ column: Int,
                                   _ cut: (Int, Int64, Int) throws(FreeholdError) -> Void) throws(FreeholdError) {
        let writer = try transaction.writer(source), property = writer.stored.properties[column]
        guard property.isSingleLink else { return }
        let isMixed = property.type == .mixed, object = ObjectKey(key)
        let target = isMixed ? LinkTarget(ObjectReference(classNumber: table, key: object)) : LinkTarget(key)
        for link in try writer.links.sources(linkingTo: target, column) {
            // Links within a mixed collection have no place of their own.
            if isMixed, let place = try writer.state.find(link), try writer.state.value(place, column).collectionKind != nil { continue }
            try cut(source, link, column)
        }
    }

    /// Whether a change is pending.
    func hasPending() throws(FreeholdError) -> Bool {
        let schema = transaction.schema
        for stored in schema.presentTables where schema.isCaptured(Int(stored.number)) {
            if try !PendingTrees(transaction.writer(Int(stored.number)).state.root).isSettled { return true }
        }
        return false
    }
}
