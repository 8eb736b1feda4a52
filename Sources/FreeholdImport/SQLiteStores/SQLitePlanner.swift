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

    init(_ file: SQLiteFile, _ options: SQLiteStoreOptions) throws(SourceError) {
        tables = file.tables
        self.options = options
        try SQLiteOptionCheck.run(options, tables)
        var scans: [SQLiteScan] = [], references: [SQLiteReferences] = []
        for table in tables {
            scans.append(try SQLiteScan(file, table, options))
            references.append(try SQLiteReferences(table, among: tables, options))
        }
        (self.scans, self.references) = (scans, references)
        targets = Set(references.flatMap { $0.all.map { [$0.parent, $0.parentColumn] } })
        place()
        for table in tables.indices { forms.append(try self.forms(of: table)) }
        remarkOthers(file.others)
        for table in tables.indices where places[table] != nil { addClass(table) }
        for table in tables.indices where places[table] == nil { try addJoin(table) }
    }

    /// Gives every table that becomes a class its place and a name of its own.
    private mutating func place() {
        var count = 0, taken: Set<ExactText> = []
        for table in tables {
            let isJoin = SQLiteStoreOptions.find(options.joins, table) != nil
            places.append(isJoin ? nil : count)
            if !isJoin { count += 1 }
            let wanted = SQLiteStoreOptions.find(options.renames, table) ?? table.name
            let name = Self.freeName(wanted.isEmpty ? "table" : wanted, &taken)
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
            guard let form = SQLiteTypeChoice.form(declared: type.type, seen), type.isNullable || seen.nulls == 0 || type.type == .mixed else {
                throw SourceError(.invalidOption, "'\(tables[table].name).\(declared.name)' has values that are no \(type.type.name)"
                    + (type.isNullable ? "" : ", or nulls"))
            }
            forms.append(form)
        }
        return forms
    }

    private mutating func remarkOthers(_ others: [SQLiteOther]) {
        for other in others {
            switch other.kind {
            case .view: remarks.add(.lost, other.name, "is a view; views are not imported")
            case .virtual(let module): remarks.add(.lost, other.name, "is a virtual table of the module '\(module)'; those are not imported")
            case .shadow(let owner): remarks.add(.lost, other.name, "holds the content of the virtual table '\(owner)', and is not imported")
            case .trigger(let table): remarks.add(.lost, other.name, "is a trigger of '\(table)'; triggers are not imported")
            case .unreadable: remarks.add(.lost, other.name, "is a table whose definition could not be read, and is not imported")
            }
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
        for text in references[table].complaints where text.columns.count > 1 { maker.remarks.add(.converted, names[table], text.text) }
        if SQLiteStoreOptions.find(options.joins, tables[table]) == nil, let (owner, element) = tables[table].joined(references[table]) {
            maker.remarks.add(.converted, names[table], "only joins '\(tables[owner.parent].name)' and '\(tables[element.parent].name)'; "
                + "it can become a list instead")
        }
        remarks.add(contentsOf: maker.remarks)
    }

    /// What becomes of a column's reference.
    private func link(of column: Int, of table: Int) -> SQLiteLinkChoice {
        guard let reference = references[table].reference(of: column) else {
            return references[table].complaints.first { $0.columns == [column] }.map { .refused($0.text) } ?? .none
        }
        let parent = tables[reference.parent], seen = scans[table].seen[column]
        guard let place = places[reference.parent] else { return .refused("refers to '\(parent.name)', which becomes a list, and stays a value") }
        if tables[table].primaryKey == [column] { return .refused("refers to '\(parent.name)', but is the primary key, and stays a value") }
        if targets.contains([table, column]) { return .refused("refers to '\(parent.name)', but is referred to itself, and stays a value") }
        let target = SQLiteLinkTarget(name: names[reference.parent], onDelete: reference.onDelete)
        if reference.parentColumn == parent.rowidColumn {
            let form = SQLiteForm.link(place: place)
            return form.fits(seen) ? .link(form, target) : .refused("refers to '\(parent.name)', but not all values are integers; it stays a value")
        }
        let form = forms[reference.parent][reference.parentColumn]
        guard parent.isUnique(reference.parentColumn), let property = parent.property(of: reference.parentColumn), form.identifies, form.fits(seen) else {
            return .refused("refers to '\(parent.name)', but not all values are those of a unique column; it stays a value")
        }
        return .link(.found(place: place, property: property, form), target)
    }

    /// Makes a list of a table that joins two others.
    private mutating func addJoin(_ table: Int) throws(SourceError) {
        let name = tables[table].name
        guard let (owner, element) = tables[table].joined(references[table]) else {
            throw SourceError(.invalidOption, "'\(name)' cannot become a list: it is not two foreign keys and nothing else")
        }
        for reference in [owner, element] {
            guard reference.parentColumn == tables[reference.parent].rowidColumn, scans[table].seen[reference.column].isOnlyInts else {
                throw SourceError(.invalidOption, "'\(name)' cannot become a list: '\(tables[table].columns[reference.column].name)' refers to no integer primary key")
            }
        }
        guard let place = places[owner.parent], let target = places[element.parent] else {
            throw SourceError(.invalidOption, "'\(name)' cannot become a list: it refers to a table that becomes one")
        }
        let given = SQLiteStoreOptions.find(options.joins, tables[table]) ?? ""
        var taken = Set(exact: classes[place].schema.properties.map(\.name))
        let property = Self.freeName(given.isEmpty ? name : given, &taken)
        classes[place].schema.properties.append(PropertySchema(property, linkTo: names[element.parent], collections: [.list]))
        plans[place].joins.append(SQLiteJoin(table: tables[table], owner: owner.column, element: element.column, place: target))
        remarks.add(.converted, "\(names[owner.parent]).\(property)", "is the table '\(name)', as a list")
        let lost = scans[table].seen[owner.column].nulls + scans[table].seen[element.column].nulls
        if lost > 0 { remarks.add(.lost, "\(names[owner.parent]).\(property)", "rows of '\(name)' with a null are left out") }
    }
}
