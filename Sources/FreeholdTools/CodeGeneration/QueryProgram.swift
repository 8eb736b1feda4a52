import FreeholdEngine

/// A language that programs and models are printed in.
public enum ProgrammingLanguage: String, Sendable, CaseIterable {
    case swift, c, cpp, python
}

/// A small complete program that opens a file, runs a query and prints its objects or groups.
///
/// ```swift
/// let program = try QueryProgram(snapshot.classes, "Person", "age > 18 SORT(name ASC)", path: "people.freehold")
/// print(program.text(.python))
/// ```
public struct QueryProgram {
    let outline: ModelOutline
    let schema: ClassSchema
    /// The query's text; empty for all objects.
    let query: String
    let path: String
    let schemaVersion: UInt64?
    let isEncrypted: Bool
    /// The parts of a query with groups; nil for one whose answer is objects.
    let grouping: Grouping?

    /// What a query with groups consists of.
    struct Grouping {
        /// The condition and the steps before the groups; empty for all objects.
        let query: String
        let paths: [PropertyPath]
        let figures: [QueryAggregate]
        /// The steps after the groups, `limit` and `offset`.
        let steps: [QueryStep]
    }

    /// Prepares the program for a query.
    ///
    /// - Parameters:
    ///   - classes: the classes of the file.
    ///   - query: the query's text without arguments; an empty string finds all objects.
    ///   - path: the file that the program opens.
    ///   - schemaVersion: the schema version of the file (`Snapshot.schemaVersion`), which programs in Swift name.
    ///   - isEncrypted: whether the program has a comment on where the file's key goes.
    /// - Throws: an error of the query's text, with its column, or `FreeholdError.Code.unknownClass`.
    public init(
        _ classes: [ClassSchema], _ className: String, _ query: String, path: String, schemaVersion: UInt64? = nil,
        isEncrypted: Bool = false
    ) throws(FreeholdError) {
        outline = ModelOutline(classes)
        guard let schema = outline.find(className) else {
            throw FreeholdError(.unknownClass, Suggestion.unknown("class", className, among: classes.map(\.name), in: "the database"))
        }
        self.schema = schema
        let parsed = try ObjectQuery(query)
        self.query = parsed == ObjectQuery() ? "" : query
        self.path = path
        self.schemaVersion = schemaVersion
        self.isEncrypted = isEncrypted
        grouping = Self.grouping(parsed)
    }

    private static func grouping(_ query: ObjectQuery) -> Grouping? {
        for (place, step) in query.steps.enumerated() {
            guard case .group(let paths, let figures) = step else { continue }
            let before = ObjectQuery(query.condition, Array(query.steps[..<place]))
            return Grouping(query: before == ObjectQuery() ? "" : before.description, paths: paths, figures: figures,
                            steps: Array(query.steps[(place + 1)...]))
        }
        return nil
    }

    /// The source text of the program.
    public func text(_ language: ProgrammingLanguage) -> String {
        switch language {
        case .swift: swift
        case .c: c
        case .cpp: cpp
        case .python: python
        }
    }

    /// What the program is, for the comment at its beginning.
    var summary: String {
        "Prints the \(grouping == nil ? "objects" : "groups") that a query of class \(ModelOutline.said(schema.name)) finds."
    }
}
