public import Foundation
import FreeholdEngine

/// A type whose values have a minimum and a maximum: numbers, dates, mixed values.
public protocol MinMaxType: RealmCollectionValue, Comparable where PersistedType == Self {}

/// A type whose values can be added: numbers, and mixed values, of which only numbers count.
public protocol AddableType: RealmCollectionValue where PersistedType == Self {
    /// The sum of the values; 0 if there are none.
    static func _sum(_ values: some Sequence<Self>) -> Self
    /// The value as a decimal for averages; nil if it is not a number.
    var _decimal: Decimal128? { get }
    /// The value as a `Double` for averages, which adds faster; nil if it is not a number.
    var _real: Double? { get }
}

/// A type whose values can be sorted: numbers, bools, dates, strings, data, ids, mixed values.
public protocol SortableType: RealmCollectionValue where PersistedType == Self {}

extension Int: MinMaxType, AddableType, SortableType {}
extension Int8: MinMaxType, AddableType, SortableType {}
extension Int16: MinMaxType, AddableType, SortableType {}
extension Int32: MinMaxType, AddableType, SortableType {}
extension Int64: MinMaxType, AddableType, SortableType {}
extension Float: MinMaxType, AddableType, SortableType {}
extension Double: MinMaxType, AddableType, SortableType {}
extension Decimal128: MinMaxType, AddableType, SortableType {}
extension Date: MinMaxType, SortableType {}
extension String: SortableType {}
extension Data: SortableType {}
extension Bool: SortableType {}
extension UUID: SortableType {}
extension ObjectId: SortableType {}
extension AnyRealmValue: MinMaxType, AddableType, SortableType {}

extension AddableType where Self: FixedWidthInteger {
    public static func _sum(_ values: some Sequence<Self>) -> Self {
        var sum: Int128 = 0
        for value in values { sum += Int128(value) }
        if let fitting = Self(exactly: sum) { return fitting }
        Misuse.report("The sum \(sum) is too large for '\(Self.self)'.")
        return sum < 0 ? .min : .max
    }

    public var _decimal: Decimal128? { Decimal128(Int64(self)) }
    public var _real: Double? { Double(self) }
}

extension AddableType where Self: BinaryFloatingPoint {
    public static func _sum(_ values: some Sequence<Self>) -> Self { values.reduce(0, +) }
    public var _decimal: Decimal128? { Decimal128(Double(self)) }
    public var _real: Double? { Double(self) }
}

extension Decimal128 {
    public static func _sum(_ values: some Sequence<Decimal128>) -> Decimal128 { values.reduce(0, +) }
    public var _decimal: Decimal128? { self }
    public var _real: Double? { Double(self) }
}

extension AnyRealmValue {
    public static func _sum(_ values: some Sequence<AnyRealmValue>) -> AnyRealmValue { .decimal128(values.compactMap(\._decimal).reduce(0, +)) }
    public var _real: Double? { _decimal.map { Double($0) } }

    public var _decimal: Decimal128? {
        switch self {
        case .int(let number): number._decimal
        case .float(let number): Decimal128(number)
        case .double(let number): number._decimal
        case .decimal128(let number): number
        default: nil
        }
    }
}

/// The order of mixed values: nil, bools, numbers of every type, strings, data, dates, object ids, UUIDs, objects,
/// lists, dictionaries.
extension AnyRealmValue: Comparable {
    public static func < (one: AnyRealmValue, other: AnyRealmValue) -> Bool {
        if one.rank != other.rank { return one.rank < other.rank }
        if let number = one._decimal, let second = other._decimal { return number < second }
        return switch (one, other) {
        case (.bool(let flag), .bool(let second)): !flag && second
        case (.string(let text), .string(let second)): text.utf8.lexicographicallyPrecedes(second.utf8)
        case (.data(let data), .data(let second)): data.lexicographicallyPrecedes(second)
        case (.date(let date), .date(let second)): date < second
        case (.objectId(let id), .objectId(let second)): id < second
        case (.uuid(let id), .uuid(let second)): id.uuidString < second.uuidString
        case (.object(let object), .object(let second)): (object.classNumber, object._key) < (second.classNumber, second._key)
        case (.list(let list), .list(let second)): list.lexicographicallyPrecedes(second)
        default: false
        }
    }

    private var rank: Int {
        switch self {
        case .none: 0
        case .bool: 1
        case .int, .float, .double, .decimal128: 2
        case .string: 3
        case .data: 4
        case .date: 5
        case .objectId: 6
        case .uuid: 7
        case .object: 8
        case .list: 9
        case .dictionary: 10
        }
    }
}

/// The average of numbers as a type that the caller chooses.
enum Average {
    static func of<Number: AddableType, Value: AddableType>(_ values: some Sequence<Value>, as type: Number.Type) -> Number? {
        guard Value.self == Decimal128.self || Value.self == AnyRealmValue.self else {
            let numbers = values.compactMap(\._real)
            return numbers.isEmpty ? nil : made(numbers.reduce(0, +) / Double(numbers.count))
        }
        let numbers = values.compactMap(\._decimal)
        if numbers.isEmpty { return nil }
        let average = numbers.reduce(0, +) / Decimal128(Int64(numbers.count))
        return average as? Number ?? AnyRealmValue.decimal128(average) as? Number ?? made(Double(average))
    }

    /// Converts an average to a number type. Integers are rounded towards zero.
    static func made<Number: AddableType>(_ number: Double) -> Number? {
        let context = ValueContext(core: nil)
        return Number._from(number, context) ?? Number._from(number.rounded(.towardZero), context)
    }
}
