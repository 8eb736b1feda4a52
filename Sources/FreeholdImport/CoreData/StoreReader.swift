import FreeholdEngine

/// Finds out what a store has: its model, entities, properties and what is stored in them.
struct StoreReader {
    private let file: SQLiteFile
    private let external: ExternalData
    private var remarks: [SourceRemark] = []
    private var names: [String] = []
    private(set) var counts: [Int] = []
    private(set) var hasModel = false

    /// Rows of `Z_PRIMARYKEY`, at most.
    private static let entityLimit = 4_000
    /// Properties of the entities of a table, at most: what a class of the database can have.
    private static let propertyLimit = 900

    init(_ file: SQLiteFile, _ external: ExternalData) { (self.file, self.external) = (file, external) }

    /// Remarks of the file, then those of each class in turn.
    var sortedRemarks: [SourceRemark] {
        let ranks = TextMap(names.enumerated().map { ($0.element, $0.offset) }) { first, _ in first }
        func rank(_ remark: SourceRemark) -> Int {
            remark.place.isEmpty ? -1 : ranks[String(remark.place.prefix { $0 != "." })] ?? names.count
        }
        return remarks.enumerated().map { (rank($0.element), $0.offset, $0.element) }.sorted { ($0.0, $0.1) < ($1.0, $1.1) }.map(\.2)
    }

    mutating func classes(_ options: CoreDataStoreOptions) throws(SourceError) -> [ReadClass] {
        let model = try readModel()
        hasModel = model != nil
        var finder = EntityFinder(rows: try entityRows(), model: model, tables: file.tables)
        try finder.find()
        remarks += finder.remarks
        var entities = finder.entities
        let properties = plan(entities, model)
        for place in entities.indices { entities[place].properties = properties[place] }
        try checkLimits(entities)
        reportTables(entities)
        names = entities.map(\.name)
        try checkOptions(options, entities)
        var scan = StoreScan(entities)
        try scan.run(file, external)
        counts = scan.counts
        var builder = ReadClassBuilder(entities, file.tables, scan, external: options.externalAttributes)
        builder.build()
        remarks += builder.remarks
        var classes = builder.classes
        ReadIndexes(file.tables, classes).add(to: &classes)
        return classes
    }

    private mutating func plan(_ entities: [StoredEntity], _ model: ManagedModel?) -> [[StoredProperty]] {
        guard let model else {
            var guesser = PropertyGuesser(tables: file.tables, entities: entities)
            guesser.plan()
            return guesser.properties
        }
        var planner = PropertyPlanner(StoreLayout(model: model, tables: file.tables, entities: entities))
        planner.plan()
        remarks += planner.remarks
        return planner.properties
    }

    /// The model in `Z_MODELCACHE`; nil if there is none that can be read.
    private mutating func readModel() throws(SourceError) -> ManagedModel? {
        let missing = "names and types are those of the columns, and relationships are found only where names of columns tell them"
        guard let content = try modelContent() else {
            remarks.append(SourceRemark(.converted, "", "the store does not keep its model, so \(missing)"))
            return nil
        }
        do throws(SourceError) {
            return try ManagedModel(cache: content)
        } catch {
            remarks.append(SourceRemark(.converted, "", "the model of the store cannot be read (\(error.message)), so \(missing)"))
            return nil
        }
    }

    private func modelContent() throws(SourceError) -> [UInt8]? {
        guard let table = file.table("Z_MODELCACHE"), let column = table.position(of: "Z_CONTENT") else { return nil }
        let rows = try file.rows(of: table, after: nil)
        guard try rows.next() else { return nil }
        switch try rows.cell(column) {
        case .blob(let bytes): return bytes
        case .long(let value) where value.count <= ManagedModel.sizeLimit: return try value.all()
        default: return nil
        }
    }

    private func entityRows() throws(SourceError) -> [EntityRow] {
        guard let table = file.table("Z_PRIMARYKEY"), let number = table.position(of: "Z_ENT"), let name = table.position(of: "Z_NAME")
        else { return [] }
        let parent = table.position(of: "Z_SUPER")
        var found: [EntityRow] = []
        let rows = try file.rows(of: table, after: nil)
        while try rows.next() {
            guard case .int(let number) = try rows.cell(number), case .text(let bytes) = try rows.cell(name),
                let name = String(validating: bytes, as: UTF8.self)
            else { throw SourceError(.damaged, "the row \(rows.key) of Z_PRIMARYKEY has no number and name") }
            var above: Int64 = 0
            if let parent, case .int(let number) = try rows.cell(parent) { above = number }
            found.append(EntityRow(number: number, name: name, parent: above))
            if found.count > Self.entityLimit { throw SourceError(.unsupported, "the store has more than \(Self.entityLimit) entities") }
        }
        return found
    }

    /// Says which tables are left out.
    private mutating func reportTables(_ entities: [StoredEntity]) {
        var used = Set(entities.map(\.table))
        for case .links(let rows, _, _) in entities.flatMap(\.properties).map(\.source) { used.insert(rows.table) }
        var hasHistory = false
        var hasCloud = false
        for (place, table) in file.tables.enumerated() where !used.contains(place) {
            switch SQLiteName.uppercased(table.name) {
            case "Z_METADATA", "Z_MODELCACHE", "Z_PRIMARYKEY": break
            case "ACHANGE", "ATRANSACTION", "ATRANSACTIONSTRING": hasHistory = true
            case let name where name.hasPrefix("ANSCK"): hasCloud = true
            default:
                remarks.append(SourceRemark(.lost, "", "the table \(table.name) is of no known entity or relationship and is left out"))
            }
        }
        if hasHistory { remarks.append(SourceRemark(.lost, "", "the persistent history is left out")) }
        if hasCloud {
            remarks.append(SourceRemark(.lost, "", "what Core Data knows of CloudKit is left out, also which changes were not uploaded"))
        }
    }

    private func checkLimits(_ entities: [StoredEntity]) throws(SourceError) {
        var counts: [Int: Int] = [:]
        for entity in entities { counts[entity.table, default: 0] += entity.properties.count }
        for (table, count) in counts where count > Self.propertyLimit {
            throw SourceError(
                .unsupported,
                "the entities of the table \(file.tables[table].name) have \(count) properties; at most \(Self.propertyLimit) are possible")
        }
    }

    private func checkOptions(_ options: CoreDataStoreOptions, _ entities: [StoredEntity]) throws(SourceError) {
        let known = Set(exact: entities.flatMap { entity in entity.properties.map { "\(entity.name).\($0.name)" } })
        for name in options.externalAttributes where !known.contains(name) {
            throw SourceError(.invalidOption, "the store has no attribute '\(name)'")
        }
    }
}
