import FreeholdEngine
@testable import FreeholdMerge

/// Random rows with values of every type, extremes among them.
struct RandomValues {
    private var state: UInt64
    private let schema: SyncSchema
    private var count: UInt64 = 0

    init(seed: UInt64, schema: SyncSchema) { (state, self.schema) = (seed &* 0x9e37_79b9_7f4a_7c15, schema) }

    private mutating func next() -> UInt64 {
        state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        let mixed = (state ^ (state >> 33)) &* 0xff51_afd7_ed55_8ccd
        return mixed ^ (mixed >> 29)
    }

    private mutating func below(_ limit: Int) -> Int { Int(next() % UInt64(limit)) }
    mutating func isChosen(_ oneIn: Int) -> Bool { below(oneIn) == 0 }
    private mutating func pick<Value>(_ values: [Value]) -> Value { values[below(values.count)] }

    mutating func key(of type: Int32) -> SyncKey {
        switch schema.classes[Int(type)].key.type {
        case .int: .int(Int64(bitPattern: next()))
        case .uuid: .uuid(next(), next())
        case .objectId: .objectID(next(), UInt32(truncatingIfNeeded: next()))
        default: .string(pick(["", "k", "é", "a|b'\"\\", "a\u{0}b", "😀"]) + "\(below(50))")
        }
    }

    // MARK: Rows

    mutating func changed(_ old: StoredRow, of type: Int32, _ transaction: UInt64) -> StoredRow {
        var row = old
        row.last = transaction
        if isChosen(6) { row.isAlive.toggle() }
        if isChosen(8) { row.wipe() }
        let properties = schema.classes[Int(type)].properties
        for (place, property) in properties.enumerated() where isChosen(3) {
            switch property.kind {
            case .counter: row.counters[Int32(place), default: 0] += Int64(below(100)) - 50
            case .set:
                for _ in 0..<below(4) {
                    let name = StoredMember(property: Int32(place), element: value(property))
                    row.members[name] = isChosen(2) ? nil : .added(transaction)
                }
                if isChosen(2), let one = row.members.keys.filter({ $0.property == place }).min(by: { "\($0)" < "\($1)" }) {
                    row.members[one] = nil
                }
            case .map:
                for _ in 0..<below(4) {
                    let key = SyncValue.string(pick(["", "a", "b", "c\u{0}", "é", "|"]))
                    row.entries[SyncPath(property: Int32(place), key: key)] = register(isChosen(4) ? .absent : value(property))
                }
            case .list: change(&row.lists[Int32(place), default: StoredList()], property)
            case .plain, .merged:
                row.registers[place] = register(single(property, place, type, row), instance: instance(property, type, row))
            }
        }
        return row
    }

    private mutating func register(_ value: SyncValue, instance: SyncIdentity = .none) -> StoredRegister {
        StoredRegister(value: value, stamp: SyncStamp(rawValue: 1 + next() >> 8), transaction: 3, instance: instance, replica: 1)
    }

    private mutating func identity() -> SyncIdentity {
        count += 1
        return SyncIdentity(replica: 1, count: count)
    }

    private mutating func single(_ property: SyncSchema.Property, _ place: Int, _ type: Int32, _ row: StoredRow) -> SyncValue {
        if property.name.hasSuffix(":class") { return isChosen(3) ? .null : .string("Sub\(below(3))") }
        if schema.classes[Int(type)].embeds[place] { return isChosen(3) ? .null : .embedded(identity()) }
        return value(property)
    }

    /// Mostly the present embedded object.
    private mutating func instance(_ property: SyncSchema.Property, _ type: Int32, _ row: StoredRow) -> SyncIdentity {
        guard let dot = property.name.lastIndex(of: ".") else { return .none }
        let owner = schema.classes[Int(type)].properties.firstIndex { $0.name == property.name[..<dot] }!
        if !isChosen(5), case .embedded(let instance) = row.registers[owner].value { return instance }
        return identity()
    }

