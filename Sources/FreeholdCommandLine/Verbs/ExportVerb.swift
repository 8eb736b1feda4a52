import ArgumentParser
import FreeholdEngine
import FreeholdImport

/// `freehold export`: writes a whole class as text that `import` reads.
struct ExportVerb: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "export", abstract: "Write a class as JSON, JSON lines, CSV or TSV.",
        discussion: """
            All objects are of one version, even if other programs write meanwhile. Links are written as the primary keys of their \
            targets (import them with --link), dates in ISO 8601, bytes in Base64. A file gets its name only when it is \
            complete.

            Of a class that others extend each object is written with its own class, as `$class`, and that class's \
            properties; `import` makes it one of that class again. With --columns only those are written.
            """)

    @OptionGroup var database: ReadDatabaseArgument
    @OptionGroup var className: ClassArgument
    @Option(help: "json, jsonl, csv or tsv. Default: by the output's name, else json.") var format: RecordFormat?
    @Option(name: [.short, .long], help: ArgumentHelp("Write to this file instead of standard output.", valueName: "file"), completion: .file())
    var output: String?
    @Option(help: ArgumentHelp("Only these properties, in this order, separated by commas.", valueName: "names")) var columns: String?
    @Option(help: ArgumentHelp("Separator of CSV fields: one ASCII character, or tab.", valueName: "character"))
    var delimiter: Delimiter?
    @OptionGroup var progress: ProgressArgument

    /// The format requested, or the one of the output's name.
    private var chosenFormat: RecordFormat {
        let told = output.flatMap { RecordFormat(fileName: $0) }.flatMap { $0 == .control ? nil : $0 }
        return format ?? told ?? (delimiter == nil ? .json : .csv)
    }

    func validate() throws {
        if delimiter != nil, chosenFormat.delimiter == nil { throw ValidationError("--delimiter is for CSV, not for \(chosenFormat.rawValue)") }
        if format == .control { throw ValidationError("the control format can only be imported; export json, jsonl, csv or tsv") }
    }

    func run() throws {
        let snapshot = try database.open().snapshot()
        let names = columns?.split(separator: ",").map(String.init)
        let table = try className.table(in: snapshot)
        let reader = try ObjectReader(table, in: snapshot, properties: names)
        let family = names == nil ? try FamilyReader(table, in: snapshot) : nil
        guard let output, output != "-" else { return try write(reader, family, to: .standard) }
        let file = try OutputFile(output)
        do {
            try write(reader, family, to: file.output)
        } catch {
            file.discard()
            throw error
        }
        try file.finish()
    }

    private func write(_ reader: ObjectReader, _ family: FamilyReader?, to output: Output) throws {
        var writer = family.map { ObjectWriter(chosenFormat, $0, to: output) } ?? ObjectWriter(chosenFormat, reader, to: output)
        writer.delimiter = delimiter?.byte ?? writer.delimiter
        // If the terminal also shows the output, a bar would appear between its lines.
        let bar = output.isTerminal ? nil : progress.bar(), total = reader.table.count
        defer { bar?.clear() }
        var count = 0
        try writer.begin()
        try reader.table.forEach { row in
            if let family {
                let (name, own) = try family.reader(of: row)
                try writer.write(try own.values(row), of: name)
            } else {
                try writer.write(try reader.values(row))
            }
            count += 1
            if count % 1024 == 0 || count == total { bar?.show("objects", done: count, of: total) }
            return true
        }
        try writer.end()
        try output.flush()
    }
}
