import ArgumentParser
import FreeholdEngine

/// `freehold count`: how many objects a class has.
struct CountVerb: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "count", abstract: "Print how many objects a class has.")

    @OptionGroup var database: ReadDatabaseArgument
    @OptionGroup var className: ClassArgument

    func run() throws {
        let snapshot = try database.open().snapshot()
        try Output.standard.write("\(try className.table(in: snapshot).count)\n")
    }
}
