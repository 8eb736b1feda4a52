/// Checks every invariant of one version: each block against its checksum, space against use, trees against their own
/// rules, indexes against objects, links against their targets.
///
/// Tests, the command line and tools all call this one checker. It only reads, and works while others write.
struct DatabaseChecker {
    let access: BlockAccess
    let root: Root
    let path: String
    private(set) var report: CheckReport
    private var schema = Schema.empty
    private var states: [TableState] = []
    /// How many links there are to each object of an embedded class.
    private var owners: [[Int64: Int]] = []

    init(root: Root, access: BlockAccess, path: String) {
        self.access = access
        self.root = root
        self.path = path
        report = CheckReport(version: Version(root.version))
    }

    mutating func run() -> CheckReport {
        checkSpace()
        // Trees that lead through damaged blocks are still looked at as far as they can be read.
        do throws(FreeholdError) {
            let top = try TopBlock(root.top, in: access)
            schema = top.schema.isNull ? .empty : try SchemaCodec.decode(LargeValue.read(top.schema, in: access))
            report.classes = schema.present.count
            for stored in schema.present {
                states.append(try TableState(stored, root: TableRoot(top.table(Int(stored.number)), in: access),
                                             buffer: nil, in: access))
            }
        } catch {
            report.report(.damagedBlock, "schema", error.message)
            return report
        }
        owners = Array(repeating: [:], count: states.count)
        for state in states { checkTable(state) }
        for (number, state) in states.enumerated() where state.stored.isEmbedded { checkOwners(state, owners[number]) }
        return report
    }

    private mutating func checkSpace() {
        do throws(FreeholdError) {
            let space = try TopBlock(root.top, in: access).space
            let map = try SpaceMap.load(version: root.version, root: space, length: root.length, access: access, path: path)
            let audit = SpaceWalk.audit(top: root.top, access: access, map: map)
            report.blocks = audit.blocks
            report.liveBytes = UInt64(audit.granules) * UInt64(BlockLayout.granule)
            for problem in audit.problems {
                let kind: CheckProblem.Kind = switch problem.kind {
                case .lost: .lostSpace
                case .usedTwice, .freeButLive, .wrongBirth: .sharedSpace
                case .damaged: .damagedBlock
                }
                report.report(kind, "page \(problem.page)", problem.message)
            }
        } catch {
            report.report(.damagedBlock, "space", error.message)
        }
    }

    private mutating func checkTable(_ state: TableState) {
        let place = "class \(state.stored.name)"
        do throws(FreeholdError) {
            var clusters = ClusterChecker(state: state, report: report)
            try clusters.run()
            report = clusters.report
        } catch {
            report.report(.damagedBlock, place, error.message)
        }
        for (column, property) in state.stored.properties.enumerated() {
            let place = "\(state.stored.name).\(property.name)"
            do throws(FreeholdError) {
                if property.hasTree { try checkIndex(state, column, place) }
                if let target = property.linkTarget { try checkLinks(state, column, to: states[Int(target)], place) }
            } catch {
                report.report(.damagedBlock, place, error.message)
            }
        }
    }

    /// Every entry must be what its object has, and there must be as many as objects (null links have none).
    private mutating func checkIndex(_ state: TableState, _ column: Int, _ place: String) throws(FreeholdError) {
        let index = OrderedIndex(root: state.root.auxiliary(.index, column), access: access)
        let problems = index.verify()
        for problem in problems { report.report(.brokenIndex, place, problem) }
        // Counts that the tree contradicts may promise entries without end.
        guard problems.isEmpty else { return }
        let isLink = state.stored.properties[column].type == .link
        if state.stored.properties[column].shape != nil { return try checkBacklinks(state, column, index, place) }
        let expected = ByteBuffer()
        var entries = 0
        var cursor = try index.cursor()
        while try cursor.next() {
            entries += 1
            let key = cursor.objectKey.rawValue
            guard let found = try state.find(key), case .cluster = found else {
                report.report(.brokenIndex, place, "object \(key) is filed but does not exist")
                continue
            }
            expected.setIndexKey(try state.value(found, column))
            if try !expected.bytes.elementsEqual(cursor.key()) {
                report.report(.brokenIndex, place, "object \(key) is filed under another value than it has")
            }
        }
        report.indexEntries += entries
        let wanted = isLink ? try countLinks(state, column) : state.root.sealedCount
        if entries != wanted { report.report(.brokenIndex, place, "\(entries) entries for \(wanted) objects") }
    }

    /// Every pair of an object and what its collection links to has one entry, and there are no others.
    private mutating func checkBacklinks(_ state: TableState, _ column: Int, _ index: OrderedIndex, _ place: String) throws(FreeholdError) {
        var links = 0
        let key = ByteBuffer()
        var missing: [(Int64, Int64)] = []
        var cursor = try ClusterCursor(state.root.clusters, in: access)
        while let cluster = try cursor.next() {
            for row in 0..<cluster.count {
                try state.forEachLink(.cluster(cluster, row), column, distinct: true) { target throws(FreeholdError) in
                    links += 1
                    key.setIndexKey(.link(ObjectKey(target)))
                    if try !index.contains(key.bytes, ObjectKey(cluster.key(row))) { missing.append((cluster.key(row), target)) }
                }
            }
        }
        for (source, target) in missing { report.report(.brokenIndex, place, "object \(source) links to \(target), which is not filed") }
        let entries = try index.count()
        report.indexEntries += entries
        if entries != links { report.report(.brokenIndex, place, "\(entries) entries for \(links) links") }
    }

    /// Every embedded object has one owner.
    private mutating func checkOwners(_ state: TableState, _ owners: [Int64: Int]) {
        let place = "class \(state.stored.name)"
        func look(_ key: Int64) {
            let count = owners[key] ?? 0
            if count != 1 { report.report(.brokenTable, place, "object \(key) lives within \(count) objects instead of one") }
        }
        do throws(FreeholdError) {
            var cursor = try ClusterCursor(state.root.clusters, in: access)
            while let cluster = try cursor.next() {
                for row in 0..<cluster.count { look(cluster.key(row)) }
            }
            try state.forEachTailRow { row throws(FreeholdError) in look(row.key) }
        } catch {
            report.report(.damagedBlock, place, error.message)
        }
    }

    private func countLinks(_ state: TableState, _ column: Int) throws(FreeholdError) -> Int {
        var links = 0
        var cursor = try ClusterCursor(state.root.clusters, in: access)
        while let cluster = try cursor.next() {
            for row in 0..<cluster.count where try !state.isNull(.cluster(cluster, row), column) { links += 1 }
        }
        return links
    }

    private mutating func checkLinks(_ state: TableState, _ column: Int, to target: TableState, _ place: String) throws(FreeholdError) {
        var dangling: [(Int64, Int64)] = []
        var links = 0
        func look(_ found: RowPlace, _ key: Int64) throws(FreeholdError) {
            try state.forEachLink(found, column) { link throws(FreeholdError) in
                links += 1
                if target.stored.isEmbedded { owners[Int(target.stored.number)][link, default: 0] += 1 }
                if try target.find(link) == nil { dangling.append((key, link)) }
            }
        }
        var cursor = try ClusterCursor(state.root.clusters, in: access)
        while let cluster = try cursor.next() {
            for row in 0..<cluster.count { try look(.cluster(cluster, row), cluster.key(row)) }
        }
        try state.forEachTailRow { row throws(FreeholdError) in try look(.tail(row), row.key) }
        report.links += links
        for (key, link) in dangling {
            report.report(.danglingLink, place, "object \(key) links to object \(link), which does not exist")
        }
    }
}
