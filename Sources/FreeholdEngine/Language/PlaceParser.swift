/// Parses what queries say of geography: `place GEOWITHIN geoCircle([10.75, 59.91], 0.001)`, and distances,
/// `@distance(place, [10.75, 59.91])`.
struct PlaceParser {
    /// The parser of the query, which goes on behind what this one has taken.
    private(set) var parser: QueryParser

    init(_ parser: QueryParser) { self.parser = parser }

    /// Parses a part of the query of another parser.
    static func parsed<Part>(in parser: inout QueryParser,
                             _ part: (inout PlaceParser) throws(FreeholdError) -> Part) throws(FreeholdError) -> Part {
        var places = PlaceParser(parser)
        let found = try part(&places)
        parser = places.parser
        return found
    }

    /// A test of places, after its paths; the keyword is next.
    mutating func within(_ paths: [QueryExpression], _ quantifier: QueryComparison.Quantifier?) throws(FreeholdError) -> QueryCondition {
        let word = parser.take()
        if paths.count > 2 { throw parser.error("GEOWITHIN takes a place, or a latitude and a longitude", at: word) }
        if paths.count == 2, let quantifier {
            throw parser.error("\(quantifier.rawValue) is not for a latitude and a longitude, which are one place", at: word)
        }
        if parser.next.isSymbol("[") { throw parser.error("GEOWITHIN has no options", at: parser.next) }
        let left = paths.count == 1 ? paths[0] : .list(paths)
        return .comparison(QueryComparison(left, .within, .shape(try shapeOrArgument()), quantifier: quantifier))
    }

    /// `place IN %@`, as Realm's predicates are written, with a shape as the argument; nil for other comparisons: IN takes no single
    /// string.
    static func within(_ left: QueryExpression, _ relation: QueryComparison.Relation, _ right: QueryExpression,
                _ quantifier: QueryComparison.Quantifier?) -> QueryCondition? {
        guard relation == .isIn, case .path = left, case .value(.string(let text)) = right, text.hasPrefix("geo"),
              let shape = try? GeoShape(parsing: text) else { return nil }
        return .comparison(QueryComparison(left, .within, .shape(shape), quantifier: quantifier))
    }

    /// `@distance(place, [longitude, latitude])`, or of a latitude and a longitude; the keyword is next.
    mutating func distance() throws(FreeholdError) -> QueryExpression {
        parser.take()
        try parser.require("(", "after @distance")
        var paths = [try parser.path()]
        try parser.require(",", "and the point from which to measure, as in @distance(place, [10.75, 59.91])")
        if !beginsPoint {
            paths.append(try parser.path())
            try parser.require(",", "and the point from which to measure")
        }
        let point = try point()
        try parser.require(")", "that closes @distance")
        return .distance(paths, from: point)
    }

    /// A distance to sort by; the keyword is next.
    mutating func sortKey() throws(FreeholdError) -> PropertyPath {
        guard case .distance(let paths, let point) = try distance() else { preconditionFailure("a distance is parsed as one") }
        let first = paths[0], longitude = paths.count == 2 ? paths[1].steps : []
        return PropertyPath(first.steps + [.distance(from: point, longitude: longitude)], variable: first.variable, at: first.place)
    }

    private static let shapes: Set<String> = ["geocircle", "geobox", "geopolygon"]

    private mutating func shapeOrArgument() throws(FreeholdError) -> GeoShape {
        let token = parser.next
        guard let value = try takeArgument() else { return try shape() }
        guard case .string(let text) = value else {
            throw parser.error("the argument of GEOWITHIN is a string with a shape, such as 'geoCircle([10.75, 59.91], 0.001)'", at: token)
        }
        do {
            return try GeoShape(parsing: text)
        } catch {
            throw parser.error("the argument of GEOWITHIN is no shape: \(error.message)", at: token)
        }
    }

    /// The argument that is next, taken; nil if what is next is none.
    private mutating func takeArgument() throws(FreeholdError) -> Value? {
        let token = parser.next
        switch token.kind {
        case .nextArgument(isPath: false):
            parser.take()
            return try parser.arguments.takeNext(parser.lexer, token.column)
        case .argument(let number, isPath: false):
            parser.take()
            return try parser.arguments.take(number, parser.lexer, token.column)
        case .variable(let name) where !parser.variables.has(name):
            parser.take()
            return try parser.arguments.take(name, parser.lexer, token.column)
        default: return nil
        }
    }

