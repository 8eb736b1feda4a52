/// Copies the objects of one class into the new file.
struct ClassRescue {
    let file: DamagedFile
    let target: SalvageTarget
    /// The class's table in the damaged file.
    let state: TableState
    private(set) var loss: SalvagedClass
    /// The key ranges in which blocks younger than the tree were found: the tree is out of date there.
    private var younger = KeyRanges()

    var stored: StoredClass { state.stored }

    init(_ survey: TableSurvey, _ stored: StoredClass, _ file: DamagedFile, _ target: SalvageTarget) throws {
        self.file = file
        self.target = target
        state = try TableState(stored, root: survey.root, buffer: nil, in: file.access)
        loss = SalvagedClass(name: stored.name)
    }

    /// Copies everything the class's root leads to, then what is found for its holes.
    mutating func run(_ survey: TableSurvey, _ orphans: Orphans, _ evidence: PageEvidence?) throws {
        // Collects the references, 32 bytes a cluster, so that nothing is written within the walk.
        var clusters: [BlockReference] = []
        let walk = ClusterWalk(access: file.access, onCluster: { _, reference in clusters.append(reference) }, onHole: { _ in })
        try walk.run(survey.root.clusters, objects: survey.root.sealedCount)
        try state.readTails()
        let younger = younger
        for cluster in clusters {
            try rescue(ClusterView(view: file.access.view(cluster)), isStale: false) { !younger.contains($0) }
            try rest()
        }
        for tail in state.tails { try rescue(tail, isStale: false, limit: .max) { _ in true } }
        if let evidence { try fill(survey.holes, orphans, evidence) }
        let found = loss.objects + loss.superseded
        loss.lostObjects = survey.expected.map { max(0, $0 - found) }
        try target.transaction.takeCounters(of: stored, from: survey.root)
    }

    /// Copies what was written after the tree's version, before anything of the tree, where the tree is not the newest.
    /// Rows of unknown age count if their keys are above all that the version had given.
    mutating func rescueYounger(than version: UInt64, nextKey: Int64, _ orphans: Orphans) throws {
        let clusters = (orphans.clusters[stored.number] ?? []).filter { $0.reference.birth > version }
        for cluster in clusters.sorted(by: { $0.reference.birth > $1.reference.birth }) {
            let known = younger
            younger.insert(cluster.first...cluster.last)
            try rescue(ClusterView(view: try file.access.view(cluster.reference)), isStale: true) { !known.contains($0) }
            try rest()
        }
        let tails = (orphans.tails[stored.number] ?? []).filter { $0.birth > version || $0.birth == 0 }
        for reference in tails.sorted(by: { $0.birth > $1.birth }) {
            guard let tail = try? TableState.tail(reference, in: file.access) else { continue }
            try rescue(tail, isStale: true, limit: .max) { reference.birth > version || $0 >= nextKey }
        }
    }

    /// Releases decrypted memory, between two blocks' objects.
    func rest() throws {
        if file.rest() { try state.readTails() }
    }

    /// Marks the expected number of objects as unknown.
    mutating func forgetCount() { loss.lostObjects = nil }

    // MARK: objects

    /// Copies the rows of a cluster whose keys are wanted and not in the new file yet. Returns their number.
    @discardableResult
    mutating func rescue(_ cluster: ClusterView, isStale: Bool, where isWanted: (Int64) -> Bool) throws -> Int {
        let lost = lostColumns(of: cluster)
        var count = 0
        for row in 0..<cluster.count where isWanted(cluster.key(row)) {
            let key = ObjectKey(cluster.key(row))
            if try copy(Row(state: state, place: .cluster(cluster, row), key: key), lost: lost, isStale: isStale) { count += 1 }
        }
        return count
    }

    /// Copies the wanted rows of a tail block, at most `limit` of them. Returns their number.
    @discardableResult
    mutating func rescue(_ tail: TailView, isStale: Bool, limit: Int, where isWanted: (Int64) -> Bool) throws -> Int {
        var count = 0
        for index in 0..<tail.count where count < limit && isWanted(tail.row(index).key) {
            let row = tail.row(index)
            guard row.fits(stored.layout) else { continue }
            if try copy(Row(state: state, place: .tail(row), key: ObjectKey(row.key)), lost: [], isStale: isStale) { count += 1 }
        }
        return count
    }

