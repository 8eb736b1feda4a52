import ArgumentParser
import FreeholdEngine

/// `freehold count`: the number of objects of a class.
struct CountVerb: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "count", abstract: "Print the number of objects of a class.")

    @OptionGroup var database: ReadDatabaseArgument
    @OptionGroup var className: ClassArgument

    func run() throws {
        let snapshot = try database.open().snapshot()
        try Output.standard.write("\(try className.table(in: snapshot).count)\n")
    }
}
