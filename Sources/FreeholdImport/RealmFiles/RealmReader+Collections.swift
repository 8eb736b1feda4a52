import FreeholdEngine

/// Collections, mixed values and embedded objects.
extension RealmReader {
    /// An element of a leaf as a value of its column.
    func value(_ item: RealmItem, _ column: RealmColumn, at offset: Int) throws(SourceError) -> SourceValue {
        guard column.takes(item) else { throw .damaged("'\(column.name)' has a value of another type", offset) }
        switch item {
        case .value(let value): return .value(value)
        case .long(let bytes): return .long(bytes)
        case .link(let key):
            guard key >= 0, let target = column.target else { return .value(.null) }
            return target.isEmbedded ? try embedded(target.place, key, at: offset) : .object(place: target.place, key: key)
        case .typedLink(let table, let key):
            guard key >= 0, let place = places[table] else { return .value(.null) }
            if column.kind == .link, place != column.target?.place { throw .damaged("'\(column.name)' links to another class", offset) }
            if tables[place].isEmbedded {
                guard column.kind == .link else { throw .damaged("a mixed value is an embedded object", offset) }
                return try embedded(place, key, at: offset)
            }
            return .object(place: place, key: key)
        case .list(let reference): return .list(try elements(reference, column, at: offset, isMixed: true))
        case .dictionary(let reference): return .map(try entries(reference, column, at: offset))
        }
    }

    /// The collection at a reference; 0 for an empty one.
    func collection(_ reference: Int64, _ column: RealmColumn, at offset: Int) throws(SourceError) -> SourceValue {
        switch column.shape {
        case .single: throw .damaged("'\(column.name)' is no collection", offset)
        case .dictionary: return .map(try entries(reference, column, at: offset))
        case .list: return .list(try elements(reference, column, at: offset, isMixed: false))
        case .set: return .set(try elements(reference, column, at: offset, isMixed: false))
        }
    }

    /// The elements of a list or set; links that lead to nothing are left out.
    private func elements(_ reference: Int64, _ column: RealmColumn, at offset: Int, isMixed: Bool) throws(SourceError) -> [SourceValue] {
        if reference == 0 { return [] }
        try descend(at: offset)
        var values: [SourceValue] = []
        for place in try leaves(reference) {
            let leaf = try RealmLeaf(pages, at: place, kind: isMixed ? .mixed : column.kind, isNullable: column.isNullable, isElement: true)
            try spend(elements: leaf.count, at: place)
            for element in 0..<leaf.count {
                let item = try leaf.item(element)
                try hold(item, at: Int(place))
                let value = try value(item, column, at: Int(place))
                if column.kind == .link, case .value(.null) = value { continue }
                values.append(value)
            }
        }
        depth -= 1
        return values
    }

    /// The entries of a dictionary; 0 for an empty one.
    private func entries(
        _ reference: Int64, _ column: RealmColumn, at offset: Int
    ) throws(SourceError) -> [(key: String, value: SourceValue)] {
        if reference == 0 { return [] }
        try descend(at: offset)
        let place = Int(clamping: reference)
        let parts = try format >= 23 ? orderedParts(reference) : hashedParts(reference)
        let count = parts.values.reduce(0) { $0 + $1.count }
        guard parts.keys.reduce(0, { $0 + $1.count }) == count else {
            throw .damaged("a dictionary does not have as many keys as values", place)
        }
        for values in parts.values { try spend(elements: values.count, at: Int64(values.what.reference)) }
        var entries: [(key: String, value: SourceValue)] = [], seen: Set<ExactText> = []
        var (leaf, next) = (0, 0)
        for values in parts.values {
            for element in 0..<values.count {
                // Both trees may be divided into leaves in different ways.
                while next == parts.keys[leaf].count { (leaf, next) = (leaf + 1, 0) }
                guard let key = try pages.string(parts.keys[leaf], next) else {
                    throw .damaged("a dictionary has a key that is null", place)
                }
                guard seen.insert(key).inserted else { throw .damaged("a dictionary has a key twice", place) }
                next += 1
                let item = try values.item(element)
                try hold(item, at: place)
                try hold(.value(.string(key)), at: place)
                entries.append((key, try value(column.filled(item), column, at: place)))
            }
        }
        depth -= 1
        return entries
    }

    /// The leaves of a dictionary from format 23 on: a tree of keys and a tree of values, in the order of keys.
    private func orderedParts(_ reference: Int64) throws(SourceError) -> (keys: [RealmTexts], values: [RealmMixed]) {
        let top = try pages.references(reference)
        var parts: (keys: [RealmTexts], values: [RealmMixed]) = ([], [])
        for leaf in try leaves(top.required(0)) { parts.keys.append(try RealmTexts(pages, at: leaf, isText: true)) }
        for leaf in try leaves(top.required(1)) { parts.values.append(try RealmMixed(pages, at: leaf)) }
        return parts
    }

