@testable import FreeholdEngine

/// The people and dogs of the corpus. The first dog's key is 0, the first person's 1.
enum FixedObjects {
    static let dogs: [[String: Value]] = [
        ["name": .string("Fido"), "age": .int(3), "weight": .double(12.5)],
        ["name": .string("Rex"), "age": .int(7), "weight": .double(30)],
        ["name": .string("Mia"), "age": .null, "weight": .double(4)],
        ["name": .null, "age": .int(1), "weight": .double(8)],
    ]

    private static func dog(_ keys: Int64...) -> [Value] { keys.map { .link(ObjectKey($0)) } }
    private static func texts(_ texts: String...) -> Value { .list(texts.map { .string($0) }) }
    private static func date(_ seconds: Int64, _ nanoseconds: Int32 = 0) -> Value { .date(Timestamp(seconds: seconds, nanoseconds: nanoseconds)) }

    static let people: [[String: Value]] = [
        ["flag": .bool(true), "age": .int(30), "rank": .int(1), "ratio": .float(0.1), "score": .double(1.5), "height": .double(1.7), "name": .string("Ann"),
         "city": .string("Oslo"), "kind": .string("a"), "born": date(0), "seen": date(1_700_000_000), "price": .decimal(Decimal128("1.50")!), "any": .int(5),
         "dog": dog(0)[0], "dogs": .list(dog(0, 1)), "pets": .map(["a": dog(0)[0], "b": dog(1)[0]]), "tags": texts("new", "old"),
         "numbers": .set([.int(1), .int(2)]), "marks": .list([.double(1), .double(2.5)]), "notes": .map(["k": .string("v")]), "grid": .list([.list([.int(1), .int(2)]), .list([])])],
        ["flag": .bool(false), "age": .int(25), "name": .string("bob"), "city": .string("Rome"), "kind": .string("b"), "height": .double(1.8), "any": .string("Ann"),
         "boss": .link(ObjectKey(1)), "born": date(86_400), "seen": date(1_700_000_000, 5), "image": .data([1, 2, 3])],
        ["age": .int(40), "rank": .int(2), "score": .double(.nan), "name": .string("Éva"), "city": .string("Oslo"), "kind": .string("a"), "height": .double(1.6),
         "dog": dog(1)[0], "boss": .link(ObjectKey(1)), "friends": .set([.link(ObjectKey(1)), .link(ObjectKey(2))]), "dogs": .list(dog(1, 1, 2)), "tags": texts("new", "new"),
         "notes": .map(["k": .string("w"), "l": .string("v")]), "any": .double(5), "price": .decimal(Decimal128("0.1")!), "seen": date(0)],
        ["flag": .bool(true), "age": .int(25), "rank": .int(2), "score": .double(-0.0), "city": .string("Paris"), "kind": .string("c"), "height": .double(1.9),
         "dog": dog(2)[0], "boss": .link(ObjectKey(2)), "dogs": .list(dog(2)), "any": .list([.int(1), .string("a")]), "tags": .list([.null, .string("")]), "image": .data([])],
        ["flag": .bool(false), "age": .int(50), "rank": .int(-5), "score": .double(2.5), "name": .string("STRASSE"), "city": .string("rome"), "kind": .string("a"),
         "height": .double(0), "any": .map(["k": .int(1)]), "friends": .set([.link(ObjectKey(4))]), "numbers": .set([.int(-3), .int(9)]), "price": .decimal(Decimal128("100000000000000000000")!)],
        ["flag": .bool(true), "age": .int(-3), "score": .double(1000), "name": .string("straße"), "city": .string(""), "kind": .string("b"), "height": .double(-.infinity),
         "any": .date(Timestamp(seconds: 0)), "marks": .list([.null, .double(.nan)]), "notes": .map(["é": .string("")]), "boss": .link(ObjectKey(3))],
        ["age": .int(.max), "rank": .int(.min), "score": .double(.infinity), "name": .string(""), "city": .string("O*o"), "kind": .string("b"), "height": .double(1.7),
         "any": .bool(true), "dogs": .list(dog(3)), "dog": dog(3)[0], "price": .decimal(.nan), "uuid": .uuid(UniqueIdentifier(high: 0, low: 1))],
        ["flag": .bool(false), "age": .int(30), "rank": .int(1), "ratio": .float(2.5), "score": .double(9_007_199_254_740_992), "name": .string("e\u{301}va"), "city": .string("Zürich"),
         "kind": .string("c"), "height": .double(1.7), "any": .decimal(Decimal128("5.0")!), "boss": .link(ObjectKey(1)), "born": date(-1, 999_999_999)],
    ]

    /// What a property has that was not given.
    static func zero(_ property: PropertySchema) -> Value {
        switch property.collections.first {
        case .list: return .list([])
        case .set: return .set([])
        case .map: return .map([:])
        case nil: break
        }
        switch property.type {
        case .string: return .string("")
        case .int: return .int(0)
        case .double: return .double(0)
        case .date: return date(0)
        case .objectId: return .objectId(ObjectIdentifier12(high: 0, low: 0))
        default: return .null
        }
    }
}
