import ArgumentParser
import FreeholdEngine
import FreeholdImport

/// `freehold add`: creates an object.
struct AddVerb: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "add", abstract: "Add an object and print its key.",
        discussion: """
            property= sets null, property='""' the empty string. A link takes its target's primary key; a list, set or map takes JSON. Properties not \
            named are null.
            """)

    @OptionGroup var database: DatabaseArgument
    @OptionGroup var className: ClassArgument
    @Argument(help: ArgumentHelp("The properties' values.", valueName: "property=value"))
    var assignments: [Assignment] = []

    func run() throws {
        let key = try database.open().write { transaction in
            let table = try className.table(in: transaction)
            let schema = table.schema
            var values: [Value] = Array(repeating: .null, count: schema.properties.count)
            for assignment in assignments {
                let place = try ObjectLookup.property(assignment.property, of: schema)
                values[place] = try assignment.value(for: schema.properties[place], in: transaction)
            }
            let key = try transaction.insert(into: table, values: values)
            let place = schema.properties.firstIndex { $0.name.isSame(as: schema.primaryKey) }
            return place.map { ValueText.format(values[$0]) } ?? "\(key)"
        }
        try Output.standard.write(key + "\n")
    }
}
