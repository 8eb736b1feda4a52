import ArgumentParser
import FreeholdEngine
import FreeholdImport
import Glibc

/// `freehold import`: creates objects from text, or from a database of another kind.
struct ImportVerb: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "import",
        abstract: "Read a .realm file, a SQLite database or a Core Data store, or JSON, CSV, TSV or Debian control text into a class.",
        discussion: """
            A database is recognised by its bytes and brings all its classes; --into and the other options for text are not for it. \
            --dry-run shows the classes and everything that would be renamed, converted or lost. The import is done in batches and \
            nothing of it is visible before it is complete; stopped or killed, it continues where it stood when it is run again.

              freehold import shop.freehold shop.realm
              freehold import shop.freehold shop.sqlite --dry-run --map tbl_product=Product --join product_tags

            Text goes into the class --into. The class is created if it does not exist: types are inferred from the first \
            records (integers, numbers, booleans, ISO 8601 dates, UUIDs, else strings); --type overrides. A property is required only if the whole \
            text was read and every record had it.

            Nested objects become objects of a class named after the property, which links to them; --link \
            PROPERTY=CLASS names another class. If a property holds the primary keys of existing objects, \
            --link turns it into a link to them. Arrays of values become lists, arrays of objects lists of links; arrays of \
            both are stored as JSON text. An object with a member $class gets that class, which must extend the class it \
            would otherwise get.

            In JSON, a record with an integer beyond 64 bits is bad, unless --type declares its property as decimal, double or string.

            In CSV and TSV, an empty field is null, and "" is the empty string. In text formats, a property with integers beyond \
            64 bits becomes a string, unless --type overrides.
            """)

    @OptionGroup var database: DatabaseArgument
    @Argument(help: "The file to import; - is standard input.", completion: .file())
    var file: String
    @Option(help: ArgumentHelp("The class the records of a text go into.", valueName: "class"))
    var into: String?
    @Option(help: ArgumentHelp("The property that becomes the primary key; CLASS.PROPERTY for nested objects. May be repeated for several classes.", valueName: "property"))
    var primaryKey: [String] = []
    @Option(help: ArgumentHelp("Declare a full-text index over properties, as title,body, author.name or text:english. May be repeated.",
                               valueName: "property,…:language"))
    var fullText: [String] = []
    @Option(help: ArgumentHelp("Turn a property into a link to a class. May be repeated.", valueName: "property=class"))
    var link: [String] = []
    @Option(help: ArgumentHelp("The type of a property: bool, int, float, double, decimal, string, data (Base64), date, uuid, objectId or mixed, followed by ? if null is allowed. May be repeated.", valueName: "property=type"))
    var type: [String] = []
    @Option(help: ArgumentHelp("Records per transaction with --on-error skip (10,000), objects of a database (80,000).", valueName: "rows"))
    var batch: Int?
    @Option(help: "How to treat a bad record: stop the import and write nothing, or skip and count it.")
    var onError: ErrorPolicy = .stop
    @Option(help: "json, jsonl, csv, tsv or control. Default: by the file's name or its first bytes.")
    var format: RecordFormat?
    @Option(help: ArgumentHelp("Separator of CSV fields: one ASCII character, or tab.", valueName: "character"))
    var delimiter: Delimiter?
    @Option(help: ArgumentHelp("Path of the array of objects in JSON, as data.items or /data/items.", valueName: "names"))
    var path: String?
    @OptionGroup var store: StoreArguments
    @OptionGroup var progress: ProgressArgument

    func validate() throws {
        guard batch ?? 1 > 0 else { throw ValidationError("--batch needs a number above 0") }
        if let path, JSONReader.path(path) == nil { throw ValidationError("--path takes names separated by dots, not '\(path)'") }
        if path != nil, delimiter != nil { throw ValidationError("--path is for JSON and --delimiter for CSV") }
        if let format { try check(format) }
        if into != nil { _ = try options() }
        _ = try IndexedFields(fullText: fullText)
    }

    /// Throws for options that do not apply to the format.
    private func check(_ format: RecordFormat) throws(ValidationError) {
        if delimiter != nil, format.delimiter == nil { throw ValidationError("--delimiter is for CSV; the text is read as \(format.rawValue)") }
        if path != nil, format != .json { throw ValidationError("--path is for JSON; the text is read as \(format.rawValue)") }
    }

    func run() throws {
        if let source = try source() { return try run(source) }
        guard into != nil else {
            if try isDone() { return tellDone() }
            throw intoMissing()
        }
        if let only = store.given { throw ValidationError("\(only) is for databases; \(textName) is read as text") }
        var input = try ByteInput.open(file)
        let bar = progress.bar(totalBytes: input.length)
        let format = try format(of: &input)
        let reader = format.reader(input, delimiter: delimiter?.byte, path: path.flatMap(JSONReader.path) ?? [])
        let isNew = access(database.database, F_OK) != 0
        let database = try self.database.open(createIfMissing: true)
        let importer = Importer(reader, format: format, into: database, options: try options())
        importer.onProgress = { bar.show(bytes: $0.byteCount, rows: $0.recordCount) }
        importer.onPrepared = check
        let errors = BadRecords(text: textName, bar: bar)
        importer.onBadRecord = errors.tell
        let start = Figures.now()
        do {
            let summary = try importer.run()
            bar.clear()
            tell(summary, seconds: Figures.now() - start)
        } catch {
            bar.clear()
            database.close()
            // Removes a database that this import created and did not fill, unless another process has it open or has
            // written to it.
            if isNew, onError == .stop { try? Database.deleteFilesIfNeverWritten(at: self.database.database) }
            throw told(error)
        }
        defer { database.close() }
        try index(database)
    }

    /// Checks what the full-text indexes are over before a long import, as far as the first records say what there is.
    private func check(_ transaction: WriteTransaction) throws {
        do { try IndexedFields(fullText: fullText).check(in: transaction, for: into ?? "") } catch let error as FreeholdError {
            throw Failure("--full-text: \(Failure.sentence(error.message)) Nothing was imported")
        }
    }

    /// Declares and builds the full-text indexes.
    private func index(_ database: Database) throws {
        if fullText.isEmpty { return }
        let classes = try database.snapshot().classes
        if !classes.contains(where: { $0.name.isSame(as: into ?? "") }) {
            throw Failure("there is no record, so class '\(into ?? "")' was not created, and --full-text has nothing to index")
        }
        do {
            try database.write { transaction in try IndexedFields(fullText: fullText).declare(in: transaction, for: into ?? "") }
            try IndexBuilding(progress).run(on: database)
        } catch let error as FreeholdError {
            throw Failure("the records are imported, but not the full-text index: \(error.message)")
        }
    }

    /// The name of the input in messages.
    private var textName: String { file == "-" ? "standard input" : file }

    private func options() throws -> ImportOptions {
        var options = ImportOptions(into: into ?? "")
        for name in primaryKey { try addKey(name, to: &options) }
        if let batch { options.batchSize = batch }
        options.skipsBadRecords = onError == .skip
        for text in link {
            let (property, className) = try pair(text, "--link", "PROPERTY=CLASS")
            options.links[property] = className
        }
        for text in type {
            let (property, name) = try pair(text, "--type", "PROPERTY=TYPE")
            guard let type = DeclaredType(name) else {
                let names = PropertyType.allCases.map(\.name).filter { $0 != "link" }.joined(separator: ", ")
                throw ValidationError("unknown type '\(name)'; types are \(names), each followed by ? if null is allowed")
            }
            options.declaredTypes[property] = type
        }
        return options
    }

    /// `property`, or `Class.property`.
    private func addKey(_ name: String, to options: inout ImportOptions) throws(ValidationError) {
        let parts = name.split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
        // In formats without nested objects a dot is part of the name.
        if parts.count == 2, !parts.contains(""), !parts[0].isSame(as: into ?? ""), delimiter == nil, format?.delimiter == nil, format != .control {
            if options.nestedKeys.updateValue(parts[1], forKey: parts[0]) == nil { return }
            throw ValidationError("--primary-key names two properties of \(parts[0])")
        }
        guard options.primaryKey == nil else { throw ValidationError("--primary-key names two properties of \(into ?? "")") }
        options.primaryKey = parts.count == 2 && parts[0].isSame(as: into ?? "") ? parts[1] : name
    }

    private func pair(_ text: String, _ option: String, _ shape: String) throws -> (String, String) {
        guard let equals = text.lastIndex(of: "="), equals > text.startIndex, text.index(after: equals) < text.endIndex else {
            throw ValidationError("\(option) takes \(shape), not '\(text)'")
        }
        return (String(text[..<equals]), String(text[text.index(after: equals)...]))
    }

    /// The format: the one requested, the one of the name, or the one detected from the first bytes. The input is
    /// opened once, because it may be a pipe.
    private func format(of input: inout ByteInput) throws -> RecordFormat {
        let named = file == "-" ? nil : RecordFormat(fileName: file)
        do {
            let format = try self.format ?? (delimiter == nil ? named : named.flatMap { $0 == .tsv ? $0 : nil } ?? .csv)
                ?? (path == nil ? RecordFormat(startOf: &input) : .json)
            try check(format)
            // An empty list of objects is written "[]"; an empty input means that the program which should have written
            // it failed.
            if format == .json, try !input.hasText() { throw ImportError(.text, "the text is empty; an empty JSON array is []") }
            return format
        } catch let error as ImportError {
            throw told(error)
        }
    }

    private func tell(_ summary: ImportSummary, seconds: Double) {
        var text = "\(Figures.count(summary.recordCount, "record")) imported into \(into ?? "")"
        if summary.nestedCount > 0 { text += ", with \(Figures.count(summary.nestedCount, "nested object"))" }
        text += " in \(Figures.duration(seconds))"
        if summary.badCount > 0 { text += "; \(Figures.count(summary.badCount, "bad record")) skipped" }
        for name in summary.createdClasses where !name.isSame(as: into ?? "") { text += "; class \(name) created" }
        for name in summary.addedProperties { text += "; property \(name) added" }
        Messages.note(text)
    }

    private func told(_ error: any Error) -> any Error {
        guard let error = error as? ImportError else { return error }
        let place = error.line > 0 ? "\(textName), \(error)" : error.description
        switch (onError, error.kind) {
        case (.stop, .record): return Failure("\(place). Nothing was imported; use --on-error skip to skip bad records")
        case (.stop, _): return Failure("\(place). Nothing was imported")
        case (.skip, _): return Failure("\(place). The rest of the text cannot be read; the records before it are imported")
        }
    }
}

/// How a bad record is treated.
enum ErrorPolicy: String, ExpressibleByArgument, CaseIterable {
    case stop, skip
}

extension RecordFormat: ExpressibleByArgument {}

/// The field separator of a row.
struct Delimiter: ExpressibleByArgument {
    let byte: UInt8

    init?(argument: String) {
        let text = argument == "tab" || argument == "\\t" ? "\t" : argument
        guard text.utf8.count == 1, let byte = text.utf8.first, byte == UInt8(ascii: "\t") || (0x20..<0x7F).contains(byte),
              byte != UInt8(ascii: "\"") else { return nil }
        self.byte = byte
    }
}

/// Prints bad records as they come, up to a limit.
private final class BadRecords {
    private static let most = 20

    private let text: String
    private let bar: ProgressBar
    private var count = 0

    init(text: String, bar: ProgressBar) {
        self.text = text
        self.bar = bar
    }

    func tell(_ error: ImportError) {
        count += 1
        if count > Self.most + 1 { return }
        bar.clear()
        Messages.note(count > Self.most ? "more bad records are only counted" : "\(text), \(error); skipped")
    }
}
