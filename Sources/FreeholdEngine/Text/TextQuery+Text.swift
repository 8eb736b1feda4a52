/// Searches as text. A query that was parsed is printed as text that parses to the same query.
extension TextQuery: CustomStringConvertible {
    var description: String { root.description }
}

extension TextQuery.Node: CustomStringConvertible {
    var description: String {
        switch self {
        case .words(let words): words.description
        case .near(let words, let distance):
            words.map(\.description).joined(separator: distance == TextQuery.usualDistance ? " NEAR " : " NEAR/\(distance) ")
        case .all(let nodes, let excluded):
            (nodes.map { $0.isDisjunction ? "(\($0))" : "\($0)" } + excluded.map { "-\($0.asOperand)" }).joined(separator: " ")
        case .any(let nodes): nodes.map(\.description).joined(separator: " OR ")
        }
    }

    private var isDisjunction: Bool { if case .any = self { true } else { false } }

    private var asOperand: String { if case .words = self { description } else { "(\(self))" } }
}

extension TextQuery.Words: CustomStringConvertible {
    var description: String {
        // A dash at the start is a part of the word, also after that of an exclusion.
        let written = TextQueryParser.isBareWord(text) && !text.hasPrefix("-") ? text : quoted
        return switch match {
        case .exact: written
        case .prefix: "\(written)*"
        case .fuzzy(let distance): "\(written)~\(distance)"
        }
    }

    private var quoted: String {
        var quoted = "\""
        for scalar in text.unicodeScalars {
            if scalar == "\"" || scalar == "\\" { quoted.unicodeScalars.append("\\") }
            quoted.unicodeScalars.append(scalar)
        }
        return quoted + "\""
    }
}
