/// The documents of one derived index that differ between two versions.
///
/// ```
/// sealed objects, compared in columns of fields and links ───────┐
/// classes that fields lead to ─► changed objects ─► backlinks ──┴─► (key, old, new)
/// ```
/// 1. Every object whose document differs is found, or has one in one version only. Some are found whose documents are
/// equal: an object created anew under its key, or one of two links to it changed.
/// 2. Keys ascend, and each is found once.
/// 3. Objects of the tail have no document: an object that was sealed between the versions is a new one.
struct DerivedDifference {
    private let index: StoredDerived
    private let old: DerivedReader
    private let new: DerivedReader
    /// The older version's number.
    private let since: UInt64
    /// Keys from here on are left out; nil for none.
    private let limit: Int64?

    /// - Parameters:
    ///   - stored: the table that has the index, in the newer version.
    ///   - since: the number of the older version.
    ///   - limit: keys from here on are left out, for an index that is being built and covers those below.
    init(_ index: StoredDerived, of stored: StoredClass, from older: DerivedTables, to newer: DerivedTables, since: UInt64,
         below limit: Int64? = nil) throws(FreeholdError) {
        self.index = index
        self.since = since
        self.limit = limit
        old = try DerivedReader(index, of: stored, in: older, as: newer.schema)
        new = try DerivedReader(index, of: stored, in: newer, as: newer.schema)
    }

    /// Calls `body` with each key and its documents: nil where the version does not have one.
    func forEach(_ body: (Int64, DerivedDocument?, DerivedDocument?) throws(FreeholdError) -> Void) throws(FreeholdError) {
        var linked = try linkedKeys()[...]
        func visitLinked(before key: Int64?) throws(FreeholdError) {
            while let next = linked.first, key.map({ next < $0 }) ?? true {
                linked.removeFirst()
                try body(next, try old.document(next), try new.document(next))
            }
        }
        var cursor = try ownCursor()
        while let found = try cursor?.next(), isWithin(found.key) {
            try visitLinked(before: found.key)
            if linked.first == found.key { linked.removeFirst() }
            let before = try found.old.flatMap { place throws(FreeholdError) in try old.document(found.key, at: place) }
            let after = try found.new.flatMap { place throws(FreeholdError) in try new.document(found.key, at: place) }
            if before != nil || after != nil { try body(found.key, before, after) }
        }
        try visitLinked(before: nil)
    }

    private func isWithin(_ key: Int64) -> Bool { limit.map { key < $0 } ?? true }

    /// The sealed objects that differ in a field of their own, or in a link to one; nil if both versions have the same.
    private func ownCursor() throws(FreeholdError) -> ChangeCursor? {
        if old.state.root.clusters.isSameBlock(as: new.state.root.clusters) { return nil }
        let numbers = Set(index.fields.map { $0.link ?? $0.property }), properties = new.state.stored.properties
        let pairing = ColumnPairing(old.state.stored, new.state.stored) { numbers.contains(properties[$0].number) }
        return try ChangeCursor(old: old.state, new: new.state, pairing, since: since)
    }

    /// The sealed objects with a link, in the newer version, to an object that differs in a field: in the order of
    /// keys, each once. Objects whose link itself differs may be missing: they are among those that differ themselves.
    private func linkedKeys() throws(FreeholdError) -> [Int64] {
        var keys: Set<Int64> = []
        for link in Set(index.fields.compactMap(\.link)) {
            guard let column = new.state.stored.column(numbered: link),
                  let table = index.fields.first(where: { $0.link == link })?.table else { continue }
            let fields = Set(index.fields.filter { $0.link == link }.map(\.property)), stored = new.tables.schema.classes[Int(table)]
            let before = try old.tables.state(Int(table), as: stored), after = try new.tables.state(Int(table), as: stored)
            let pairing = ColumnPairing(before.stored, after.stored) { fields.contains(after.stored.properties[$0].number) }
            var cursor = try ChangeCursor(old: before, new: after, pairing, since: since)
            while let found = try cursor.next() {
                // What is new or deleted has links only from objects that differ themselves.
                if found.kind == .inserted || found.kind == .deleted { continue }
                try collectSources(of: found.key, column, &keys)
            }
        }
        return keys.sorted()
    }

    /// The sealed objects that link to an object.
    private func collectSources(of target: Int64, _ column: Int, _ keys: inout Set<Int64>) throws(FreeholdError) {
        let filed = ByteBuffer(capacity: 16)
        filed.setIndexKey(.link(ObjectKey(target)), of: .link)
        let tree = OrderedIndex(root: new.state.root.auxiliary(.index, column), access: new.state.access)
        var cursor = try tree.cursor(of: filed.bytes)
        while try cursor.next() {
            let source = cursor.objectKey.rawValue
            if isWithin(source) { keys.insert(source) }
        }
    }
}
