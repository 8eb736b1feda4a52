import FreeholdEngine

/// Makes the class of a table: its properties, keys and indexes.
struct SQLiteClassMaker {
    /// The number of properties and of indexes over several that a class can have.
    static let maximumProperties = 900
    private static let maximumIndexes = 60

    private let scan: SQLiteScan
    private(set) var schema: ClassSchema
    private(set) var columns: [(column: Int, form: SQLiteForm)] = []
    var remarks = SQLiteRemarks()
    private var taken: Set<ExactText> = []
    /// The columns beyond the properties that a class can have.
    private var beyond: [String] = []

    private var table: SQLiteTable { scan.table }

    init(_ scan: SQLiteScan, named name: String) {
        self.scan = scan
        schema = ClassSchema(name, [])
    }

    /// Adds the property of a column.
    mutating func add(_ column: Int, _ form: SQLiteForm, _ link: SQLiteLinkChoice, declared: DeclaredType?) {
        let stored = table.columns[column], seen = scan.seen[column]
        guard schema.properties.count < Self.maximumProperties else { return beyond.append(stored.name) }
        let name = freeName(stored.name)
        let place = "\(schema.name).\(name)"
        if !name.isSame(as: stored.name) { remarks.add(.renamed, place, "is the column '\(stored.name)'") }
        switch link {
        case .link(let form, let target):
            columns.append((column, form))
            schema.properties.append(PropertySchema(name, linkTo: target.name))
            if let action = target.onDelete, !["NO ACTION", "SET NULL", "SET DEFAULT"].has(action) {
                remarks.add(.lost, place, "has ON DELETE \(action), which is not kept: a deleted target leaves null")
            }
            return
        case .refused(let reason): remarks.add(.converted, place, reason)
        case .none: break
        }
        columns.append((column, form))
        let isNullable = declared?.isNullable ?? (table.rowidColumn != column && (!stored.isNotNull || seen.nulls > 0))
        schema.properties.append(PropertySchema(name, form.type, isNullable: isNullable))
        if stored.isNotNull, seen.nulls > 0 { remarks.add(.converted, place, "is NOT NULL, but has nulls; null is allowed") }
        if let text = form.remark(seen) { remarks.add(.converted, place, text) }
    }

    private mutating func freeName(_ wanted: String) -> String {
        var name = wanted.isEmpty ? "column" : wanted, number = 2
        while !taken.insert(name).inserted {
            name = "\(wanted)_\(number)"
            number += 1
        }
        return name
    }

    // MARK: Keys and indexes

    /// Adds the primary key and the indexes.
    mutating func addIndexes() {
        addPrimaryKey()
        for index in table.indexes { add(index) }
    }

    private mutating func addPrimaryKey() {
        var key: [Int] = []
        // SQLite lets a key name a column twice, with different collations.
        for place in table.primaryKey.compactMap(table.property) where !key.contains(place) { key.append(place) }
        guard !key.isEmpty, table.primaryKey.allSatisfy({ table.property(of: $0) != nil }) else { return }
        let isKept = fits(key) && key.allSatisfy { place in
            let (column, form) = columns[place]
            return form.canBeKey && form.keepsDistinct(scan.seen[column]) && scan.seen[column].nulls == 0
        }
        guard isKept else { return add(SQLiteIndex(name: "", columns: table.primaryKey, isUnique: true, isPartial: false), isKey: true) }
        for place in key { schema.properties[place].isNullable = false }
        schema.primaryKeys = key.map { schema.properties[$0].name }
    }

    /// Whether the values of all rows fit into an index: a key has at most 64 KiB, in which a byte may take two.
    private func fits(_ places: [Int]) -> Bool {
        places.reduce(0) { $0 + 2 * scan.seen[columns[$1].column].longest + 16 } <= 1 << 16
    }

