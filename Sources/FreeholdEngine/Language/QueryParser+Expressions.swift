/// Expressions: sums of products of values.
extension QueryParser {
    mutating func expression() throws(FreeholdError) -> QueryExpression {
        let token = next
        if case .expression(let expression) = try sum() { return expression }
        throw error("a condition cannot be used as a value", at: token)
    }

    mutating func sum() throws(FreeholdError) -> QueryTerm {
        let begin = next
        var left = try product(), count = 1
        while let sign = takeOperator([.add, .subtract]) {
            let second = next
            left = try joined(left, begin, sign, try product(), second)
            try requireShort(&count)
        }
        return left
    }

    private mutating func product() throws(FreeholdError) -> QueryTerm {
        let begin = next
        var left = try factor(), count = 1
        while let sign = takeOperator([.multiply, .divide]) {
            let second = next
            left = try joined(left, begin, sign, try factor(), second)
            try requireShort(&count)
        }
        return left
    }

    /// Each further number adds a level to the tree.
    private func requireShort(_ count: inout Int) throws(FreeholdError) {
        count += 1
        if count > Self.maximumDepth { throw error("an expression has at most \(Self.maximumDepth) operands", at: next) }
    }

    private mutating func takeOperator(_ operators: [ArithmeticOperator]) -> ArithmeticOperator? {
        guard case .symbol(let symbol) = next.kind, let found = operators.first(where: { $0.rawValue == symbol }) else { return nil }
        take()
        return found
    }

    /// An operation on two terms, which begin at the given tokens.
    private func joined(_ left: QueryTerm, _ first: QueryToken, _ sign: ArithmeticOperator, _ right: QueryTerm, _ second: QueryToken)
        throws(FreeholdError) -> QueryTerm {
        guard case .expression(let one) = left, case .expression(let other) = right else {
            throw error("'\(sign.rawValue)' is for numbers, not for conditions", at: next)
        }
        for (operand, token) in [(one, first), (other, second)] where operand.isNoNumber { throw error(operand.notNumeric, at: token) }
        return .expression(.arithmetic(sign, one, other))
    }

    private mutating func factor() throws(FreeholdError) -> QueryTerm {
        if skip("-") {
            let token = next
            return try nested { parser throws(FreeholdError) in
                guard case .expression(let expression) = try parser.factor() else { throw parser.error("'-' is for numbers, not for conditions", at: token) }
                if expression.isNoNumber { throw parser.error(expression.notNumeric, at: token) }
                return .expression(Self.negated(expression))
            }
        }
        guard skip("(") else { return .expression(try value()) }
        return try nested { parser throws(FreeholdError) in
            let inner = try parser.either()
            try parser.require(")", "that closes the parenthesis")
            return inner
        }
    }

    private static func negated(_ expression: QueryExpression) -> QueryExpression {
        switch expression {
        case .value(.int(let number)) where number != .min: return .value(.int(-number))
        case .value(.double(let number)): return .value(.double(-number))
        case .value(.float(let number)): return .value(.float(-number))
        case .value(.decimal(let number)):
            if let whole = Int64(exactly: -number), whole == .min { return .value(.int(whole)) }
            return .value(.decimal(-number))
        default: return .negation(expression)
        }
    }

    private mutating func value() throws(FreeholdError) -> QueryExpression {
        let token = next
        switch token.kind {
        case .string(let text):
            take()
            return .value(.string(text))
        case .number(let text):
            take()
            return .value(try number(text, token))
        case .date(let date):
            take()
            return .value(.date(date))
        case .nextArgument(isPath: false):
            take()
            return try argument(try arguments.takeNext(lexer, token.column), token)
        case .argument(let number, isPath: false):
            take()
            return try argument(try arguments.take(number, lexer, token.column), token)
        case .variable(let name) where !variables.has(name):
            take()
            return try argument(try arguments.take(name, lexer, token.column), token)
        case .symbol("{"): return try list()
        case .word, .variable, .nextArgument, .argument: return try named()
        default: throw unexpected("a property, a value, %@ or '('")
        }
    }

