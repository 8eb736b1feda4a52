@testable import FreeholdEngine
import TestKit

/// Conditions that fit the kennel's people, of every relation and kind of path.
struct RandomQuery {
    var random: SeededRandom

    init(seed: UInt64) { random = SeededRandom(seed: seed) }

    private mutating func pick<T>(_ choices: [T]) -> T { choices.randomElement(using: &random)! }

    mutating func condition(depth: Int = 3) -> QueryCondition {
        guard depth > 0, random.oneIn(2) else { return .comparison(comparison()) }
        switch Int.random(in: 0..<9, using: &random) {
        case 7, 8: return indexed()
        case 0: return .not(condition(depth: depth - 1))
        case 1: return .constant(Bool.random(using: &random))
        case 2, 3: return .any((0..<Int.random(in: 2...3, using: &random)).map { _ in condition(depth: depth - 1) })
        default: return .all((0..<Int.random(in: 2...3, using: &random)).map { _ in condition(depth: depth - 1) })
        }
    }

    /// What indexes over several properties answer, alone or with more beside it.
    private mutating func indexed() -> QueryCondition {
        let columns: [(name: String, type: PropertyType)] = pick([[("kind", .string), ("age", .int)], [("city", .string), ("rank", .int), ("height", .double)],
                                                                  [("flag", .bool), ("dog", .link), ("born", .date)]])
        var parts: [QueryCondition] = []
        for column in columns.prefix(Int.random(in: 1...columns.count, using: &random)) {
            let left = QueryExpression.path(path(column.name))
            let equal: QueryComparison = random.oneIn(3) ? QueryComparison(left, .isIn, .list([.value(constant(column.type)), .value(constant(column.type))]))
                : QueryComparison(left, .equal, .value(constant(column.type)))
            parts.append(.comparison(random.oneIn(4) ? compare(left, column.type) : equal))
        }
        if random.oneIn(3) { parts.append(.comparison(comparison())) }
        let all = parts.count == 1 ? parts[0] : .all(parts.shuffled(using: &random))
        return random.oneIn(3) ? .any([all, .comparison(single(pick(Self.plain)))]) : all
    }

    mutating func comparison() -> QueryComparison {
        switch Int.random(in: 0..<24, using: &random) {
        case 20, 21: return search()
        case 22, 23: return place()
        case 0..<10: return single(pick(Self.plain))
        case 10: return QueryComparison(.path(path(pick(["dogs", "friends", "pets", "tags"]), .aggregate(.count))), pick(Self.orders), .value(.int(pick([0, 1, 2]))))
        case 11: return figure()
        case 12: return many()
        case 13: return columns()
        case 14: return calculated()
        case 15: return subquery()
        case 16: return linked()
        case 17: return element()
        case 18: return QueryComparison(.value(constant(.string)), .isIn, .path(path("tags")))
        default: return backlinks()
        }
    }

    private static let plain: [(name: String, type: PropertyType)] = [
        ("id", .int), ("flag", .bool), ("age", .int), ("rank", .int), ("ratio", .float), ("score", .double), ("height", .double), ("name", .string), ("city", .string),
        ("kind", .string), ("image", .data), ("born", .date), ("seen", .date), ("uuid", .uuid), ("oid", .objectId), ("price", .decimal), ("any", .mixed), ("dog", .link),
    ]
    private static let orders: [QueryComparison.Relation] = [.equal, .notEqual, .less, .lessOrEqual, .greater, .greaterOrEqual]
    private static let textual: [QueryComparison.Relation] = [.beginsWith, .contains, .endsWith, .like, .equal, .notEqual]

    private func path(_ name: String, _ steps: PathStep...) -> PropertyPath { PropertyPath([.property(name)] + steps) }

