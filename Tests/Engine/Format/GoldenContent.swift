import DatabaseKit
@testable import FreeholdEngine

/// What the golden files hold. Never changed once a file of it is committed: new content is a new file.
enum GoldenContent {
    /// The types of single values.
    static let types: [PropertyType] = [.bool, .int, .float, .double, .string, .data, .date, .uuid, .objectId, .decimal, .mixed]

    /// The values of a type, from the least to the greatest and the odd ones; any number may be asked for.
    static func value(_ type: PropertyType, _ number: Int) -> Value {
        let n = Int64(number)
        switch type {
        case .bool: return .bool(number % 3 == 0)
        case .int: return .int([.min, .max, -1, 0, 1 << 40][checked: number] ?? n &* 97 % 1000)
        case .float: return .float([-.infinity, .greatestFiniteMagnitude, -0.0, .nan][checked: number] ?? Float(number) / 8)
        case .double: return .double([-.infinity, .leastNonzeroMagnitude, -0.0, .nan][checked: number] ?? Double(number) / 3)
        case .string: return .string(["", "\u{0}", "żółw 🐢", "e\u{301}", String(repeating: "long ", count: 400)][checked: number] ?? "text \(number % 50)")
        case .data: return .data([[], [0], Array(0...255)][checked: number] ?? (0..<number % 20).map { UInt8($0 * 7 + number % 7) })
        case .date: return .date([Timestamp(seconds: -62_135_596_800), Timestamp(seconds: 0, nanoseconds: 999_999_999)][checked: number]
            ?? Timestamp(seconds: 1_600_000_000 + n * 86_400, nanoseconds: Int32(number % 2 * 500_000_000)))
        case .uuid: return .uuid(UniqueIdentifier(high: 0x0123_4567_89AB_4CDE &+ UInt64(number), low: UInt64(number) << 50))
        case .objectId: return .objectId(ObjectIdentifier12(high: UInt64(number) << 32 | 0x5F5E_1000, low: UInt32(number) &* 31))
        case .decimal: return .decimal(decimals[checked: number] ?? Decimal128("\(n * 19 - 1000).\(number % 10)0")!)
        case .mixed: return number % 12 == 0 ? .null : value(types[number % 10], number / 2)
        case .link: return .null
        }
    }

    private static let decimals = ["NaN", "-Infinity", "9.999999999999999999999999999999999E+6144", "-1E-6176", "-0"].map { Decimal128($0)! }

    // MARK: scalars

    /// A class with a required and an optional property of each type.
    static func scalars(_ scribe: Scribe, count: Int) throws {
        var properties: [PropertySchema] = []
        for type in types {
            properties.append(PropertySchema("\(type)", type))
            properties.append(PropertySchema("\(type)OrNot", type, isNullable: true))
        }
        try scribe.write { try scribe.make(ClassSchema("Scalars", properties)) }
        try scribe.write {
            for number in 0..<count {
                var values: [(String, Value)] = []
                for (place, type) in types.enumerated() {
                    values.append(("\(type)", value(type, number)))
                    values.append(("\(type)OrNot", (number + place) % 3 == 0 ? .null : value(type, number + 1)))
                }
                try scribe.insert("Scalars", values)
            }
        }
    }

    // MARK: collections

    /// Lists, sets and maps of each type, of links, and within one another; short ones, long ones and none.
    static func collections(_ scribe: Scribe) throws {
        let elements = types.filter { $0 != .mixed } + [.mixed]
        var properties: [PropertySchema] = []
        for type in elements {
            for kind in [CollectionKind.list, .set, .map] { properties.append(PropertySchema("\(kind)Of\(type)", type, collections: [kind])) }
        }
        for kind in [CollectionKind.list, .set, .map] { properties.append(PropertySchema("\(kind)OfLinks", linkTo: "Target", collections: [kind])) }
        properties.append(PropertySchema("matrix", .int, collections: [.list, .list]))
        properties.append(PropertySchema("index", .string, collections: [.map, .list, .set]))
        properties.append(PropertySchema("optional", .double, isNullable: true, collections: [.list]))
        try scribe.write {
            try scribe.make(ClassSchema("Target", [PropertySchema("name", .string)]), ClassSchema("Collections", properties))
            for number in 0..<40 { try scribe.insert("Target", [("name", .string("target \(number)"))]) }
        }
        for count in [0, 3, 20, 700] { try scribe.write { try scribe.insert("Collections", collections(elements, count)) } }
    }

