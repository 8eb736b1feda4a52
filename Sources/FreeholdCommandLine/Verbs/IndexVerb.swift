import ArgumentParser
import FreeholdEngine

/// `freehold index`: declares a full-text index, or an index of places or vectors or in a
/// collation, over the objects that are there, or drops one.
struct IndexVerb: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "index",
        abstract: "Declare and build full-text indexes and indexes of places, vectors and collations of a class, or drop them.",
        discussion: """
            freehold index shop.freehold Article --full-text title,body
              freehold index shop.freehold Shop --places latitude,longitude
              freehold index shop.freehold Cafe --places location
              freehold index shop.freehold Item --vectors embedding,384,float16,dot
              freehold index shop.freehold Person --collation name,de
              freehold index shop.freehold Article --full-text title,body --drop
            An index is built in slices, between which other programs can read and write; until it is complete, queries search \
            object by object. A name with a comma or a colon stands in backquotes: --full-text '`title, en`,body'. \
            Stopped or killed, it continues when it is run again. `freehold classes` lists the indexes, and \
            `freehold info` how far they are. Programs that do not know such indexes can read the file from then on, and not write it.
            """)

    @OptionGroup var database: DatabaseArgument
    @OptionGroup var className: ClassArgument
    @Option(help: ArgumentHelp("A full-text index over properties, as title,body, author.name or text:english. May be repeated.",
                               valueName: "property,…:language"))
    var fullText: [String] = []
    @Option(help: ArgumentHelp("An index of places: a latitude and a longitude, or a link to an object with both. May be repeated.",
                               valueName: "property,…"))
    var places: [String] = []
    @Option(help: ArgumentHelp("An index of vectors: a property of type data, its dimensions, and elements or metric. May be repeated.",
                               valueName: "property,dimensions,…"))
    var vectors: [String] = []
    @Option(help: ArgumentHelp("An index in the order of a language: a string property, and a tag as de or en-u-kn. May be repeated.",
                               valueName: "property,language"))
    var collation: [String] = []
    @Flag(help: "Drop these indexes. What is named beside properties has to fit; of vectors the property suffices.") var drop = false
    @OptionGroup var progress: ProgressArgument

    func validate() throws {
        let fields = try fields()
        if fields.isEmpty { throw ValidationError("--full-text, --places, --vectors or --collation names the properties of the index") }
        if !drop { try fields.requireDimensions() }
    }

    func run() throws {
        let fields = try fields(), open = try database.open()
        defer { open.close() }
        let start = Figures.now()
        var known = fields, dropped = fields
        let name = try open.write { transaction in
            let name = try className.table(in: transaction).schema.name
            if drop { dropped = try fields.drop(in: transaction, from: name) } else {
                known = try fields.present(in: transaction, for: name)
                do throws(FreeholdError) { try fields.declare(in: transaction, for: name) } catch { throw Self.explained(error, fields) }
            }
            return name
        }
        if drop { return Messages.note("\(dropped.text) dropped") }
        let wasComplete = try !open.hasUnbuiltIndexes()
        try IndexBuilding(progress).run(on: open)
        try tell(fields, known, of: name, in: open, start: start, wasComplete: wasComplete)
    }

    /// Says which indexes were built, which were there, and which another process has dropped meanwhile.
    private func tell(
        _ fields: IndexedFields, _ known: IndexedFields, of name: String, in open: Database, start: Double, wasComplete: Bool
    ) throws {
        let transaction = try open.beginWrite()
        let there = try fields.present(in: transaction, for: name)
        transaction.rollback()
        let gone = fields.without(there)
        if !gone.isEmpty { throw Failure("\(gone.text) has been dropped by another process while it was built") }
        let snapshot = try open.snapshot()
        try IndexBuilding.requireComplete(in: snapshot, of: name, fields)
        let count = Figures.count(try snapshot.table(name).count, "object")
        if wasComplete, !known.isEmpty { Messages.note("\(known.text) is there already, over \(count)") }
        let built = wasComplete ? fields.without(known) : fields
        if !built.isEmpty { Messages.note("\(built.text) built over \(count) in \(Figures.duration(Figures.now() - start))") }
    }

    /// The error, with what a place is where that is what is wrong.
    private static func explained(_ error: FreeholdError, _ fields: IndexedFields) -> any Error {
        if !fields.arePlaces || error.code == .unknownClass || error.message.contains("latitude") { return error }
        return Failure("\(Failure.sentence(error.message)) --places takes a latitude and a longitude, which are doubles, as "
            + "latitude,longitude, or one link to an object with 'type', a string, and 'coordinates', a list of doubles, as location")
    }

    private func fields() throws(ValidationError) -> IndexedFields {
        try IndexedFields(fullText: fullText, places: places, vectors: vectors, collations: collation)
    }
}
