import FreeholdEngine

/// How a table is read as a class.
struct SQLitePlan {
    let table: SQLiteTable
    /// The properties that come from columns: the column, and the form of its values.
    var columns: [(column: Int, form: SQLiteForm)]
    /// The list properties, which come after these.
    var joins: [SQLiteJoin] = []
}

/// A table whose rows are the elements of a list.
struct SQLiteJoin {
    let table: SQLiteTable
    /// The columns with the rowid of the object that has the list, and of the element.
    let owner: Int
    let element: Int
    /// The place of the elements' class.
    let place: Int
}

/// Collects what is changed or left out.
struct SQLiteRemarks {
    private(set) var all: [SourceRemark] = []

    mutating func add(contentsOf other: SQLiteRemarks) { all += other.all }

    mutating func add(_ kind: SourceRemark.Kind, _ place: String, _ text: String) { all.append(SourceRemark(kind, place, text)) }
}

/// What becomes of a column that refers to a table.
enum SQLiteLinkChoice {
    case none
    case link(SQLiteForm, SQLiteLinkTarget)
    /// It stays a value, for this reason.
    case refused(String)
}

/// The class to which a link leads.
struct SQLiteLinkTarget {
    let name: String
    /// What SQLite does with the row when the one that it refers to is deleted.
    let onDelete: String?
}

extension SQLiteTable {
    /// The position of a column's property; nil for virtual columns, and beyond the properties that a class can have.
    func property(of column: Int) -> Int? {
        if columns[column].generation == .virtual { return nil }
        let position = columns[..<column].count { $0.generation != .virtual }
        return position < SQLiteClassMaker.maximumProperties ? position : nil
    }
}
