import FreeholdEngine

/// Chooses the form of a column from its declared type and what is stored in it.
///
/// | declared as | stored | property |
/// |---|---|---|
/// | `BOOL…` | 0 and 1 | bool |
/// | `DATE…`, `TIMESTAMP…`, `SMALLDATETIME` | numbers | date: seconds since 1970; milliseconds if whole numbers reach 10^11 |
/// | the same, with `JULIAN` in it | numbers | date: Julian days |
/// | the same | ISO 8601 | date |
/// | `UUID`, `GUID`, `UNIQUEIDENTIFIER` | 16 bytes, or 36 characters | uuid |
/// | `DECIMAL…` | numbers, strings of digits | decimal |
/// | `NUMERIC…` | numbers and strings of digits | decimal, but int or double without strings |
/// | anything | integers | int |
/// | anything | real numbers, and integers that are also doubles | double |
/// | anything | valid strings | string |
/// | anything | blobs, or strings of which some are not valid | data |
/// | anything | anything else | mixed |
///
/// A declared type takes part only if every value of the column has what it asks for. Without values the declared type
/// alone decides.
enum SQLiteTypeChoice {
    /// What the declared type promises.
    private enum Promise { case bool, date, julianDate, uuid, decimal, numeric, none }

    static func interest(of column: SQLiteColumn, declared: DeclaredType?) -> SQLiteEvidence.Interest {
        if let declared {
            switch declared.type {
            case .date: return .dates
            case .uuid: return .uuids
            case .decimal: return .decimals
            case .objectId: return .objectIds
            default: return []
            }
        }
        switch promise(column) {
        case .date, .julianDate: return .dates
        case .uuid: return .uuids
        case .decimal, .numeric: return .decimals
        case .bool, .none: return []
        }
    }

    static func form(of column: SQLiteColumn, _ seen: SQLiteEvidence) -> SQLiteForm {
        if seen.count == 0 { return empty(column) }
        let promised: [SQLiteForm] =
            switch promise(column) {
            case .bool: [.bool]
            case .date: dates(seen)
            case .julianDate: [.julianDays, .dateText]
            case .uuid: [.uuidBytes, .uuidText]
            case .decimal: [.decimal]
            case .numeric: seen.texts > 0 ? [.decimal] : []
            case .none: []
            }
        return (promised + [.int, .double, .string, .data]).first { $0.fits(seen) } ?? .mixed
    }

    /// The form for a type that the caller declares; nil if the values are not of it.
    static func form(declared type: PropertyType, _ seen: SQLiteEvidence) -> SQLiteForm? {
        let forms: [SQLiteForm] =
            switch type {
            case .bool: [.bool]
            case .int: [.int]
            case .float: [.float]
            case .double: [.double]
            case .string: [.string, .numerals]
            case .data: [.data]
            case .date: dates(seen)
            case .uuid: [.uuidBytes, .uuidText]
            case .objectId: [.objectIdBytes, .objectIdText]
            case .decimal: [.decimal]
            case .mixed: [.mixed]
            case .link: []
            }
        return forms.first { $0.fits(seen) }
    }

    private static func dates(_ seen: SQLiteEvidence) -> [SQLiteForm] {
        seen.magnitude < SQLiteDate.millisecondLimit || seen.reals > 0 ? [.seconds, .dateText] : [.milliseconds]
    }

    private static func empty(_ column: SQLiteColumn) -> SQLiteForm {
        switch promise(column) {
        case .bool: return .bool
        case .date, .julianDate: return .seconds
        case .uuid: return .uuidBytes
        case .decimal: return .decimal
        case .numeric, .none: break
        }
        switch column.affinity {
        case .integer: return .int
        case .text: return .string
        case .real, .numeric: return SQLiteName.uppercased(column.declaredType).isSame(as: "ANY") ? .mixed : .double
        case .blob: return column.declaredType.isEmpty || SQLiteName.uppercased(column.declaredType).isSame(as: "ANY") ? .mixed : .data
        }
    }

    private static func promise(_ column: SQLiteColumn) -> Promise {
        let type = SQLiteName.uppercased(column.declaredType)
        func starts(_ starts: String...) -> Bool { starts.contains { type.hasPrefix($0) } }
        if SQLiteName.contains(type, "BOOL") { return .bool }
        if starts("DATE", "TIMESTAMP", "SMALLDATETIME", "JULIAN") { return SQLiteName.contains(type, "JULIAN") ? .julianDate : .date }
        if starts("UUID", "GUID", "UNIQUEIDENTIFIER") { return .uuid }
        if starts("DECIMAL") { return .decimal }
        return starts("NUMERIC") ? .numeric : .none
    }
}
