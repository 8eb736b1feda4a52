import FreeholdEngine

/// Decides what the tables of a database become: classes, their properties, and what is to be said about it.
struct SQLitePlanner {
    let tables: [SQLiteTable]
    let options: SQLiteStoreOptions
    let scans: [SQLiteScan]
    let references: [SQLiteReferences]
    /// By table, the place of its class; nil for tables that become lists.
    private(set) var places: [Int?] = []
    /// By table.
    private(set) var names: [String] = []
    /// By table and column, the form of the values without regard to references.
    private(set) var forms: [[SQLiteForm]] = []
    /// The tables and columns, other than rowids, that references refer to.
    private let targets: Set<[Int]>
    private(set) var remarks = SQLiteRemarks()
    private(set) var classes: [SourceClass] = []
    private(set) var plans: [SQLitePlan] = []
    /// Rows of tables that become lists whose owner does not exist.
    private(set) var ownerlessLinks = 0

    /// A file holds 2000 classes, and one keeps the state of imports.
    private static let maximumClasses = 1999

    init(_ file: SQLiteFile, _ options: SQLiteStoreOptions) throws(SourceError) {
        tables = file.tables
        self.options = options
        try SQLiteOptionCheck.run(options, tables)
        let count = tables.count { SQLiteStoreOptions.find(options.joins, $0) == nil }
        guard count <= Self.maximumClasses else {
            throw SourceError(.unsupported, "the database has \(count) tables to become classes, and an import can create "
                + "\(Self.maximumClasses); import a copy without the tables that are not needed")
        }
        scans = try Self.scans(file, options)
        var references: [SQLiteReferences] = []
        let names = SQLiteTableNames(tables)
        for table in tables { references.append(try SQLiteReferences(table, among: names, options)) }
        self.references = references
        targets = Set(references.flatMap { $0.all.map { [$0.parent, $0.parentColumn] } })
        place()
        for table in tables.indices { forms.append(try self.forms(of: table)) }
        remarkOthers(file.others)
        for table in tables.indices where places[table] != nil { addClass(table) }
        for table in tables.indices where places[table] == nil { try addJoin(table, file) }
    }

    /// Reads all tables. If one is damaged, the others are read all the same, to say what is left.
    private static func scans(_ file: SQLiteFile, _ options: SQLiteStoreOptions) throws(SourceError) -> [SQLiteScan] {
        let budget = SQLiteBudget(file.pages)
        var scans: [SQLiteScan] = [], readable: [ReadableClass] = [], damage: SourceError?
        for table in file.tables {
            var scan = SQLiteScan(table, options), isWhole = true
            do throws(SourceError) { try scan.read(file, budget) } catch {
                guard error.kind == .damaged else { throw error }
                isWhole = false
                damage = damage ?? error
            }
            readable.append(ReadableClass(table.name, count: scan.count, isWhole: isWhole))
            scans.append(scan)
        }
        if let damage { throw damage.with(readable: readable) }
        return scans
    }

    /// Gives every table that becomes a class its place and a name of its own.
    private mutating func place() {
        var count = 0, taken: Set<ExactText> = []
        for table in tables {
            let isJoin = SQLiteStoreOptions.find(options.joins, table) != nil
            places.append(isJoin ? nil : count)
            if !isJoin { count += 1 }
            var wanted = SQLiteStoreOptions.find(options.renames, table) ?? table.name
            // No class may have an empty name, or one of those that imports keep for themselves.
            if wanted.isEmpty || wanted.utf8.starts(with: "$import:".utf8) { wanted = "table" + wanted.dropFirst() }
            let name = Self.freeName(wanted, &taken)
            names.append(name)
            if !isJoin, !name.isSame(as: table.name) { remarks.add(.renamed, name, "is the table '\(table.name)'") }
        }
    }

    private static func freeName(_ wanted: String, _ taken: inout Set<ExactText>) -> String {
        var name = wanted, number = 2
        while !taken.insert(name).inserted {
            name = "\(wanted)_\(number)"
            number += 1
        }
        return name
    }

