import FreeholdEngine

/// Reads a condition with the parser of queries: `$user` and `$claim.NAME` become arguments, whose values stand for them in the tree.
struct RuleConditionReader {
    private let text: RuleText
    private let range: Range<Int>
    private let schema: SyncSchema
    private let type: Int32
    /// Begins the values that stand for parameters, so that no text in the rules is one of them.
    private let mark = "\u{0}\(UInt64.random(in: 0 ... .max))."

    init(_ text: RuleText, _ range: Range<Int>, _ schema: SyncSchema, _ type: Int32) {
        (self.text, self.range, self.schema, self.type) = (text, range, schema, type)
    }

    func read() throws(FreeholdError) -> RuleCondition {
        if RuleScanner(text, range).isAtEnd { throw text.mistake(at: range.lowerBound, "expected a condition after `where`") }
        var scalars = Array(text.scalars[range]), parameters: [ExactText: RuleParameter] = [:], named = TextMap<Value>()
        try forEachVariable { place, name throws(FreeholdError) in
            let parameter = try self.parameter(place, name)
            // The name of an argument has no point. The columns stay the same.
            let written = name.replacingPoint
            for (offset, scalar) in written.unicodeScalars.enumerated() { scalars[place - range.lowerBound + 1 + offset] = scalar }
            parameters[ExactText(mark + written)] = parameter
            named[written] = .string(mark + written)
        }
        var view = String.UnicodeScalarView()
        view.append(contentsOf: scalars)
        let query: ObjectQuery
        do throws(FreeholdError) { query = try ObjectQuery(String(view), named: named) } catch { throw located(error) }
        guard query.steps.isEmpty else {
            throw text.mistake(at: range.lowerBound, "a rule has a condition, and no SORT, LIMIT or other steps")
        }
        let binder = RuleBinder(schema: schema, type: schema.classes[Int(type)], mistake: mistake, parameters: parameters)
        return try binder.condition(query.condition)
    }

    /// The claims that it names.
    func claims() throws(FreeholdError) -> Set<ExactText> {
        var found: Set<ExactText> = []
        try forEachVariable { place, name throws(FreeholdError) in
            if case .claim(let name) = try parameter(place, name) { found.insert(ExactText(name)) }
        }
        return found
    }

    private func mistake(_ code: FreeholdError.Code, _ column: Int, _ what: String) -> FreeholdError {
        text.mistake(code, at: range.lowerBound + max(0, column - 1), what)
    }

    /// The parser's error, with the place in the rules in place of that in the condition.
    private func located(_ error: FreeholdError) -> FreeholdError {
        let text = error.message.replacing("$claim_", with: "$claim.") // as it stands in the rules
        var message = text[...]
        if message.hasPrefix("query: ") { return mistake(error.code, 0, String(message.dropFirst(7))) }
        guard message.hasPrefix("query, column "), let end = message.firstIndex(of: ":") else {
            return mistake(error.code, 0, text)
        }
        message = message.dropFirst(14)
        let column = Int(message[..<end]) ?? 0
        return mistake(error.code, column, String(message[end...].dropFirst(2)))
    }

    // MARK: Parameters

    private func parameter(_ place: Int, _ name: String) throws(FreeholdError) -> RuleParameter {
        if name.isSame(as: "user") { return .user }
        if name.hasPrefix("claim."), name.utf8.count > 6 { return .claim(String(name.dropFirst(6))) }
        if text.string(range.lowerBound..<place).lowercased().contains("subquery") {
            let what = "'$\(name)' belongs to a SUBQUERY, which no rule can take; compare elements with ANY, ALL or NONE"
            throw text.mistake(at: place, what)
        }
        throw text.mistake(at: place, "'$\(name)' stands for nothing; write $user for the user, or $claim.NAME for a claim of the token")
    }

    /// Each `$name` outside quotes, with a name behind its first point.
    private func forEachVariable(_ body: (Int, String) throws(FreeholdError) -> Void) throws(FreeholdError) {
        var place = range.lowerBound
        while place < range.upperBound {
            if let quote = RuleText.quote(text.scalars[place]) {
                place = RuleText.end(ofQuote: quote, from: place, in: text.scalars)
            } else if text.scalars[place] == "$" {
                let begin = place
                place = end(ofName: place + 1)
                if text.string(begin + 1..<place).isSame(as: "claim"), place < range.upperBound, text.scalars[place] == "." {
                    place = end(ofName: place + 1)
                }
                try body(begin, text.string(begin + 1..<place))
            } else {
                place += 1
            }
        }
    }

    private func end(ofName begin: Int) -> Int {
        var place = begin
        while place < range.upperBound, text.scalars[place] == "_" || text.scalars[place].properties.isAlphabetic
                || text.scalars[place].properties.numericType != nil { place += 1 }
        return place
    }
}

extension String {
    /// The text with `_` for its first point.
    fileprivate var replacingPoint: String {
        guard let point = unicodeScalars.firstIndex(of: ".") else { return self }
        var view = unicodeScalars
        view.replaceSubrange(point...point, with: CollectionOfOne("_" as Unicode.Scalar))
        return String(view)
    }
}
