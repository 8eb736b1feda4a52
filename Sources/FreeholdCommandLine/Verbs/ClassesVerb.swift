import ArgumentParser
import FreeholdEngine
import FreeholdImport
import FreeholdTools

/// `freehold classes`: the schema, with the number of objects of each class.
struct ClassesVerb: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "classes", abstract: "List the classes, their properties and object counts.")

    @OptionGroup var database: ReadDatabaseArgument
    @Flag(help: "Write JSON.") var json = false

    func run() throws {
        let snapshot = try database.open().snapshot()
        let classes = try snapshot.classes.map { ($0, try snapshot.table($0.name).count) }
        if json { return try writeJSON(classes) }
        for (index, (schema, count)) in classes.enumerated() {
            if index > 0 { try Output.standard.write("\n") }
            try Output.standard.write("\(DisplayText.visible(schema.name)): \(Figures.count(count, "object"))\n")
            var table = TextTable([.init(heading: ""), .init(heading: ""), .init(heading: "")])
            for property in schema.properties {
                table.add([property.name, property.typeText, property.remarks(in: schema).joined(separator: ", ")])
            }
            for line in table.lines().dropFirst(2) { try Output.standard.write("  \(line)\n") }
            for text in schema.derivedTexts {
                try Output.standard.write("  \(DisplayText.visible(text))\n")
            }
        }
        if classes.isEmpty { Messages.note("the database has no class yet") }
        for (name, _) in try StoreImporter.unfinished(in: snapshot) {
            Messages.note("the import of \(name) is not complete; its classes are not shown yet")
        }
    }

    private func writeJSON(_ classes: [(ClassSchema, Int)]) throws {
        let objects = classes.map { schema, count in
            JSONObject([
                "name": .text(schema.name), "count": .int(Int64(count)),
                "primaryKey": schema.primaryKey.map { .text($0) } ?? .null,
                "properties": .array(schema.properties.map { .object(self.object($0)) }),
                "fullTextIndexes": .array(schema.fullTextIndexes.map(\.json)),
                "fullTextLanguages": .array(schema.fullTextIndexes.map(\.jsonLanguage)),
                "placeIndexes": .array(schema.placeIndexes.map(\.json)),
                "vectorIndexes": .array(schema.vectorIndexes.map(\.json)),
                "collationIndexes": .array(schema.collationIndexes.map(\.json)),
                "syncRules": schema.syncRules.map(\.json) ?? .null,
            ]).value
        }
        try Output.standard.write(ImportedValue.array(objects).jsonText + "\n")
    }

    private func object(_ property: PropertySchema) -> ImportedObject {
        JSONObject([
            "name": .text(property.name), "type": .text(property.type.name), "nullable": .bool(property.isNullable),
            "collections": .array(property.collections.map { .text($0.name) }), "indexed": .bool(property.isIndexed), "target": property.linkTarget.map { .text($0) } ?? .null,
        ]).object
    }
}