    private func forms(of table: Int) throws(SourceError) -> [SQLiteForm] {
        var forms: [SQLiteForm] = []
        for (column, declared) in tables[table].columns.enumerated() {
            let seen = scans[table].seen[column]
            guard let type = SQLiteStoreOptions.find(options.types, tables[table], declared) else {
                forms.append(SQLiteTypeChoice.form(of: declared, seen))
                continue
            }
            let hasNullsOnly = type.isNullable || seen.nulls == 0 || type.type == .mixed
            guard let form = SQLiteTypeChoice.form(declared: type.type, seen), hasNullsOnly else {
                let name = "\(tables[table].name).\(declared.name)", wanted = type.type.name
                throw SourceError(.invalidOption, hasNullsOnly
                    ? "'\(name)' has values that cannot be stored as \(wanted)"
                    : "'\(name)' has nulls; declare it '\(wanted)?'")
            }
            forms.append(form)
        }
        return forms
    }

    private mutating func remarkOthers(_ others: [SQLiteOther]) {
        for other in others {
            let text =
                switch other.kind {
                case .view: "is a view; views are not imported"
                case .virtual(let module): "is a virtual table of the module '\(module)'; those are not imported"
                case .shadow(let owner): "holds the content of the virtual table '\(owner)', and is not imported"
                case .trigger(let table): "is a trigger of '\(table)'; triggers are not imported"
                case .unreadable: "is a table whose definition could not be read, and is not imported"
                }
            remarks.add(.lost, other.name, text)
        }
    }

    // MARK: Classes

    private mutating func addClass(_ table: Int) {
        var maker = SQLiteClassMaker(scans[table], named: names[table])
        for column in tables[table].columns.indices where tables[table].columns[column].generation != .virtual {
            let type = SQLiteStoreOptions.find(options.types, tables[table], tables[table].columns[column])
            maker.add(column, forms[table][column], link(of: column, of: table), declared: type)
        }
        maker.addIndexes()
        maker.addTableRemarks()
        classes.append(SourceClass(maker.schema, count: scans[table].count, sourceName: tables[table].name))
        plans.append(SQLitePlan(table: tables[table], columns: maker.columns))
        for text in references[table].complaints { maker.remarks.add(.converted, names[table], text) }
        if SQLiteStoreOptions.find(options.joins, tables[table]) == nil, let (owner, element) = tables[table].joined(references[table]),
            isJoinable(owner, of: table), isJoinable(element, of: table) {
            maker.remarks.add(.converted, names[table], "only joins '\(tables[owner.parent].name)' and '\(tables[element.parent].name)'; "
                + "'join \(tables[table].name)' (--join \(tables[table].name)) makes it a list instead")
        }
        remarks.add(contentsOf: maker.remarks)
    }

    /// What becomes of a column's reference.
    private func link(of column: Int, of table: Int) -> SQLiteLinkChoice {
        guard let reference = references[table].reference(of: column) else {
            return references[table].refusals[column].map { .refused($0) } ?? .none
        }
        let parent = tables[reference.parent]
        func refused(_ reason: String) -> SQLiteLinkChoice { .refused("refers to '\(parent.name)', but \(reason); it stays a value") }
        if isTypeStated(column, of: table) { return refused("has a type that is stated") }
        guard let place = places[reference.parent] else { return refused("that becomes a list") }
        if tables[table].primaryKey == [column] { return refused("is the primary key") }
        if targets.contains([table, column]) { return refused("other tables refer to it") }
        if let collation = unlikeCollation(reference) {
            return refused("its values are compared by the collation \(collation), which links are not")
        }
        guard let form = linkForm(reference, to: place), form.fits(scans[table].seen[column]) else {
            return refused("not all values are of the type of a unique column there")
        }
        return .link(form, SQLiteLinkTarget(name: names[reference.parent], onDelete: reference.onDelete))
    }

