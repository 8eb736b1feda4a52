import FreeholdEngine
import FreeholdTools

/// The properties that a search is over: named ones, all strings of the class, or those of its full-text index.
struct SearchedFields {
    private let table: Table
    private let fields: [String]
    private let isScanWanted: Bool

    /// - Throws: `Failure` if nothing says what to search, or a property does not exist.
    init(in table: Table, named list: String?, allStrings: Bool) throws(Failure) {
        self.table = table
        isScanWanted = allStrings
        if let list {
            fields = try Self.named(list, of: table.schema)
        } else if allStrings {
            fields = table.schema.properties.filter { $0.type == .string && $0.collections.count < 2 }.map(\.name)
            if fields.isEmpty { throw Failure("class '\(table.schema.name)' has no string property") }
        } else {
            fields = try Self.ofIndex(of: table)
        }
    }

    private static func named(_ list: String, of schema: ClassSchema) throws(Failure) -> [String] {
        var fields: [String] = []
        for name in list.split(separator: ",", omittingEmptySubsequences: false).map(String.init) where !fields.has(name) {
            let first = name.split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false).first.map(String.init) ?? name
            _ = try ObjectLookup.property(first, of: schema)
            fields.append(name)
        }
        return fields
    }

    private static func ofIndex(of table: Table) throws(Failure) -> [String] {
        let indexes = table.fullTextIndexes, name = table.schema.name
        if indexes.count == 1 { return indexes[0].fields.map(\.path) }
        if indexes.isEmpty {
            throw Failure("class '\(name)' has no full-text index. Declare one (freehold index --full-text, @Persisted(fullText: true) in "
                + "Swift, add_full_text_index in C, C++ and Python), name properties with --in, or search all strings with --all-strings")
        }
        let known = indexes.map { $0.fields.map(\.path).joined(separator: ",") }
        throw Failure("class '\(name)' has \(indexes.count) full-text indexes. Choose one with --in: \(known.joined(separator: " or "))")
    }

    /// The properties as a query names them. Notes on standard error if no index can be used, and every object is read.
    func paths(noting snapshot: Snapshot) -> [PropertyPath] {
        if !isScanWanted { noteIndex(in: snapshot) }
        return fields.map { PropertyPath($0.split(separator: ".", omittingEmptySubsequences: false).map { .property(String($0)) }) }
    }

    private func noteIndex(in snapshot: Snapshot) {
        let names = fields.joined(separator: ", ")
        func hasAll(_ index: FullTextIndex) -> Bool { fields.allSatisfy { field in index.fields.contains { $0.path.isSame(as: field) } } }
        if !table.fullTextIndexes.contains(where: hasAll) {
            return Messages.note("no full-text index has '\(names)': every object is read")
        }
        // The root of an index may be damaged, or its stemmer missing: the search itself reports that.
        let states = (try? snapshot.fullTextIndexes())?.filter { hasAll($0.index) } ?? []
        if states.contains(where: { $0.state == .unavailable }) { return }
        if let status = states.first, !states.contains(where: { $0.state == .complete }) {
            Messages.note("the index is not used, and every object is read: \(status.text)")
        }
    }
}