    private mutating func change(_ list: inout StoredList, _ property: SyncSchema.Property) {
        for _ in 0..<below(5) {
            let positions = list.tree.positions, at = below(positions.count + 1), made = identity(), register = register(value(property))
            list.tree.insert(made, left: at > 0 ? positions[at - 1] : .none, right: at < positions.count ? positions[at] : .none)
            list.elements[made] = StoredElement(value: register, position: made, move: register.write)
        }
        for identity in list.elements.keys.sorted() where isChosen(6) { list.elements[identity]!.isDeleted = true }
        for identity in list.elements.keys.sorted() where isChosen(6) { list.elements[identity]!.value = register(value(property)) }
    }

    // MARK: Values

    private mutating func value(_ property: SyncSchema.Property) -> SyncValue {
        if isChosen(8) { return .null }
        if isChosen(40) { return any(1) }
        switch property.type {
        case .link: return link(property.target)
        case .mixed, nil: return any(3)
        case let type?: return value(type)
        }
    }

    private mutating func link(_ target: String?) -> SyncValue {
        let type = Int32(isChosen(8) ? below(schema.classes.count) : schema.classes.firstIndex { $0.name == target } ?? 0)
        return .link(SyncObject(type: type, key: key(of: type)))
    }

    private mutating func value(_ type: PropertyType) -> SyncValue {
        switch type {
        case .bool: return .bool(isChosen(2))
        case .int: return .int(pick([0, 1, -1, .max, .min, Int64(bitPattern: next())]))
        case .float:
            let values: [Float] = [
                0, -0.0, 1.5, .nan, -.nan, .infinity, -.infinity, .greatestFiniteMagnitude, .leastNonzeroMagnitude, 1e20, 0.1,
            ]
            return .float(isChosen(4) ? UInt32(truncatingIfNeeded: next()) : pick(values).bitPattern)
        case .double:
            let values: [Double] = [
                0, -0.0, 1.5, .nan, -.infinity, .infinity, .greatestFiniteMagnitude, .leastNonzeroMagnitude, 1e20, 1e-5, 0.1,
            ]
            return .double(isChosen(4) ? next() : pick(values).bitPattern)
        case .string:
            return .string(pick(["", "a", "é", "e\u{301}", "a\u{0}", "\"\\\n\u{1}", "😀", "null", String(repeating: "x", count: 9000)]))
        case .data: return .data(pick([[], [0], [255, 0, 39], Array(repeating: 7, count: 5000)]))
        case .date:
            let seconds: [Int64] = [
                0, -1, 1_700_000_000, .min, .max, -210_866_803_200, -210_866_803_201, 9_224_318_015_999, 9_224_318_016_000,
                -62_135_596_800, -62_167_219_201, 951_782_400,
            ]
            let nanoseconds = pick([0, 1, 999, 1000, 999_999_999, 500_000_000] as [Int32])
            return .timestamp(isChosen(3) ? Int64(bitPattern: next()) >> 20 : pick(seconds), nanoseconds)
        case .uuid: return .uuid(pick([0, 1, .max, next()]), pick([0, 1, .max, next()]))
        case .objectId: return .objectID(pick([0, 1, .max, next()]), pick([0, 1, .max]))
        case .decimal:
            let texts = ["0", "-0", "1", "1.0", "1.00", "1E+3", "1000", "1000.0", "NaN", "Infinity", "-Infinity", "1E-6176", "9.999E+6144",
                         "1234567890123456789012345678901234", "-0.00001", "0E+5", "0E-5", "12.5E-3"]
            let made = Decimal128(pick(texts))!
            return .decimal(made.high, made.low)
        case .link: return link(nil)
        case .mixed: return any(3)
        }
    }

    /// A value of any type, as mixed properties have them, collections in it.
    private mutating func any(_ depth: Int) -> SyncValue {
        let types: [PropertyType] = [.bool, .int, .float, .double, .string, .data, .date, .uuid, .objectId, .decimal, .link]
        guard depth > 0, isChosen(4) else { return value(pick(types)) }
        switch below(3) {
        case 0: return .list((0..<below(4)).map { _ in any(depth - 1) })
        case 1: return .set((0..<below(4)).map { _ in any(depth - 1) })
        default:
            let keys = ["", "a", "b\u{0}", "c|", "é"].filter { _ in isChosen(2) }
            return .map(keys.map { .init(key: $0, value: any(depth - 1)) })
        }
    }
}

extension TransactionsByReplica {
    /// An addition by one replica.
    static func added(_ transaction: UInt64) -> Self {
        var made = Self()
        made[3] = transaction
        return made
    }
}