    /// The form of links for a reference; nil if what it refers to does not tell rows apart.
    private func linkForm(_ reference: SQLiteReference, to place: Int) -> SQLiteForm? {
        let parent = tables[reference.parent], column = reference.parentColumn
        if column == parent.rowidColumn { return .link(place: place) }
        let form = forms[reference.parent][column]
        let isUnique = parent.uniqueColumns.contains(column) && form.keepsDistinct(scans[reference.parent].seen[column])
        guard isUnique, form.identifies, let property = parent.property(of: column) else { return nil }
        return .found(place: place, property: property, form)
    }

    /// The collation of what a reference refers to, if values that differ as properties may be the same to it; nil if not.
    private func unlikeCollation(_ reference: SQLiteReference) -> String? {
        let collation = tables[reference.parent].columns[reference.parentColumn].keyCollation
        if SQLiteName.isSame(collation, "BINARY") { return nil }
        switch forms[reference.parent][reference.parentColumn] {
        case .string: return collation
        // Identifiers are the same in either case.
        case .uuidText, .objectIdText: return SQLiteName.isSame(collation, "NOCASE") ? nil : collation
        default: return nil
        }
    }

    private func isTypeStated(_ column: Int, of table: Int) -> Bool {
        let declared = tables[table].columns[column]
        return SQLiteStoreOptions.find(options.types, tables[table], declared) != nil
            && SQLiteStoreOptions.find(options.links, tables[table], declared) == nil
    }

    private func isJoinable(_ reference: SQLiteReference, of table: Int) -> Bool {
        reference.parentColumn == tables[reference.parent].rowidColumn && scans[table].seen[reference.column].isOnlyInts
    }

    /// Makes a list of a table that joins two others.
    private mutating func addJoin(_ table: Int, _ file: SQLiteFile) throws(SourceError) {
        let name = tables[table].name
        guard let (owner, element) = tables[table].joined(references[table]) else {
            throw SourceError(.invalidOption, "'\(name)' cannot become a list: it is not two foreign keys and nothing else")
        }
        for reference in [owner, element] {
            guard isJoinable(reference, of: table) else {
                throw SourceError(.invalidOption, "'\(name)' cannot become a list: "
                    + "'\(tables[table].columns[reference.column].name)' refers to no integer primary key")
            }
        }
        guard let place = places[owner.parent], let target = places[element.parent] else {
            throw SourceError(.invalidOption, "'\(name)' cannot become a list: it refers to a table that becomes one")
        }
        let given = SQLiteStoreOptions.find(options.joins, tables[table]) ?? ""
        var taken = Set(exact: classes[place].schema.properties.map(\.name))
        let property = Self.freeName(given.isEmpty ? name : given, &taken)
        classes[place].schema.properties.append(PropertySchema(property, linkTo: names[element.parent], collections: [.list]))
        let join = SQLiteJoin(table: tables[table], owner: owner.column, element: element.column, place: target)
        plans[place].joins.append(join)
        remarks.add(.converted, "\(names[owner.parent]).\(property)", "is the table '\(name)', as a list")
        try remarkLostRows(of: join, of: tables[owner.parent], "\(names[owner.parent]).\(property)", file)
    }

    /// Counts the rows of a join table that are in no list.
    private mutating func remarkLostRows(
        of join: SQLiteJoin, of owners: SQLiteTable, _ place: String, _ file: SQLiteFile
    ) throws(SourceError) {
        let lists = try SQLiteJoinLists(file, join), ownerless = try lists.countOwnerless(file, owners)
        let name = join.table.name, nulls = lists.nullCount
        if nulls > 0 { remarks.add(.lost, place, "rows of '\(name)' with a null are left out (\(nulls))") }
        if ownerless > 0 {
            remarks.add(.lost, place, "rows of '\(name)' that refer to no row of '\(owners.name)' are left out (\(ownerless))")
        }
        ownerlessLinks += ownerless
    }
}
