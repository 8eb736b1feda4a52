import ArgumentParser

/// The root command, which only lists the verbs.
struct Freehold: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "freehold",
        abstract: "Inspect, fill and change Freehold databases, even while other programs have them open.",
        discussion: """
            Every verb that works on a database takes the database first:
              freehold import shop.freehold products.csv --into Product --primary-key id
              freehold list shop.freehold Product --columns id,name --limit 10
              freehold query shop.freehold Product "price < 10 AND name CONTAINS[c] 'tea' SORT(price ASC)"
              freehold export shop.freehold Product --format csv > products.csv

            Exit codes: 0 success, 1 the operation failed, 3 `check` found problems or `salvage` found losses, 64 invalid arguments.
            """,
        version: "0.1.0",
        groupedSubcommands: [
            CommandGroup(name: "Reading", subcommands: [
                ClassesVerb.self, SchemaVerb.self, CountVerb.self, ListVerb.self, QueryVerb.self, SearchVerb.self, GetVerb.self, ExportVerb.self,
                BrowseVerb.self,
            ]),
            CommandGroup(name: "Writing", subcommands: [ImportVerb.self, AddVerb.self, SetVerb.self, DeleteVerb.self]),
            CommandGroup(name: "Maintenance", subcommands: [InfoVerb.self, CheckVerb.self, CopyVerb.self, BackupVerb.self, CompactVerb.self,
                IndexVerb.self, RebuildVerb.self, SalvageVerb.self, WatchVerb.self, SyncVerb.self, RekeyVerb.self, KeyVerb.self]),
            CommandGroup(name: "Demonstration", subcommands: [TourVerb.self, TourMember.self, DemoVerb.self]),
        ])
}
