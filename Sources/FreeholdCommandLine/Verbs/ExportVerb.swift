import ArgumentParser
import FreeholdEngine
import FreeholdImport
import FreeholdTools

/// `freehold export`: writes a whole class as text that `import` reads, or a database as text that SQLite reads.
struct ExportVerb: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "export", abstract: "Write a class as JSON, JSON lines, CSV or TSV, or a database as SQL.",
        discussion: """
            All objects are of one version, even if other programs write meanwhile. Links are written as the primary keys of their \
            targets (import them with --link), dates in ISO 8601, bytes in Base64. A file gets its name only when it is \
            complete.

            Of a class that others extend each object is written with its own class, as `$class`, and that class's \
            properties; `import` makes it one of that class again. With --columns only those are written.

            --format sql writes the whole database for SQLite: freehold export shop.freehold --format sql | sqlite3 shop.sqlite. With a \
            class it writes that one, what its objects inherit, the classes that extend it, and the objects embedded in its objects. \
            docs/command-line.md describes the tables.
            """)

    @OptionGroup var database: ReadDatabaseArgument
    @Argument(help: "The class. Left out with --format sql: the whole database.") var className: String?
    @Option(help: "json, jsonl, csv, tsv or sql. Default: by the output's name, else json.") var format: ExportFormat?
    @Option(name: [.short, .long], help: ArgumentHelp("Write to this file instead of standard output.", valueName: "file"),
        completion: .file())
    var output: String?
    @Option(help: ArgumentHelp("Only these properties, in this order, separated by commas.", valueName: "names")) var columns: String?
    @Option(help: ArgumentHelp("Separator of CSV fields: one ASCII character, or tab.", valueName: "character"))
    var delimiter: Delimiter?
    @OptionGroup var progress: ProgressArgument

    /// The format requested, or the one of the output's name.
    private var chosenFormat: ExportFormat {
        format ?? output.flatMap { ExportFormat(fileName: $0) } ?? .records(delimiter == nil ? .json : .csv)
    }

    func validate() throws {
        guard case .records(let records) = chosenFormat else {
            if delimiter != nil { throw ValidationError("--delimiter is for CSV, not for sql") }
            if columns != nil { throw ValidationError("--columns is not for sql: tables have all properties") }
            return
        }
        if delimiter != nil, records.delimiter == nil { throw ValidationError("--delimiter is for CSV, not for \(records.rawValue)") }
        if records == .control { throw ValidationError("the control format can only be imported; export json, jsonl, csv, tsv or sql") }
        if className == nil { throw ValidationError("Missing expected argument '<class-name>'; only --format sql writes a whole database") }
    }

    func run() throws {
        let snapshot = try database.open().snapshot()
        guard let output, output != "-" else { return try write(snapshot, to: .standard) }
        let file = try OutputFile(output)
        do {
            try write(snapshot, to: file.output)
        } catch {
            file.discard()
            throw error
        }
        try file.finish()
    }

    private func write(_ snapshot: Snapshot, to output: Output) throws {
        if let className { try ClassArgument.check(className, in: snapshot.classes) }
        // If the terminal also shows the output, a bar would appear between its lines.
        let bar = output.isTerminal ? nil : progress.bar()
        defer { bar?.clear() }
        guard case .records(let records) = chosenFormat, let className else {
            return try SQLDump(snapshot, only: className).write(to: output) { bar?.show("objects", done: $0, of: $1) }
        }
        let names = columns?.split(separator: ",").map(String.init)
        let export = try QueryExport(try snapshot.table(className), in: snapshot, records, properties: names)
        try export.write(to: output, delimiter: delimiter?.byte) { bar?.show("objects", done: $0, of: $1) }
        try output.flush()
    }
}

/// A format of `export`.
enum ExportFormat: ExpressibleByArgument {
    case records(RecordFormat)
    /// Text for SQLite.
    case sql

    init?(argument: String) {
        if argument.isSame(as: "sql") {
            self = .sql
        } else if let records = RecordFormat(argument: argument) {
            self = .records(records)
        } else {
            return nil
        }
    }

    /// The format for a file name's extension; nil if the extension is unknown.
    init?(fileName: String) {
        if fileName.lowercased().hasSuffix(".sql") { self = .sql; return }
        guard let records = RecordFormat(fileName: fileName), records != .control else { return nil }
        self = .records(records)
    }

    // Allowed: the text of `--help` lists it.
    static var allValueStrings: [String] { RecordFormat.allCases.filter { $0 != .control }.map(\.rawValue) + ["sql"] }
}
