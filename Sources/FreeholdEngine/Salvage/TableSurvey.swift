/// The reachable part of a class, and its holes.
struct TableSurvey {
    let number: UInt32
    /// The root, with the tail blocks that can be read.
    private(set) var root = TableRoot()
    private(set) var holes: [Hole] = []
    /// The number of objects that the class had; nil if it is no longer known.
    private(set) var expected: Int?
    /// Whether a dictionary of the class is destroyed.
    private(set) var lacksDictionary = false

    var isWhole: Bool { holes.isEmpty && !lacksDictionary }

    /// Creates the survey of a class of which nothing is reached.
    init(lost number: UInt32, birth: UInt64) {
        self.number = number
        holes = [Hole(part: .table, low: .min, high: nil, birth: birth, objects: nil)]
    }

    /// Surveys the class that a reference of the top block leads to.
    init(_ number: UInt32, at reference: BlockReference, in file: DamagedFile) {
        self.number = number
        guard let root = try? TableRoot(reference, in: file.access) else {
            holes = [Hole(part: .table, low: .min, high: nil, birth: reference.birth, objects: nil)]
            return
        }
        self.root = root
        expected = root.count
        readTails(file)
        lacksDictionary = root.auxiliaries.contains {
            $0.kind == .dictionary && !$0.reference.isNull && (try? ColumnDictionary($0.reference, in: file.access)) == nil
        }
        var found: [Hole] = []
        try? ClusterWalk(access: file.access, onCluster: { _, _ in }, onHole: { found.append($0) })
            .run(root.clusters, objects: root.sealedCount)
        holes += found
    }

    private mutating func readTails(_ file: DamagedFile) {
        var rows = 0, birth: UInt64 = 0
        root.tails = root.tails.filter { tail in
            if let view = try? TableState.tail(tail, in: file.access) {
                rows += view.count
                return true
            }
            birth = max(birth, tail.birth)
            return false
        }
        guard rows < root.tailCount else { return }
        holes.append(Hole(part: .tail, low: .min, high: nil, birth: birth, objects: root.tailCount - rows))
    }

    /// Adds what other blocks state: a class continues its key counter from the highest one in any of its roots, and a
    /// dictionary with more strings includes those of one with fewer, since codes are never reused.
    mutating func complete(from orphans: Orphans, in file: DamagedFile) {
        for reference in orphans.tableRoots[number] ?? [] {
            guard let other = try? TableRoot(reference, in: file.access) else { continue }
            if expected == nil { root.count(from: other) }
            for auxiliary in other.auxiliaries where auxiliary.kind == .dictionary { offer(auxiliary.reference, auxiliary.column, file) }
        }
        for reference in orphans.dictionaries[number] ?? [] {
            if let column = try? file.access.view(reference).firstKey { offer(reference, Int(clamping: column), file) }
        }
    }

    private mutating func offer(_ reference: BlockReference, _ column: Int, _ file: DamagedFile) {
        guard column >= 0, let offered = try? ColumnDictionary(reference, in: file.access) else { return }
        let present = root.auxiliary(.dictionary, column)
        if present.isNull && expected != nil { return }
        if let known = try? ColumnDictionary(present, in: file.access), known.count >= offered.count { return }
        root.setAuxiliary(.dictionary, column, reference)
    }
}