    private mutating func constant(_ type: PropertyType) -> Value {
        if random.oneIn(10) { return .null }
        if type == .link { return .link(ObjectKey(Int64.random(in: 0...10, using: &random))) }
        if type == .mixed { return constant(pick([.int, .double, .string, .date, .bool, .decimal])) }
        if [.int, .float, .double, .decimal].contains(type), random.oneIn(3) {
            return pick([.int(2), .int(-1), .double(2.5), .double(0.1), .int(.max), .double(9_007_199_254_740_992), .double(.infinity), .decimal(Decimal128("0.1")!), .int(0)])
        }
        return Kennel.value(type, isNullable: false, nil, Self.nobody, &random)
    }

    /// A text with a quantifier before values in braces, and for each of the values the comparison that it stands for.
    mutating func ofValues() -> (text: String, quantifier: QueryComparison.Quantifier, each: [QueryComparison]) {
        let property = pick(Self.plain.filter { ![.mixed, .link, .bool].contains($0.type) }), left = QueryExpression.path(path(property.name))
        let values = (0..<Int.random(in: 0...4, using: &random)).map { _ in QueryExpression.value(constant(property.type)) }
        let quantifier = pick([QueryComparison.Quantifier.any, .all, .none]), list = QueryExpression.list(values)
        let relation = pick(property.type == .string ? Self.orders + Self.textual : Self.orders)
        if relation.isTextual || random.oneIn(2) {
            return ("\(left) \(relation.rawValue) \(quantifier.rawValue) \(list)", quantifier, values.map { QueryComparison(left, relation, $0) })
        }
        return ("\(quantifier.rawValue) \(list) \(relation.rawValue) \(left)", quantifier, values.map { QueryComparison($0, relation, left) })
    }

    // Never asked for an object.
    private static let nobody = try! Kennel(seed: 1, people: 3, machine: SimulatedSystem(seed: 1))

    /// A relation that a type allows, with its right side.
    private mutating func compare(_ left: QueryExpression, _ type: PropertyType, quantifier: QueryComparison.Quantifier? = nil) -> QueryComparison {
        let isText = type == .string || type == .data
        if isText, Bool.random(using: &random) {
            let options: TextOptions = type == .string ? pick([[], [], .caseInsensitive, .diacriticInsensitive, [.caseInsensitive, .diacriticInsensitive]]) : []
            return QueryComparison(left, pick(Self.textual), .value(constant(type)), quantifier: quantifier, options: options)
        }
        if random.oneIn(5) {
            let elements = (0..<Int.random(in: 0...4, using: &random)).map { _ in QueryExpression.value(constant(type)) }
            return QueryComparison(left, .isIn, .list(elements), quantifier: quantifier)
        }
        if type == .bool || type == .link { return QueryComparison(left, pick([.equal, .notEqual]), .value(constant(type)), quantifier: quantifier) }
        if random.oneIn(6) { return QueryComparison(left, .between, .list([.value(constant(type)), .value(constant(type))]), quantifier: quantifier) }
        return QueryComparison(left, pick(Self.orders), .value(constant(type)), quantifier: quantifier)
    }

    private mutating func single(_ property: (name: String, type: PropertyType)) -> QueryComparison {
        let made = compare(.path(path(property.name)), property.type)
        let turned: [QueryComparison.Relation: QueryComparison.Relation] = [.equal: .equal, .less: .greater, .greaterOrEqual: .lessOrEqual]
        guard random.oneIn(6), made.options.isEmpty, let relation = turned[made.relation], case .value = made.right else { return made }
        return QueryComparison(made.right, relation, made.left)
    }

