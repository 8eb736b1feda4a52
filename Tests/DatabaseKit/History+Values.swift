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
        case .int: return .int(integer(isKey: property.name == "id"))
        case .float: return .float(Float(integer(isKey: true)) / 4)
        case .double: return .double(random.oneIn(20) ? [.infinity, -.infinity, 0, -1e300].randomElement(using: &random)! : Double(integer(isKey: true)) / 8)
        case .string: return .string(text(isKey: property.name == "name"))
        case .data: return .data(bytes())
        case .date: return .date(Timestamp(seconds: integer(isKey: true), nanoseconds: Int32.random(in: 0..<1_000_000_000, using: &random)))
        case .uuid: return .uuid(UniqueIdentifier(high: random.next(), low: random.next()))
        case .objectId: return .objectId(ObjectIdentifier12(high: random.next(), low: UInt32(truncatingIfNeeded: random.next())))
        case .link:
            let keys = draft.classes[property.linkTarget!]!.objects.keys.sorted()
            return keys.randomElement(using: &random).map { .link(ObjectKey($0)) } ?? .null
        }
    }

    func zero(_ type: PropertyType) -> Value {
        switch type {
        case .int: .int(0)
        case .string: .string("")
        case .double: .double(0)
        case .date: .date(Timestamp(seconds: 0))
        default: .bool(false)
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
