/// Links to objects that are not in the file, while an answer is applied.
struct AbsentLinks {
    private let transaction: WriteTransaction
    /// The trees that were read or changed, by table.
    private var trees: [Int: AbsentLinkTree] = [:]

    init(_ transaction: WriteTransaction) { self.transaction = transaction }

    private mutating func tree(_ table: Int) throws(FreeholdError) -> AbsentLinkTree {
        if let known = trees[table] { return known }
        let root = try transaction.writer(table).state.root.auxiliary(.sync, AbsentLinkTree.column)
        let made = AbsentLinkTree(root, table: UInt32(table), in: transaction.pending)
        trees[table] = made
        return made
    }

    /// An object by its primary key.
    private func target(_ table: Int, _ key: SyncKey) -> AbsentLinkTree.Target? {
        let stored = transaction.schema.classes[table]
        guard let column = stored.primaryKey else { return nil }
        let buffer = ByteBuffer()
        buffer.setIndexKey(key.value, of: stored.properties[column].type)
        return AbsentLinkTree.Target(table: table, indexKey: buffer.array)
    }

    /// Notes that a property links to an object that is not here.
    mutating func insert(_ table: Int, _ object: Int64, _ column: Int, target: Int, _ key: SyncKey) throws(FreeholdError) {
        let property = transaction.schema.classes[table].properties[column]
        guard property.isSingleLink, let target = self.target(target, key) else { return }
        try tree(table).insert(.init(object: object, property: property.number, target: target))
    }

    /// Forgets the absent objects that an object's property links to, or that all its properties do.
    mutating func removeAll(of object: Int64, _ table: Int, _ column: Int? = nil) throws(FreeholdError) {
        try tree(table).removeAll(of: object, column.map { transaction.schema.classes[table].properties[$0].number })
    }

    /// The absent object that an object's property links to.
    mutating func target(of object: Int64, _ table: Int, _ column: Int) throws(FreeholdError) -> (table: Int, key: SyncKey)? {
        let number = transaction.schema.classes[table].properties[column].number, root = try tree(table).root
        guard let target = try AbsentLinkTree.target(of: object, number, root, in: transaction.pending.access),
              let stored = transaction.schema.find(number: target.table), let key = stored.primaryKey else { return nil }
        return Value(indexKey: target.indexKey, of: stored.properties[key].type).flatMap { SyncKey($0) }.map { (target.table, $0) }
    }

    /// Whether a class may have links to absent objects of another.
    mutating func mayLink(to target: Int) throws(FreeholdError) -> Bool {
        for (table, _) in transaction.schema.incoming[target] { if try !tree(table).root.isNull { return true } }
        return false
    }

    /// Takes the links to an object that has come.
    mutating func take(target: Int, _ key: SyncKey) throws(FreeholdError) -> [(table: Int, link: AbsentLinkTree.Link)] {
        guard let target = self.target(target, key) else { return [] }
        var links: [(table: Int, link: AbsentLinkTree.Link)] = []
        for table in Set(transaction.schema.incoming[target.table].map(\.table)).sorted() {
            for link in try tree(table).take(target) { links.append((table, link)) }
        }
        return links
    }

    /// Puts the changed trees into the table roots.
    func store() throws(FreeholdError) {
        for (table, tree) in trees {
            let writer = try transaction.writer(table)
            if writer.state.root.auxiliary(.sync, AbsentLinkTree.column).isSameBlock(as: tree.root) { continue }
            try writer.open(keepingRows: true)
            writer.state.root.replaceAuxiliary(.sync, AbsentLinkTree.column, by: tree.root)
        }
    }
}
