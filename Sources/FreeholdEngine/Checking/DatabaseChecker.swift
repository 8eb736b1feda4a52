/// Checks every invariant of one version: each block against its checksum, space against use, trees against their own
/// rules, indexes against objects, links against their targets.
///
/// Tests, the command line and tools all use this one checker. It only reads, and works while others write.
struct DatabaseChecker {
    let access: BlockAccess
    let root: Root
    let path: String
    private(set) var report: CheckReport
    private var schema = StoredSchema.empty
    private var states: [TableState] = []
    /// The state of sync; nil without synced classes.
    private var sync: SyncBody?
    /// The shadow's generation when the tails were read.
    private var generation: UInt64 = 0
    /// The number of links to each object of an embedded class.
    private var owners: [UInt32: [Int64: Int]] = [:]
    private let progress: (CheckProgress) -> Void

    init(root: Root, access: BlockAccess, path: String, progress: @escaping (CheckProgress) -> Void = { _ in }) {
        self.progress = progress
        self.access = access
        self.root = root
        self.path = path
        report = CheckReport(version: Version(root.version))
    }

    /// Reports that the file opened at an older version than was durable once.
    mutating func reportLost(_ version: UInt64) {
        report.report(
            .lostVersion, "header pages", "version \(version) was durable and its root was destroyed, by a fault of the disk or by another program; the database "
                + "opened at the last intact version before it. Restore a backup, or continue without the commits since then")
    }

    mutating func run() -> CheckReport {
        checkSpace()
        // Trees that lead through damaged blocks are still checked as far as they can be read.
        do throws(FreeholdError) {
            let top = try TopBlock(root.top, in: access)
            schema = top.schema.isNull ? .empty : try SchemaCodec.decode(LargeValue.read(top.schema, in: access))
            try checkSyncBody(top)
            report.classes = schema.present.count { !ClassSchema.isHidden($0.name) }
            for stored in schema.present where stored.superclass != nil && !top.table(Int(stored.number)).isNull {
                report.report(.brokenTable, "class \(stored.name)", "it has its own table besides the table of the class it extends")
            }
            for stored in schema.presentTables {
                states.append(try TableState(stored, root: TableRoot(top.table(Int(stored.number)), in: access),
                                             buffer: nil, in: access))
            }
            generation = access.shadow?.generation ?? 0
        } catch {
            report.report(.damagedBlock, "schema", error.message)
            return report
        }
        for state in states { checkTable(state) }
        for state in states where state.stored.isEmbedded { checkOwners(state, owners[state.stored.number] ?? [:]) }
        return report
    }

