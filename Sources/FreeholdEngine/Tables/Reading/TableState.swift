/// One class's data for one reader: the parsed table root and the access paths to its rows.
///
/// A snapshot creates one for each class it reads and keeps it while its version stays; a write transaction has one
/// that its `TableWriter` changes.
final class TableState {
    let access: BlockAccess
    /// The window that decrypts its clusters and leaves for one pass, if any; its tails are those of the usual state.
    let window: BlockWindow?
    let hasWindow: Bool
    // Safe (all exclusivity below): a snapshot or transaction is used on one thread, and no access here is held over a
    // call that comes back to the same property.
    @exclusivity(unchecked) var stored: StoredClass
    /// The class's stamp (`TableState+Columns`).
    @exclusivity(unchecked) var stamp: UInt64
    @exclusivity(unchecked) var root: TableRoot
    /// The root of a snapshot; null for a table without objects, and if the root is set by other code.
    @exclusivity(unchecked) private(set) var reference = BlockReference.null
    /// The tail blocks, oldest first; empty while `owesTails`.
    @exclusivity(unchecked) var tails: [TailView]
    /// Whether the tail blocks have not been read yet: a snapshot reads them when it may need a row of them, as
    /// counting needs none.
    @exclusivity(unchecked) private var owesTails = false
    /// Sorted tails for repeated look-ups, by the tree's column; valid while nothing changes.
    @exclusivity(unchecked) var tailOrders: [Int: TailOrder] = [:]
    /// The rows that a write transaction has in memory; nil for a snapshot.
    let buffer: RowBuffer?
    /// The dictionaries by column, opened when first read.
    @exclusivity(unchecked) private(set) var dictionaries: [ColumnDictionary?]
    /// The last value that was assembled from several blocks.
    let assembled = ByteBuffer(capacity: 16)

    /// The class of another state, read through a window.
    init(_ other: TableState, through window: BlockWindow) {
        access = window.access
        self.window = window
        hasWindow = true
        (stored, stamp, root, tails, buffer) = (other.stored, other.stamp, other.root, other.tails, nil)
        dictionaries = Array(repeating: nil, count: other.stored.properties.count)
    }

    /// The sealed objects of the same class, for another thread, with a cache of its own.
    init(sealed other: TableState) {
        (window, hasWindow) = (nil, false)
        access = other.access
        (stored, stamp, root, tails, buffer) = (other.stored, other.stamp, other.root, [], nil)
        dictionaries = Array(repeating: nil, count: other.stored.properties.count)
    }

    init(_ stored: StoredClass, root: TableRoot, buffer: RowBuffer?, in access: BlockAccess) throws(FreeholdError) {
        (window, hasWindow) = (nil, false)
        self.access = access
        self.stored = stored
        stamp = stored.stamp
        self.root = root
        self.buffer = buffer
        dictionaries = Array(repeating: nil, count: stored.properties.count)
        tails = []
        try readTails()
    }

    /// The class in a snapshot whose version has its root at `reference`.
    init(_ stored: StoredClass, reference: BlockReference, in access: BlockAccess) throws(FreeholdError) {
        (window, hasWindow) = (nil, false)
        self.access = access
        self.stored = stored
        stamp = stored.stamp
        self.reference = reference
        root = try TableRoot(reference, in: access)
        buffer = nil
        dictionaries = Array(repeating: nil, count: stored.properties.count)
        tails = []
        try readTailsIfNeeded()
    }

    /// Switches to another version of the class, for a snapshot that has moved there.
    func move(to reference: BlockReference) throws(FreeholdError) {
        self.reference = reference
        try root.read(reference, in: access)
        tails.removeAll(keepingCapacity: true)
        forgetTailOrders()
        try readTailsIfNeeded()
        dropStaleDictionaries()
    }

    /// Reads the tails now in two cases, else defers it until a row is needed: objects of subclasses are counted one by
    /// one, and passes over an encrypted file share what this reads.
    private func readTailsIfNeeded() throws(FreeholdError) {
        if stored.family == nil, access.shadow == nil { owesTails = !root.tails.isEmpty } else { try readTails() }
    }

    /// Switches to another version of the class.
    func move(to root: TableRoot) throws(FreeholdError) {
        self.root = root
        try readTails()
        dropStaleDictionaries()
    }

    /// Finds the root's tail blocks, except the last `left`.
    func readTails(dropping left: Int = 0) throws(FreeholdError) {
        tails.removeAll(keepingCapacity: true)
        forgetTailOrders()
        for tail in root.tails.dropLast(left) { tails.append(try Self.tail(tail, in: access)) }
        owesTails = false
    }