    private static func collections(_ elements: [PropertyType], _ count: Int) -> [(String, Value)] {
        var values: [(String, Value)] = []
        func add(_ name: String, _ all: [Value]) {
            values.append(("listOf\(name)", .list(all)))
            // What is not a number is no member; 0 and −0 are one.
            let members = Array(Set(all.filter { !"\($0)".contains("nan") && !"\($0)".contains("NaN") && !"\($0)".contains("(-0") && $0 != .null }))
            values.append(("setOf\(name)", .set(name == "mixed" ? [] : members)))
            values.append(("mapOf\(name)", .map(TextMap(uniqueKeysWithValues: all.enumerated().map { ("key \($0.offset)", $0.element) }))))
        }
        for type in elements { add("\(type)", (0..<count).map { value(type, $0) }) }
        add("Links", (0..<count).map { .link(ObjectKey(Int64($0 * 7 % 40))) })
        values.append(("matrix", .list((0..<count % 50).map { row in .list((0..<row).map { .int(Int64($0 * row)) }) })))
        let sets = (0..<4).map { Value.set((0..<$0).map { .string("word \($0)") }) }
        values.append(("index", count == 0 ? .map([:]) : .map(["": .list([]), "some": .list(sets)])))
        values.append(("optional", .list((0..<count).map { $0 % 4 == 1 ? .null : .double(Double($0)) })))
        return values
    }

    // MARK: sets of mixed values

    /// Sets whose members are of every type, links among them; no two of them are equal as numbers, and all but one are something.
    static func mixedSets(_ scribe: Scribe) throws {
        try scribe.write {
            try scribe.make(
                ClassSchema("Target", [PropertySchema("name", .string)]), ClassSchema("Sets", [PropertySchema("any", .mixed, collections: [.set])]))
            for number in 0..<100 { try scribe.insert("Target", [("name", .string("target \(number)"))]) }
        }
        let target = try scribe.write { try scribe.number(of: "Target") }
        for count in [0, 1, 9, 700] {
            try scribe.write { try scribe.insert("Sets", [("any", .set((0..<count).map { member($0, of: target) }))]) }
        }
    }

    private static func member(_ number: Int, of target: Int) -> Value {
        switch number % 9 {
        case 0: number == 0 ? .null : .string("word \(number)")
        case 1: .int(Int64(number) << (number % 40))
        case 2: .double(Double(number) + 0.5)
        case 3: .decimal(Decimal128("\(number).25")!)
        case 4: .object(ObjectReference(classNumber: target, key: ObjectKey(Int64(number / 9))))
        case 5: .date(Timestamp(seconds: Int64(number) * 86_400))
        case 6: value(.uuid, number)
        case 7: value(.objectId, number)
        default: number == 8 ? .bool(true) : .data([UInt8(number % 256), UInt8(number / 256)])
        }
    }

    // MARK: mixed values, embedded objects

    static func nested(_ scribe: Scribe) throws {
        try scribe.write {
            try scribe.make(
                ClassSchema("Any", [PropertySchema("any", .mixed, isIndexed: true)]),
                ClassSchema("Room", isEmbedded: true, [PropertySchema("name", .string), PropertySchema("area", .double)]),
                ClassSchema("House", [
                    PropertySchema("address", .string), PropertySchema("room", linkTo: "Room"), PropertySchema("next", linkTo: "House", deleteRule: .deny),
                    PropertySchema("any", linkTo: "Any", deleteRule: .cascade),
                ]))
            let deep = (0..<90).reduce(Value.int(7)) { inner, level in level % 2 == 0 ? .list([inner]) : .map(["k": inner]) }
            let inner: [Value] = [
                .null, .list([]), .map([:]), .list([.null, .bool(true), .string("a"), .list([.decimal(Decimal128("1.50")!)])]),
                .map(["": .data([1, 2]), "uuid": value(.uuid, 3)]), deep, .list((0..<900).map { .map(["number": .int($0)]) }),
            ]
            for any in inner { try scribe.insert("Any", [("any", any)]) }
            var before = Value.null
            for number in 0..<30 {
                let house = try scribe.insert("House", [
                    ("address", .string("\(number) Long Lane")), ("next", before), ("any", number < 5 ? .link(ObjectKey(Int64(number))) : .null),
                    ("room", .null),
                ])
                if number % 3 == 0 { try scribe.embed([("name", .string("kitchen")), ("area", .double(Double(number)))], of: "Room", in: house, of: "House", "room") }
                before = .link(house)
            }
            let house = ObjectReference(classNumber: try scribe.number(of: "House"), key: ObjectKey(3))
            try scribe.insert("Any", [("any", .object(house))])
            try scribe.insert("Any", [("any", .list([.object(house), .map(["h": .object(house)])]))])
        }
    }

    // MARK: indexes, keys, a past

