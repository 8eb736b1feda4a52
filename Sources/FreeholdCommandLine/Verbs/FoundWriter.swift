import FreeholdEngine
import FreeholdImport
import FreeholdTools

/// Prints the objects that a search has found: key, score, and a snippet of each string in which something was found.
struct FoundWriter {
    private let json: Bool
    private let isMarked: Bool
    private let words: Int
    private let query: PreparedQuery
    /// Reads the primary key; nil in a class without one.
    private let keys: ObjectReader?

    init(json: Bool, isMarked: Bool, words: Int, _ query: PreparedQuery, of table: Table, in snapshot: Snapshot) throws {
        self.json = json
        self.isMarked = isMarked
        self.words = words
        self.query = query
        keys = try table.schema.primaryKey.map { try ObjectReader(table, in: snapshot, properties: [$0]) }
    }

    func write(_ key: ObjectKey, _ score: Double) throws {
        let found = try query.foundTexts(in: key).map { (property: $0.path.description, snippet: $0.snippet(.words(words))) }
        let shown = try self.shown(key)
        if json {
            let found = found.map { JSONObject([
                "property": .text($0.property), "snippet": .text($0.snippet.text), "highlights": .array($0.snippet.characters),
                "cutBefore": .bool($0.snippet.isCutBefore), "cutAfter": .bool($0.snippet.isCutAfter),
            ]).value }
            return try Output.standard.write(JSONObject(["key": shown.told, "score": .double(score), "found": .array(found)]).line)
        }
        let name = (keys == nil ? "#" : "") + DisplayText.visible(ValueText.format(shown))
        try Output.standard.write("\(name)  \(Self.text(score))\n")
        for (property, snippet) in found {
            let line = Emphasis.line(snippet.text, isMarked ? snippet.highlights : [])
            try Output.standard.write("  \(DisplayText.visible(property)): "
                + (snippet.isCutBefore ? "… " : "") + line + (snippet.isCutAfter ? " …" : "") + "\n")
        }
    }

    private func shown(_ key: ObjectKey) throws -> Value {
        guard let keys, let row = try keys.table.row(key) else { return .int(key.rawValue) }
        return try keys.values(row)[0]
    }

    /// A score with three decimals.
    private static func text(_ score: Double) -> String {
        let thousandths = Int((min(max(score, 0), 1e12) * 1000).rounded())
        let decimals = "\(thousandths % 1000)"
        return "\(thousandths / 1000)." + String(repeating: "0", count: 3 - decimals.count) + decimals
    }
}

extension FoundText.Snippet {
    /// What was found, as pairs of the first character and the one after the last; characters are Unicode scalars.
    fileprivate var characters: [ImportedValue] {
        let bytes = Array(text.utf8)
        func count(_ end: Int) -> ImportedValue { .int(Int64(bytes[..<end].count { $0 & 0xC0 != 0x80 })) }
        return highlights.map { .array([count($0.lowerBound), count($0.upperBound)]) }
    }
}
