import ArgumentParser

/// The root of the command line: no work of its own, only verbs.
struct Freehold: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "freehold",
        abstract: "Look into, fill and change Freehold databases, also while other programs have them open.",
        discussion: """
            Every verb that works on a database takes the database first:
              freehold import shop.freehold products.csv --into Product --primary-key id
              freehold list shop.freehold Product --columns id,name --limit 10
              freehold query shop.freehold Product "price < 10 AND name CONTAINS[c] 'tea' SORT(price ASC)"
              freehold export shop.freehold Product --format csv > products.csv

            Exit codes: 0 done, 1 the operation failed, 3 `check` found problems or `salvage` losses, 64 the command line makes no sense.
            """,
        version: "0.1.0",
        groupedSubcommands: [
            CommandGroup(name: "Reading", subcommands: [ClassesVerb.self, SchemaVerb.self, CountVerb.self, ListVerb.self, QueryVerb.self, GetVerb.self, ExportVerb.self]),
            CommandGroup(name: "Writing", subcommands: [ImportVerb.self, AddVerb.self, SetVerb.self, DeleteVerb.self]),
            CommandGroup(name: "Looking after a file", subcommands: [InfoVerb.self, CheckVerb.self, CopyVerb.self, BackupVerb.self, CompactVerb.self, SalvageVerb.self, WatchVerb.self, RekeyVerb.self, KeyVerb.self]),
            CommandGroup(name: "Getting to know it", subcommands: [TourVerb.self, TourMember.self]),
        ])
}
