import ArgumentParser
import FreeholdEngine
import FreeholdImport
import FreeholdTools

/// `freehold get`: one object, one property per line.
struct GetVerb: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "get", abstract: "Print one object.",
        discussion: "KEY is the primary key, or the object key (`#` in `list`) in a class without one.")

    @OptionGroup var database: ReadDatabaseArgument
    @OptionGroup var className: ClassArgument
    @Argument(help: "The object's primary key.") var key: String
    @Flag(help: "Write JSON.") var json = false

    func run() throws {
        let snapshot = try database.open().snapshot()
        let table = try className.table(in: snapshot)
        let reader = try ObjectReader(table, in: snapshot)
        guard let row = try table.row(try ObjectLookup.object(key, in: table)) else { return }
        let values = try reader.values(row)
        if json {
            var writer = ObjectWriter(.jsonl, reader, to: Output.standard)
            return try writer.write(values)
        }
        var lines = TextTable([.init(heading: ""), .init(heading: "")])
        for (property, value) in zip(reader.properties, values) {
            lines.add([property.name, value == .null ? "-" : ValueText.format(value)])
        }
        for line in lines.lines().dropFirst(2) { try Output.standard.write(line + "\n") }
    }
}