    private mutating func search() -> QueryComparison {
        let words = ["a", "A", "ab", "abc", "b", "ba", "é", "Ä", "ss", "ß", "σ", "x", "y", "日", "日本", "zz"]
        let one = pick(words), other = pick(words), isWord = one.unicodeScalars.allSatisfy { $0.value < 0x4E00 }
        let pairs = ["\(one) \(other)", "\(one) OR \(other)", "\(one) -\(other)"]
        let text = pick(pairs + [one, isWord ? "\(one)*" : one, "\"\(one)\"", "\"x y\"", "\"a b\""])
        let paths = ["name", "city", "kind", "tags", "notes", "any"].map { path($0) } + ["dog", "dogs"].map { path($0, .property("name")) }
        let several = (0..<Int.random(in: 2...3, using: &random)).map { _ in QueryExpression.path(pick(paths)) }
        let left: QueryExpression = random.oneIn(2) ? .path(pick(paths)) : .list(several)
        return QueryComparison(left, .text, .value(.string(text)))
    }

    /// Places of two numbers of which many are no place on Earth.
    private mutating func place() -> QueryComparison {
        let names = ["score", "height", "ratio"].map { path($0) } + [path("dog", .property("weight"))]
        let latitude = pick(names), longitude = pick(names), degrees = [0.0, 1.5, 0.1, -2, 3, 90, -90, 180]
        let point = Self.point(pick(degrees.filter { $0 <= 90 }), pick(degrees))
        if random.oneIn(3) {
            let distance = QueryExpression.distance([latitude, longitude], from: point)
            return QueryComparison(distance, pick(Self.orders), .value(pick([.double(123_456.5), .int(250_000), .int(2_000_000), .null])))
        }
        let sides = [pick(degrees), pick(degrees)].filter { $0 <= 90 }.sorted()
        let box = GeoBox(bottomLeft: Self.point(sides.first ?? -90, pick(degrees)), topRight: Self.point(sides.last ?? 90, pick(degrees)))
        let circle = try? GeoCircle(around: point, radians: pick([0.01, 0.03, 0.06, 2]))
        let shape: GeoShape = if let circle, random.oneIn(2) { .circle(circle) } else { .box(box) }
        return QueryComparison(.list([.path(latitude), .path(longitude)]), .within, .shape(shape))
    }

    private static func point(_ latitude: Double, _ longitude: Double) -> GeoPoint {
        guard let point = try? GeoPoint(at: latitude, longitude) else { preconditionFailure("these are degrees of a place") }
        return point
    }

    private mutating func figure() -> QueryComparison {
        let (list, element): (String, String?) = pick([("numbers", nil), ("marks", nil), ("dogs", "age"), ("friends", "age"), ("pets", "weight")])
        let steps: [PathStep] = [.property(list), .aggregate(pick([.min, .max, .sum, .avg]))] + (element.map { [.property($0)] } ?? [])
        return QueryComparison(.path(PropertyPath(steps)), pick(Self.orders), .value(constant(.double)))
    }

    private mutating func many() -> QueryComparison {
        let quantifier = pick([QueryComparison.Quantifier.any, .all, .none])
        switch Int.random(in: 0..<8, using: &random) {
        case 0: return compare(.path(path("tags")), .string, quantifier: quantifier)
        case 1: return compare(.path(path("numbers")), .int, quantifier: quantifier)
        case 2: return compare(.path(path("marks")), .double, quantifier: quantifier)
        case 3: return compare(.path(path("dogs", .property("name"))), .string, quantifier: quantifier)
        case 4: return compare(.path(path("friends", .property("dog"), .property("age"))), .int, quantifier: quantifier)
        case 5: return compare(.path(path("notes", pick([.keys, .values]))), .string, quantifier: quantifier)
        case 6: return compare(.path(path("pets", .property("age"))), .int, quantifier: quantifier)
        default: return compare(.path(path("grid", .each, .each)), .int, quantifier: quantifier)
        }
    }

    private mutating func columns() -> QueryComparison {
        let (left, right): (PropertyPath, PropertyPath) = pick([
            (path("age"), path("rank")), (path("score"), path("age")), (path("name"), path("city")), (path("born"), path("seen")), (path("ratio"), path("score")),
            (path("price"), path("score")), (path("any"), path("name")), (path("dog", .property("age")), path("age")), (path("boss", .property("name")), path("name")),
        ])
        return QueryComparison(.path(left), pick(Self.orders), .path(right))
    }

