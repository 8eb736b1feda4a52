/// The links in a collection, including those of nested collections.
extension CollectionReader {
    /// Calls `body` with the target of every link, until it returns false. Returns whether all links were visited.
    @discardableResult
    func forEachLink(_ body: (LinkTarget) throws(FreeholdError) -> Bool) throws(FreeholdError) -> Bool {
        var goesOn = true
        if shape.isPlain {
            if let tree {
                try tree.forEachLeaf(in: 0..<count) { leaf, rows throws(FreeholdError) in
                    for target in try leaf.targets(rows, in: access) where goesOn { goesOn = try body(target) }
                    return goesOn
                }
                return goesOn
            }
            var targets: [LinkTarget] = []
            try value().forEachLink { targets.append($0) }
            for target in targets where goesOn { goesOn = try body(target) }
        } else {
            for position in 0..<count where goesOn { goesOn = try inner(at: position).forEachLink(body) }
        }
        return goesOn
    }

    /// Whether the collection links to `target`.
    func links(to target: LinkTarget) throws(FreeholdError) -> Bool {
        if let occurrences { return try occurrences.contains(target) }
        return try firstPosition(linkingTo: target, from: 0) != nil
    }

    /// Number of links to `target`, including those of nested collections.
    func count(of target: LinkTarget) throws(FreeholdError) -> Int {
        var count = 0, next = 0
        while let position = try firstPosition(linkingTo: target, from: next) {
            count += shape.isPlain ? 1 : try inner(at: position).count(of: target)
            next = position + 1
        }
        return count
    }

    /// A position whose element is or contains a link to `target`: the first one from `start` on, or any with an index
    /// of links.
    fileprivate func position(linkingTo target: LinkTarget, from start: Int) throws(FreeholdError) -> Int? {
        guard let occurrences, let tree else { return try firstPosition(linkingTo: target, from: start) }
        return try occurrences.position(linkingTo: target, in: tree)
    }

    /// The first position from `start` on whose element is or contains a link to `target`.
    func firstPosition(linkingTo target: LinkTarget, from start: Int) throws(FreeholdError) -> Int? {
        if shape.isPlain, shape.kind == .set {
            let (position, isFound) = try search(target.value)
            return isFound && position >= start ? position : nil
        }
        if let tree, shape.isPlain { return try tree.firstPosition(ofLink: target, from: start) }
        for position in start..<max(start, count) {
            if shape.isPlain ? try value(at: position).linkTargets.contains(target) : try inner(at: position).links(to: target) { return position }
        }
        return nil
    }
}

extension ListTree {
    /// The first position from `start` on that links to `target`; leaves that cannot contain it are skipped.
    func firstPosition(ofLink target: LinkTarget, from start: Int) throws(FreeholdError) -> Int? {
        var position = start
        var found: Int?
        try forEachLeaf(in: start..<max(start, count)) { leaf, rows throws(FreeholdError) in
            found = try leaf.row(linkingTo: target, among: rows, in: access).map { position + $0 - rows.lowerBound }
            position += rows.count
            return found == nil
        }
        return found
    }
}

extension CollectionShape {
    /// Whether an element remains when its link is removed: a map's value or a mixed value becomes null, a nested
    /// collection loses the link.
    var leavesElements: Bool { kind == .map || !isPlain || type == .mixed && kind == .list }
}

/// Removing links from collections.
extension CollectionEditor {
    /// The new cell after the removal of every link to `target`: removed from lists and sets, null in maps and mixed
    /// values.
    func removeLinks(to target: LinkTarget, from cell: CollectionCell, _ shape: CollectionShape) throws(FreeholdError) -> CollectionCell {
        var cell = cell, start = 0
        while case .tree = cell {
            let reader = try CollectionReader(cell, shape, pending.access)
            guard let position = try reader.position(linkingTo: target, from: start) else { return cell }
            start = position
            if shape.inner == nil {
                cell = try apply(.removeLink(at: position, to: target), at: [], to: cell, shape)
            } else {
                cell = try apply(.removeLinks(to: target), at: [try reader.step(to: position)], to: cell, shape)
            }
            if shape.leavesElements { start += 1 }
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
    /// Removes links to `target` from lists and sets, and sets them to null in maps, at every depth; links in mixed
    /// values become null in lists, too.
    mutating func removeLinks(to target: LinkTarget) {
        let gone = target.value
        guard target.classNumber == LinkTarget.declared else {
            self = withoutReferences { LinkTarget($0) == target }
            return
        }
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

/// The effect of a change on links.
extension CollectionReader {
    /// The targets of links that the change removes, or may remove.
    func links(touchedBy change: CollectionChange, at path: ArraySlice<CollectionStep>) throws(FreeholdError) -> Set<LinkTarget> {
        if let step = path.first {
            // A key that a map lacks is added by the change.
            if case .key(let key) = step, shape.kind == .map, try !search(key: key).isFound { return [] }
            return try inner(at: try position(of: step)).links(touchedBy: change, at: path.dropFirst())
        }
        var links: Set<LinkTarget> = []
        try change.require(shape, count: count)
        func note(_ range: Range<Int>) throws(FreeholdError) {
            try forEach(in: range) { value throws(FreeholdError) in
                value.forEachLink { links.insert($0) }
                return true
            }
        }
        switch change {
        case .insert, .move, .swap, .add: break
        case .removeLink(let position, _), .replace(let position, _): try note(position..<position + 1)
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

    /// The given targets to which no element links.
    func missing(_ targets: Set<LinkTarget>) throws(FreeholdError) -> Set<LinkTarget> {
        var missing = targets
        if count == 0 || targets.isEmpty { return missing }
        if targets.count <= 4 || shape.isPlain && shape.kind == .set || occurrences != nil && targets.count < count / 16 {
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
