@testable import FreeholdEngine
import TestKit

extension History {
    /// A random value of a property: often plain, sometimes extreme.
    mutating func value(_ property: PropertySchema, _ draft: NaiveDatabase) -> Value {
        if Self.isEmbedded(property) { return property.collections.isEmpty ? .null : .list([]) }
        if !property.collections.isEmpty { return collection(property.collections[...], property, draft) }
        if property.isNullable, random.oneIn(4) { return .null }
        switch property.type {
        case .bool: return .bool(random.oneIn(2))
        case .int: return .int(integer(isKey: ["id", "seat", "rank"].contains(property.name)))
        case .float: return .float(Float(integer(isKey: true)) / 4)
        // A tenth of the latitudes is none.
        case .double where ["latitude", "longitude"].contains(property.name):
            return .double(Double(Int64.random(in: -400...400, using: &random)) / 4)
        case .double: return .double(random.oneIn(20) ? [.infinity, -.infinity, 0, -1e300].randomElement(using: &random)! : Double(integer(isKey: true)) / 8)
        case .string: return .string(text(isKey: ["name", "row", "guest", "mail"].contains(property.name)))
        // A tenth of the bearings has another length.
        case .data where property.name == "bearing" && !random.oneIn(10):
            return .data((0..<Self.bearing.byteCount).map { _ in UInt8(random.below(256)) })
        case .data: return .data(bytes())
        case .date: return .date(Timestamp(seconds: integer(isKey: true), nanoseconds: Int32.random(in: 0..<1_000_000_000, using: &random)))
        case .uuid: return .uuid(UniqueIdentifier(high: random.next(), low: random.next()))
        case .objectId: return .objectId(ObjectIdentifier12(high: random.next(), low: UInt32(truncatingIfNeeded: random.next())))
        case .decimal: return .decimal(decimal())
        // What is part of an index over several properties is no collection.
        case .mixed: return property.name == "kind" || !random.oneIn(4) ? mixed(draft) : mixedCollection(draft, depth: 1)
        case .link:
            let keys = draft.linkable(property.linkTarget!)
            return keys.randomElement(using: &random).map { .link(ObjectKey($0)) } ?? .null
        }
    }

    private mutating func integer(isKey: Bool) -> Int64 {
        if isKey { return Int64.random(in: -200...3000, using: &random) }
        switch Int.random(in: 0..<10, using: &random) {
        case 0: return [Int64.min, .max, 0, -1].randomElement(using: &random)!
        case 1: return Int64(truncatingIfNeeded: random.next())
        default: return Int64.random(in: 0..<100, using: &random)
        }
    }

    private mutating func decimal() -> Decimal128 {
        let number = Decimal128(Int64.random(in: -50...50, using: &random)) / Decimal128(Int64.random(in: 1...8, using: &random))
        return random.oneIn(10) ? [.nan, .infinity, -.infinity, Decimal128("1E-6176")!].randomElement(using: &random)! : number
    }

    /// A value of any type, or a link to an object of any class.
    private mutating func mixed(_ draft: NaiveDatabase) -> Value {
        let types: [PropertyType] = [.bool, .int, .float, .string, .data, .date, .uuid, .objectId, .decimal, .link]
        let type = types.randomElement(using: &random)!
        // An index has no room for more.
        if type == .data { return .data(Array(bytes().prefix(300))) }
        guard type == .link else { return value(PropertySchema("any", type), draft) }
        // Embedded objects have one owner, which is no mixed property.
        let target = draft.order.map { draft.classes[$0]! }.filter { !$0.schema.isEmbedded }.randomElement(using: &random)!
        let keys = target.objects.keys.sorted(), number = draft.classes[draft.root(of: target.schema.name)]!.number
        return keys.randomElement(using: &random).map { .object(ObjectReference(classNumber: number, key: ObjectKey($0))) } ?? .null
    }

    /// A list or map of values of any type.
    private mutating func mixedCollection(_ draft: NaiveDatabase, depth: Int) -> Value {
        let count = random.oneIn(30) ? Int.random(in: 0..<100, using: &random) : Int.random(in: 0..<4, using: &random)
        var values: [Value] = []
        for _ in 0..<count {
            values.append(depth < 4 && random.oneIn(4) ? mixedCollection(draft, depth: depth + 1) : random.oneIn(8) ? .null : mixed(draft))
        }
        if random.oneIn(2) { return .list(values) }
        return .map(TextMap(values.enumerated().map { ("key \($0)", $1) }) { first, _ in first })
    }

    private mutating func text(isKey: Bool) -> String {
        if isKey { return "name \(Int.random(in: 0..<3000, using: &random))" }
        switch Int.random(in: 0..<40, using: &random) {
        case 0: return ""
        case 1: return String(repeating: "long ", count: Int.random(in: 50..<3000, using: &random))
        case 2: return "na\u{ef}ve \u{1F3E1}\u{0}zero"
        default: return "word \(Int.random(in: 0..<40, using: &random))"
        }
    }

    private mutating func bytes() -> [UInt8] {
        let count = random.oneIn(60) ? Int.random(in: 0..<150_000, using: &random) : Int.random(in: 0..<40, using: &random)
        let first = UInt8(truncatingIfNeeded: random.next())
        return (0..<count).map { UInt8(truncatingIfNeeded: $0) ^ first }
    }
}
