import ArgumentParser
import FreeholdEngine
import FreeholdImport
import FreeholdTools

/// `freehold watch`: prints changes as they happen.
struct WatchVerb: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "watch", abstract: "Print changes by any program as they happen.",
        discussion: """
            For a database, prints a line for each commit, with the classes whose objects were inserted, deleted or modified. For a query, prints each change of \
            its result, with the objects and their positions:
              freehold watch shop.freehold
              freehold watch shop.freehold Product "price < 10 SORT(name ASC) LIMIT(20)" --json
            Commits that arrive faster than they can be processed are reported together. Ends at SIGINT (Ctrl-C) or SIGTERM, when no process \
            reads the output any longer, or after --count.
            """)

    @OptionGroup var database: DatabaseArgument
    @Argument(help: "Watch objects of this class.") var className: String?
    @Argument(help: "A query as for `freehold query`, in quotes for the shell. Default: all objects of the class.") var query: String?
    @Flag(help: "Write JSON, one object per line.") var json = false
    @Option(help: ArgumentHelp("Stop after this many commits, or changes of the query's result.", valueName: "n")) var count: Int?

    func validate() throws {
        guard count ?? 1 > 0 else { throw ValidationError("--count needs a number above 0") }
    }

    func run() throws {
        let database = try self.database.open(), watch = try LiveWatch(database)
        var left = count ?? .max
        let tell = try follow(watch, database)
        let interruption = try Interruption()
        while left > 0, try interruption.wait(for: watch.fileDescriptor) {
            try watch.deliver { delivery in
                try tell(delivery, &left)
                try Output.standard.flush()
            }
        }
    }

    /// Starts watching, and returns the object that prints each step.
    private func follow(_ watch: LiveWatch, _ database: Database) throws -> (WatchDelivery, inout Int) throws -> Void {
        guard let className else {
            Messages.note("watching \(database.path) from version \(watch.version) on")
            let teller = CommitTeller(json: json, from: watch.version)
            return { try teller.tell($0, &$1) }
        }
        let names = try database.snapshot().classes.map(\.name)
        guard names.has(className) else { throw Failure(Suggestion.unknown("class", className, among: names, in: "the database")) }
        let asked = try ObjectQuery(query ?? "TRUEPREDICATE")
        if asked.steps.contains(where: { if case .group = $0 { true } else { false } }) {
            let groups = try watch.followGroups(asked, of: className).answer
            note(groups.groups.count, "group", className, watch, database)
            let teller = GroupTeller(json: json, groups)
            return { try teller.tell($0, &$1) }
        }
        let objects = try watch.follow(asked, of: className).answer
        note(objects.count, "object", className, watch, database)
        let teller = QueryTeller(json: json, objects)
        return { try teller.tell($0, &$1) }
    }

    private func note(_ count: Int, _ noun: String, _ className: String, _ watch: LiveWatch, _ database: Database) {
        let what = "\(Figures.grouped(count)) \(noun)\(count == 1 ? "" : "s") of \(DisplayText.visible(className))"
        Messages.note("watching \(what) in \(database.path) from version \(watch.version) on")
    }
}
