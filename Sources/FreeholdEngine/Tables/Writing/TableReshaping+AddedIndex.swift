/// Adds an index to a class that has objects.
extension TableReshaping {
    /// Switches to the class with one more index, over `columns`, and adds every object to it.
    ///
    /// Throws `.duplicateKey` if the index is to be unique and objects have equal values; the class is then unchanged.
    func adopt(_ changed: StoredClass, indexOver columns: [Int]) throws(FreeholdError) {
        try writer.open()
        try writer.seal()
        try writer.compact()
        let old = stored
        let added = changed.indexes.count > old.indexes.count ? changed.indexes.last : nil
        let column = added?.column ?? columns[0]
        let isUnique = added?.isUnique ?? (changed.properties[column].isUnique && !old.properties[column].isUnique)
        writer.become(changed)
        if let added { try indexes.fill(added) } else if !old.properties[column].filesAll { try refill(column) }
        let tree = OrderedIndex(root: try writer.index(column), access: pending.access)
        guard isUnique, let duplicates = try duplicates(in: tree, columns) else { return }
        if added != nil || !old.properties[column].hasTree {
            try pending.freeTree(state.root.auxiliary(.index, column))
            state.root.setAuxiliary(.index, column, .null)
        }
        writer.become(old)
        let names = columns.map { "'\(old.properties[$0].name)'" }.joined(separator: ", ")
        throw FreeholdError(.duplicateKey, "\(names) of class '\(old.name)' cannot be unique: \(duplicates)")
    }

    /// Adds all values of a column to its tree, which has some of them or none.
    private func refill(_ column: Int) throws(FreeholdError) {
        let tree = try writer.index(column)
        if !tree.isNull {
            try pending.freeTree(tree)
            state.root.setAuxiliary(.index, column, .null)
        }
        try indexes.fill(column)
    }

    /// A description of the first few groups of objects with the same key in a tree; nil if there is none.
    private func duplicates(in tree: OrderedIndex, _ columns: [Int]) throws(FreeholdError) -> String? {
        var found: [String] = []
        var cursor = try tree.cursor()
        var last: (key: [UInt8], object: ObjectKey)?
        while found.count < 3, try cursor.next() {
            let key = try cursor.key()
            if let last, last.key == key {
                let values = try values(of: last.object, columns)
                if !values.contains(.null) {
                    found.append("objects \(last.object) and \(cursor.objectKey) both have \(values.map { "\($0)" }.joined(separator: ", "))")
                }
            }
            last = (key, cursor.objectKey)
        }
        return found.isEmpty ? nil : found.joined(separator: "; ")
    }

    private func values(of object: ObjectKey, _ columns: [Int]) throws(FreeholdError) -> [Value] {
        guard let place = try state.find(object.rawValue) else { return [.null] }
        var values: [Value] = []
        for column in columns { values.append(stored.properties[column].isObjectKey ? .int(object.rawValue) : try state.value(place, column)) }
        return values
    }
}
