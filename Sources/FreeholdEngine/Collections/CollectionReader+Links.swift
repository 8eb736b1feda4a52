/// The links that a collection holds, also those of collections within it.
extension CollectionReader {
    /// Calls `body` with the target of every link, until it returns false. Returns whether it went through.
    @discardableResult
    func forEachLink(_ body: (Int64) throws(FreeholdError) -> Bool) throws(FreeholdError) -> Bool {
        var goesOn = true
        if shape.isPlain {
            try forEach(in: 0..<count) { value throws(FreeholdError) in
                if case .link(let target) = value { goesOn = try body(target.rawValue) }
                return goesOn
            }
        } else {
            for position in 0..<count where goesOn { goesOn = try inner(at: position).forEachLink(body) }
        }
        return goesOn
    }

    /// Whether there is a link to `target`.
    func links(to target: Int64) throws(FreeholdError) -> Bool { try firstPosition(linkingTo: target, from: 0) != nil }

    /// The first position from `start` on whose element is, or holds, a link to `target`.
    func firstPosition(linkingTo target: Int64, from start: Int) throws(FreeholdError) -> Int? {
        if shape.isPlain, shape.kind == .set {
            let (position, isFound) = try search(.link(ObjectKey(target)))
            return isFound && position >= start ? position : nil
        }
        if let tree, shape.isPlain { return try tree.firstPosition(ofLink: target, from: start) }
        for position in start..<max(start, count) {
            if shape.isPlain ? try value(at: position) == .link(ObjectKey(target)) : try inner(at: position).links(to: target) { return position }
        }
        return nil
    }
}

extension ListTree {
    /// The first position from `start` on that links to `target`; leaves that cannot have it are passed over.
    ///
    /// Safe: the leaf's kind was compared, and rows are below its count.
    func firstPosition(ofLink target: Int64, from start: Int) throws(FreeholdError) -> Int? {
        var position = start
        var found: Int?
        try forEachLeaf(in: start..<max(start, count)) { leaf, rows throws(FreeholdError) in
            let links = PackedIntegers(leaf.body)
            if links.count(in: target...target) > 0 {
                for row in rows where links[row] == target && !links.isNull(row) {
                    found = position + row - rows.lowerBound
                    return false
                }
            }
            position += rows.count
            return true
        }
        return found
    }
}

/// Taking links out of collections.
extension CollectionEditor {
    /// What becomes of the cell when every link to `target` goes: out of lists and sets, to null in maps.
    func removeLinks(to target: Int64, from cell: CollectionCell, _ shape: CollectionShape) throws(FreeholdError) -> CollectionCell {
        var cell = cell, start = 0
        while case .tree = cell {
            let reader = try CollectionReader(cell, shape, pending.access)
            guard let position = try reader.firstPosition(linkingTo: target, from: start) else { return cell }
            start = position
            if shape.inner == nil {
                cell = try apply(.removeLink(at: position), at: [], to: cell, shape)
            } else {
                cell = try apply(.removeLinks(to: target), at: [try reader.step(to: position)], to: cell, shape)
            }
            // A map's value is null now, and a collection within is without the link.
            if shape.kind == .map || shape.inner != nil { start += 1 }
        }
        var value = try CollectionReader(cell, shape, pending.access).value()
        value.removeLinks(to: target)
        return try store(value, shape)
    }
}

extension CollectionReader {
    /// The step that leads to the element at a position below the count.
    fileprivate func step(to position: Int) throws(FreeholdError) -> CollectionStep {
        shape.kind == .map ? .key(try key(at: position)) : .position(position)
    }
}

extension Value {
    /// Takes links to `target` out of lists and sets, and makes them null in maps, at every depth.
    mutating func removeLinks(to target: Int64) {
        let gone = Value.link(ObjectKey(target))
        func without(_ values: [Value]) -> [Value] {
            values.filter { $0 != gone }.map { value in
                var value = value
                value.removeLinks(to: target)
                return value
            }
        }
        switch self {
        case .list(let values): self = .list(without(values))
        case .set(let values): self = .set(without(values))
        case .map(let entries):
            self = .map(entries.mapValues { value in
                var value = value == gone ? .null : value
                value.removeLinks(to: target)
                return value
            })
        default: break
        }
    }
}

/// What a change does to links.
extension CollectionReader {
    /// The targets of links that the change takes away, or may.
    func links(touchedBy change: CollectionChange, at path: ArraySlice<CollectionStep>) throws(FreeholdError) -> Set<Int64> {
        if let step = path.first {
            // What a map does not have yet the change makes.
            if case .key(let key) = step, shape.kind == .map, try !search(key: key).isFound { return [] }
            return try inner(at: try position(of: step)).links(touchedBy: change, at: path.dropFirst())
        }
        var links: Set<Int64> = []
        try change.require(shape, count: count)
        func note(_ range: Range<Int>) throws(FreeholdError) {
            try forEach(in: range) { value throws(FreeholdError) in
                value.forEachLink { links.insert($0) }
                return true
            }
        }
        switch change {
        case .insert, .move, .swap, .add: break
        case .removeLink(let position), .replace(let position, _): try note(position..<position + 1)
        case .remove(let range): try note(range)
        case .discard(let values): for value in values { value.forEachLink { links.insert($0) } }
        case .put(let entries): for (key, _) in entries { try note(key) }
        case .removeKeys(let keys): for key in keys { try note(key) }
        case .removeLinks(let target): links.insert(target)
        case .removeAll, .assign: try note(0..<count)
        }
        return links

        func note(_ key: String) throws(FreeholdError) {
            let (position, isFound) = try search(key: key)
            if isFound { try note(position..<position + 1) }
        }
    }

    /// Those of the targets that nothing here links to.
    func missing(_ targets: Set<Int64>) throws(FreeholdError) -> Set<Int64> {
        var missing = targets
        if count == 0 || targets.isEmpty { return missing }
        if targets.count <= 4 || shape.isPlain && shape.kind == .set {
            for target in targets where try links(to: target) { missing.remove(target) }
        } else {
            try forEachLink { target throws(FreeholdError) in
                missing.remove(target)
                return !missing.isEmpty
            }
        }
        return missing
    }
}
