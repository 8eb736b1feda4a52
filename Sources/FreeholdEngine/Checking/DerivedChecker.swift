/// Checks the derived indexes of one class: their blocks, and their entries against the objects.
///
/// One pass over the objects and one over the entries are compared by the number of entries and the sum of their
/// hashes, so neither needs an order or a memory. Only if these differ, the sums of single objects say which ones are
/// wrong.
struct DerivedChecker {
    let state: TableState
    let schema: StoredSchema
    let access: BlockAccess
    var report: CheckReport
    /// Finds the root of a table of the version.
    let root: (Int) throws(FreeholdError) -> TableRoot
    /// Called with an index's place and the number of documents compared so far.
    let progress: (String, Int) -> Void

    /// Whether objects are read at present: an error then says nothing about the index.
    private(set) var readsObjects = false

    private var stored: StoredClass { state.stored }
    /// The number of wrong objects that are named.
    private static let namedObjects = 100
    /// The number of clusters that are read before decrypted memory is released.
    private static let restClusters = 64

    mutating func run() {
        for entry in state.root.auxiliaries where entry.kind == .derived && !stored.derived.contains(where: { $0.column == entry.column }) {
            report.report(.brokenIndex, "class \(stored.name)", "it has a derived index \(entry.column - StoredDerived.firstColumn) "
                + "that it does not declare")
        }
        for index in stored.derived {
            do throws(FreeholdError) { try check(index) } catch {
                if readsObjects {
                    let unread = "derived index \(index.number) is not compared with the objects, of which some cannot be read: "
                    report.report(.damagedBlock, "class \(stored.name)", unread + error.message)
                } else {
                    report.report(.damagedBlock, place(index), error.message)
                }
                readsObjects = false
            }
        }
    }

    private func place(_ index: StoredDerived) -> String { "\(stored.name).derived \(index.number)" }

    private mutating func check(_ index: StoredDerived) throws(FreeholdError) {
        let reference = state.root.auxiliary(.derived, index.column)
        if reference.isNull {
            let objects = state.root.sealedCount
            if objects > 0 { report.report(.brokenIndex, place(index), "it has no root for \(objects) objects") }
            return
        }
        let root = try DerivedRoot(reference, in: access)
        guard root.kind == index.kind else {
            return report.report(.brokenIndex, place(index), "its root is of kind \(root.kind), declared is kind \(index.kind)")
        }
        // Of a kind that is unknown here nothing more can be said.
        guard let kind = DerivedKinds.kind(of: index, in: access) else { return }
        let faults = kind.faults(root.contents, of: index, in: access)
        for fault in faults { report.report(.brokenIndex, place(index), fault) }
        // Another program's version of the algorithm files other entries.
        guard faults.isEmpty, kind.handling(of: root) == .own else { return }
        try compare(index, kind, root)
    }

    private mutating func compare(_ index: StoredDerived, _ kind: any DerivedKind, _ root: DerivedRoot) throws(FreeholdError) {
        var wanted = EntrySum(), found = EntrySum(), counts: [UInt64] = []
        try forEachDocument(index, below: root.limit) { document throws(FreeholdError) in
            try kind.forEachEntry(of: document, in: index) { wanted.add($0, document.key) }
            try kind.count(document, in: index, &counts)
        }
        try kind.forEachEntry(root.contents, in: access) { found.add($0, $1) }
        report.indexEntries += found.count
        let kept = kind.counts(root.contents)
        // Without documents nothing has been counted.
        if counts.isEmpty ? kept.contains(where: { $0 != 0 }) : kept != counts {
            report.report(.brokenIndex, place(index), "it counts \(kept) for its documents, which make \(counts)")
        }
        guard wanted != found else { return }
        report.report(.brokenIndex, place(index), "its \(found.count) entries differ from the \(wanted.count) that its objects file")
        try nameWrong(index, kind, root)
    }