    private mutating func calculated() -> QueryComparison {
        let one = QueryExpression.path(path(pick(["age", "rank", "score"]))), sign = pick(ArithmeticOperator.allCases)
        let other: QueryExpression = Bool.random(using: &random) ? .path(path(pick(["height", "rank", "price"]))) : .value(.int(pick([0, 2, 3])))
        var sum = QueryExpression.arithmetic(sign, one, other)
        if random.oneIn(3) { sum = .arithmetic(pick(ArithmeticOperator.allCases), .path(path("age")), sum) }
        if random.oneIn(4) { sum = .negation(sum) }
        return QueryComparison(sum, pick(Self.orders), .value(constant(.double)))
    }

    private mutating func subquery() -> QueryComparison {
        let inner = compare(.path(PropertyPath([.property("age")], variable: "x")), .int)
        let outer: QueryCondition = random.oneIn(2) ? .comparison(inner) : .all([.comparison(inner), .comparison(single(pick(Self.plain)))])
        return QueryComparison(.subquery(path(pick(["dogs", "friends"])), variable: "x", outer), pick(Self.orders), .value(.int(pick([0, 1, 2]))))
    }

    private mutating func linked() -> QueryComparison {
        switch Int.random(in: 0..<5, using: &random) {
        case 0: return compare(.path(path("dog", .property("name"))), .string)
        case 1: return compare(.path(path("boss", .property("dog"), .property("age"))), .int)
        case 2: return compare(.path(path("boss")), .link)
        case 3: return compare(.path(path("dog", .property("owner"), .property("city"))), .string)
        default: return compare(.path(path("dog", .property("weight"))), .double)
        }
    }

    private mutating func element() -> QueryComparison {
        switch Int.random(in: 0..<9, using: &random) {
        case 0: return compare(.path(path("tags", pick([.first, .last, .position(1)]))), .string)
        case 1: return compare(.path(path("notes", .key(pick(["a", "é", "none"])))), .string)
        case 2: return compare(.path(path("pets", .key("a"), .property("age"))), .int)
        case 3: return compare(.path(path("name", .size)), .int)
        case 4: return compare(.path(path("any", .type)), .string)
        case 5: return compare(.path(path("any", .key("k"))), .mixed)
        case 6: return compare(.path(path("any", .position(0))), .mixed)
        case 7: return compare(.path(path("dogs", pick([.first, .last]), .property("name"))), .string)
        default: return compare(.path(path("grid", .position(0), .position(0))), .int)
        }
    }

    private mutating func backlinks() -> QueryComparison {
        func people(_ property: String) -> PathStep { .backlinks(class: "Person", property: property) }
        let links: [PathStep] = pick([[people("boss")], [people("friends")], [.backlinks(class: "Dog", property: "owner")],
                                      [.property("dog"), people("dogs")], [.property("dog"), people("pets")]])
        switch Int.random(in: 0..<5, using: &random) {
        case 4:
            let all: [PathStep] = pick([[.links], [.property("dog"), .links], [.property("boss"), .links]])
            return QueryComparison(.path(PropertyPath(all + [.aggregate(.count)])), pick(Self.orders), .value(.int(pick([0, 1, 2, 3, 5]))))
        case 0, 1: return QueryComparison(.path(PropertyPath(links + [.aggregate(.count)])), pick(Self.orders), .value(.int(pick([0, 1, 2]))))
        case 2: return QueryComparison(.path(PropertyPath(links + [.aggregate(.sum), .property("age")])), pick(Self.orders), .value(.int(pick([0, 25, 60]))))
        default: return compare(.path(PropertyPath(links + [.property("age")])), .int, quantifier: pick([.any, .all, QueryComparison.Quantifier.none]))
        }
    }
}
