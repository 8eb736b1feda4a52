/// Values of a file as messages have them, where links name their targets by primary keys.
///
/// Safe throughout: bytes are read within the arrays given.
extension SyncKey {
    /// The primary key with this value; nil for one that no synced class has.
    init?(_ value: Value) {
        switch value {
        case .int(let number): self = .int(number)
        case .string(let text): self = .string(text)
        case .uuid(let id): self = .uuid(id.high, id.low)
        case .objectId(let id): self = .objectID(id.high, id.low)
        default: return nil
        }
    }

    var value: Value {
        switch self {
        case .int(let number): .int(number)
        case .string(let text): .string(text)
        case .uuid(let high, let low): .uuid(UniqueIdentifier(high: high, low: low))
        case .objectID(let high, let low): .objectId(ObjectIdentifier12(high: high, low: low))
        }
    }

    /// Whether a property of a type can have it as primary key.
    func fits(_ type: PropertyType) -> Bool { value.type == type }
}

extension SyncValue {
    /// A value of a property.
    ///
    /// - Parameter link: the object that a link leads to; nil for one that is not synced, whose link is not sent.
    init(_ value: Value, link: (Value) throws(FreeholdError) -> SyncObject?) throws(FreeholdError) {
        switch value {
        case .null: self = .null
        case .bool(let truth): self = .bool(truth)
        case .int(let number): self = .int(number)
        case .float(let number): self = .float(number.bitPattern)
        case .double(let number): self = .double(number.bitPattern)
        case .decimal(let number): self = .decimal(number.high, number.low)
        case .date(let time): self = .timestamp(time.seconds, time.nanoseconds)
        case .uuid(let id): self = .uuid(id.high, id.low)
        case .objectId(let id): self = .objectID(id.high, id.low)
        case .string(let text): self = .string(text)
        case .data(let bytes): self = .data(bytes)
        case .link, .object:
            let target = try link(value)
            self = target.map { .link($0) } ?? .null
        case .list(let values): self = .list(try Self.all(values, link))
        case .set(let values): self = .set(try Self.all(values, link))
        case .map(let entries):
            var made: [Entry] = []
            for (key, value) in entries.sortedByKey { made.append(Entry(key: key, value: try SyncValue(value, link: link))) }
            self = .map(made)
        }
    }

    private static func all(_ values: [Value], _ link: (Value) throws(FreeholdError) -> SyncObject?) throws(FreeholdError) -> [SyncValue] {
        var made: [SyncValue] = []
        for value in values { made.append(try SyncValue(value, link: link)) }
        return made
    }
}

extension Value {
    /// A value that a message has.
    ///
    /// - Parameters:
    ///   - isMixed: whether it is one of a mixed property, where links to absent objects are null in lists. Other lists go without
    ///     them, as all sets do, and in maps they are null: so it is when an object is deleted here.
    ///   - link: the link to an object of the message; nil while that is not here.
    /// - Returns: nil for a value that is none by itself, and for bits that are no value of a file.
    init?(_ value: SyncValue, isMixed: Bool, link: (SyncObject) throws(FreeholdError) -> Value?) throws(FreeholdError) {
        switch value {
        case .null: self = .null
        case .bool(let truth): self = .bool(truth)
        case .int(let number): self = .int(number)
        case .float(let bits): self = .float(Float(bitPattern: bits))
        case .double(let bits): self = .double(Double(bitPattern: bits))
        case .decimal(let high, let low): self = .decimal(Decimal128(high: high, low: low))
        case .timestamp(let seconds, let nanoseconds): self = .date(Timestamp(seconds: seconds, nanoseconds: nanoseconds))
        case .uuid(let high, let low): self = .uuid(UniqueIdentifier(high: high, low: low))
        case .objectID(let high, let low): self = .objectId(ObjectIdentifier12(high: high, low: low))
        case .string(let text): self = .string(text)
        case .data(let bytes): self = .data(bytes)
        case .link(let target): self = try link(target) ?? .null
        case .embedded, .absent: return nil
        case .list(let values), .set(let values):
            let isSet = if case .set = value { true } else { false }
            var made: [Value] = []
            for one in values {
                guard let element = try Value(one, isMixed: isMixed, link: link) else { return nil }
                if element == .null, case .link = one, isSet || !isMixed { continue }
                made.append(element)
            }
            self = isSet ? .set(made) : .list(made)
        case .map(let entries):
            var made: TextMap<Value> = [:]
            for entry in entries {
                guard let element = try Value(entry.value, isMixed: isMixed, link: link) else { return nil }
                made[entry.key] = element
            }
            self = .map(made)
        }
    }

