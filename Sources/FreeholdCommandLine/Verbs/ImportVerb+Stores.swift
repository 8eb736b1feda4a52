import ArgumentParser
import FreeholdEngine
import FreeholdImport
import FreeholdTools
import Glibc

/// What is said of a database that is imported.
struct StoreArguments: ParsableArguments {
    @Option(help: ArgumentHelp("Of a database: the class that a table, or a class of the source, becomes. May be repeated.",
                          valueName: "table=class"))
    var map: [String] = []
    @Option(help: ArgumentHelp("Of a database: a table of two links that becomes a list; TABLE=PROPERTY names it. May be repeated.",
                          valueName: "table"))
    var join: [String] = []
    @Option(help: "Of an encrypted .realm file: the file with its key, 64 bytes or 128 hexadecimal digits.")
    var keyFile: KeyFile?
    @Option(help: ArgumentHelp("Of a database: tells imports into one file apart; each is done once. Default: the file's name.",
                          valueName: "name"))
    var name: String?
    @Flag(help: "Of a database: show the classes and what would be lost; write nothing.") var dryRun = false

    /// The first option that was given; nil if none was.
    var given: String? {
        let options = [("--map", !map.isEmpty), ("--join", !join.isEmpty), ("--dry-run", dryRun), ("--name", name != nil)]
        return options.first(where: \.1)?.0
    }
}

/// Imports of whole databases: `.realm` files, SQLite databases, Core Data and SwiftData stores.
extension ImportVerb {
    /// The file as a database of another kind; nil if it is text.
    func source() throws -> SourceFile? {
        guard file != "-", format == nil else { return nil }
        var source = SourceFile(path: file)
        guard store.keyFile != nil || source.isRecognized || isEmptyDatabase(source) else { return nil }
        try store.keyFile?.read().withBytes { source.key = Array($0) }
        source.rules = try rules()
        return source
    }

    /// Whether a file of no bytes is to be a database, by its name or the options.
    private func isEmptyDatabase(_ source: SourceFile) -> Bool {
        let endings = [".realm", ".sqlite", ".sqlite3", ".db", ".db3", ".store"]
        let isNamed = endings.contains { file.lowercased().hasSuffix($0) }
        return into == nil && (isNamed || store.given != nil) && source.isEmpty
    }

    /// Why a file that is not recognised as a database cannot be imported without --into.
    func intoMissing() -> any Error {
        if file != "-", format == nil {
            do throws(SourceError) { _ = try SourceFile(path: file).open() } catch {
                if error.kind != .notThisFormat { return failure(error) }
                return ValidationError("\(file) is not a .realm file, a SQLite database or a Core Data store: \(error.message). "
                    + "If it is text, --into names the class that its records go into")
            }
        }
        return ValidationError("--into names the class that the records of a text go into")
    }

    /// Throws for options that are for text alone.
    private func requireNoTextOptions() throws(ValidationError) {
        let textOptions = [
            ("--into", into != nil), ("--primary-key", !primaryKey.isEmpty), ("--full-text", !fullText.isEmpty),
            ("--delimiter", delimiter != nil), ("--path", path != nil),
            ("--on-error", onError != .stop),
        ]
        if let option = textOptions.first(where: \.1) {
            throw ValidationError("\(option.0) is for text; \(file) is a database, which brings its own classes "
                + "(--map TABLE=CLASS renames them)")
        }
    }

    private func rules() throws -> SourceRules {
        var rules = SourceRules()
        do throws(SourceError) {
            for text in store.map { try rules.add("map " + text) }
            for text in type { try rules.add("type " + text) }
            for text in link { try rules.add("link " + text) }
            for text in store.join { try rules.add("join " + text) }
        } catch {
            throw ValidationError(error.message)
        }
        return rules
    }

