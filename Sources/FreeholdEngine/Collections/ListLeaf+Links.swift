/// The links in the elements of a leaf: mixed values contain them at any depth.
///
/// Safe throughout: the leaf's kind was compared when it was made, and rows are below its count.
extension ListLeaf {
    /// The targets of rows, in their order.
    func targets(_ rows: Range<Int>, in access: BlockAccess) throws(FreeholdError) -> [LinkTarget] {
        var targets: [LinkTarget] = []
        if shape.leafType == .link {
            let links = PackedIntegers(body)
            targets.reserveCapacity(rows.count)
            for row in rows where !links.isNull(row) { targets.append(LinkTarget(links[row])) }
        } else if shape.leafType == .mixed {
            for row in rows { try linkingValue(row, in: access)?.forEachLink { targets.append($0) } }
        }
        return targets
    }

    /// The first row that links to the target.
    func row(linkingTo target: LinkTarget, in access: BlockAccess) throws(FreeholdError) -> Int? {
        try row(linkingTo: target, among: 0..<count, in: access)
    }

    /// The first of the given rows that links to the target.
    func row(linkingTo target: LinkTarget, among rows: Range<Int>, in access: BlockAccess) throws(FreeholdError) -> Int? {
        if shape.leafType == .link {
            let links = PackedIntegers(body), key = target.key
            guard links.count(in: key...key) > 0 else { return nil }
            return rows.first { links[$0] == key && !links.isNull($0) }
        }
        guard shape.leafType == .mixed else { return nil }
        for row in rows where try linkingValue(row, in: access)?.linkTargets.contains(target) == true { return row }
        return nil
    }

    /// The given targets to which no row links.
    func missing(_ targets: [LinkTarget], in access: BlockAccess) throws(FreeholdError) -> [LinkTarget] {
        if targets.isEmpty { return [] }
        var missing: [LinkTarget] = []
        if shape.leafType == .mixed, targets.count > 1 {
            let left = Set(try self.targets(0..<count, in: access))
            missing = targets.filter { !left.contains($0) }
        } else {
            for target in targets where try row(linkingTo: target, in: access) == nil { missing.append(target) }
        }
        return missing
    }

    /// The element of a leaf of mixed values if it is or may contain links, according to its first byte.
    private func linkingValue(_ row: Int, in access: BlockAccess) throws(FreeholdError) -> Value? {
        let leaf = try text
        if leaf.isNull(row) { return nil }
        if leaf.isExternal(row) { return try Self.mixedValue(at: external(leaf, row), in: access) }
        guard let first = leaf[row].first, MixedBytes.mayLink(first) else { return nil }
        return try value(row, in: access)
    }

    /// A mixed value in its own blocks if it is or may contain links; of other values only the first byte is read.
    static func mixedValue(at reference: BlockReference, in access: BlockAccess) throws(FreeholdError) -> Value? {
        guard let first = try LargeValue.read(reference, part: 0..<1, in: access).first, MixedBytes.mayLink(first) else { return nil }
        return try mixed(try LargeValue.read(reference, in: access))
    }

    /// Decodes an element's bytes.
    static func mixed(_ bytes: [UInt8]) throws(FreeholdError) -> Value {
        // Safe: decoded before the call returns.
        guard let value = bytes.withUnsafeBytes({ MixedBytes.decode($0) }) else { throw notMixed }
        return value
    }

    static let notMixed = ListTree.damaged("an element is not a valid mixed value")
}