    /// The columns whose leaf is destroyed, or does not fit the column.
    private func lostColumns(of cluster: ClusterView) -> Set<Int> {
        var lost: Set<Int> = []
        for column in stored.properties.indices {
            do { _ = try state.leaf(cluster, cluster.count - 1, column) } catch { lost.insert(column) }
        }
        return lost
    }

    /// Creates the object in the new file; false if its key or unique value exists there.
    private mutating func copy(_ row: Row, lost: Set<Int>, isStale: Bool) throws -> Bool {
        let writer = try target.transaction.writer(Int(stored.number))
        let place: Int
        do throws(FreeholdError) { place = try writer.insert(key: row.key.rawValue) } catch {
            guard error.code == .duplicateKey else { throw error }
            return false
        }
        let member = try memberOf(row, lost)
        if let member { writer.setClass(place, member) }
        for (column, property) in stored.properties.enumerated() where !property.isObjectKey && !property.isClass {
            // A value of a class's property in an object of another class, or of one that is no longer known, is
            // dropped.
            if property.owner != nil, member?.columns.contains(column) != true { continue }
            do throws(FreeholdError) {
                guard !lost.contains(column) else { throw FreeholdError(.corrupt, "its leaf is destroyed") }
                try target.transaction.copy(column, of: row, stored, to: place, of: writer)
            } catch {
                guard error.code != .duplicateKey else { return supersede(writer, place) }
                guard error.code.band == .damaged || error.code.band == .argument || error.code == .io else { throw error }
                loss.lostValues[property.name, default: 0] += 1
                if property.isUnique, !property.isNullable, !makeUp(column, row.key, writer, place) { return supersede(writer, place) }
            }
        }
        do throws(FreeholdError) { try writer.claims.claimKeys(place, in: writer) } catch {
            guard error.code == .duplicateKey else { throw error }
            return supersede(writer, place)
        }
        loss.objects += 1
        if isStale { loss.possiblyStale += 1 }
        try target.noteObject()
        return true
    }

    /// The class of an object; nil for the table's own class, which the object gets if its class is lost.
    private mutating func memberOf(_ row: Row, _ lost: Set<Int>) throws -> FamilyMember? {
        guard let family = stored.family else { return nil }
        guard !lost.contains(family.classColumn), let member = try? family.member(tagged: state.tag(row.place)) else {
            loss.lostValues["its class", default: 0] += 1
            return nil
        }
        return member
    }

    private mutating func supersede(_ writer: TableWriter, _ place: Int) -> Bool {
        writer.withdraw(place)
        loss.superseded += 1
        return false
    }

    /// Gives a lost primary key a value that no other object has; false if there is none.
    private mutating func makeUp(_ column: Int, _ key: ObjectKey, _ writer: TableWriter, _ place: Int) -> Bool {
        let text = "salvaged object \(key.rawValue)", bits = UInt64(bitPattern: key.rawValue)
        let value: Value
        switch stored.properties[column].type {
        case .string: value = .string(text)
        case .data: value = .data(Array(text.utf8))
        case .uuid: value = .uuid(UniqueIdentifier(high: 0, low: bits))
        case .objectId: value = .objectId(ObjectIdentifier12(high: bits, low: 0))
        case .date: value = .date(Timestamp(seconds: key.rawValue, nanoseconds: 0))
        case .int: value = .int(key.rawValue)
        case .double: value = .double(Double(key.rawValue))
        default: return false
        }
        guard (try? writer.fill(place, column, with: value)) != nil else { return false }
        loss.madeUpKeys += 1
        return true
    }

    // MARK: holes

    mutating func noteHole(_ hole: Hole, found: Int, isStale: Bool) {
        if isStale || hole.objects.map({ $0 > found }) ?? true { loss.noteLost(hole, objects: hole.objects.map { max(0, $0 - found) }) }
    }
}