    private mutating func add(_ index: SQLiteIndex, isKey: Bool = false) {
        let what = isKey ? "the primary key" : index.name.isEmpty ? "a UNIQUE constraint" : "the index '\(index.name)'"
        let found = index.columns.compactMap { $0 }
        let all = found.compactMap(table.property)
        guard !all.isEmpty, all.count == index.columns.count else {
            return remarks.add(.lost, schema.name, "\(what) is over an expression, or a column that is not imported, and is not kept")
        }
        var places: [Int] = []
        for place in all where !places.contains(place) { places.append(place) }
        guard fits(places) else {
            return remarks.add(.lost, schema.name, "\(what) has values that are too long for an index, and is not kept")
        }
        let areDistinct = places.allSatisfy { columns[$0].form.keepsDistinct(scan.seen[columns[$0].column]) }
        let isUnique = index.isUnique && !index.isPartial && areDistinct
        if index.isUnique, !isUnique { remarks.add(.lost, schema.name, "\(what) no longer keeps values unique") }
        if index.isPartial { remarks.add(.converted, schema.name, "\(what) becomes one over all rows, without its WHERE") }
        if isKey { remarks.add(.converted, schema.name, "the primary key becomes \(isUnique ? "a unique" : "an") index") }
        add(places, isUnique: isUnique, what)
    }

    private mutating func add(_ places: [Int], isUnique: Bool, _ what: String) {
        let names = places.map { schema.properties[$0].name }
        if names.isSame(as: schema.primaryKeys) { return }
        if let place = places.first, places.count == 1 {
            if isUnique { schema.properties[place].isUnique = true }
            // Links have an index of their own.
            if !isUnique, schema.properties[place].type != .link { schema.properties[place].isIndexed = true }
            return
        }
        if let known = schema.indexes.firstIndex(where: { $0.properties.isSame(as: names) }) {
            schema.indexes[known].isUnique = schema.indexes[known].isUnique || isUnique
        } else if schema.indexes.count < Self.maximumIndexes {
            schema.indexes.append(IndexSchema(names, isUnique: isUnique))
        } else {
            remarks.add(.lost, schema.name, "\(what) is beyond the \(Self.maximumIndexes) indexes that a class can have")
        }
    }
}

extension SQLiteClassMaker {
    /// Adds what is lost of the table as a whole.
    mutating func addTableRemarks() {
        if let first = beyond.first {
            remarks.add(.lost, schema.name, "the last columns, '\(first)' and after (\(beyond.count) in all), are beyond the "
                + "\(Self.maximumProperties) properties that a class can have, and are not imported")
        }
        for column in table.columns {
            let place = "\(schema.name).\(column.name)"
            switch column.generation {
            case .virtual: remarks.add(.lost, place, "is a virtual column, whose values are not stored")
            case .stored: remarks.add(.converted, place, "is a generated column; its values are kept, but no longer computed")
            case .none: break
            }
        }
        add("the default values of", table.columns.filter(\.hasDefault))
        add("the collations of", table.columns.filter { !SQLiteName.isSame($0.collation, "BINARY") })
        if table.hasChecks { remarks.add(.lost, schema.name, "CHECK constraints are not kept") }
    }

    private mutating func add(_ what: String, _ columns: [SQLiteColumn]) {
        if columns.isEmpty { return }
        remarks.add(.lost, schema.name, "\(what) \(columns.map { "'\($0.name)'" }.joined(separator: ", ")) are not kept")
    }
}

extension SQLiteForm {
    /// What is to be said about a column in this form; nil if its values are as they are stored.
    func remark(_ seen: SQLiteEvidence) -> String? {
        if seen.count == 0 { return nil }
        return switch self {
        case .bool: "holds 0 and 1, and becomes bool"
        case .seconds: "holds numbers, and becomes date: seconds since 1970"
        case .milliseconds: "holds numbers, and becomes date: milliseconds since 1970"
        case .julianDays: "holds numbers, and becomes date: Julian days, to the millisecond"
        case .dateText: "holds strings in ISO 8601, and becomes date"
        case .uuidBytes, .uuidText: "holds identifiers, and becomes uuid"
        case .objectIdBytes, .objectIdText: "holds identifiers, and becomes objectId"
        case .decimal: "holds numbers, and becomes decimal"
        case .float: "becomes float, which holds all its numbers"
        case .double: seen.ints > 0 ? "holds integers among real numbers, and becomes double" : nil
        case .data: seen.texts > 0 ? "has strings that are not valid in the encoding of the database, and becomes data" : nil
        case .mixed:
            "has values of several types, and becomes mixed" + (seen.invalidTexts > 0 ? "; strings that are not valid become data" : "")
        case .numerals: seen.ints + seen.reals > 0 ? "has numbers, which become strings of their digits" : nil
        case .int, .string, .link, .found: nil
        }
    }
}
