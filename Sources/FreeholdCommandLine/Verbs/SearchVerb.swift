import ArgumentParser
import FreeholdEngine

/// `freehold search`: the objects that fit a full-text search best, and what was found in them.
struct SearchVerb: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "search", abstract: "Search the strings of a class for words, best matches first.",
        discussion: """
            Searches the properties of the class's full-text index for all words, a phrase without another word, a beginning or a \
            word with one typing error:
              freehold search shop.freehold Article "green tea"
              freehold search shop.freehold Article '"green tea" -milk'
              freehold search shop.freehold Article "choc* OR vanila~1"
              freehold search shop.freehold Article tea --in title --where "year > 20"
            Further: tea NEAR/5 milk, and parentheses. A search that begins with - needs -- before it. With --json each object is \
            a line with key, score and found: property, snippet, and highlights in characters of the snippet. An index is declared \
            by `freehold index`, by `freehold import --full-text`, by calls of each language, and by Swift models.
            """)

    @OptionGroup var database: ReadDatabaseArgument
    @OptionGroup var className: ClassArgument
    @Argument(help: "The words to search for, in quotes for the shell.") var text: String
    @Option(help: ArgumentHelp("Search these properties, as title,body or author.name. Default: those of the class's index.",
                               valueName: "property,…"))
    var `in`: String?
    @Flag(help: "Search all string properties of the class, also without an index.") var allStrings = false
    @Option(name: .customLong("where"), help: ArgumentHelp("A condition that objects must meet as well.", valueName: "condition"))
    var condition: String?
    @Option(help: ArgumentHelp("Maximum number of objects; 0 shows all.", valueName: "objects")) var limit = 10
    @Option(help: ArgumentHelp("Length of a snippet.", valueName: "words")) var words = 30
    @Flag(inversion: .prefixedNo, help: "Print what was found in bold. Default: on a terminal.") var mark: Bool?
    @Flag(help: "Write JSON: one object per line.") var json = false

    /// What to do if a search was taken for an option; nil if none was.
    static func hint(for arguments: [String], _ message: String) -> String? {
        let isMeant = message.contains("Unknown option '-") || message.contains("Missing expected argument")
        guard isMeant, arguments.first == "search", !arguments.contains("--"),
              let words = arguments.first(where: { $0.hasPrefix("-") && !$0.hasPrefix("--") && $0 != "-h" }) else { return nil }
        return "A search that begins with - needs -- before it: freehold search DATABASE CLASS -- '\(words)'"
    }

    func validate() throws {
        guard limit >= 0 else { throw ValidationError("--limit cannot be negative") }
        guard words > 0 else { throw ValidationError("--words needs a number above 0") }
        if `in` != nil && allStrings { throw ValidationError("--in and --all-strings contradict each other") }
        if json && mark == true { throw ValidationError("--json has highlights as numbers; --mark is for text") }
    }

    func run() throws {
        let snapshot = try database.open().snapshot()
        let table = try className.table(in: snapshot)
        let search = try query(SearchedFields(in: table, named: `in`, allStrings: allStrings).paths(noting: snapshot))
        let prepared = try table.prepare(search)
        prepared.notes.forEach(Messages.note)
        // One more than are shown tells whether there are more.
        let keys = try prepared.keys(), shown = Array(limit == 0 ? keys[...] : keys.prefix(limit))
        let writer = try FoundWriter(json: json, isMarked: mark ?? Output.standard.marks, words: words, prepared, of: table, in: snapshot)
        for (key, score) in zip(shown, try prepared.scores(of: shown)) { try writer.write(key, score) }
        try Output.standard.flush()
        if shown.count < keys.count { Messages.note("the best \(Figures.count(shown.count, "object")); --limit 0 shows all") }
        if keys.isEmpty && !json { Messages.note("nothing found") }
    }

    private func query(_ paths: [PropertyPath]) throws -> ObjectQuery {
        let expressions = paths.map { QueryExpression.path($0) }
        let fields = expressions.count == 1 ? expressions[0] : .list(expressions)
        var query = ObjectQuery(.comparison(QueryComparison(fields, .text, .value(.string(text)))))
        if let condition {
            let other = try ObjectQuery(condition)
            guard other.steps.isEmpty else { throw Failure("--where takes a condition; it has steps such as SORT or LIMIT") }
            query.condition = query.condition && other.condition
        }
        query.steps = [.sort([QuerySort(PropertyPath([.score]), isAscending: false)])]
        if limit > 0 { query.steps.append(.limit(limit == .max ? limit : limit + 1)) }
        return query
    }
}