    private mutating func checkSpace() {
        do throws(FreeholdError) {
            let space = try TopBlock(root.top, in: access).space
            let map = try SpaceMap.load(version: root.version, root: space, length: root.length, access: access, path: path)
            let live = (0..<map.table.count).reduce(0) { $0 + (PageMark.isLive(map.table.mark($1)) ? Int(map.table.mark($1)) : 0) }
            let audit = SpaceWalk.audit(top: root.top, access: access, map: map) { tell("blocks", $0, of: live) }
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

    private func tell(_ place: String, _ done: Int, of total: Int) {
        progress(CheckProgress(place: place, done: min(done, total), total: total))
    }

    /// The number of index entries or rows of a class between two calls of `progress`.
    private static let step = 4096

    private mutating func checkTable(_ state: TableState) {
        let place = "class \(state.stored.name)"
        do throws(FreeholdError) {
            try rest()
            let name = state.stored.name, total = state.root.sealedCount
            var clusters = ClusterChecker(state: state, report: report) { [progress] in
                progress(CheckProgress(place: name, done: min($0, total), total: total))
            }
            try clusters.run()
            report = clusters.report
        } catch {
            report.report(.damagedBlock, place, error.message)
        }
        checkDerived(state)
        checkSync(state)
        for index in state.stored.indexes {
            let place = "\(state.stored.name).index \(index.number)"
            do throws(FreeholdError) {
                try rest()
                try checkIndex(state, index, place)
            } catch {
                report.report(.damagedBlock, place, error.message)
            }
        }
        for (column, property) in state.stored.properties.enumerated() {
            let place = "\(state.stored.name).\(property.name)"
            do throws(FreeholdError) {
                try rest()
                if property.hasTree { try checkIndex(state, column, place) }
                if property.type.mayLink { try checkLinks(state, column, place) }
            } catch {
                report.report(.damagedBlock, place, error.message)
            }
        }
    }

    private mutating func checkSyncBody(_ top: TopBlock) throws(FreeholdError) {
        do throws(FreeholdError) { sync = try SyncBody(top, in: access) } catch {
            return report.report(.brokenSync, "top block", error.message)
        }
        if schema.hasSynced, sync == nil { report.report(.brokenSync, "top block", "classes are synced, and it lacks the state of sync") }
        if !schema.hasSynced, sync != nil { report.report(.brokenSync, "top block", "it has a state of sync, and no class is synced") }
    }

    private mutating func checkSync(_ state: TableState) {
        let isCaptured = schema.isCaptured(Int(state.stored.number))
        guard isCaptured || state.root.auxiliaries.contains(where: { $0.kind == .sync }) else { return }
        guard let sync else {
            if !isCaptured { report.report(.brokenSync, "class \(state.stored.name), sync", "it is not synced, and has a tree of sync") }
            return
        }
        // Walks over clusters and derived indexes release decrypted memory, and the tails with it.
        do throws(FreeholdError) { try rest() } catch {
            return report.report(.damagedBlock, "class \(state.stored.name), sync", error.message)
        }
        var checker = SyncChecker(state: state, body: sync, isCaptured: isCaptured, access: access, report: report)
        checker.run()
        report = checker.report
    }

    private mutating func checkDerived(_ state: TableState) {
        guard state.root.auxiliaries.contains(where: { $0.kind == .derived }) || !state.stored.derived.isEmpty else { return }
        let total = state.root.sealedCount, states = states
        var derived = DerivedChecker(state: state, schema: schema, access: access, report: report) { table in
            states.first { Int($0.stored.number) == table }?.root ?? TableRoot()
        } progress: { [progress] place, done in
            progress(CheckProgress(place: place, done: min(done, total), total: total))
        }
        derived.run()
        report = derived.report
    }

    /// Releases decrypted memory at points where only tails of it are still used. The tails are read again if they were
    /// released, here or while a table's clusters were walked.
    private mutating func rest() throws(FreeholdError) {
        guard let shadow = access.shadow else { return }
        _ = shadow.rest()
        if generation == shadow.generation { return }
        for state in states { try state.readTails() }
        generation = shadow.generation
    }

    /// Checks that every entry matches its object, and that there are as many entries as objects (null links have
    /// none).
    private mutating func checkIndex(_ state: TableState, _ column: Int, _ place: String) throws(FreeholdError) {
        let index = OrderedIndex(root: state.root.auxiliary(.index, column), access: access)
        let problems = index.verify()
        for problem in problems { report.report(.brokenIndex, place, problem) }
        // If the tree contradicts its counts, they may promise entries without end.
        guard problems.isEmpty else { return }
        let property = state.stored.properties[column]
        if property.shape != nil { return try checkBacklinks(state, column, index, place) }
        let expected = ByteBuffer()
        var entries = 0
        var cursor = try index.cursor()
        while try cursor.next() {
            entries += 1
            if entries % Self.step == 0 { tell(place, entries, of: state.root.sealedCount) }
            let key = cursor.objectKey.rawValue
            guard let found = try state.find(key), case .cluster = found else {
                report.report(.brokenIndex, place, "object \(key) has an entry but does not exist")
                continue
            }
            let value = try state.value(found, column)
            if try !state.files(found, column, value) { report.report(.brokenIndex, place, "object \(key) has an entry but no value to index") }
            if property.type == .mixed, try cursor.key().first == ByteBuffer.nestedTag {
                let filed = try cursor.key()
                if !value.nestedReferences.contains(where: { object in
                    expected.setNestedKey(object)
                    return expected.bytes.elementsEqual(filed)
                }) { report.report(.brokenIndex, place, "object \(key) has an entry under a link that it does not have") }
                continue
            }
            expected.setIndexKey(value, of: property.type)
            if try !expected.bytes.elementsEqual(cursor.key()) {
                report.report(.brokenIndex, place, "object \(key) has an entry under a value that it does not have")
            }
        }
        report.indexEntries += entries
        let countsAll = property.type != .link && property.type != .mixed && property.owner == nil
        let wanted = countsAll ? state.root.sealedCount : try countFiled(state, column)
        if entries != wanted { report.report(.brokenIndex, place, "\(entries) entries for \(wanted) objects") }
    }

    /// Checks that every pair of an object and a target of its collection has one entry, and that there are no others.
    private mutating func checkBacklinks(_ state: TableState, _ column: Int, _ index: OrderedIndex, _ place: String) throws(FreeholdError) {
        var links = 0
        let key = ByteBuffer()
        var missing: [(Int64, LinkTarget)] = []
        var cursor = try ClusterCursor(state.root.clusters, in: access)
        while let cluster = try cursor.next() {
            for row in 0..<cluster.count {
                try state.forEachLink(.cluster(cluster, row), column, distinct: true) { target throws(FreeholdError) in
                    links += 1
                    key.setIndexKey(target.value, of: state.stored.properties[column].type)
                    if try !index.contains(key.bytes, ObjectKey(cluster.key(row))) { missing.append((cluster.key(row), target)) }
                }
            }
        }
        for (source, target) in missing { report.report(.brokenIndex, place, "object \(source) links to \(target.key), which has no entry") }
        let entries = try index.count()
        report.indexEntries += entries
        if entries != links { report.report(.brokenIndex, place, "\(entries) entries for \(links) links") }
    }

    /// Checks that every embedded object has one owner.
    private mutating func checkOwners(_ state: TableState, _ owners: [Int64: Int]) {
        let place = "class \(state.stored.name)"
        func look(_ key: Int64) {
            let count = owners[key] ?? 0
            if count != 1 { report.report(.brokenTable, place, "object \(key) has \(count) owners instead of one") }
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

    /// Checks an index over several columns, which has every object of the class that declares it.
    private mutating func checkIndex(_ state: TableState, _ stored: StoredIndex, _ place: String) throws(FreeholdError) {
        let index = OrderedIndex(root: state.root.auxiliary(.index, stored.column), access: access)
        let problems = index.verify()
        for problem in problems { report.report(.brokenIndex, place, problem) }
        guard problems.isEmpty else { return }
        let expected = ByteBuffer()
        var last: [UInt8]?, entries = 0
        var cursor = try index.cursor()
        while try cursor.next() {
            entries += 1
            if entries % Self.step == 0 { tell(place, entries, of: state.root.sealedCount) }
            let key = cursor.objectKey.rawValue, filed = try cursor.key()
            guard let found = try state.find(key), case .cluster = found else {
                report.report(.brokenIndex, place, "object \(key) has an entry but does not exist")
                continue
            }
            if try !state.isFiled(found, in: stored) { report.report(.brokenIndex, place, "object \(key) has an entry, but its class does not have the index") }
            expected.removeAll()
            var hasNull = false
            for column in stored.columns {
                let property = state.stored.properties[column]
                let value = property.isObjectKey ? .int(key) : try state.value(found, column)
                if value == .null { hasNull = true }
                expected.appendKey(value, of: property.type)
            }
            if !expected.bytes.elementsEqual(filed) { report.report(.brokenIndex, place, "object \(key) has an entry under values that it does not have") }
            if stored.isUnique, last == filed, !hasNull || stored == state.stored.keyIndex {
                report.report(.brokenIndex, place, "object \(key) has the same values as another object")
            }
            last = filed
        }
        report.indexEntries += entries
        let wanted = state.root.sealedCount(ofOwner: stored.owner, in: state.stored.family)
        if entries != wanted { report.report(.brokenIndex, place, "\(entries) entries for \(wanted) objects") }
    }

    private func countFiled(_ state: TableState, _ column: Int) throws(FreeholdError) -> Int {
        let isMixed = state.stored.properties[column].type == .mixed
        var filed = 0
        var cursor = try ClusterCursor(state.root.clusters, in: access)
        while let cluster = try cursor.next() {
            for row in 0..<cluster.count {
                let place = RowPlace.cluster(cluster, row), value = try state.value(place, column)
                if try state.files(place, column, value) { filed += 1 + (isMixed ? value.nestedReferences.count : 0) }
            }
        }
        return filed
    }

    private mutating func checkLinks(_ state: TableState, _ column: Int, _ place: String) throws(FreeholdError) {
        var dangling: [(Int64, Int64)] = [], foreign = dangling
        var links = 0
        func look(_ found: RowPlace, _ key: Int64) throws(FreeholdError) {
            if state.stored.properties[column].type == .mixed {
                return try state.forEachLink(found, column) { link throws(FreeholdError) in
                    links += 1
                    let table = states.first { Int($0.stored.number) == link.classNumber }
                    if try table?.find(link.key) == nil { dangling.append((key, link.key)) }
                }
            }
            guard let wanted = state.stored.properties[column].linkTarget else { return }
            let number = UInt32(schema.table(of: Int(wanted))), target = states.first { $0.stored.number == number }
            try state.forEachLink(found, column) { to throws(FreeholdError) in
                links += 1
                let link = to.key
                if target?.stored.isEmbedded == true { owners[number, default: [:]][link, default: 0] += 1 }
                guard let target, let place = try target.find(link) else { return dangling.append((key, link)) }
                if wanted != number, try !target.isKind(place, of: wanted) { foreign.append((key, link)) }
            }
        }
        var cursor = try ClusterCursor(state.root.clusters, in: access), rows = 0
        while let cluster = try cursor.next() {
            for row in 0..<cluster.count { try look(.cluster(cluster, row), cluster.key(row)) }
            rows += cluster.count
            tell(place, rows, of: state.root.sealedCount)
        }
        try state.forEachTailRow { row throws(FreeholdError) in try look(.tail(row), row.key) }
        report.links += links
        for (key, link) in foreign {
            report.report(.danglingLink, place, "object \(key) links to object \(link), which is of another class")
        }
        for (key, link) in dangling {
            report.report(.danglingLink, place, "object \(key) links to object \(link), which does not exist")
        }
    }
}
