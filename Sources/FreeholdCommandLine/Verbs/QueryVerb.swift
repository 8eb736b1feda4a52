import ArgumentParser
import FreeholdEngine
import FreeholdImport
import FreeholdTools

/// `freehold query`: the objects that match a condition, or aggregates of them.
struct QueryVerb: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "query", abstract: "Find objects that match a condition.",
        discussion: """
            The query is a condition, followed by steps for the objects that match it:
              freehold query shop.freehold Product "price < 10 AND name CONTAINS[c] 'tea' SORT(price ASC) LIMIT(20)"
              freehold query shop.freehold Order "ANY lines.product.name == 'Tea'" --format json
              freehold query shop.freehold Product "GROUP(category) SELECT(@count, price.@avg)"
              freehold query shop.freehold Cafe "SORT(@distance(location, [10.75, 59.91])) LIMIT(10)" --distance
            docs/queries.md describes the language. Errors name the column of the query.
            """)

    @OptionGroup var database: ReadDatabaseArgument
    @OptionGroup var className: ClassArgument
    @Argument(help: "The query, in quotes for the shell.") var query: String
    @Option(help: "json, jsonl, csv or tsv. Default: an aligned table.") var format: RecordFormat?
    @Option(help: ArgumentHelp("Only these properties, in this order, separated by commas.", valueName: "names")) var columns: String?
    @Option(help: ArgumentHelp("Cut cells wider than this. Default: 40 on a terminal, no limit elsewhere.", valueName: "columns")) var width: Int?
    @Flag(help: "Show the distance of each object in metres, as @distance: that of SORT, or else of the condition.") var distance = false
    @Flag(help: "Print the number of objects or groups.") var count = false
    @Flag(help: "Print the query plan, and what running the query has read and found.") var explain = false

    func validate() throws {
        guard width ?? 1 > 0 else { throw ValidationError("--width needs a number above 0") }
        if format == .control { throw ValidationError("the control format can only be imported; choose json, jsonl, csv or tsv") }
        if distance && (count || explain) { throw ValidationError("--distance is shown with objects; leave out --count and --explain") }
        if count && explain { throw ValidationError("--count and --explain contradict each other") }
    }

    func run() throws {
        let snapshot = try database.open().snapshot()
        let table = try className.table(in: snapshot)
        let prepared = try table.prepare(try ObjectQuery(query))
        if !explain { prepared.notes.forEach(Messages.note) }
        if explain {
            try Output.standard.write(try prepared.explanation(running: true) + "\n")
        } else if count {
            try Output.standard.write("\(try prepared.count())\n")
        } else if let names = prepared.query.groupNames {
            if distance { throw Failure("--distance is shown with objects; the query has groups") }
            try writeGroups(prepared, names)
        } else {
            try writeObjects(prepared, ObjectReader(table, in: snapshot, properties: columns?.split(separator: ",").map(String.init)))
        }
        try Output.standard.flush()
    }

    private func writeGroups(_ prepared: PreparedQuery, _ names: [String]) throws {
        try write(names.map { .init(heading: $0) }, format.map { ObjectWriter($0, names: names, to: Output.standard) }) { body in
            for group in try prepared.groups() { try body(nil, group.values + group.figures) }
        }
    }

    private func writeObjects(_ prepared: PreparedQuery, _ reader: ObjectReader) throws {
        let keys = try prepared.keys(), showsKey = reader.showsObjectKey && columns == nil && format == nil
        var headings = reader.properties.map { TextTable.Column(heading: $0.name, isNumeric: $0.type.isNumeric && $0.collections.isEmpty) }
        if showsKey { headings.insert(.init(heading: "#", isNumeric: true), at: 0) }
        if distance, reader.properties.contains(where: { $0.name == "@distance" }) {
            throw Failure("--distance shows the distance as '@distance', and the class has a property of this name; leave that out by "
                + "--columns")
        }
        if distance { headings.append(.init(heading: "@distance", isNumeric: true)) }
        let more = distance ? ["@distance"] : []
        var meters = distance ? try prepared.distances(of: keys)[...] : []
        try write(headings, format.map { ObjectWriter($0, reader, more: more, to: Output.standard) }) { body in
            try reader.table.forEach(keys) { row in
                let own = meters.popFirst().map { [$0.map { Value.double($0) } ?? .null] } ?? []
                if let row { try body(showsKey ? row.key : nil, try reader.values(row) + own) }
                return true
            }
        }
    }

    private func write(_ headings: [TextTable.Column], _ writer: ObjectWriter?, _ rows: ((ObjectKey?, [Value]) throws -> Void) throws -> Void) throws {
        if var writer {
            try writer.begin()
            try rows { try writer.write($1) }
            try writer.end()
            return
        }
        var table = TextTable(headings, widest: width ?? (Output.standard.isTerminal ? 40 : .max))
        try rows { key, values in table.add((key.map { ["\($0)"] } ?? []) + values.map(ValueText.format)) }
        for line in table.lines() { try Output.standard.write(line + "\n") }
    }
}