    /// Imports the database, or shows what an import would make of it.
    func run(_ source: SourceFile) throws {
        try requireNoTextOptions()
        if try isDone() { return tellDone() }
        let reading = try opened(source)
        if store.dryRun { return try show(reading) }
        let isNew = access(database.database, F_OK) != 0, start = Figures.now()
        let target = try database.open(createIfMissing: true)
        defer { target.close() }
        let importer = StoreImporter(reading, name: store.name ?? Self.lastName(file), into: target)
        let bar = progress.bar()
        if let batch { importer.objectsInTransaction = batch }
        importer.onProgress = { progress in
            bar.show(progress.isWaiting ? "waiting for another import" : "objects", done: progress.written, of: progress.total)
            return true
        }
        do {
            let summary = try importer.run()
            bar.clear()
            tell(summary, seconds: Figures.now() - start)
        } catch {
            bar.clear()
            // An import that a signal stops is continued later; an error would come again.
            try? importer.discard()
            if isNew { deleteIfEmpty(target) }
            throw (error as? SourceError).map(failure) ?? error
        }
    }

    /// Whether the import was done before: then the source is not needed any more.
    func isDone() throws -> Bool {
        if store.dryRun || access(database.database, F_OK) != 0 { return false }
        // Another process may be creating it at this moment. Whatever else is wrong with it comes again when it is opened to import.
        guard let target = try? database.open(createIfMissing: false) else { return false }
        defer { target.close() }
        return try StoreImporter.isDone(store.name ?? Self.lastName(file), in: target.snapshot())
    }

    func tellDone() {
        Messages.note("\(file) was imported before; nothing was changed (--name imports it once more under another name)")
    }

    /// Closes a database that this import created, and deletes it unless another program has done something with it.
    private func deleteIfEmpty(_ target: Database) {
        let judged = emptyVersion(of: target)
        target.close()
        guard let judged else { return }
        _ = try? Database.deleteFiles(at: database.database, unlessChangedSince: judged)
    }

    /// The newest version, if it has no class. In a function of its own: a snapshot keeps the file open, also one that has ended.
    private func emptyVersion(of target: Database) -> StoredVersion? {
        guard let snapshot = try? target.snapshot() else { return nil }
        defer { snapshot.end() }
        return (try? snapshot.classes.isEmpty) == true ? snapshot.storedVersion : nil
    }

    static func lastName(_ path: String) -> String { path.split(separator: "/").last.map(String.init) ?? path }

    private func opened(_ source: SourceFile) throws -> any SourceStore {
        do throws(SourceError) { return try source.open() } catch { throw failure(error) }
    }

    private func failure(_ error: SourceError) -> Failure {
        let hint = error.kind == .wrongKey && store.keyFile == nil ? " (--key-file FILE)" : ""
        return Failure("\(FreeholdError(error, path: file).message)\(hint). Nothing was imported")
    }

    /// The classes that an import would create, and what would be renamed, converted or lost.
    private func show(_ store: any SourceStore) throws {
        try Output.standard.write("\(file): \(store.format)\n")
        for described in store.classes {
            let schema = described.schema, remark = schema.remark.isEmpty ? "" : " (\(DisplayText.visible(schema.remark)))"
            let count = schema.isEmbedded ? "" : ": \(Figures.count(described.count, "object"))"
            try Output.standard.write("\nclass \(DisplayText.visible(schema.name))\(remark)\(count)\n")
            var table = TextTable([.init(heading: ""), .init(heading: ""), .init(heading: "")])
            for property in schema.properties {
                table.add([property.name, property.typeText, property.remarks(in: schema).joined(separator: ", ")])
            }
            for line in table.lines().dropFirst(2) { try Output.standard.write("  \(line)\n") }
        }
        if !store.remarks.isEmpty { try Output.standard.write("\n") }
        for remark in store.remarks { try Output.standard.write(DisplayText.visible(remark.description) + "\n") }
    }

    private func tell(_ summary: StoreImportSummary, seconds: Double) {
        let count = summary.classes.reduce(0) { $0 + $1.count }
        guard summary.isNew else { return tellDone() }
        if summary.classes.isEmpty { return Messages.note("\(file) has no classes (\(summary.format)); nothing was imported") }
        let classes = Figures.count(summary.classes.count, "class", plural: "classes")
        var text = "\(Figures.count(count, "object")) of \(classes) imported from \(file) "
        text += "in \(Figures.duration(seconds)) (\(summary.format))"
        if summary.missingLinks > 0 { text += "; \(Figures.count(summary.missingLinks, "link")) without a target set to null" }
        Messages.note(text)
        for remark in summary.remarks { Messages.note(DisplayText.visible(remark.description)) }
    }
}
