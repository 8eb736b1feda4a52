import FreeholdEngine

/// An object, a property of it, or a query's count on the tab's watch list.
public struct WatchedItem: Sendable {
    /// What the page calls it.
    let name: String
    let file: OpenFile
    let className: String
    let what: What
    /// What was told last.
    var told: [UInt8] = []

    public enum What: Sendable {
        case object(ObjectKey, property: String?)
        case query(String)
    }

    public init(_ name: String, _ file: OpenFile, _ className: String, _ what: What) {
        (self.name, self.file, self.className, self.what) = (name, file, className, what)
    }

    /// The item at a version.
    func json(_ snapshot: Snapshot) throws -> [UInt8] {
        try JSONOutput.object { output in
            output.field("id", name)
            switch what {
            case .query(let text): output.field("count", try snapshot.table(className).prepare(ObjectQuery(text)).count())
            case .object(let key, let property): try write(key, property, snapshot, to: &output)
            }
        }
    }

    private func write(_ key: ObjectKey, _ property: String?, _ snapshot: Snapshot, to output: inout JSONOutput) throws {
        let table = try snapshot.table(className), cells = CellWriter(snapshot)
        guard let row = try table.row(key) else { return output.field("gone", true) }
        output.field("text", try LabelColumns(table).text(of: row))
        let columns = CellWriter.Columns(table)
        if let property, let place = columns.schema.properties.firstIndex(where: { $0.name.isSame(as: property) }) {
            let column = columns.columns[place], schema = columns.schema.properties[place]
            return try output.field("cell") { try cells.cell(row, column, schema, table, to: &$0) }
        }
        try output.field("cells") { try cells.cells(row, columns, to: &$0) }
    }
}
