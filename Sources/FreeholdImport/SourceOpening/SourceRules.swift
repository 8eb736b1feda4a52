import FreeholdEngine

/// What tables and columns of a source become, where the reader would decide otherwise.
///
/// ```swift
/// var rules = SourceRules()
/// try rules.add("map tbl_person=Person")
/// try rules.add("type tbl_person.born=date?")
/// ```
public struct SourceRules: Sendable {
    /// By table, or class of the source, the class it becomes.
    public var classNames: TextMap<String> = [:]
    /// By `table.column`, its type.
    public var types: TextMap<DeclaredType> = [:]
    /// By `table.column`, the table it links to.
    public var links: TextMap<String> = [:]
    /// By table of two links, the list property that it becomes; an empty name stands for the table's.
    public var joins: TextMap<String> = [:]

    public init() {}

    /// Adds a rule: `map TABLE=CLASS`, `type TABLE.COLUMN=TYPE`, `link TABLE.COLUMN=TABLE`, `join TABLE` or
    /// `join TABLE=PROPERTY`.
    public mutating func add(_ rule: String) throws(SourceError) {
        let words = rule.split(separator: " ", maxSplits: 1).map(String.init)
        guard words.count == 2 else { throw Self.wrong(rule) }
        if words[0].isSame(as: "join"), !words[1].utf8.contains(UInt8(ascii: "=")) {
            joins[words[1]] = ""
            return
        }
        guard let equals = words[1].lastIndex(of: "="), equals > words[1].startIndex,
            words[1].index(after: equals) < words[1].endIndex else {
            throw Self.wrong(rule)
        }
        let key = String(words[1][..<equals]), value = String(words[1][words[1].index(after: equals)...])
        if words[0].isSame(as: "map") {
            classNames[key] = value
        } else if words[0].isSame(as: "link") {
            links[key] = value
        } else if words[0].isSame(as: "join") {
            joins[key] = value
        } else if words[0].isSame(as: "type") {
            guard let type = DeclaredType(value) else { throw Self.unknownType(value) }
            types[key] = type
        } else {
            throw Self.wrong(rule)
        }
    }

    private static func unknownType(_ name: String) -> SourceError {
        let names = PropertyType.allCases.map(\.name).filter { $0 != "link" }.joined(separator: ", ")
        return SourceError(.invalidOption, "unknown type '\(name)'; types are \(names), each followed by ? if null is allowed")
    }

    private static func wrong(_ rule: String) -> SourceError {
        SourceError(.invalidOption,
            "'\(rule)' is no rule; rules are 'map TABLE=CLASS', 'type TABLE.COLUMN=TYPE', 'link TABLE.COLUMN=TABLE' "
            + "and 'join TABLE=PROPERTY'")
    }
}
