import ArgumentParser
import FreeholdEngine

/// `freehold rebuild`: drops the full-text indexes of a class and builds them anew.
struct RebuildVerb: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "rebuild", abstract: "Build the full-text indexes of a class anew, also damaged ones.",
        discussion: """
            The indexes are dropped and declared again in one transaction, and then built in slices, between which other programs \
            can read and write; until they are complete, queries search object by object. Stopped or killed, it continues when it \
            is run again with --continue, or when a program opens the database with models that declare the indexes.
            """)

    @OptionGroup var database: DatabaseArgument
    @OptionGroup var className: ClassArgument
    @Flag(name: .customLong("continue"), help: "Drop nothing: build what is not complete.") var continues = false
    @OptionGroup var progress: ProgressArgument

    func run() throws {
        let open = try database.open()
        defer { open.close() }
        let start = Figures.now()
        if !continues { try open.write(declareAnew) }
        try IndexBuilding(progress).run(on: open)
        let snapshot = try open.snapshot()
        let table = try className.table(in: snapshot), indexes = table.fullTextIndexes
        if indexes.isEmpty { throw Failure("class '\(className.className)' has no full-text index") }
        let built = Figures.count(indexes.count, "full-text index", plural: "full-text indexes")
        Messages.note("\(built) of \(Figures.count(table.count, "object")) built in \(Figures.duration(Figures.now() - start))")
    }

    private func declareAnew(_ transaction: WriteTransaction) throws {
        let name = try className.table(in: transaction).schema.name
        // Those of the classes that it extends are theirs.
        let indexes = transaction.classes.first { $0.name.isSame(as: name) }?.fullTextIndexes ?? []
        if indexes.isEmpty { throw Failure("class '\(name)' declares no full-text index") }
        for index in indexes {
            try transaction.fullText.drop(index, from: name)
            try transaction.fullText.add(index, to: name)
        }
    }
}

/// Builds the indexes of a database, and shows how far it is.
struct IndexBuilding {
    private let progress: ProgressArgument

    init(_ progress: ProgressArgument) { self.progress = progress }

    func run(on database: Database) throws {
        let bar = progress.bar()
        defer { bar.clear() }
        try database.buildIndexes { state in
            bar.show("full-text indexes", done: state.doneObjects, of: state.totalObjects)
            return true
        }
    }
}