    /// Indexes of all kinds and classes that extend others, changed over many commits: free pages, incarnations, tails, dictionaries.
    static func past(_ scribe: Scribe) throws {
        try scribe.write {
            try scribe.make(
                ClassSchema("Person", primaryKey: "id", indexes: [IndexSchema(["city", "age"]), IndexSchema(["name", "id"], isUnique: true)], [
                    PropertySchema("id", .int), PropertySchema("name", .string), PropertySchema("city", .string, isIndexed: true),
                    PropertySchema("age", .int, isIndexed: true), PropertySchema("code", .uuid, isUnique: true), PropertySchema("score", .double),
                    PropertySchema("gone", .string),
                ]),
                ClassSchema("Word", primaryKey: "text", [PropertySchema("text", .string), PropertySchema("owner", linkTo: "Person")]),
                ClassSchema("Cell", primaryKey: ["row", "column"], [
                    PropertySchema("row", .int), PropertySchema("column", .string), PropertySchema("content", .mixed),
                ]),
                ClassSchema("Blob", [PropertySchema("bytes", .data), PropertySchema("note", .string, isNullable: true)]),
                ClassSchema("Animal", [PropertySchema("name", .string, isIndexed: true), PropertySchema("friend", linkTo: "Animal")]),
                ClassSchema("Dropped", [PropertySchema("nothing", .int)]),
                ClassSchema("Dog", superclass: "Animal", [PropertySchema("tricks", .int)]))
            for number in 0..<900 { try scribe.insert("Person", key: .int(Int64(number)), person(number)) }
            for number in 0..<300 {
                try scribe.insert("Word", key: .string("word \(number * 7919 % 1000)"), [
                    ("text", .string("word \(number * 7919 % 1000)")), ("owner", .link(ObjectKey(Int64(number * 3)))),
                ])
                try scribe.insert("Cell", [("row", .int(Int64(number / 10))), ("column", .string("c\(number % 10)")), ("content", value(.mixed, number))])
                try scribe.insert("Animal", [("name", .string("animal \(number)")), ("friend", .null)])
                try scribe.insert("Dog", [("name", .string("dog \(number)")), ("friend", .link(ObjectKey(Int64(number)))), ("tricks", .int(Int64(number)))])
            }
            for size in [0, 5000, 61_441] { try scribe.insert("Blob", [("bytes", .data(bytes(size))), ("note", .string("\(size)"))]) }
            try scribe.set(schemaVersion: 41)
        }
        try scribe.set("Blob", ObjectKey(0), "bytes", streamed: bytes(90_001))
        try scribe.write {
            try scribe.drop("Dropped")
            try scribe.drop(property: "gone", of: "Person")
            try scribe.add(PropertySchema("late", .date, isNullable: true), to: "Person", standing: .null)
            try scribe.count("invoice", of: "Blob", times: 12)
            try scribe.count("letter", of: "Blob", times: 3)
            try scribe.set(schemaVersion: 42)
        }
        for round in 0..<25 { try scribe.write(round % 4 == 0 ? .full : .processCrash) { try change(scribe, round) } }
    }

    private static func change(_ scribe: Scribe, _ round: Int) throws {
        let start = Int64(round * 33)
        try scribe.delete("Person", (start..<start + 12).map { ObjectKey($0) })
        try scribe.delete("Animal", [ObjectKey(start / 33 * 2)])
        for key in start + 12..<start + 30 {
            try scribe.set("Person", ObjectKey(key), "age", .int(Int64(round)))
            try scribe.set("Person", ObjectKey(key), "late", value(.date, round))
        }
        // Keys that were other objects' before.
        for number in Int(start)..<Int(start) + 3 {
            let values = person(number + 10_000).filter { !["id", "gone"].contains($0.0) }
            try scribe.insert("Person", key: .int(Int64(number)), values + [("id", .int(Int64(number))), ("late", .null)])
        }
        try scribe.insert("Person", key: .int(Int64(2000 + round)), person(2000 + round).filter { $0.0 != "gone" } + [("late", .null)])
    }

    private static func person(_ number: Int) -> [(String, Value)] {
        [
            ("id", .int(Int64(number))), ("name", .string("person \(number)")), ("city", .string("city \(number % 40)")), ("age", .int(Int64(number % 90))),
            ("code", value(.uuid, number)), ("score", .double(Double(number) / 7)), ("gone", .string("")),
        ]
    }

    private static func bytes(_ count: Int) -> [UInt8] { (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 >> 8) } }
}

extension Array {
    /// The element there, if there is one.
    fileprivate subscript(checked place: Int) -> Element? { place < count ? self[place] : nil }
}
