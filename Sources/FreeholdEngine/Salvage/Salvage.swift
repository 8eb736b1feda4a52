/// Copies what can still be read of a damaged file into a new one.
///
/// 1. First the tree of the newest readable root is walked: what it leads to is what the database held, and what it
///    does not reach was deleted.
/// 2. Only where a block of the tree is destroyed, and only for the keys below it, the salvage searches for blocks that
///    nothing refers to.
/// 3. Everything derived (indexes, counts, the space map) is created again by writing the objects.
struct Salvage {
    let file: DamagedFile
    private(set) var report = SalvageReport()
    private var origin: SalvageOrigin
    private var surveys: [TableSurvey] = []
    private var orphans = Orphans()
    private var evidence: PageEvidence?

    init(_ file: DamagedFile) {
        self.file = file
        origin = SalvageOrigin(file)
    }

    /// Writes the objects found in new transactions of the new file. Returns the schema of their classes.
    /// - Parameter each: called after each object.
    mutating func run(begin: @escaping () throws -> WriteTransaction, each: @escaping () -> Void = {}) throws -> StoredSchema {
        if origin.top == nil { chooseTop() }
        report.notes = origin.notes
        report.version = origin.root.map { Version($0.version) }
        survey()
        if origin.isBehind || readSchema() == nil || surveys.contains(where: { !$0.isWhole }) { scan() }
        let schema = schema()
        guard origin.top != nil || !schema.classes.isEmpty || file.isDatabase else {
            throw FreeholdError(.notADatabase, "no part of a Freehold database was found in this file", path: file.path)
        }
        if schema.hasSynced {
            report.notes.append("its classes are not synced in the new file, and changes that were pending are not told apart there; "
                + "mark them again to send all objects")
        }
        let target = try SalvageTarget(begin: begin, each: each)
        target.transaction.adopt(schema)
        for stored in schema.classes { try rescue(stored, target) }
        try target.finish()
        return schema
    }

    mutating func note(cutLinks: Int, of number: Int) { report.classes[number].cutLinks = cutLinks }

    // MARK: what there is

    /// Searches the whole file for a top block.
    private mutating func chooseTop() {
        var scan = OrphanScan(file, evidence: PageEvidence(pageCount: file.pageCount, map: nil), newest: Root.versionLimit)
        scan.run()
        origin.choose(among: scan.orphans.tops, in: file)
    }

    private mutating func survey() {
        guard let top = origin.top else { return }
        for (number, table) in top.tables.enumerated() { surveys.append(TableSurvey(UInt32(number), at: table, in: file)) }
    }

    private mutating func scan() {
        var scan = OrphanScan(file, evidence: PageEvidence(pageCount: file.pageCount, map: origin.spaceMap(in: file)), newest: origin.newest)
        if let top = origin.root?.top { scan.claimTree(top) }
        scan.run()
        orphans = scan.orphans
        evidence = scan.evidence
        if origin.isBehind {
            let last = orphans.tables.filter { $0 < TopBlock.maximumTables }.max().map { Int($0) } ?? -1
            for number in surveys.count..<max(surveys.count, last + 1) { surveys.append(TableSurvey(lost: UInt32(number), birth: origin.newest)) }
        }
        for index in surveys.indices { surveys[index].complete(from: orphans, in: file) }
    }

    // MARK: the schema

    private func readSchema() -> StoredSchema? {
        guard let top = origin.top else { return nil }
        if top.schema.isNull { return .empty }
        return try? SchemaCodec.decode(LargeValue.read(top.schema, in: file.access))
    }

    /// The schema; if it is lost, an earlier one; if there is none, a made-up one. Classes that it lacks are made up
    /// too.
    private mutating func schema() -> StoredSchema {
        let younger = orphans.schemas.filter { $0.birth > origin.root?.version ?? 0 }
        if let schema = readSchema(), !origin.isBehind || younger.isEmpty { return completed(schema) }
        for reference in origin.isBehind ? younger : orphans.schemas {
            guard let schema = try? SchemaCodec.decode(LargeValue.read(reference, in: file.access)) else { continue }
            report.notes.append("the path to the schema is destroyed; a schema found elsewhere in the file was used, which may be an older one")
            return completed(schema)
        }
        report.notes.append("the schema is destroyed: names of classes and properties are made up, types are inferred from values")
        return completed(.empty)
    }

    private func completed(_ schema: StoredSchema) -> StoredSchema {
        guard surveys.count > schema.classes.count else { return schema }
        var made = MadeUpSchema()
        for survey in surveys.dropFirst(schema.classes.count) {
            made.note(table: survey.number)
            let walk = ClusterWalk(access: file.access, onCluster: { cluster, _ in made.note(cluster, in: file.access) }, onHole: { _ in })
            try? walk.run(survey.root.clusters, objects: survey.root.sealedCount)
            for orphan in orphans.clusters[survey.number] ?? [] {
                if let view = try? file.access.view(orphan.reference) { made.note(ClusterView(view: view), in: file.access) }
            }
        }
        return StoredSchema(schema.classes + made.classes(from: schema.classes.count), version: schema.version)
    }

    // MARK: the objects

    private mutating func rescue(_ stored: StoredClass, _ target: SalvageTarget) throws {
        let survey = surveys.first { $0.number == stored.number && !stored.isDropped }
        guard let survey else {
            report.classes.append(SalvagedClass(name: stored.name))
            return
        }
        var rescue = try ClassRescue(survey, stored, file, target)
        if origin.isBehind { try rescue.rescueYounger(than: origin.root?.version ?? 0, nextKey: survey.root.nextKey, orphans) }
        try rescue.run(survey, orphans, evidence)
        if origin.isBehind { rescue.forgetCount() }
        report.classes.append(rescue.loss)
    }
}
