struct LinkSources: TableChange {
    let writer: TableWriter

    /// The objects whose mixed property, or collection of mixed values, links to any object of a class.
    func sources(linkingToClass target: Int, _ column: Int) throws(FreeholdError) -> [Int64] {
        if buffer.count > TableWriter.tailRows || buffer.holdsTrees, writer.filling.isNone { try writer.seal() }
        func isLink(_ place: RowPlace) throws(FreeholdError) -> Bool {
            var isFound = false
            try state.forEachLink(place, column) { if $0.classNumber == target { isFound = true } }
            return isFound
        }
        var found: [Int64] = []
        try state.forEachTailRow { row throws(FreeholdError) in
            if try isLink(.tail(row)) { found.append(row.key) }
        }
        let tree = OrderedIndex(root: try writer.index(column), access: pending.access)
        var known: Set<Int64> = []
        for tag in [PropertyType.link.rawValue, ByteBuffer.nestedTag] {
            let prefix = ByteBuffer(capacity: 16)
            prefix.append(tag)
            prefix.append(big: UInt32(truncatingIfNeeded: target))
            var cursor = try tree.cursor(prefix: prefix.bytes)
            while try cursor.next() {
                let source = cursor.objectKey.rawValue
                guard let place = try state.find(source), case .cluster = place, try isLink(place), known.insert(source).inserted else { continue }
                found.append(source)
            }
        }
        return found
    }

    /// The objects that link to `target` through `column`.
    ///
    /// The tree may lag behind links removed in this transaction (each is verified), never behind links added.
    func sources(linkingTo target: LinkTarget, _ column: Int) throws(FreeholdError) -> [Int64] {
        if buffer.count > TableWriter.tailRows || buffer.holdsTrees, writer.filling.isNone { try writer.seal() }
        let type = stored.properties[column].type
        var found: [Int64] = []
        try state.forEachTailRow { row throws(FreeholdError) in
            if try state.links(.tail(row), column, to: target) { found.append(row.key) }
        }
        let tree = indexes.hasInserts(column) ? try writer.index(column) : state.root.auxiliary(.index, column)
        func look() throws(FreeholdError) {
            var cursor = try OrderedIndex(root: tree, access: pending.access).cursor(of: indexes.keyBytes.bytes)
            while try cursor.next() {
                let source = cursor.objectKey.rawValue
                guard let place = try state.find(source), case .cluster = place,
                      try state.links(place, column, to: target) else { continue }
                found.append(source)
            }
        }
        indexes.keyBytes.setIndexKey(target.value, of: type)
        try look()
        if case .object(let object) = target.value, stored.properties[column].shape == nil {
            indexes.keyBytes.setNestedKey(object)
            try look()
        }
        return found
    }
}
