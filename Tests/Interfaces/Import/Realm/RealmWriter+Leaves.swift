import FreeholdEngine
import TestKit

/// Leaves: the values of one column of a cluster, or elements of a collection.
extension RealmWriter {
    typealias Cell = RealmModel.Cell

    mutating func leaf(_ type: Int64, isNullable: Bool, _ cells: [Cell], isElement: Bool) -> Int64 {
        switch type {
        case 6: return mixed(cells)
        case 12: return ints(cells.map { isElement ? $0.linkKey : $0.linkKey + 1 })
        case 16: return ints(cells.flatMap { $0.typedLinkNumbers })
        default: break
        }
        let values = cells.map(\.plain)
        switch type {
        case 0: return optionalInts(values.map(\.integer), isNullable)
        case 1: return ints(values.map { $0.flag.map { $0 ? 1 : 0 } ?? 3 })
        case 2: return strings(values.map(\.bytes))
        case 4: return datas(values.map(\.bytes))
        case 8: return dates(values)
        case 9: return reals(values.map { UInt64($0.float?.bitPattern ?? 0x7FC0_00AA) }, 4)
        case 10: return reals(values.map { $0.double?.bitPattern ?? 0x7FF8_0000_0000_00AA }, 8)
        case 11: return decimals(values.map(\.decimal))
        case 15, 17: return fixed(values.map(\.identifier), type == 15 ? 12 : 16)
        default: preconditionFailure("no such type")
        }
    }

    private mutating func optionalInts(_ numbers: [Int64?], _ isNullable: Bool) -> Int64 {
        guard isNullable else { return ints(numbers.map { $0 ?? 0 }) }
        // The first element is a number that does not occur.
        let taken = Set(numbers.compactMap { $0 })
        var null: Int64 = numbers.contains { $0 == nil } ? 0 : -1
        while taken.contains(null) { null = random.oneIn(2) ? Int64(random.below(1 << 9)) - 128 : Int64(bitPattern: random.next()) }
        return ints([null] + numbers.map { $0 ?? null })
    }

    private mutating func reals(_ bits: [UInt64], _ count: Int) -> Int64 {
        if bits.allSatisfy({ $0 == 0 }), random.oneIn(2) { return node(flags: 0, form: 1, width: 0, count: bits.count, []) }
        return node(flags: 0, form: 1, width: count, count: bits.count, bits.flatMap { Self.little($0, count) })
    }

    private mutating func dates(_ values: [Value]) -> Int64 {
        // Both parts have the same sign.
        let parts = values.map { value -> (Int64?, Int64) in
            guard case .date(let date) = value else { return (nil, 0) }
            if date.seconds >= 0 || date.nanoseconds == 0 { return (date.seconds, Int64(date.nanoseconds)) }
            return (date.seconds + 1, Int64(date.nanoseconds) - 1_000_000_000)
        }
        let seconds = optionalInts(parts.map(\.0), true), nanoseconds = ints(parts.map(\.1))
        return refs([seconds, nanoseconds])
    }

    private mutating func fixed(_ values: [[UInt8]?], _ width: Int) -> Int64 {
        var content: [UInt8] = []
        for start in stride(from: 0, to: values.count, by: 8) {
            let group = values[start..<min(start + 8, values.count)]
            content.append(group.enumerated().reduce(0) { $0 | ($1.element == nil ? 1 << UInt8($1.offset) : 0) })
            for value in group { content += value ?? [UInt8](repeating: 0xDE, count: width) }
        }
        return node(flags: 0, form: 2, width: 1, count: content.count, content)
    }

    private mutating func decimals(_ values: [Decimal128?]) -> Int64 {
        let null = Self.little(0xAA) + Self.little(0x7C << 56)
        let wide = values.map { value in value.map { Self.little($0.low) + Self.little($0.high) } ?? null }
        guard format >= 24 else { return node(flags: 0, form: 1, width: 16, count: values.count, wide.flatMap { $0 }) }
        if values.allSatisfy({ $0 == nil }) { return node(flags: 0, form: 1, width: 0, count: values.count, []) }
        let isZero = values.allSatisfy { $0.map { $0.high == 6176 << 49 && $0.low == 0 } ?? false }
        if isZero { return node(flags: 0x20, form: 1, width: 0, count: values.count, []) }
        for form in [Narrow(bytes: 4, coefficientBits: 23, bias: 101, exponentBits: 8, null: 0x7C00_00AA),
                     Narrow(bytes: 8, coefficientBits: 53, bias: 398, exponentBits: 10, null: 0x7C00_0000_0000_00AA)] {
            let narrow = values.map { $0.map(form.bits) ?? form.null }
            if narrow.allSatisfy({ $0 != nil }) {
                return node(flags: 0, form: 1, width: form.bytes, count: values.count, narrow.flatMap { Self.little($0 ?? 0, form.bytes) })
            }
        }
        return node(flags: 0, form: 1, width: 16, count: values.count, wide.flatMap { $0 })
    }