    /// An argument as if it were written in the text.
    private func argument(_ value: Value, _ token: QueryToken) throws(FreeholdError) -> QueryExpression {
        switch value {
        case .list(let values), .set(let values): return .list(values.map { .value($0) })
        case .map: throw error("a map cannot be compared with", at: token)
        default: return .value(value)
        }
    }

    private func number(_ text: String, _ token: QueryToken) throws(FreeholdError) -> Value {
        if text.hasPrefix("0x") {
            if let whole = Int64(text.dropFirst(2), radix: 16) { return .int(whole) }
            throw error("'\(text)' is too large for 64 bits", at: token)
        }
        if text.hasSuffix("f") {
            if let number = Float(text.dropLast()) { return .float(number) }
            throw error("'\(text)' is not a number", at: token)
        }
        if let whole = Int64(text) { return .int(whole) }
        guard let decimal = Decimal128(text) else { throw error("'\(text)' is not a number", at: token) }
        // A number with more digits than a double keeps becomes a decimal.
        guard let double = Double(text), double.isFinite, Decimal128(double) == decimal else { return .decimal(decimal) }
        return .double(double)
    }

    private mutating func list() throws(FreeholdError) -> QueryExpression {
        take()
        return try nested { parser throws(FreeholdError) in
            var elements: [QueryExpression] = []
            while !parser.skip("}") {
                if !elements.isEmpty { try parser.require(",", "or '}' in the list") }
                elements.append(try parser.expression())
            }
            return .list(elements)
        }
    }

    /// An expression that begins with a word: a constant, a typed value, a subquery or a path.
    private mutating func named() throws(FreeholdError) -> QueryExpression {
        let constant: Value? = switch next.keyword {
        case "true", "yes": .bool(true)
        case "false", "no": .bool(false)
        case "nil", "null": .null
        case "infinity", "inf": .double(.infinity)
        case "nan": .double(.nan)
        default: nil
        }
        if let constant, !afterNext.isSymbol("."), !afterNext.isSymbol("(") {
            take()
            return .value(constant)
        }
        if case .word("B64", isQuoted: false) = next.kind, case .string(let text) = afterNext.kind, afterNext.column == next.column + 3 {
            return .value(try base64(text))
        }
        guard afterNext.isSymbol("("), let keyword = next.keyword else { return .path(try path()) }
        if keyword == "subquery" { return try subquery() }
        if keyword == "@distance" {
            return try PlaceParser.parsed(in: &self) { places throws(FreeholdError) in try places.distance() }
        }
        return .value(try typedValue(keyword))
    }

    private mutating func subquery() throws(FreeholdError) -> QueryExpression {
        take()
        take()
        return try nested { parser throws(FreeholdError) in
            let collection = try parser.path()
            try parser.require(",", "after the collection")
            guard case .variable(let name) = parser.next.kind else { throw parser.unexpected("a variable like $dog") }
            parser.take()
            try parser.require(",", "after the variable")
            parser.variables.append(name)
            let condition = try parser.condition()
            parser.variables.removeLast()
            try parser.require(")", "that closes SUBQUERY")
            guard parser.skip("."), parser.skip(keyword: "@count") || parser.skip(keyword: "@size") else { throw parser.unexpected("'.@count' after SUBQUERY(…)") }
            return .subquery(collection, variable: name, condition)
        }
    }
}

extension QueryExpression {
    /// Whether it is a value or a list that is no number; of properties the binder knows that.
    fileprivate var isNoNumber: Bool {
        switch self {
        case .value(let value): !value.isNumber && value != .null
        case .list: true
        default: false
        }
    }

    fileprivate var notNumeric: String { "'\(self)' is not numeric; arithmetic needs numbers" }
}
