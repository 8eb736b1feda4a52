import ArgumentParser
import FreeholdEngine

/// `freehold delete`: deletes all of the given objects, or none.
struct DeleteVerb: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "delete", abstract: "Delete objects; links to them become null.",
        discussion: "If one of the keys does not exist, nothing is deleted.")

    @OptionGroup var database: DatabaseArgument
    @OptionGroup var className: ClassArgument
    @Argument(help: "The objects' primary keys.") var keys: [String]

    func run() throws {
        try database.open().write { transaction in
            let table = try className.table(in: transaction)
            for key in keys { try transaction.delete(try ObjectLookup.object(key, in: table), from: table) }
        }
    }
}