    /// Decimals of fewer bits.
    private struct Narrow {
        let bytes: Int
        let coefficientBits: UInt64
        let bias: Int
        let exponentBits: UInt64
        let null: UInt64?

        /// A decimal in these bits; nil if they do not suffice.
        func bits(_ value: Decimal128) -> UInt64? {
            let bits = UInt64(bytes * 8), sign = (value.high >> 63) << (bits - 1)
            if value.isNaN { return 0x7C << (bits - 8) }
            if value.isInfinite { return sign | 0x78 << (bits - 8) }
            let exponent = Int(value.high >> 49 & 0x3FFF) - 6176 + bias
            guard value.high & 0x1_FFFF_FFFF_FFFF == 0, value.low <= (bytes == 4 ? 9_999_999 : 9_999_999_999_999_999), exponent >= 0,
                  exponent < 3 << (exponentBits - 2) else { return nil }
            if value.low >> coefficientBits == 0 { return sign | UInt64(exponent) << coefficientBits | value.low }
            // The coefficient begins with 100, which is not stored.
            return sign | 3 << (bits - 3) | UInt64(exponent) << (coefficientBits - 2) | value.low & (1 << (coefficientBits - 2) - 1)
        }
    }

    /// Strings in one of the forms that hold them.
    mutating func strings(_ values: [[UInt8]?]) -> Int64 {
        let longest = values.map { $0?.count ?? 0 }.max() ?? 0
        switch random.below(4) {
        case 0, 1: if longest < 64 { return short(values) } else { fallthrough }
        case 2: return medium(values.map { $0.map { $0 + [0] } })
        default: return large(values.map { $0.map { $0 + [0] } })
        }
    }

    mutating func datas(_ values: [[UInt8]?]) -> Int64 { random.oneIn(2) ? medium(values) : large(values) }

    mutating func short(_ values: [[UInt8]?]) -> Int64 {
        if values.allSatisfy({ $0 == nil }), random.oneIn(2) { return node(flags: 0, form: 1, width: 0, count: values.count, []) }
        let longest = values.map { $0?.count ?? 0 }.max() ?? 0
        var width = 1
        while width <= longest { width *= 2 }
        let content = values.flatMap { value -> [UInt8] in
            guard let value else { return [UInt8](repeating: 0, count: width - 1) + [UInt8(width)] }
            return value + [UInt8](repeating: 0, count: width - 1 - value.count) + [UInt8(width - 1 - value.count)]
        }
        return node(flags: 0, form: 1, width: width, count: values.count, content)
    }

    private mutating func medium(_ values: [[UInt8]?]) -> Int64 {
        var ends: [Int64] = [], content: [UInt8] = []
        for value in values {
            content += value ?? []
            ends.append(Int64(content.count))
        }
        let hasNulls = values.contains { $0 == nil } || random.oneIn(2)
        let parts = [ints(ends), blob(content)] + (hasNulls ? [ints(values.map { $0 == nil ? 1 : 0 })] : [])
        return refs(parts)
    }

    private mutating func large(_ values: [[UInt8]?]) -> Int64 {
        let parts = values.map { value -> Int64 in
            guard let value else { return 0 }
            guard value.count > 20, random.oneIn(4) else { return blob(value) }
            let middle = random.below(value.count - 1)
            let pieces = [blob(Array(value[..<middle])), blob(Array(value[middle...]))]
            return refs(pieces, isContext: true)
        }
        return refs(parts, isContext: true)
    }
}

extension RealmModel.Cell {
    var plain: Value {
        if case .value(let value) = self { return value }
        return .null
    }

    var linkKey: Int64 {
        if case .link(let key) = self { return key }
        return -1
    }

    var typedLinkNumbers: [Int64] {
        if case .typedLink(let table, let key) = self { return [RealmModel.key(of: table) + 1, key + 1] }
        return [0, 0]
    }
}

extension Value {
    fileprivate var integer: Int64? { if case .int(let number) = self { number } else { nil } }
    fileprivate var flag: Bool? { if case .bool(let flag) = self { flag } else { nil } }
    fileprivate var float: Float? { if case .float(let number) = self { number } else { nil } }
    fileprivate var double: Double? { if case .double(let number) = self { number } else { nil } }
    fileprivate var decimal: Decimal128? { if case .decimal(let number) = self { number } else { nil } }

    var bytes: [UInt8]? {
        switch self {
        case .string(let text): Array(text.utf8)
        case .data(let bytes): bytes
        default: nil
        }
    }

    var identifier: [UInt8]? {
        switch self {
        case .uuid(let id): RealmWriter.big(id.high) + RealmWriter.big(id.low)
        case .objectId(let id): RealmWriter.big(id.high) + RealmWriter.big(UInt64(id.low), 4)
        default: nil
        }
    }
}
