import ArgumentParser
import FreeholdEngine

/// `freehold rebuild`: drops the full-text indexes and indexes of places, vectors and collations of a class and builds them anew.
struct RebuildVerb: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "rebuild",
        abstract: "Build the full-text indexes and indexes of places, vectors and collations of a class anew, also damaged ones.",
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
        let table = try className.table(in: snapshot), name = table.schema.name
        try requireStemmers(try snapshot.fullTextIndexes(), name)
        try IndexBuilding.requireComplete(in: snapshot, of: name)
        let numbers = [
            table.fullTextIndexes.count, try snapshot.placeIndexes().count { $0.className.isSame(as: name) },
            try snapshot.vectorIndexes().count { $0.className.isSame(as: name) },
            try snapshot.collationIndexes().count { $0.className.isSame(as: name) },
        ]
        if numbers.allSatisfy({ $0 == 0 }) {
            throw Failure("class '\(name)' has no full-text index, and none of places, vectors or collations")
        }
        let counts = [
            Figures.count(numbers[0], "full-text index", plural: "full-text indexes"),
            Figures.count(numbers[1], "index of places", plural: "indexes of places"),
            Figures.count(numbers[2], "index of vectors", plural: "indexes of vectors"),
            Figures.count(numbers[3], "index in a collation", plural: "indexes in a collation"),
        ]
        let built = zip(counts, numbers).filter { $1 > 0 }.map(\.0).joined(separator: " and ")
        Messages.note("\(built) of \(Figures.count(table.count, "object")) built in \(Figures.duration(Figures.now() - start))")
    }

    private func requireStemmers(_ statuses: [DerivedIndexStatus<FullTextIndex>], _ name: String) throws {
        for status in statuses where status.className.isSame(as: name) && status.state == .unavailable {
            throw Failure("the full-text index of \(status.index.paths) has the language '\(status.index.language ?? "")', which needs the "
                + "library libstemmer; install it (Debian: libstemmer0d)")
        }
    }

    private func declareAnew(_ transaction: WriteTransaction) throws {
        let name = try className.table(in: transaction).schema.name
        // Before anything is dropped; a damaged index has no status.
        try requireStemmers((try? transaction.fullText.statuses()) ?? [], name)
        // Those of the classes that it extends are theirs.
        let texts = transaction.classes.first { $0.name.isSame(as: name) }?.fullTextIndexes ?? []
        let places = try transaction.places.indexes(of: name)
        let vectors = try transaction.vectors.indexes(of: name)
        let collations = try transaction.collations.indexes(of: name)
        if texts.isEmpty && places.isEmpty && vectors.isEmpty && collations.isEmpty {
            throw Failure("class '\(name)' declares no full-text index, and none of places, vectors or collations")
        }
        for index in texts {
            try transaction.fullText.drop(index, from: name)
            try transaction.fullText.add(index, to: name)
        }
        for paths in places {
            try transaction.places.drop(latitude: paths[0], longitude: paths[1], from: name)
            try transaction.places.add(latitude: paths[0], longitude: paths[1], to: name)
        }
        for index in collations {
            try transaction.collations.drop(index, from: name)
            try transaction.collations.add(index, to: name)
        }
        for index in vectors {
            try transaction.vectors.drop(index.property, from: name)
            try transaction.vectors.add(index, to: name)
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
            bar.show("indexes", done: state.doneObjects, of: state.totalObjects)
            return true
        }
    }

    /// - Throws: `Failure` for an index of a class that this program cannot build, as it is of a newer program, or of an ICU or
    ///   a stemmer that this machine lacks.
    static func requireComplete(in snapshot: Snapshot, of name: String, _ fields: IndexedFields? = nil) throws {
        func names<Index>(_ all: [DerivedIndexStatus<Index>], _ isMeant: (Index) -> Bool,
                          _ text: (DerivedIndexStatus<Index>) -> String) -> [String] {
            all.filter { $0.className.isSame(as: name) && $0.state != .complete && isMeant($0.index) }.map(text)
        }
        let unused = try names(snapshot.fullTextIndexes(), { fields?.contains($0) ?? true }, \.text)
            + names(snapshot.placeIndexes(), { fields?.contains($0) ?? true }, \.text)
            + names(snapshot.vectorIndexes(), { fields?.contains($0) ?? true }, \.text)
            + names(snapshot.collationIndexes(), { fields?.contains($0) ?? true }, \.text)
        if !unused.isEmpty { throw Failure("not built: " + unused.joined(separator: "; ")) }
    }
}