    /// The leaves of a dictionary before format 23: clusters in the order of the hashes of keys, each with a column of
    /// keys and one of values.
    private func hashedParts(_ reference: Int64) throws(SourceError) -> (keys: [RealmTexts], values: [RealmMixed]) {
        var walk = RealmClusterWalk(pages, root: reference, after: nil)
        var parts: (keys: [RealmTexts], values: [RealmMixed]) = ([], [])
        while let cluster = try walk.next() {
            try visit(Int64(cluster.leaves.reference))
            parts.keys.append(try RealmTexts(pages, at: cluster.leaves.required(1), isText: true))
            parts.values.append(try RealmMixed(pages, at: cluster.leaves.required(2)))
        }
        return parts
    }

    /// The references to the leaves of a B+ tree, in order.
    private func leaves(_ root: Int64) throws(SourceError) -> [Int64] {
        var leaves: [Int64] = [], open: [(reference: Int64, depth: Int)] = [(root, 0)]
        while let (reference, depth) = open.popLast() {
            try visit(reference)
            guard try pages.header(reference).flags & 0x80 != 0 else {
                leaves.append(reference)
                continue
            }
            let node = try pages.references(reference)
            // First what tells where the children begin, last the number of all elements.
            guard node.count >= 3, depth < 20 else {
                throw .damaged("an inner node of a tree has no children, or is too deep", node.reference)
            }
            for place in (1..<node.count - 1).reversed() { open.append((node.integer(place), depth + 1)) }
        }
        return leaves
    }
}

/// Embedded objects.
extension RealmReader {
    /// The values of an embedded object.
    private func embedded(_ place: Int, _ key: Int64, at offset: Int) throws(SourceError) -> SourceValue {
        try descend(at: offset)
        try spendEmbedded(at: offset)
        let row = try openRow(place, key, at: offset)
        var values: [SourceValue] = []
        for (index, column) in tables[place].columns.enumerated() {
            switch try openLeaf(place, key, index, at: offset) {
            case .values(let leaf):
                let item = try leaf.item(row)
                try hold(item, at: offset)
                values.append(try value(item, column, at: offset))
            case .collections(let node): values.append(try collection(node.integer(row), column, at: node.reference))
            }
        }
        depth -= 1
        return .embedded(place: place, values: values)
    }

    /// The place of an embedded object in its cluster, which is the open one of its class after the call.
    private func openRow(_ place: Int, _ key: Int64, at offset: Int) throws(SourceError) -> Int {
        if let open = clusters[place]?.cluster, let row = open.row(of: key) { return row }
        guard let cluster = try pages.cluster(tables[place].clusters, with: key), let row = cluster.row(of: key) else {
            throw .damaged("an embedded object of '\(tables[place].name)' does not exist", offset)
        }
        clusters[place] = RealmOpenCluster(cluster: cluster, leaves: Array(repeating: nil, count: tables[place].columns.count))
        return row
    }

    /// The leaf of a column in the cluster of an embedded object. A value of the object may have opened another cluster.
    private func openLeaf(_ place: Int, _ key: Int64, _ index: Int, at offset: Int) throws(SourceError) -> RealmOpenCluster.Leaf {
        _ = try openRow(place, key, at: offset)
        guard let open = clusters[place] else { throw .damaged("an embedded object does not exist", offset) }
        if let leaf = open.leaves[index] { return leaf }
        let column = tables[place].columns[index]
        let leaf: RealmOpenCluster.Leaf = column.shape == .single ? .values(try self.leaf(column, open.cluster))
            : .collections(try collections(column, open.cluster))
        clusters[place]?.leaves[index] = leaf
        return leaf
    }
}

extension RealmCluster {
    /// The place of an object with a key; nil if the cluster does not have it.
    func row(of key: Int64) -> Int? {
        var low = 0, high = keys.count
        while low < high {
            let middle = (low + high) / 2
            if keys[middle] < key { low = middle + 1 } else { high = middle }
        }
        return low < keys.count && keys[low] == key ? low : nil
    }
}

extension RealmColumn {
    /// Whether an item may be a value of the column, or an element of its collections.
    func takes(_ item: RealmItem) -> Bool {
        switch (kind, item) {
        case (.mixed, .link): false
        case (.mixed, _), (.link, .link), (.link, .typedLink), (.typedLink, .typedLink): true
        case (.link, .value(.null)), (.typedLink, .value(.null)): true
        case (.string, .long(let bytes)): bytes.isText
        case (.data, .long(let bytes)): !bytes.isText
        case (_, .value(.null)): isNullable
        case (.int, .value(.int)), (.bool, .value(.bool)), (.string, .value(.string)), (.data, .value(.data)), (.date, .value(.date)),
             (.float, .value(.float)), (.double, .value(.double)), (.decimal, .value(.decimal)), (.objectId, .value(.objectId)),
             (.uuid, .value(.uuid)): true
        default: false
        }
    }

    /// An element of a dictionary; a null where none is allowed becomes zero or empty, as it reads in Realm.
    func filled(_ item: RealmItem) -> RealmItem {
        guard case .value(.null) = item, !isNullable else { return item }
        return switch kind {
        case .mixed, .link, .typedLink, .objectId, .uuid: item
        case .int: .value(.int(0))
        case .bool: .value(.bool(false))
        case .string: .value(.string(""))
        case .data: .value(.data([]))
        case .date: .value(.date(Timestamp(seconds: 0)))
        case .float: .value(.float(0))
        case .double: .value(.double(0))
        case .decimal: .value(.decimal(.zero))
        }
    }
}
