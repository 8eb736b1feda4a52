import ArgumentParser
import FreeholdEngine

/// `freehold set`: sets properties of one object.
struct SetVerb: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "set", abstract: "Set properties of an object.",
        discussion: "property= sets null, property='\"\"' the empty string. A link takes its target's primary key; a list, set or map takes JSON.")

    @OptionGroup var database: DatabaseArgument
    @OptionGroup var className: ClassArgument
    @Argument(help: "The object's primary key.") var key: String
    @Argument(help: ArgumentHelp("The new values.", valueName: "property=value"))
    var assignments: [Assignment]

    func run() throws {
        try database.open().write { transaction in
            let table = try className.table(in: transaction)
            let schema = table.schema
            let key = try ObjectLookup.object(self.key, in: table)
            for assignment in assignments {
                let place = try ObjectLookup.property(assignment.property, of: schema)
                let value = try assignment.value(for: schema.properties[place], in: transaction)
                try transaction.set(key, in: table, table.columns[place], to: value)
            }
        }
    }
}
