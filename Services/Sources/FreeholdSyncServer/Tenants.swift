import ArgumentParser
import FreeholdEngine
import SyncPostgres

/// `freehold-sync-server tenants`: which database has whose data.
struct Tenants: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Say which database has a tenant's data, and move it.",
        discussion: """
            A tenant is named by the claim `tenant` of a token. Servers that are started with `serve --directory` read the table of \
            tenants once a second. Two tenants share nothing, and their databases may be in several clusters.
            """,
        subcommands: [List.self, Add.self, Move.self, Stay.self, Remove.self])

    struct Directory: ParsableArguments {
        @Option(help: ArgumentHelp("The database with the table of tenants, as libpq takes it.", valueName: "url"))
        var directory: String
    }

    struct List: ParsableCommand {
        static let configuration = CommandConfiguration(abstract: "List the tenants with their databases.")
        @OptionGroup var place: Directory

        func run() throws {
            try reporting {
                for one in try TenantTable(PostgresConnection(place.directory)).all() {
                    let name = one.name.isEmpty ? "(tokens without a tenant)" : one.name
                    print("\(name)\t\(one.address)\(one.target.map { "\ton its way to \($0)" } ?? "")")
                }
            }
        }
    }

    struct Add: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Let servers serve a tenant.", discussion: "Prepare its database with `init` before. The first call makes the table.")
        @OptionGroup var place: Directory
        @Argument(help: "The tenant, as tokens name it; an empty text for tokens without one.") var name: String
        @Option(help: ArgumentHelp("The tenant's database, as libpq takes it.", valueName: "url")) var database: String

        func run() throws {
            try reporting {
                _ = try PostgresCatalog(PostgresConnection(database))
                try TenantTable.make(PostgresConnection(place.directory)).add(.init(name, address: database))
            }
        }
    }

    struct Move: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Move a tenant's data to another database.",
            discussion: """
                The target is an empty database, in this cluster or another one. Meanwhile the tenant's files wait; they go on when it \
                is there, and lose nothing. If the command is interrupted, call it again. The old database keeps its data and is served \
                no more.
                """)
        @OptionGroup var place: Directory
        @Argument(help: "The tenant.") var name: String
        @Option(help: ArgumentHelp("The database that gets the data.", valueName: "url")) var to: String
        @Option(help: ArgumentHelp("The schema for the tables of classes.", valueName: "name")) var tables = "app"

        func run() throws {
            try reporting {
                try TenantMove(TenantTable(PostgresConnection(place.directory)), tables: tables).move(name, to: to)
                print("moved")
            }
        }
    }

    struct Stay: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Give a move up: the tenant's data is where it was.",
            discussion: "Drop what the move has left at its target before you use that for something else.")
        @OptionGroup var place: Directory
        @Argument(help: "The tenant.") var name: String

        func run() throws {
            try reporting { try TenantMove(TenantTable(PostgresConnection(place.directory))).stay(name) }
        }
    }

    struct Remove: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Serve a tenant no more.", discussion: "Its database stays as it is.")
        @OptionGroup var place: Directory
        @Argument(help: "The tenant.") var name: String

        func run() throws {
            try reporting { try TenantTable(PostgresConnection(place.directory)).remove(name) }
        }
    }
}
