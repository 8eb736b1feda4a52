/// Looks up many objects at once, by key or by the links to them: several times as fast as one after the other if the
/// objects do not fit the processor's caches.
extension Table {
    /// Calls `body` with the object of each key, in the order of the keys, or nil where there is none, until it returns false.
    ///
    /// Name the property that `body` will read, or read first, as `column`: its memory is then asked for ahead.
    ///
    /// ```swift
    /// let keys = try people.keys(people.column("city"), equals: .string("Oslo"))
    /// try people.forEach(keys, reading: age) { person in
    ///     sum += try person?.int(age) ?? 0
    ///     return true
    /// }
    /// ```
    public func forEach(_ keys: [ObjectKey], reading column: Column? = nil, _ body: (Row?) throws -> Bool) throws {
        var pass = BlockPass(self)
        defer { pass.end() }
        var finder = try finder(reading: column, in: state)
        var start = 0
        while start < keys.count {
            let end = min(start + RowFinder.groupSize, keys.count)
            for key in keys[start..<end] { finder.append(key.rawValue) }
            try finder.find()
            for index in start..<end where try !body(meantRow(keys[index], finder.place(index - start), in: pass.state)) { return }
            start = end
            if pass.isFull, pass.rest() { finder = try self.finder(reading: column, in: pass.state) }
        }
        try state.access.requireIntactMapping()
    }

    /// Calls `body` with every object, in ascending key order, and the object that its link leads to (nil where the link is null),
    /// until it returns false.
    ///
    /// `targets` is the class the link leads to, of the same snapshot or transaction; `column` the property of the target
    /// that `body` will read, or read first. Throws `.typeMismatch` if `link` is no link to that class.
    ///
    /// ```swift
    /// try dogs.forEach(following: owner, into: people, reading: age) { dog, person in
    ///     sum += try person?.int(age) ?? 0
    ///     return true
    /// }
    /// ```
    public func forEach(following link: Column, into targets: Table, reading column: Column? = nil,
                        _ body: (Row, Row?) throws -> Bool) throws {
        let link = try own(link)
        try requireLink(link, to: targets)
        var pass = BlockPass(self)
        defer { pass.end() }
        var far = targets.state
        var finder = try targets.finder(reading: column, in: far)
        var walk = try RowWalk(state, reading: link.index)
        var links = LinkLeaf(link.index)
        var sources: [Row] = []
        var keys: [ObjectKey?] = []
        repeat {
            sources.removeAll(keepingCapacity: true)
            keys.removeAll(keepingCapacity: true)
            while sources.count < RowFinder.groupSize, let row = try walk.next() {
                guard try isMeant(row.place, in: pass.state) else { continue }
                let target = try links.target(of: row, in: pass.state)
                sources.append(row)
                keys.append(target)
                finder.append(target?.rawValue)
            }
            try finder.find()
            for index in sources.indices {
                // All objects that the link may lead to belong to the class.
                guard let key = keys[index], let place = finder.place(index) else {
                    guard try body(sources[index], nil) else { return }
                    continue
                }
                guard try body(sources[index], Row(state: far, place: place, key: key)) else { return }
            }
            if pass.isFull, let last = sources.last?.key.rawValue, last < .max, pass.rest() {
                walk = try RowWalk(pass.state, from: last + 1, reading: link.index)
                links = LinkLeaf(link.index)
                far = pass.state(of: targets)
                finder = try targets.finder(reading: column, in: far)
            }
        } while !sources.isEmpty
        try state.access.requireIntactMapping()
    }

    private func finder(reading column: Column?, in state: TableState) throws(FreeholdError) -> RowFinder {
        guard let column = try column.map({ column throws(FreeholdError) in try own(column) }), !column.isObjectKey else { return RowFinder(state) }
        return RowFinder(state, reading: column.index)
    }

    private static func row(_ key: ObjectKey, _ place: RowPlace?, in state: TableState) -> Row? {
        place.map { Row(state: state, place: $0, key: key) }
    }

    private func meantRow(_ key: ObjectKey, _ place: RowPlace?, in state: TableState) throws(FreeholdError) -> Row? {
        guard scope != nil, let place else { return Self.row(key, place, in: state) }
        return try isMeant(place, in: state) ? Self.row(key, place, in: state) : nil
    }

    func requireLink(_ link: Column, to targets: Table) throws(FreeholdError) {
        let property = state.stored.properties[link.index]
        guard owner === targets.owner else {
            throw FreeholdError(.invalidArgument, "the classes '\(state.stored.name)' and '\(targets.state.stored.name)' are of "
                + "different snapshots or transactions; take both from the same one")
        }
        guard property.shape == nil, let target = property.linkTarget, targets.scope?.isExact != true,
              target == targets.number || schemaOf.lineage(of: Int(target)).contains(Int(targets.number)) else {
            throw FreeholdError(.typeMismatch, "property '\(property.name)' of class '\(state.stored.name)' is not a link to class "
                + "'\(targets.schema.name)'")
        }
    }
}

/// The links of one cluster's objects, looked up once for all of them.
private struct LinkLeaf {
    private let column: Int
    private var cluster: UnsafeRawPointer?
    private var leaf: PackedIntegers?

    init(_ column: Int) { self.column = column }

    /// The key that the object the walk returned last links to, or nil.
    @inline(__always)
    mutating func target(of row: Row, in state: TableState) throws(FreeholdError) -> ObjectKey? {
        guard case .cluster(let cluster, let position) = row.place else { return try state.link(row.place, column).map { ObjectKey($0) } }
        if cluster.view.body != self.cluster {
            leaf = try state.leaf(cluster, cluster.count - 1, column).map { PackedIntegers($0) }
            self.cluster = cluster.view.body
        }
        guard let leaf, !leaf.isNull(position) else { return nil }
        return ObjectKey(leaf[position])
    }
}
