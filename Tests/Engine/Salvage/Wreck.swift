import DatabaseKit
@testable import FreeholdEngine
import Platform
import TestKit
import Testing

/// A database with a past (several generations of most blocks), where each of its values lies, and what a salvage of it with
/// some pages destroyed must bring.
final class Wreck {
    static let path = "/whole.freehold"
    let machine: SimulatedSystem
    let process: SimulatedProcess
    private(set) var facts: [Fact] = []
    private(set) var schemaPages: Set<Int> = []
    /// Pages of blocks above the clusters, and of space blocks.
    private(set) var innerPages: Set<Int> = []
    private var bytes: [UInt8] = []
    let options: OpenOptions

    /// One object, and the pages without which it, or one of its values, is lost.
    struct Fact {
        let table: String
        let key: Int64
        let values: [Value]
        let pages: Set<Int>
        let valuePages: [Set<Int>]

        var isInTail: Bool { valuePages.allSatisfy(\.isEmpty) }

        /// Whether no value that stands in a leaf can be read any more.
        func isEmptied(by destroyed: Set<Int>) -> Bool {
            !isInTail && valuePages.allSatisfy { $0.isEmpty || !$0.isDisjoint(with: destroyed) }
        }
    }

    /// The header pages, all that may be destroyed of them: without any copy of its key nothing of an encrypted file can be read.
    var header: Set<Int> { isEncrypted ? [0, 2, 3] : [0, 1, 2, 3] }
    var pageCount: Int { bytes.count / 4096 }
    var objectCount: Int { facts.count }

    /// Whether the file is encrypted: its blocks say by themselves what they are, and when they were written.
    var isEncrypted: Bool { options.encryptionKey != nil }

    init(seed: UInt64, schemaChanges: Bool = true, isEncrypted: Bool = false) throws {
        var open = OpenOptions.simulated
        if isEncrypted { (open.encryptionKey, open.decryptedBytesLimit) = (.forTests, 128 << 10) }
        self.options = open
        var options = SimulatedSystem.Options(seed: seed)
        options.recordsMappedStores = false
        machine = SimulatedSystem(options)
        process = machine.makeProcess()
        var random = SeededRandom(seed: seed)
        let database = try Database.open(Self.path, open, on: process)
        try Self.build(database, &random, schemaChanges: schemaChanges)
        database.close()
        bytes = try Self.read(process)
        try survey()
    }

    func discard() { machine.discard() }

    private static func read(_ process: SimulatedProcess) throws -> [UInt8] {
        let file = try process.openFile(path, .readOnly)
        defer { file.close() }
        var bytes = [UInt8](repeating: 0, count: try file.length())
        _ = try bytes.withUnsafeMutableBytes { buffer in try file.read(into: buffer, at: 0) }
        return bytes
    }

    // MARK: a past

    private static func build(_ database: Database, _ random: inout SeededRandom, schemaChanges: Bool) throws {
        try database.write { transaction in
            try transaction.createClass(ClassSchema("Item", primaryKey: "id", [
                PropertySchema("id", .int), PropertySchema("name", .string, isIndexed: true), PropertySchema("city", .string),
                PropertySchema("text", .data, isNullable: true), PropertySchema("next", linkTo: "Item"), PropertySchema("score", .double),
            ]))
            try transaction.createClass(ClassSchema("Tag", primaryKey: "word", [
                PropertySchema("word", .string), PropertySchema("when", .date), PropertySchema("on", .bool, isNullable: true),
            ]))
            for id in 0..<3000 { try addItem(Int64(id), transaction, &random) }
            for id in 0..<700 { try addTag(id, transaction, &random) }
        }
        for round in 0..<40 {
            try database.write(durability: round % 5 == 0 ? .full : .processCrash) { transaction in
                try change(round, transaction, &random)
                if schemaChanges, round == 30 { try transaction.addProperty(PropertySchema("late", .int), to: "Tag") }
            }
        }
    }

    private static func change(_ round: Int, _ transaction: WriteTransaction, _ random: inout SeededRandom) throws {
        let items = try transaction.table("Item")
        let start = Int64.random(in: 0..<2900, using: &random)
        for id in start..<start + 60 where try items.contains(ObjectKey(id)) {
            switch Int.random(in: 0..<5, using: &random) {
            case 0: try transaction.delete(ObjectKey(id), from: items)
            case 1: try transaction.set(ObjectKey(id), in: items, items.column("score"), to: .double(Double(round)))
            case 2: try transaction.set(ObjectKey(id), in: items, items.column("name"), to: .string("renamed \(round) \(id)"))
            default: break
            }
        }
        for id in 0..<Int64(8) { try addItem(3000 + Int64(round) * 8 + id, transaction, &random) }
        if round % 3 == 0 { try addTag(700 + round, transaction, &random) }
    }

