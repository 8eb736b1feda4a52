import FreeholdEngine

/// Reads a property list, or a keyed archive of what property lists can hold, as a value of a mixed property.
///
/// Strings, numbers, truth values, dates, data, UUIDs, decimals and URLs (as strings), alone or in arrays, sets (as lists)
/// and dictionaries with strings as keys are plain; anything else is not, and makes the whole value not plain.
struct PlainValue {
    /// Seconds from 1970-01-01 to 2001-01-01, from which Apple's dates count.
    static let referenceDate: Int64 = 978_307_200

    private let list: BinaryPropertyList
    private let archive: KeyedArchive?
    /// Elements that may still be visited: shared containers can otherwise stand for more elements than fit memory.
    private var budget: Int

    /// The value that the bytes stand for; nil if they are not plain, or damaged.
    static func read(_ bytes: [UInt8]) -> Value? {
        guard BinaryPropertyList.isBinaryPropertyList(bytes), let list = try? BinaryPropertyList(bytes) else { return nil }
        let archive = try? KeyedArchive(list)
        var reading = PlainValue(list: list, archive: archive, budget: 4096 + bytes.count)
        guard let root = archive == nil ? list.root : archive?.root else { return nil }
        return (try? reading.value(root, depth: 0)) ?? nil
    }

    private init(list: BinaryPropertyList, archive: KeyedArchive?, budget: Int) {
        (self.list, self.archive, self.budget) = (list, archive, budget)
    }

    private mutating func value(_ index: Int, depth: Int) throws(SourceError) -> Value? {
        budget -= 1
        if budget < 0 || depth > SourceLimits.depth { throw SourceError(.unsupported, "a property list with too many elements") }
        if let archive, try archive.isNil(index) { return .null }
        let object = if let archive { try archive.object(index) } else { try list.object(index) }
        switch object {
        case .null: return .null
        case .bool(let flag): return .bool(flag)
        case .int(let number): return .int(number)
        case .longInt(let number): return .decimal(Decimal128(String(number)) ?? .zero)
        case .real(let number): return .double(number)
        case .date(let seconds): return Self.date(seconds).map { .date($0) }
        case .data(let bytes): return .data(bytes)
        case .string(let text): return .string(text)
        case .reference: return nil
        case .array(let elements): return try array(elements, depth: depth)
        case .dictionary(let keys, let values):
            if let archive, let instance = try archive.instance(index) { return try self.instance(instance, index, archive, depth: depth) }
            return try dictionary(Array(zip(keys, values)), depth: depth)
        }
    }

    private mutating func array(_ elements: [Int], depth: Int) throws(SourceError) -> Value? {
        var values: [Value] = []
        for element in elements {
            guard let value = try value(element, depth: depth + 1) else { return nil }
            values.append(value)
        }
        return .list(values)
    }

    private mutating func dictionary(_ entries: [(Int, Int)], depth: Int) throws(SourceError) -> Value? {
        var map = TextMap<Value>()
        for (key, index) in entries {
            guard case .string(let name)? = try value(key, depth: depth + 1), let value = try value(index, depth: depth + 1) else {
                return nil
            }
            map[name] = value
        }
        return .map(map)
    }

    private mutating func instance(
        _ instance: KeyedArchive.Instance, _ index: Int, _ archive: KeyedArchive, depth: Int
    ) throws(SourceError) -> Value? {
        let name = instance.className.hasPrefix("NSMutable") ? "NS" + instance.className.dropFirst(9) : instance.className
        switch name {
        case "NSArray", "NSSet", "NSOrderedSet":
            guard let elements = try archive.elements(index) else { return nil }
            return try array(elements, depth: depth)
        case "NSDictionary":
            guard let entries = try archive.entries(index) else { return nil }
            return try dictionary(entries.map { ($0.key, $0.value) }, depth: depth)
        default: return try Self.scalar(name, instance, archive)
        }
    }

    private static func scalar(_ name: String, _ instance: KeyedArchive.Instance, _ archive: KeyedArchive) throws(SourceError) -> Value? {
        func content(_ field: String) throws(SourceError) -> BinaryPropertyList.Object? {
            guard let index = try archive.field(field, of: instance) else { return nil }
            return try archive.object(index)
        }
        switch name {
        case "NSString": return try archive.text("NS.string", of: instance).map { .string($0) }
        case "NSData":
            guard case .data(let bytes)? = try content("NS.data") else { return nil }
            return .data(bytes)
        case "NSDate":
            switch try content("NS.time") {
            case .real(let seconds): return date(seconds).map { .date($0) }
            case .int(let seconds): return date(Double(seconds)).map { .date($0) }
            default: return nil
            }
        case "NSUUID":
            guard case .data(let bytes)? = try content("NS.uuidbytes") else { return nil }
            return uuid(bytes[...]).map { .uuid($0) }
        case "NSURL":
            guard let relative = try archive.text("NS.relative", of: instance), try archive.field("NS.base", of: instance) == nil else {
                return nil
            }
            return .string(relative)
        case "NSNull": return .null
        case "NSDecimalNumber", "NSDecimalNumberPlaceholder": return try decimal(instance, archive).map { .decimal($0) }
        default: return nil
        }
    }

    /// The coefficient stands in 16-bit words, the lowest first; `NS.mantissa.bo` is 2 if their bytes are big-endian.
    private static func decimal(_ instance: KeyedArchive.Instance, _ archive: KeyedArchive) throws(SourceError) -> Decimal128? {
        guard let field = try archive.field("NS.mantissa", of: instance), case .data(let bytes) = try archive.object(field),
            bytes.count == 16,
            let exponent = try archive.int("NS.exponent", of: instance), -128...127 ~= exponent
        else { return nil }
        let length = try archive.int("NS.length", of: instance) ?? 8
        let isNegative = try archive.int("NS.negative", of: instance) == 1
        guard 0...8 ~= length else { return nil }
        if length == 0 { return isNegative ? .nan : .zero }
        let isBig = try archive.int("NS.mantissa.bo", of: instance) == 2
        var coefficient: UInt128 = 0
        for word in (0..<Int(length)).reversed() {
            let pair = (UInt128(bytes[2 * word]), UInt128(bytes[2 * word + 1]))
            coefficient = coefficient << 16 | (isBig ? pair.0 << 8 | pair.1 : pair.1 << 8 | pair.0)
        }
        return Decimal128("\(isNegative ? "-" : "")\(coefficient)E\(exponent)")
    }

    /// The point in time so many seconds after 2001-01-01; nil if it is beyond any timestamp.
    static func date(_ seconds: Double) -> Timestamp? {
        let whole = seconds.rounded(.down)
        guard whole.magnitude < 0x1p62, let count = Int64(exactly: whole) else { return nil }
        let nanoseconds = ((seconds - whole) * 1e9).rounded()
        let carries = nanoseconds >= 1e9
        return Timestamp(seconds: count + referenceDate + (carries ? 1 : 0), nanoseconds: carries ? 0 : Int32(nanoseconds))
    }

    /// The UUID of 16 bytes; nil if there are more or fewer.
    static func uuid(_ bytes: ArraySlice<UInt8>) -> UniqueIdentifier? {
        guard bytes.count == 16 else { return nil }
        return UniqueIdentifier(high: BinaryPropertyList.number(bytes.prefix(8)), low: BinaryPropertyList.number(bytes.suffix(8)))
    }
}
