import ArgumentParser
import FreeholdEngine
import FreeholdImport
import FreeholdTools

/// `freehold list`: objects of a class, one per line.
struct ListVerb: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list", abstract: "List objects of a class as an aligned table, or as JSON.",
        discussion: "Links show the primary key of their target. `export` writes whole classes, unaligned.")

    @OptionGroup var database: ReadDatabaseArgument
    @OptionGroup var className: ClassArgument
    @Option(help: ArgumentHelp("Maximum number of objects; 0 lists all.", valueName: "rows")) var limit = 100
    @Option(help: ArgumentHelp("Number of objects to skip.", valueName: "rows")) var offset = 0
    @Option(help: ArgumentHelp("Only these properties, in this order, separated by commas.", valueName: "names")) var columns: String?
    @Option(help: ArgumentHelp("Cut cells wider than this. Default: 40 on a terminal, no limit elsewhere.", valueName: "columns")) var width: Int?
    @Flag(help: "Write JSON: an array of objects.") var json = false

    func validate() throws {
        guard limit >= 0, offset >= 0 else { throw ValidationError("--limit and --offset cannot be negative") }
        guard width ?? 1 > 0 else { throw ValidationError("--width needs a number above 0") }
    }

    func run() throws {
        let snapshot = try database.open().snapshot()
        let table = try className.table(in: snapshot)
        let names = columns.map { $0.split(separator: ",", omittingEmptySubsequences: true).map { $0.trimmed } }
        let reader = try ObjectReader(table, in: snapshot, properties: names)
        if json { try listJSON(reader) } else { try listTable(reader) }
        try Output.standard.flush()
        let last = limit == 0 ? table.count : min(table.count, offset + limit)
        if last < table.count {
            Messages.note("\(Figures.grouped(max(last - offset, 0))) of \(Figures.count(table.count, "object")); --limit 0 lists all")
        }
    }

    private func listJSON(_ reader: ObjectReader) throws {
        var writer = ObjectWriter(.json, reader, to: Output.standard)
        try writer.begin()
        try forEach(reader) { try writer.write($1) }
        try writer.end()
    }

    private func listTable(_ reader: ObjectReader) throws {
        let showsKey = reader.showsObjectKey && columns == nil
        var headings = reader.properties.map { TextTable.Column(heading: $0.name, isNumeric: $0.type.isNumeric && $0.collections.isEmpty) }
        if showsKey { headings.insert(.init(heading: "#", isNumeric: true), at: 0) }
        var table = TextTable(headings, widest: width ?? (Output.standard.isTerminal ? 40 : .max))
        try forEach(reader) { row, values in
            let cells = values.map(ValueText.format)
            table.add(showsKey ? ["\(row.key)"] + cells : cells)
        }
        for line in table.lines() { try Output.standard.write(line + "\n") }
    }

    /// Calls `body` with the requested objects.
    private func forEach(_ reader: ObjectReader, _ body: (Row, [Value]) throws -> Void) throws {
        var skipped = 0
        var taken = 0
        try reader.table.forEach { row in
            if skipped < offset {
                skipped += 1
                return true
            }
            if limit > 0, taken == limit { return false }
            taken += 1
            try body(row, try reader.values(row))
            return true
        }
    }
}

extension Substring {
    /// The text without leading and trailing blanks.
    fileprivate var trimmed: String {
        var text = self
        while text.first == " " { text.removeFirst() }
        while text.last == " " { text.removeLast() }
        return String(text)
    }
}

extension PropertyType {
    /// Whether values are aligned right.
    var isNumeric: Bool { self == .int || self == .float || self == .double }
}