    private static func addItem(_ id: Int64, _ transaction: WriteTransaction, _ random: inout SeededRandom) throws {
        let length = random.oneIn(40) ? Int.random(in: 3000..<9000, using: &random) : Int.random(in: 0..<20, using: &random)
        let items = try transaction.table("Item")
        let target = try items.contains(ObjectKey(id / 2)) && id > 0 ? Value.link(ObjectKey(id / 2)) : .null
        try transaction.insert(into: "Item", key: .int(id), [
            ("id", .int(id)), ("name", .string("item \(id)")), ("city", .string("city \(Int.random(in: 0..<60, using: &random))")),
            ("text", random.oneIn(4) ? .null : .data((0..<length).map { UInt8(truncatingIfNeeded: $0 &* 7 &+ Int(id)) })),
            ("next", target), ("score", .double(Double(id) / 3)),
        ])
    }

    private static func addTag(_ number: Int, _ transaction: WriteTransaction, _ random: inout SeededRandom) throws {
        try transaction.insert(into: "Tag", key: .string("tag \(number)"), [
            ("word", .string("tag \(number)")), ("when", .date(Timestamp(seconds: Int64(number) * 977, nanoseconds: Int32(number)))),
            ("on", random.oneIn(3) ? .null : .bool(number % 2 == 0)),
        ])
    }

    // MARK: where everything lies

    private func survey() throws {
        let file = try damagedFile(), root = try #require(file.roots.first)
        let top = try TopBlock(root.top, in: file.access)
        let schema = try SchemaCodec.decode(LargeValue.read(top.schema, in: file.access))
        schemaPages = try pages(below: top.schema, file)
        innerPages = Self.pages(root.top).union(try pages(below: top.space, file))
        for stored in schema.classes {
            let reference = top.table(Int(stored.number)), table = try TableRoot(reference, in: file.access)
            innerPages.formUnion(Self.pages(reference))
            for auxiliary in table.auxiliaries where auxiliary.kind == .dictionary { innerPages.formUnion(Self.pages(auxiliary.reference)) }
            try survey(stored, TableState(stored, root: table, buffer: nil, in: file.access), file)
        }
    }

    private func survey(_ stored: StoredClass, _ state: TableState, _ file: DamagedFile) throws {
        var open = [state.root.clusters]
        while let reference = open.popLast() {
            if reference.isNull { continue }
            let view = try file.access.view(reference)
            if view.kind == .clusterInner {
                innerPages.formUnion(Self.pages(reference))
                for index in 0..<view.referenceCount { open.append(view.reference(index)) }
            } else {
                try survey(ClusterView(view: view), reference, stored, state, file)
            }
        }
        for (reference, tail) in zip(state.root.tails, state.tails) {
            for index in 0..<tail.count {
                let row = Row(state: state, place: .tail(tail.row(index)), key: ObjectKey(tail.row(index).key))
                facts.append(Fact(table: stored.name, key: row.key.rawValue, values: try values(row, stored), pages: Self.pages(reference),
                                  valuePages: stored.properties.map { _ in [] }))
            }
        }
    }

    private func survey(
        _ cluster: ClusterView, _ reference: BlockReference, _ stored: StoredClass, _ state: TableState, _ file: DamagedFile
    ) throws {
        for place in 0..<cluster.count {
            let row = Row(state: state, place: .cluster(cluster, place), key: ObjectKey(cluster.key(place)))
            let valuePages = try stored.properties.indices.map { column in
                let leaf = cluster.leaf(column)
                var pages = Self.pages(leaf)
                guard !leaf.isNull, try file.access.view(leaf).kind == .textLeaf else { return pages }
                let text = TextLeaf(try file.access.view(leaf).body)
                if text.isCodes { pages.formUnion(try self.pages(below: state.root.auxiliary(.dictionary, column), file)) }
                if !text.isCodes, text.isExternal(place) {
                    let value = try file.access.view(leaf).reference(text.external(place).reference)
                    pages.formUnion(try self.pages(below: value, file))
                }
                return pages
            }
            facts.append(Fact(table: stored.name, key: row.key.rawValue, values: try values(row, stored), pages: Self.pages(reference),
                              valuePages: valuePages))
        }
    }

    private func values(_ row: Row, _ stored: StoredClass) throws -> [Value] {
        try stored.properties.indices.map { try row.value(stored.column($0)) }
    }

    private static func pages(_ reference: BlockReference) -> Set<Int> {
        reference.isNull ? [] : Set(Int(reference.granuleIndex >> 6)...reference.lastPage)
    }

    private func pages(below reference: BlockReference, _ file: DamagedFile) throws -> Set<Int> {
        if reference.isNull { return [] }
        var pages = Self.pages(reference)
        let view = try file.access.view(reference)
        for index in 0..<view.referenceCount { pages.formUnion(try self.pages(below: view.reference(index), file)) }
        return pages
    }

    // MARK: wrecking and salvaging

