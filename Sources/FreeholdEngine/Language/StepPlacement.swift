/// What is said of steps that are joined to conditions: a query is its condition and then its steps.
enum StepPlacement {
    /// An example of FUSE.
    static let fusion = "FUSE(title TEXT $0 SORT(@score DESC) LIMIT(100), NEAREST(embedding, $1, 100), 10)"

    /// For a step where a condition is expected.
    static func inCondition(_ step: String) -> String {
        "\(step.uppercased())(…) is no condition: it stands after the conditions, without AND, OR and NOT, as in "
            + "price < 10 \(example(of: step))"
    }

    /// For a token after a step that joins conditions; nil if it is another.
    static func after(_ step: String, _ token: QueryToken) -> String? {
        guard ["and", "or"].contains(token.keyword) || token.isSymbol("&&") || token.isSymbol("||") else { return nil }
        return "\(step.uppercased())(…) is a step, which has no \(token.text) after it: write the conditions first, as in "
            + "price < 10 \(example(of: step))"
    }

    private static func example(of step: String) -> String {
        switch step {
        case "nearest": "NEAREST(embedding, $0, 10)"
        case "fuse": fusion
        case "sort": "SORT(name ASC)"
        case "limit", "offset": "\(step.uppercased())(10)"
        case "group": "GROUP(city) SELECT(@count)"
        default: "\(step.uppercased())(name)"
        }
    }
}