    /// Names the objects whose entries are wrong.
    private mutating func nameWrong(_ index: StoredDerived, _ kind: any DerivedKind, _ root: DerivedRoot) throws(FreeholdError) {
        var wanted: [Int64: EntrySum] = [:], found: [Int64: EntrySum] = [:]
        try forEachDocument(index, below: root.limit) { document throws(FreeholdError) in
            try kind.forEachEntry(of: document, in: index) { wanted[document.key, default: EntrySum()].add($0, document.key) }
        }
        try kind.forEachEntry(root.contents, in: access) { found[$1, default: EntrySum()].add($0, $1) }
        let wrong = Set(wanted.keys).union(found.keys).filter { wanted[$0] != found[$0] }.sorted()
        for key in wrong.prefix(Self.namedObjects) {
            report.report(.brokenIndex, place(index), "object \(key) has \(found[key]?.count ?? 0) entries, its document files "
                + "\(wanted[key]?.count ?? 0)\(found[key]?.count == wanted[key]?.count ? " others" : "")")
        }
        if wrong.count > Self.namedObjects {
            report.report(.brokenIndex, place(index), "\(wrong.count - Self.namedObjects) more objects have wrong entries")
        }
    }

    /// Calls `body` with each document that the index covers. Decrypted memory is released between groups of clusters,
    /// after which everything is opened again.
    private mutating func forEachDocument(_ index: StoredDerived, below limit: Int64?,
                                          _ body: (DerivedDocument) throws(FreeholdError) -> Void) throws(FreeholdError) {
        var first: Int64? = Int64.min, documents = 0
        readsObjects = true
        while let from = first {
            let reader = try DerivedReader(index, of: stored, in: DerivedTables(schema, in: access, root: root), as: schema)
            var cursor = try ClusterCursor(state.root.clusters, from: from, in: access), clusters = 0
            first = nil
            while let cluster = try cursor.next() {
                for row in 0..<cluster.count where cluster.key(row) >= from {
                    if let limit, cluster.key(row) >= limit {
                        readsObjects = false
                        return
                    }
                    guard let document = try reader.document(cluster.key(row), at: .cluster(cluster, row)) else { continue }
                    readsObjects = false
                    try body(document)
                    readsObjects = true
                }
                documents += cluster.count
                clusters += 1
                let last = cluster.key(cluster.count - 1)
                if clusters == Self.restClusters, last < .max {
                    first = last + 1
                    break
                }
            }
            progress(place(index), documents)
            _ = access.shadow?.rest()
        }
        readsObjects = false
    }
}

/// The number of entries and the sum of their hashes, in whatever order they are added.
///
/// Safe: sums and hashes wrap by design.
private struct EntrySum: Equatable {
    private(set) var count = 0
    private var low: UInt64 = 0
    private var high: UInt64 = 0

    mutating func add(_ bytes: UnsafeRawBufferPointer, _ key: Int64) {
        count += 1
        low &+= Self.hash(bytes, key, seed: 0x9E37_79B9_7F4A_7C15)
        high &+= Self.hash(bytes, key, seed: 0xC2B2_AE3D_27D4_EB4F)
    }

    private static func hash(_ bytes: UnsafeRawBufferPointer, _ key: Int64, seed: UInt64) -> UInt64 {
        func mixed(_ hash: UInt64, _ word: UInt64) -> UInt64 {
            let product = (hash ^ word).multipliedFullWidth(by: 0xFF51_AFD7_ED55_8CCD)
            return (product.high ^ product.low) &+ seed
        }
        var hash = mixed(mixed(seed, UInt64(bitPattern: key)), UInt64(bytes.count)), place = 0
        while place < bytes.count {
            var word: UInt64 = 0
            for byte in bytes[place..<min(place + 8, bytes.count)] { word = word << 8 | UInt64(byte) }
            hash = mixed(hash, word)
            place += 8
        }
        return hash
    }
}
