/// Parses the step NEAREST: `NEAREST(embedding, $0, 10, dot, int8)`.
struct NearestParser {
    /// The parser of the query, which goes on behind what this one has taken.
    private var parser: QueryParser

    /// Parses the step after its parenthesis.
    static func parsed(in parser: inout QueryParser) throws(FreeholdError) -> QueryStep {
        var own = NearestParser(parser: parser)
        let step = try own.step()
        parser = own.parser
        return step
    }

    private mutating func step() throws(FreeholdError) -> QueryStep {
        let path = try parser.path()
        try parser.require(",", "and a vector, as in NEAREST(embedding, $0, 10)")
        let begin = parser.next, vector = try vector()
        try parser.require(",", "and the number of objects, as in NEAREST(embedding, $0, 10)")
        var nearest = QueryNearest(path, to: vector, count: try parser.number("nearest"))
        try readOptions(of: &nearest)
        do { _ = try VectorMeasure(vector, nearest.metric, nearest.elements) } catch {
            throw parser.error("NEAREST: \(error.message)", at: begin)
        }
        return .nearest(nearest)
    }

    private mutating func readOptions(of nearest: inout QueryNearest) throws(FreeholdError) {
        var metric: VectorMetric?, elements: VectorElements?
        while parser.skip(",") {
            let option = parser.next.keyword ?? ""
            if let named = VectorMetric(rawValue: option) {
                if let metric { throw secondOption("NEAREST has one metric", metric.rawValue) }
                metric = named
            } else if let named = VectorElements(rawValue: option) {
                if let elements { throw secondOption("vectors have elements of one type", elements.rawValue) }
                elements = named
            } else {
                let options = VectorMetric.allCases.map(\.rawValue) + VectorElements.allCases.map(\.rawValue)
                throw parser.unexpected(options.joined(separator: ", "))
            }
            parser.take()
        }
        nearest.metric = metric ?? nearest.metric
        nearest.elements = elements ?? nearest.elements
    }

    private func secondOption(_ rule: String, _ first: String) -> FreeholdError {
        parser.error("\(rule), and \(first) is given before; leave one out", at: parser.next)
    }

    private mutating func vector() throws(FreeholdError) -> [Float] {
        let token = parser.next
        let value: Value
        switch token.kind {
        case .nextArgument(isPath: false):
            parser.take()
            value = try parser.arguments.takeNext(parser.lexer, token.column)
        case .argument(let number, isPath: false):
            parser.take()
            value = try parser.arguments.take(number, parser.lexer, token.column)
        case .variable(let name):
            parser.take()
            value = try parser.arguments.take(name, parser.lexer, token.column)
        default: return try numbers()
        }
        switch value {
        case .list(let values):
            let numbers = values.compactMap(\.vectorNumber)
            if numbers.count == values.count { return numbers }
        case .data(let bytes):
            if let numbers = VectorElements.float32.numbers(in: bytes) { return numbers }
            throw parser.error("the data for a vector are floats of 4 bytes; \(bytes.count) bytes are no whole number of floats", at: token)
        default: break
        }
        throw parser.error("the argument for a vector is a list of numbers, or data with floats of 4 bytes", at: token)
    }

    private mutating func numbers() throws(FreeholdError) -> [Float] {
        guard parser.skip("[") else { throw parser.unexpected("an argument or a vector, as in [0.25, -1, 3]") }
        var numbers: [Float] = []
        repeat {
            let isNegative = parser.skip("-")
            guard case .number(let text) = parser.next.kind, let number = Float(text) else {
                throw parser.unexpected("a number of the vector")
            }
            parser.take()
            numbers.append(isNegative ? -number : number)
        } while parser.skip(",")
        try parser.require("]", "that closes the vector")
        return numbers
    }
}

extension Value {
    fileprivate var vectorNumber: Float? {
        switch self {
        case .int(let number): Float(number)
        case .float(let number): number
        case .double(let number): Float(number)
        case .decimal(let number): Float(Double(number))
        default: nil
        }
    }
}