    /// Salvages a copy with pages full of other bytes.
    /// - Returns: the report, and what the new file holds.
    func run(destroying pages: Set<Int>, cutTo kept: Int?, random: inout SeededRandom) throws
        -> (SalvageReport, [String: [Int64: [Value]]]) {
        let machine = SimulatedSystem(seed: 1), process = machine.makeProcess()
        defer { machine.discard() }
        var damaged = bytes
        for page in pages {
            let fill = random.next()
            for offset in 0..<4096 { damaged[page * 4096 + offset] = fill & 1 == 0 ? 0 : UInt8(truncatingIfNeeded: random.next()) }
        }
        if let kept { damaged.removeLast(damaged.count - kept * 4096) }
        let file = try process.openFile("/damaged", .createExclusive(permissions: 0o644))
        try file.write(damaged, at: 0)
        file.close()
        let report = try Database.salvage(from: "/damaged", to: "/salvaged", options, on: process)
        let database = try Database.open("/salvaged", options, on: process)
        let check = try database.check()
        #expect(check.isClean, "\(check.problems)")
        return (report, try contents(database))
    }

    private func contents(_ database: Database) throws -> [String: [Int64: [Value]]] {
        let snapshot = try database.snapshot()
        var contents: [String: [Int64: [Value]]] = [:]
        for schema in try snapshot.classes {
            let table = try snapshot.table(schema.name)
            contents[schema.name] = [:]
            try table.forEach { row in
                contents[schema.name]?[row.key.rawValue] = try table.columns.map { try row.value($0) }
                return true
            }
        }
        return contents
    }

    /// Salvages, and compares with what must be there.
    @discardableResult
    func salvage(destroying pages: Set<Int>, cutTo kept: Int? = nil, random: inout SeededRandom, _ trace: String) throws -> SalvageReport {
        let (report, contents) = try run(destroying: pages, cutTo: kept, random: &random)
        if report.notes.contains(where: { $0.contains("made up") }) { return report }
        var complaints: [String] = [], strangers = 0
        for (name, objects) in contents {
            let known = Set(facts.lazy.filter { $0.table == name }.map(\.key))
            strangers += objects.keys.count { !known.contains($0) }
        }
        let isFoundBlockByBlock = report.notes.contains { $0.contains("found block by block") }
        let isSchemaOlder = report.notes.contains { $0.contains("an older one") }
        let stale = report.classes.reduce(0) { $0 + $1.possiblyStale }
        if strangers > stale { complaints.append("\(strangers) objects that were deleted came back, \(stale) are called stale") }
        for fact in facts where fact.pages.isDisjoint(with: pages) {
            guard let values = contents[fact.table]?[fact.key] else {
                // Where the top block is lost nothing tells when a block of rows was written; and a block of keys whose leaves
                // are all destroyed cannot be told from other bytes.
                // Neither is so where a block says it by itself.
                if !isEncrypted, isFoundBlockByBlock && fact.isInTail || fact.isEmptied(by: pages) { continue }
                // A row may have more columns than an earlier schema knows.
                if isSchemaOlder && fact.isInTail { continue }
                complaints.append("\(fact.table) \(fact.key) is missing")
                continue
            }
            for (column, value) in values.enumerated() where fact.valuePages[column].isDisjoint(with: pages) && value != fact.values[column] {
                if case .link(let target) = fact.values[column], value == .null, contents[fact.table]?[target.rawValue] == nil { continue }
                complaints.append("\(fact.table) \(fact.key): column \(column) is \(value), was \(fact.values[column])")
            }
        }
        #expect(complaints.isEmpty, "\(trace): \(complaints.count) complaints, the first: \(complaints.prefix(3)); \(report)")
        return report
    }

    /// Pages with anything that can be read as a schema, the present one's and earlier ones'.
    func allSchemaPages() throws -> Set<Int> {
        let file = try damagedFile()
        var scan = OrphanScan(file, evidence: PageEvidence(pageCount: pageCount, map: nil), newest: Root.versionLimit)
        scan.run()
        return scan.orphans.schemas.reduce(into: []) { $0.formUnion(Self.pages($1)) }
    }

    // MARK: a torn commit

    func damagedFile() throws -> DamagedFile { try DamagedFile(Self.path, key: options.encryptionKey, process) }

    func durableVersion() throws -> UInt64 { try #require(try damagedFile().durable).root.version }

    /// Commits to the whole file and destroys one of the pages of that commit.
    func commitTorn() throws {
        let killed = machine.makeProcess()
        let database = try Database.open(Self.path, options, on: killed)
        try database.write(durability: .processCrash) { transaction in
            let items = try transaction.table("Item")
            for id in 0..<Int64(2000) where try items.contains(ObjectKey(id)) {
                try transaction.set(ObjectKey(id), in: items, items.column("score"), to: .double(-1))
            }
        }
        let leaf = try firstLeaf(of: database)
        let torn = try Self.read(process)
        database.close()
        let file = try process.openFile(Self.path, .readWrite)
        try file.write(torn, at: 0)
        try file.write([UInt8](repeating: 0xEE, count: 4096), at: Int(leaf.granuleIndex >> 6) * 4096)
        file.close()
    }

    /// The leaf of the scores of the first objects.
    private func firstLeaf(of database: Database) throws -> BlockReference {
        let snapshot = try database.snapshot()
        let table = try snapshot.table("Item")
        var cursor = try ClusterCursor(table.state.root.clusters, in: snapshot.core.access)
        let cluster = try #require(try cursor.next())
        return cluster.leaf(5)
    }
}