    mutating func shape() throws(FreeholdError) -> GeoShape {
        let word = parser.next
        guard let name = word.keyword, Self.shapes.contains(name) else {
            throw parser.unexpected("geoCircle([longitude, latitude], radians), geoBox(point, point), geoPolygon({point, …}) or an "
                + "argument")
        }
        parser.take()
        try parser.require("(", "after \(word.text)")
        let shape: GeoShape
        switch name {
        case "geocircle":
            let center = try point()
            try parser.require(",", "and the radius in radians")
            let radius = try coordinate("the radius in radians")
            shape = .circle(try made(at: word) { () throws(FreeholdError) in try GeoCircle(around: center, radians: radius) })
        case "geobox":
            let corner = try point()
            try parser.require(",", "and the corner in the north-east")
            let other = try self.point()
            let box = GeoBox(bottomLeft: corner, topRight: other)
            if let complaint = box.complaint { throw parser.error(complaint, at: word) }
            shape = .box(box)
        default:
            let outer = try ring()
            var holes: [[GeoPoint]] = []
            while parser.skip(",") { holes.append(try ring()) }
            shape = .polygon(try made(at: word) { () throws(FreeholdError) in try GeoPolygon(around: outer, without: holes) })
        }
        try parser.require(")", "that closes \(word.text)")
        return shape
    }

    /// What `make` makes; its refusal gets the column of a token.
    private func made<Made>(at token: QueryToken, _ make: () throws(FreeholdError) -> Made) throws(FreeholdError) -> Made {
        do { return try make() } catch { throw parser.error(error.message, at: token) }
    }

    private mutating func ring() throws(FreeholdError) -> [GeoPoint] {
        try parser.require("{", "and the points of a ring, as in {[0, 0], [1, 0], [1, 1], [0, 0]}")
        var points = [try point()]
        while parser.skip(",") { points.append(try point()) }
        try parser.require("}", "that closes the ring")
        return points
    }

    /// Whether a point, or an argument for one, is next.
    private var beginsPoint: Bool {
        switch parser.next.kind {
        case .symbol("["), .nextArgument(isPath: false), .argument(_, isPath: false): true
        case .variable(let name): !parser.variables.has(name)
        default: false
        }
    }

    private mutating func point() throws(FreeholdError) -> GeoPoint {
        let token = parser.next
        var numbers: [Double] = []
        if let value = try takeArgument() {
            guard case .list(let values) = value else {
                throw parser.error("the argument for a point is a list of longitude and latitude", at: token)
            }
            numbers = values.compactMap(\.double)
            if numbers.count < values.count { throw parser.error("the argument for a point is a list of numbers", at: token) }
        } else {
            try parser.require("[", "and a point: [longitude, latitude]")
            repeat { numbers.append(try coordinate("a number of degrees")) } while parser.skip(",")
            try parser.require("]", "that closes the point")
        }
        guard (2...3).contains(numbers.count) else {
            throw parser.error("a point has a longitude, a latitude and perhaps an altitude", at: token)
        }
        let altitude = numbers.count == 3 ? numbers[2] : 0
        return try made(at: token) { () throws(FreeholdError) in try GeoPoint(at: numbers[1], numbers[0], altitude: altitude) }
    }

    private mutating func coordinate(_ what: String) throws(FreeholdError) -> Double {
        let token = parser.next
        if let value = try takeArgument() {
            guard let number = value.double else { throw parser.error("the argument for \(what) is not a number", at: token) }
            return number
        }
        let isNegative = parser.skip("-")
        guard case .number(let text) = parser.next.kind, let number = Double(text) else { throw parser.unexpected(what) }
        parser.take()
        return isNegative ? -number : number
    }
}

extension GeoShape {
    /// Parses a shape as the query language writes it: `geoCircle([10.75, 59.91], 0.001)`, `geoBox([5, 58], [12, 64])`,
    /// `geoPolygon({[0, 0], [1, 0], [1, 1], [0, 0]})`. Points are longitude and latitude in degrees, radii are in radians.
    ///
    /// - Throws: `.malformedInput` with the column and what was expected there.
    public init(parsing text: String) throws(FreeholdError) {
        var places = PlaceParser(try QueryParser(text, QueryArguments([], [:])))
        self = try places.shape()
        if places.parser.next.kind != .end { throw places.parser.unexpected("the end of the shape") }
    }
}