    /// The value with an index key (`ByteBuffer.setIndexKey`): the one by which all equal values go. Nil for bytes that are no key.
    init?(indexKey bytes: [UInt8], of type: PropertyType) {
        if bytes.isEmpty {
            self = .null
            return
        }
        guard type == .mixed else {
            guard let made = Self.single(bytes[...], type, isMixed: false) else { return nil }
            self = made
            return
        }
        guard let inner = PropertyType(rawValue: bytes[0]), let made = Self.single(bytes[1...], inner, isMixed: true) else { return nil }
        self = made
    }

    private static func single(_ bytes: ArraySlice<UInt8>, _ type: PropertyType, isMixed: Bool) -> Value? {
        func word(_ offset: Int, _ count: Int = 8) -> UInt64 {
            bytes[(bytes.startIndex + offset)..<(bytes.startIndex + offset + count)].reduce(0) { $0 << 8 | UInt64($1) }
        }
        func text() -> ArraySlice<UInt8> { bytes.first == 0 ? bytes.dropFirst() : bytes }
        switch (type, bytes.count) {
        case (.bool, 1): return .bool(bytes[bytes.startIndex] == 2)
        case (.int, 8): return .int(OrderedKey.int(orderedBits: word(0)))
        case (.link, 8) where !isMixed: return .link(ObjectKey(OrderedKey.int(orderedBits: word(0))))
        case (.link, 12) where isMixed:
            return .object(ObjectReference(classNumber: Int(word(0, 4)), key: ObjectKey(OrderedKey.int(orderedBits: word(4)))))
        case (.float, 4): return .float(OrderedKey.float(orderedBits: UInt32(word(0, 4))))
        case (.double, 8): return .double(OrderedKey.double(orderedBits: word(0)))
        case (.date, 12):
            let nanoseconds = Int32(bitPattern: UInt32(word(8, 4)))
            return .date(Timestamp(seconds: OrderedKey.int(orderedBits: word(0)), nanoseconds: nanoseconds))
        case (.uuid, 16): return .uuid(UniqueIdentifier(high: word(0), low: word(8)))
        case (.objectId, 12): return .objectId(ObjectIdentifier12(high: word(0), low: UInt32(word(8, 4))))
        case (.string, _): return String(validating: text(), as: UTF8.self).map { .string($0) }
        case (.data, _): return .data(Array(text()))
        case (.decimal, _): return Decimal128(ordered: bytes).map { .decimal($0) }
        default: return nil
        }
    }
}

extension Decimal128 {
    /// The number with these bytes of `appendOrdered`, with as few digits as it has; nil for other bytes.
    fileprivate init?(ordered bytes: ArraySlice<UInt8>) {
        guard let first = bytes.first else { return nil }
        let isNegative = first == 2
        switch first {
        case 0: self = .nan
        case 1: self = -Self.infinity
        case 3: self.init(isNegative: false, coefficient: 0, exponent: 0)
        case 5: self = .infinity
        case 2, 4:
            let flip: UInt8 = isNegative ? 0xFF : 0, body = bytes.dropFirst().map { $0 ^ flip }
            guard body.count > 2, body.last == 0, body.count <= 3 + Self.digits / 2 else { return nil }
            var coefficient: UInt128 = 0, exponent = Int(body[0]) << 8 | Int(body[1]) - 8192 + 1
            for pair in body[2..<body.count - 1] {
                guard (1...100).contains(pair) else { return nil }
                coefficient = coefficient * 100 + UInt128(pair - 1)
                exponent -= 2
            }
            while coefficient > 0, coefficient % 10 == 0 {
                coefficient /= 10
                exponent += 1
            }
            self.init(isNegative: isNegative, coefficient: coefficient, exponent: exponent)
        default: return nil
        }
    }
}
