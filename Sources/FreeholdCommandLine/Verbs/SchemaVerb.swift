import ArgumentParser
import FreeholdEngine
import FreeholdImport
import FreeholdTools

/// `freehold schema`: the classes, their properties and the relations between them, as text or as a picture.
struct SchemaVerb: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "schema", abstract: "Show the classes, their properties and relations as text, JSON, a picture or source code.",
        discussion: """
            --svg draws a picture: freehold schema shop.freehold --svg > shop.svg. --dot writes a graph for Graphviz. \
            Types: int? may be null, list of int holds several. 0..1 or 0..* at an arrow is the number of its targets.

            --format swift, c, cpp or python prints model classes that compile as they stand and open the file without a difference: \
            freehold schema shop.freehold --format swift > Models.swift. Comments name what the language cannot declare.
            """)

    enum Form: String, EnumerableFlag {
        case json, dot, svg

        static func help(for value: Form) -> ArgumentHelp? {
            switch value {
            case .json: "Write JSON."
            case .dot: "Write a graph for Graphviz."
            case .svg: "Draw an SVG picture."
            }
        }
    }

    enum Format: String, CaseIterable, ExpressibleByArgument {
        case text, json, dot, svg, swift, c, cpp, python
    }

    @OptionGroup var database: ReadDatabaseArgument
    @Flag(exclusivity: .exclusive) var form: Form?
    @Option(help: "text, json, dot, svg, swift, c, cpp or python.") var format: Format?

    func validate() throws {
        guard let form, let format else { return }
        throw ValidationError("--\(form.rawValue) and --format \(format.rawValue) exclude each other")
    }

    func run() throws {
        let outline = SchemaOutline(try database.open().snapshot().classes)
        switch format ?? form.flatMap({ Format(rawValue: $0.rawValue) }) ?? .text {
        case .svg: try Output.standard.write(SchemaPicture(outline).svg)
        case .dot: try Output.standard.write(outline.dot)
        case .json: try Output.standard.write(outline.json)
        case .text: try writeText(outline)
        case .swift: try Output.standard.write(SwiftModels(outline.classes).text)
        case .c: try Output.standard.write(CModels(outline.classes).text)
        case .cpp: try Output.standard.write(CppModels(outline.classes).text)
        case .python: try Output.standard.write(PythonModels(outline.classes).text)
        }
        if outline.classes.isEmpty { Messages.note("the database has no class yet") }
    }

    private func writeText(_ outline: SchemaOutline) throws {
        for (place, schema) in outline.classes.enumerated() {
            let remark = schema.remark.isEmpty ? "" : " (\(DisplayText.visible(schema.remark)))"
            try Output.standard.write((place > 0 ? "\n" : "") + "class \(DisplayText.visible(schema.name))\(remark)\n")
            var table = TextTable([.init(heading: ""), .init(heading: ""), .init(heading: "")])
            for property in schema.properties {
                table.add([property.name, property.typeText, property.remarks(in: schema).joined(separator: ", ")])
            }
            for line in table.lines().dropFirst(2) { try Output.standard.write("  \(line)\n") }
            for text in schema.indexTexts {
                try Output.standard.write("  \(DisplayText.visible(text))\n")
            }
        }
        guard !outline.relations.isEmpty else { return }
        var table = TextTable([.init(heading: ""), .init(heading: ""), .init(heading: "")])
        for relation in outline.relations {
            let from = outline.classes[relation.from].name, to = outline.classes[relation.to].name
            let property = outline.property(relation)
            table.add([property.map { "\(from).\($0.name)" } ?? from, property.map { "→ \($0.cardinality)" } ?? "extends", to])
        }
        try Output.standard.write("\nrelations\n")
        for line in table.lines().dropFirst(2) { try Output.standard.write("  \(line)\n") }
    }
}

extension SchemaOutline {
    /// The outline on one line of JSON.
    fileprivate var json: String {
        let relations = self.relations.map { relation in
            let property = self.property(relation)
            return JSONObject([
                "from": .text(classes[relation.from].name), "property": property.map { .text($0.name) } ?? .null,
                "to": .text(classes[relation.to].name), "kind": .text(property == nil ? "extends" : "link"),
                "cardinality": property.map { .text($0.cardinality) } ?? .null,
            ]).value
        }
        return JSONObject(["classes": .array(classes.map(json)), "relations": .array(relations)]).line
    }

    private func json(_ schema: ClassSchema) -> ImportedValue {
        JSONObject([
            "name": .text(schema.name), "superclass": schema.superclass.map { .text($0) } ?? .null, "embedded": .bool(schema.isEmbedded),
            "primaryKey": .array(schema.primaryKeys.map { .text($0) }),
            "properties": .array(schema.properties.map { property in
                JSONObject([
                    "name": .text(property.name), "type": .text(property.type.name), "nullable": .bool(property.isNullable),
                    "collections": .array(property.collections.map { .text($0.name) }), "indexed": .bool(property.isIndexed),
                    "unique": .bool(property.isUnique), "target": property.linkTarget.map { .text($0) } ?? .null,
                    "deleteRule": property.type == .link ? .text(property.deleteRule.name) : .null,
                ]).value
            }),
            "indexes": .array(schema.indexes.map { index in
                JSONObject(["properties": .array(index.properties.map { .text($0) }), "unique": .bool(index.isUnique)]).value
            }),
            "fullTextIndexes": .array(schema.fullTextIndexes.map(\.json)),
            "fullTextLanguages": .array(schema.fullTextIndexes.map(\.jsonLanguage)),
            "placeIndexes": .array(schema.placeIndexes.map(\.json)),
            "vectorIndexes": .array(schema.vectorIndexes.map(\.json)),
            "collationIndexes": .array(schema.collationIndexes.map(\.json)),
            "syncRules": schema.syncRules.map(\.json) ?? .null,
        ]).value
    }

    /// The outline as a graph for Graphviz: a table for each class, an edge for each relation.
    fileprivate var dot: String {
        var text = "digraph schema {\n  rankdir=LR;\n  node [shape=plain, fontname=\"monospace\", fontsize=11];\n  edge [fontname=\"monospace\", fontsize=9];\n"
        for (place, schema) in classes.enumerated() {
            let remark = schema.remark.isEmpty ? "" : " <i>\(DisplayText.markup(schema.remark))</i>"
            text += "  c\(place) [label=<<table border=\"0\" cellborder=\"1\" cellspacing=\"0\">"
                + "<tr><td port=\"head\" bgcolor=\"#e8eef4\"><b>\(DisplayText.markup(schema.name))</b>\(remark)</td></tr>"
            for (row, property) in schema.properties.enumerated() {
                let parts = [property.name, property.typeText] + property.remarks(in: schema)
                text += "<tr><td port=\"p\(row)\" align=\"left\">\(DisplayText.markup(parts.joined(separator: "  ")))</td></tr>"
            }
            for index in schema.indexTexts {
                text += "<tr><td align=\"left\">\(DisplayText.markup(index))</td></tr>"
            }
            text += "</table>>];\n"
        }
        for relation in relations {
            text += "  c\(relation.from):" + (relation.property.map { "p\($0)" } ?? "head") + " -> c\(relation.to):head "
            text += property(relation).map { "[headlabel=\"\($0.cardinality)\"];\n" } ?? "[arrowhead=empty];\n"
        }
        return text + "}\n"
    }
}
