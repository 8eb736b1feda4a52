import FreeholdTools

/// Rows of cells in aligned columns, with a heading.
struct TextTable {
    /// One column.
    struct Column {
        let heading: String
        /// Numbers are aligned right.
        var isNumeric = false
    }

    private let columns: [Column]
    private let widest: Int
    private var rows: [[String]] = []

    /// - Parameter widest: the maximum width of a cell in columns; longer cells are cut.
    init(_ columns: [Column], widest: Int = .max) {
        self.columns = columns
        self.widest = max(widest, 1)
    }

    /// Adds a row with a cell for each column.
    mutating func add(_ cells: [String]) {
        rows.append(cells.map { DisplayWidth.cut(DisplayText.visible($0), to: widest) })
    }

    /// The lines, heading first.
    func lines() -> [String] {
        let headings = columns.map { DisplayWidth.cut(DisplayText.visible($0.heading), to: widest) }
        let widths = columns.indices.map { column in
            ([headings] + rows).map { DisplayWidth.of($0[column]) }.max() ?? 0
        }
        let rule = widths.map { String(repeating: "-", count: $0) }
        return ([headings, rule] + rows).map { line($0, widths) }
    }

    private func line(_ cells: [String], _ widths: [Int]) -> String {
        var line = ""
        for (column, cell) in cells.enumerated() {
            if column > 0 { line += "  " }
            let padding = String(repeating: " ", count: widths[column] - DisplayWidth.of(cell))
            if columns[column].isNumeric {
                line += padding + cell
            } else {
                line += cell + padding
            }
        }
        // An empty last cell needs no padding before it.
        while line.last == " " { line.removeLast() }
        return line
    }
}