    @inline(__always) func forgetTailOrders() { if !tailOrders.isEmpty { tailOrders.removeAll(keepingCapacity: true) } }

    /// Must be called when rows are handed out, of the tail or not.
    @inline(__always) func noteGivenRows() { if let buffer { buffer.hasGivenRows = true } }

    /// Must be called before `tails` is read.
    @inline(__always)
    func needTails() throws(FreeholdError) { if owesTails { try readTails() } }

    /// Drops the dictionaries that are not those of the root.
    func dropStaleDictionaries() {
        for (column, dictionary) in dictionaries.enumerated() {
            guard let dictionary else { continue }
            let stored = root.auxiliary(.dictionary, column)
            if stored.isNull || dictionary.isChanged || dictionary.reference != stored { dictionaries[column] = nil }
        }
    }

    /// Drops all dictionaries.
    func forgetDictionaries(count: Int) { dictionaries = Array(repeating: nil, count: count) }

    /// Sets the dictionary of a column, which may be newer than this state.
    func setDictionary(_ column: Int, _ dictionary: ColumnDictionary) {
        while dictionaries.count <= column { dictionaries.append(nil) }
        dictionaries[column] = dictionary
    }

    static func tail(_ reference: BlockReference, in access: BlockAccess) throws(FreeholdError) -> TailView {
        let view = try access.view(reference)
        guard view.kind == .tail else {
            throw FreeholdError(.corrupt, "the block at byte \(reference.byteOffset) should be a tail block")
        }
        return TailView(view: view)
    }

    /// The number of objects in clusters, tail and buffer.
    var count: Int { root.sealedCount + tailCount }

    /// The number of objects in tail and buffer.
    var tailCount: Int {
        if owesTails { return root.tailCount }
        var sum = buffer?.count ?? 0
        for tail in tails { sum += tail.count }
        return sum
    }

    /// Whether there is any object in the tail or the buffer.
    @inline(__always) var hasRowsInTail: Bool { !tails.isEmpty || owesTails || buffer.map { $0.count > 0 } ?? false }

    @inline(__always) var hasTail: Bool { !tails.isEmpty || owesTails || buffer != nil }

    /// The location of the object, or nil if there is none with this key.
    @inline(__always)
    func find(_ key: Int64) throws(FreeholdError) -> RowPlace? {
        if hasTail, let place = try findInTail(key) { return place }
        guard let cluster = try ClusterTree.cluster(for: key, root: root.clusters, in: access),
              let row = cluster.position(key), !cluster.isDeleted(row) else { return nil }
        return .cluster(cluster, row)
    }

    @inline(never)
    func findInTail(_ key: Int64) throws(FreeholdError) -> RowPlace? {
        try needTails()
        if let buffer, let index = buffer.find(key) { return .tail(buffer.row(index)) }
        for tail in tails {
            if let row = tail.find(key) { return .tail(try checked(row)) }
        }
        return nil
    }

    /// The version that created a row's object, if its key may have belonged to another object before; otherwise 0.
    func incarnation(_ place: RowPlace) -> UInt64 {
        switch place {
        case .cluster(let cluster, let row): return cluster.incarnation(row)
        case .tail(let row):
            if let buffer, buffer.find(row.key) != nil { return buffer.incarnations[row.key] ?? 0 }
            for tail in tails where tail.hasIncarnations {
                for index in 0..<tail.count where tail.row(index).start == row.start { return tail.incarnation(index) }
            }
            return 0
        }
    }

    /// The row, after checking that its slots lie within it.
    @inline(__always)
    func checked(_ row: RowView) throws(FreeholdError) -> RowView {
        guard row.fits(stored.layout) else { throw RowView.damaged(row.key) }
        return row
    }

    /// Every row of tail and buffer, in no particular order.
    func forEachTailRow(_ body: (RowView) throws(FreeholdError) -> Void) throws(FreeholdError) {
        try needTails()
        noteGivenRows()
        for tail in tails {
            for index in 0..<tail.count { try body(try checked(tail.row(index))) }
        }
        if let buffer {
            for index in 0..<buffer.count { try body(buffer.row(index)) }
        }
    }
}

/// The location of an object's values: a row of a sealed cluster, or a row of the tail.
enum RowPlace {
    case cluster(ClusterView, Int)
    case tail(RowView)

    /// The object's key.
    var key: Int64 {
        switch self {
        case .cluster(let cluster, let row): cluster.key(row)
        case .tail(let row): row.key
        }
    }
}
