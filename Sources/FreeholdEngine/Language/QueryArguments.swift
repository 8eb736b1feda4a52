/// The values for the placeholders of a query's text.
struct QueryArguments {
    private let values: [Value]
    private let named: TextMap<Value>
    private var next = 0
    private var isNumbered = false
    private var usedNames: Set<ExactText> = []

    init(_ values: [Value], _ named: TextMap<Value>) {
        self.values = values
        self.named = named
    }

    /// The value for the next `%@`.
    mutating func takeNext(_ lexer: QueryLexer, _ column: Int) throws(FreeholdError) -> Value {
        defer { next += 1 }
        guard next < values.count else {
            throw lexer.error("the query uses argument \(next + 1), but \(Self.count(values.count))", column)
        }
        return values[next]
    }

    /// The value for `$0`, `$1`, …
    mutating func take(_ number: Int, _ lexer: QueryLexer, _ column: Int) throws(FreeholdError) -> Value {
        isNumbered = true
        guard number < values.count else {
            throw lexer.error("the query uses argument $\(number), but \(Self.count(values.count)), counted from $0", column)
        }
        return values[number]
    }

    /// The value for `$name`.
    mutating func take(_ name: String, _ lexer: QueryLexer, _ column: Int) throws(FreeholdError) -> Value {
        usedNames.insert(name)
        if let value = named[name] { return value }
        throw lexer.error("there is no argument named '\(name)', and no SUBQUERY around it has a variable $\(name)"
            + suggestion(for: name, among: Array(named.keys)), column)
    }

    /// Throws unless the query uses every argument given.
    func requireAllTaken(_ lexer: QueryLexer) throws(FreeholdError) {
        if !isNumbered, next < values.count {
            throw lexer.error("the query uses \(next) arguments, but \(Self.count(values.count)); write %@ for each", nil)
        }
        if let unused = named.keys.filter({ !usedNames.contains($0) }).min() {
            throw lexer.error("the query does not use the argument named '\(unused)'; write $\(unused) for it", nil)
        }
    }

    private static func count(_ number: Int) -> String {
        number == 1 ? "1 was given" : "\(number) were given"
    }
}
