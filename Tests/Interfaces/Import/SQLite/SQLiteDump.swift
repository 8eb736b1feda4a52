@testable import FreeholdImport

/// What the reader makes of a database, in the form of `make_databases.py`.
enum SQLiteDump {
    static func lines(of file: SQLiteFile) throws -> [String] {
        var lines = ["pages \(file.pages.pageSize) \(file.pages.count)"]
        for table in file.tables {
            lines.append("table \(hexadecimal(Array(table.name.utf8)))")
            let rows = try file.rows(of: table, after: nil)
            while try rows.next() { lines.append(try line(rows)) }
        }
        return lines
    }

    static func line(_ rows: SQLiteRows) throws -> String {
        var line = String(rows.key)
        for column in rows.table.columns.indices { line += " " + (try text(try rows.cell(column))) }
        return line
    }

    private static func text(_ cell: SQLiteCell) throws -> String {
        switch cell {
        case .null: return "n"
        case .int(let value): return "i\(value)"
        case .real(let value):
            let digits = String(value.bitPattern, radix: 16)
            return "r" + String(repeating: "0", count: 16 - digits.count) + digits
        case .text(let bytes): return "t" + hexadecimal(bytes)
        case .blob(let bytes): return "b" + hexadecimal(bytes)
        case .long(let long):
            var bytes: [UInt8] = []
            try long.reader.forEachPart { bytes += Array($0) }
            return (long.isText ? "t" : "b") + hexadecimal(bytes) + (bytes.count == long.count ? "" : "?")
        }
    }

    private static func hexadecimal(_ bytes: [UInt8]) -> String {
        let digits = Array("0123456789abcdef".utf8)
        var text: [UInt8] = []
        text.reserveCapacity(2 * bytes.count)
        for byte in bytes {
            text.append(digits[Int(byte >> 4)])
            text.append(digits[Int(byte & 15)])
        }
        return String(decoding: text, as: UTF8.self)
    }
}
