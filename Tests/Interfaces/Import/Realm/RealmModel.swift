import FreeholdEngine
import TestKit

@testable import FreeholdImport

/// What a generated Realm file holds.
struct RealmModel {
    /// A value of an object, or an element of a collection.
    indirect enum Cell {
        case value(Value)
        /// The key of an object of the column's target; negative keys lead to none.
        case link(Int64)
        case typedLink(table: Int, key: Int64)
        case list([Cell])
        case dictionary([(key: String, value: Cell)])
    }

    struct Column {
        var name: String
        /// Type and attributes as in the format.
        var type: Int64
        var attributes: Int64 = 0
        var target: Int?
        var isEnumerated = false

        var isNullable: Bool { attributes & 16 != 0 }
        var isList: Bool { attributes & 32 != 0 }
        var isDictionary: Bool { attributes & 64 != 0 }
        var isSet: Bool { attributes & 128 != 0 }
        var isCollection: Bool { attributes & 224 != 0 }
    }

    struct Table {
        var name: String
        /// 0 ordinary, 1 embedded, 2 asymmetric.
        var flags: Int64 = 0
        var columns: [Column] = []
        var primaryKey: Int?
        /// In ascending order of keys.
        var rows: [(key: Int64, cells: [Cell])] = []

        var isEmbedded: Bool { flags == 1 }
    }

    var format: Int
    var tables: [Table] = []
    var isSynchronised = false
    var isSmall = false

    /// The key of a table: not its place, as in files from which tables were removed.
    static func key(of table: Int) -> Int64 { Int64(table * 3 + 2) | Int64(table & 1) << 16 }

    /// What a reader has to find.
    var reading: [[RealmReading.Row]] {
        tables.map { table in
            table.isEmbedded ? [] : table.rows.map { row in
                RealmReading.Row(key: row.key, values: zip(table.columns, row.cells).map { text($1, $0, isElement: false) })
            }
        }
    }

    private func text(_ cell: Cell, _ column: Column, isElement: Bool) -> String {
        if !isElement, column.isSet, case .list(let cells) = cell {
            return "<" + elements(cells, column).sorted().joined(separator: ",") + ">"
        }
        switch cell {
        case .value(let value): return value.testText
        case .link(let key):
            guard let target = column.target, key >= 0 else { return "-" }
            if tables[target].isEmbedded { return embedded(target, key) }
            return isElement ? "->\(tables[target].name)/\(key)" : "->\(key)"
        case .typedLink(let table, let key): return key < 0 ? "-" : "->\(tables[table].name)/\(key)"
        case .list(let cells): return "[" + elements(cells, column).joined(separator: ",") + "]"
        case .dictionary(let entries):
            let texts = entries.map { "\(Value.string($0.key).testText):" + text($0.value, column, isElement: true) }
            return "(" + texts.sorted().joined(separator: ",") + ")"
        }
    }

    /// Links in lists and sets that lead to nothing are left out.
    private func elements(_ cells: [Cell], _ column: Column) -> [String] {
        cells.filter { cell in
            if case .link(let key) = cell, key < 0 { return false }
            return true
        }.map { text($0, column, isElement: true) }
    }

    private func embedded(_ table: Int, _ key: Int64) -> String {
        let rows = tables[table].rows
        var low = 0, high = rows.count
        while low < high {
            let middle = (low + high) / 2
            if rows[middle].key < key { low = middle + 1 } else { high = middle }
        }
        guard low < rows.count, rows[low].key == key else { return "missing" }
        let row = rows[low]
        let texts = zip(tables[table].columns, row.cells).map { text($1, $0, isElement: isElementOfEmbedded($0)) }
        return "\(tables[table].name){" + texts.joined(separator: ",") + "}"
    }

    /// Within an embedded object a link always names its class.
    private func isElementOfEmbedded(_ column: Column) -> Bool { !column.isCollection }
}
