import TestKit
import Testing
@testable import FreeholdEngine
@testable import FreeholdMerge

/// Answers that no server gives: each is an error or is reported, and leaves a file that `check` finds nothing in and that goes on.
extension ReplicaTests {
    private func makeForged(_ number: Int, _ transaction: WriteTransaction) throws {
        try transaction.createClass(ClassSchema("Inner", isEmbedded: true, [
            PropertySchema("n", .int), PropertySchema("list", .string, collections: [.list]),
        ]))
        try transaction.createClass(ClassSchema("Core", isEmbedded: true, [PropertySchema("n", .int)]))
        for one in [PropertySchema("core", linkTo: "Core"), PropertySchema("inners", linkTo: "Inner", collections: [.list])] {
            try transaction.addProperty(one, to: "Inner")
        }
        try transaction.createClass(ClassSchema("Heir", primaryKey: "id", [PropertySchema("id", .int)]))
        try transaction.createClass(ClassSchema("SubHeir", superclass: "Heir", [PropertySchema("n", .int)]))
        var properties = [PropertySchema("id", .string), PropertySchema("count", .int), PropertySchema("inner", linkTo: "Inner")]
        for (type, _) in Self.samples {
            let name = "\(type)"
            properties += [
                PropertySchema(name, type), PropertySchema(name + "Unique", type, isNullable: true, isUnique: type != .mixed),
                PropertySchema(name + "Index", type, isNullable: true, isIndexed: type != .data),
                PropertySchema(name + "List", type, collections: [.list]), PropertySchema(name + "Set", type, collections: [.set]),
                PropertySchema(name + "Map", type, collections: [.map]),
            ]
        }
        properties += [
            PropertySchema("link", linkTo: "SubHeir"), PropertySchema("links", linkTo: "SubHeir", collections: [.list]),
            PropertySchema("linkSet", linkTo: "SubHeir", collections: [.set]),
            PropertySchema("linkMap", linkTo: "SubHeir", collections: [.map]),
            PropertySchema("inners", linkTo: "Inner", collections: [.list]),
            PropertySchema("innerMap", linkTo: "Inner", collections: [.map]),
            PropertySchema("innerGrid", linkTo: "Inner", collections: [.list, .map]),
            PropertySchema("nested", .int, collections: [.list, .map]), PropertySchema("self", linkTo: "All", isUnique: true),
        ]
        try transaction.createClass(ClassSchema("All", primaryKey: "id", properties))
        try transaction.sync.mark("Heir")
        try transaction.sync.mark("All", SyncRules(counters: ["count"]))
    }

    /// A file with some objects that the server has, and some changes that it has not.
    private func forged() throws -> Exchange {
        let exchange = try Exchange(2, prepare: makeForged)
        try exchange.write(exchange.ann) { transaction in
            for number in 0..<3 as Range<Int64> {
                try transaction.insert(into: number == 0 ? "Heir" : "SubHeir", [("id", .int(number))])
                let key = try transaction.insert(into: "All", [("id", .string("\(number)"))]), table = try transaction.table("All")
                let inner = try transaction.embed([("n", .int(1))], in: key, of: table, table.column("inner"))
                let inside = try transaction.table("Inner")
                try transaction.list(of: inner, in: inside, inside.column("list")).append(.string("x"))
                try transaction.list(of: key, in: table, table.column("stringList")).append(contentsOf: [.string("a"), .string("b")])
                try transaction.set(of: key, in: table, table.column("intSet")).insert(.int(1))
                try transaction.map(of: key, in: table, table.column("intMap")).set(.int(1), for: "k")
                let listed = try transaction.list(of: key, in: table, table.column("inners")).embed([("n", .int(1))])
                try transaction.list(of: listed, in: inside, inside.column("inners")).embed([("n", .int(2))])
                try transaction.map(of: key, in: table, table.column("innerMap")).embed([("n", .int(3))], for: "k")
            }
        }
        try exchange.settle()
        try exchange.write(exchange.ann) { transaction in
            let table = try transaction.table("All"), keys = try table.keys()
            try transaction.set(keys[0], in: table, table.column("int"), to: .int(8))
            try transaction.list(of: keys[0], in: table, table.column("stringList")).insert(.string("mine"), at: 1)
            try transaction.set(of: keys[0], in: table, table.column("intSet")).insert(.int(8))
            try transaction.map(of: keys[0], in: table, table.column("intMap")).set(.int(8), for: "k")
            try transaction.set(keys[0], in: table, table.column("count"), to: .int(8))
            let inside = try transaction.table("Inner")
            for inner in try table.value(keys[0], table.column("inners")).embeddedKeys {
                try transaction.set(ObjectKey(inner), in: inside, inside.column("n"), to: .int(8))
            }
            try transaction.delete(keys[1], from: table)
            try transaction.insert(into: "All", [("id", .string("new"))])
        }
        return exchange
    }

    /// Values of every kind that a message has.
    private static let kinds: [SyncValue] = [
        .null, .bool(true), .int(.min), .float(0x7FFF_FFFF), .double(.max), .decimal(.max, .max), .timestamp(.max, 999_999_999),
        .uuid(1, 2), .objectID(1, 2), .string("e\u{301}"), .data([]), .link(SyncObject(type: 0, key: .int(1))),
        .link(SyncObject(type: 0, key: .int(0))), .link(SyncObject(type: 0, key: .string("1"))),
        .link(SyncObject(type: 1, key: .string("0"))),
        .link(SyncObject(type: 9, key: .int(1))), .embedded(.none), .embedded(SyncIdentity(replica: 77, count: 5)),
        .embedded(SyncIdentity(replica: 0, count: SyncIdentity.maximumCount)), .list([]), .list([.int(1), .absent]),
        .set([.int(1), .int(1)]),
        .set([.list([.null])]), .map([.init(key: "a", value: .int(1)), .init(key: "a", value: .embedded(.none))]), .map([]), .absent,
        .list([.map([])]), .map([.init(key: "n", value: .int(1))]),
        .map([.init(key: "n", value: .string("1")), .init(key: "n0", value: .null)]),
        .map([.init(key: "", value: .map([])), .init(key: ":class", value: .string("All")), .init(key: "core", value: .map([]))]),
        .map([.init(key: ":class", value: .string("Inner")), .init(key: "inners", value: .list([.map([]), .map([])]))]),
        .map([.init(key: "core", value: .embedded(.none)), .init(key: "inners", value: .list([.null]))]),
        .map([.init(key: "core", value: .map([.init(key: "n", value: .map([]))])), .init(key: "inners", value: .list([.int(1)]))]),
        .map([.init(key: "inners", value: .map([])), .init(key: "list", value: .list([.int(1)])), .init(key: "n", value: .absent)]),
        .map([.init(key: "b", value: .null), .init(key: "a", value: .null)]), nested(SyncValue.maximumDepth), nested(300),
        parts(SyncValue.maximumDepth / 2), .decimal(0x7E00 << 48, 0), .list([.link(SyncObject(type: 1, key: .string("gone")))]),
    ]

    /// Lists in one another.
    private static func nested(_ levels: Int) -> SyncValue { (0..<levels).reduce(.list([])) { value, _ in .list([value]) } }

    /// Embedded objects in one another.
    private static func parts(_ levels: Int) -> SyncValue {
        (0..<levels).reduce(.map([])) { value, _ in .map([.init(key: "inners", value: .list([value]))]) }
    }

    /// Applies a changed answer: an error or a report, and a sound file that can be written and asked for again.
    private func forge(_ comment: String, _ change: (inout SyncAnswer) throws -> Void,
                       at location: SourceLocation = #_sourceLocation) throws {
        let exchange = try forged()
        try exchange.push(exchange.ben)
        var answer = try exchange.answer(exchange.ann)
        try change(&answer)
        do { try exchange.ann.apply(answer) } catch {
            #expect(error is FreeholdError && (error as? FreeholdError)?.code != .corrupt, "\(comment): \(error)", sourceLocation: location)
        }
        let problems = try exchange.ann.problems()
        #expect(problems.isEmpty, "\(comment): \(problems)", sourceLocation: location)
        // The file goes on.
        do {
            try exchange.write(exchange.ann) { transaction in
                let table = try transaction.table("All")
                for key in try table.keys() {
                    try transaction.list(of: key, in: table, table.column("stringList")).append(.string("later"))
                    try transaction.set(key, in: table, table.column("count"), to: .int(1))
                    _ = try transaction.embed([("n", .int(1))], in: key, of: table, table.column("inner"))
                }
            }
            _ = try exchange.ann.push()
        } catch { Issue.record("\(comment), afterwards: \(error)", sourceLocation: location) }
        #expect(try exchange.ann.problems() == [], "\(comment), afterwards", sourceLocation: location)
    }

    private func type(_ name: String, _ answer: SyncAnswer) throws -> Int32 {
        Int32(try #require(answer.names.classes.firstIndex { $0.name == name }))
    }

    private func row(_ answer: SyncAnswer, _ key: String = "0") throws -> SyncRow {
        SyncRow(object: SyncObject(type: try type("All", answer), key: .string(key)))
    }

    @Test("values of every kind for every property")
    func forgedValues() throws {
        for (number, value) in Self.kinds.enumerated() {
            try forge("value \(number), \(value)") { answer in
                var row = try row(answer), heir = SyncRow(object: SyncObject(type: try type("Heir", answer), key: .int(1)))
                let properties = answer.names.classes[Int(row.object.type)].properties, count = answer.replicas.count
                answer.replicas.append(ReplicaIdentity(high: 5, low: 5))
                func register(_ property: Int, _ key: SyncValue = .null, _ instance: SyncIdentity = .none) -> SyncRow.Register {
                    .init(path: SyncPath(property: Int32(property), instance: instance, key: key), value: value,
                          stamp: SyncStamp(milliseconds: Exchange.now + 5000), replica: UInt32(count), isFresh: true)
                }
                for property in properties.indices {
                    row.registers += [register(property), register(property, .string("k")), register(property, value),
                                      register(property, .null, SyncIdentity(replica: 0, count: 1))]
                    row.members += [.init(property: Int32(property), element: value, isFresh: true)]
                    let one = SyncIdentity(replica: count, count: 1), two = SyncIdentity(replica: count, count: 2)
                    row.lists.append(.init(property: Int32(property), elements: [.init(identity: one, position: two, value: value)]))
                    row.counters.append(.init(property: Int32(property), sum: 5))
                }
                heir.registers = [register(0), register(1)]
                answer.rows = [row, heir]
                row.object.key = .string("another")
                answer.rows.append(row)
            }
        }
    }

    @Test("a map with a key twice or in another order, or too many levels, are errors before a change, and as bytes")
    func forgedMaps() throws {
        let values: [SyncValue] = [
            .map([.init(key: "n", value: .int(1)), .init(key: "n", value: .int(2))]),
            .map([.init(key: "n", value: .int(1)), .init(key: "list", value: .list([]))]),
            .map([.init(key: "inners", value: .list([.map([.init(key: "b", value: .null), .init(key: "a", value: .null)])]))]),
            Self.nested(SyncValue.maximumDepth), Self.parts(SyncValue.maximumDepth / 2),
        ]
        for (number, value) in values.enumerated() {
            for isList in [true, false] {
                let exchange = try forged()
                try exchange.push(exchange.ben)
                var answer = try exchange.answer(exchange.ann)
                answer.replicas.append(ReplicaIdentity(high: 9, low: 9))
                var row = try row(answer)
                let names = answer.names.classes[Int(row.object.type)].properties, last = answer.replicas.count - 1
                let property = Int32(try #require(names.firstIndex { $0 == (isList ? "inners" : "innerMap") }))
                if isList {
                    let one = SyncIdentity(replica: last, count: 1)
                    row.lists = [.init(property: property, elements: [.init(identity: one, position: one, value: value)])]
                } else {
                    row.registers = [.init(path: SyncPath(property: property, key: .string("k")), value: value,
                                           stamp: SyncStamp(milliseconds: Exchange.now + 9000), replica: UInt32(last), isFresh: true)]
                }
                answer.rows = [row]
                let before = try PlainFile(exchange.ann.database).objects
                let error = #expect(throws: FreeholdError.self) { try exchange.ann.apply(answer) }
                #expect(error?.code == .malformedInput, "value \(number): \(String(describing: error))")
                #expect(try PlainFile(exchange.ann.database).objects == before && exchange.ann.problems() == [], "value \(number)")
                #expect(throws: FreeholdError.self, "value \(number)") { _ = try SyncMessage(bytes: SyncMessage.answer(answer).bytes) }
            }
        }
    }

    @Test("objects, classes and properties that are named twice, or are not synced")
    func forgedNames() throws {
        try forge("rows twice") { answer in
            answer.rows += try [row(answer), row(answer, "new"), row(answer, "1"), row(answer, "other")] + answer.rows
        }
        try forge("gone twice") { answer in
            for key in ["0", "1", "new", "other"] {
                let object = try row(answer, key).object
                answer.gone += [.init(object: object, reason: .deleted), .init(object: object, reason: .left)]
            }
        }
        try forge("a deletion that was made here comes back twice") { answer in
            var one = try row(answer, "1")
            (one.isBorn, one.hasOthers) = (true, true)
            answer.rows += [one, one]
        }
        try forge("gone and there") { answer in
            for key in ["0", "1", "new"] {
                answer.gone.append(.init(object: try row(answer, key).object, reason: .deleted))
                answer.rows.append(try row(answer, key))
            }
        }
        try forge("a class twice") { answer in
            let type = try type("All", answer)
            answer.names.classes.append(answer.names.classes[Int(type)])
            let other = Int32(answer.names.classes.count - 1)
            answer.rows += [try row(answer), SyncRow(object: SyncObject(type: other, key: .string("0"))),
                            SyncRow(object: SyncObject(type: other, key: .string("2")))]
            answer.gone += [.init(object: SyncObject(type: other, key: .string("new")), reason: .left)]
            answer.known = 5
        }
        try forge("a property twice") { answer in
            let type = Int(try type("All", answer))
            answer.names.classes[type].properties += answer.names.classes[type].properties + ["id", "nothing", ""]
            answer.rows.append(try row(answer))
        }
        try forge("an heir, and an embedded class") { answer in
            for name in ["SubHeir", "Inner", "", "nothing"] {
                answer.names.classes.append(.init(name: name, properties: ["id", "n", ":class"]))
                let object = SyncObject(type: Int32(answer.names.classes.count - 1), key: .int(0))
                let register = SyncRow.Register(path: SyncPath(property: 1), value: .int(3), stamp: SyncStamp(milliseconds: 1), replica: 0,
                                                isFresh: true)
                answer.rows.append(SyncRow(object: object, registers: [register]))
                answer.rows.append(SyncRow(object: SyncObject(type: object.type, key: .int(70)), registers: [register]))
                answer.gone.append(.init(object: SyncObject(type: object.type, key: .int(1)), reason: .deleted))
            }
        }
    }

    @Test("keys and numbers that are none of the file's")
    func forgedKeys() throws {
        for key in [SyncKey.int(0), .uuid(0, 0), .objectID(0, 0), .string(String(repeating: "k", count: 100_000)), .string("")] {
            try forge("key \(key)") { answer in
                for type in answer.names.classes.indices {
                    answer.rows.append(SyncRow(object: SyncObject(type: Int32(type), key: key)))
                    answer.gone.append(.init(object: SyncObject(type: Int32(type), key: key), reason: .deleted))
                }
            }
        }
        for number in [-1, 5, .max, .min] as [Int32] {
            try forge("number \(number)") { answer in
                var one = try row(answer)
                let path = SyncPath(property: number)
                one.registers = [.init(path: path, value: .int(1), stamp: SyncStamp(rawValue: .max), replica: 0, isFresh: true)]
                one.members = [.init(property: number, element: .int(1), isFresh: true)]
                one.lists = [.init(property: number, elements: [])]
                one.counters = [.init(property: number, sum: 1)]
                answer.rows += [one, SyncRow(object: SyncObject(type: number, key: .string("0")))]
                answer.gone.append(.init(object: SyncObject(type: number, key: .string("0")), reason: .deleted))
                for place in [.register(path), .counter(property: number), .deletion] as [SyncRejection.Place] {
                    let entry = SyncEntry(stamp: SyncStamp(milliseconds: 1), epoch: 1, replica: UInt32(bitPattern: number))
                    for type in [one.object.type, number] {
                        answer.rejections.append(SyncRejection(object: SyncObject(type: type, key: .string("0")), place: place,
                                                               reason: .conflict, entry: entry))
                    }
                }
            }
        }
    }

    @Test("numbers of replicas, identities, stamps, epochs and times that no server gives")
    func forgedNumbers() throws {
        for replica in [0, 1, 77, UInt32.max] {
            try forge("replica \(replica)") { answer in
                var one = try row(answer)
                for property in answer.names.classes[Int(one.object.type)].properties.indices {
                    let stamps = [SyncStamp(milliseconds: Exchange.now + 2000), .init(rawValue: .max), .none]
                    one.registers += stamps.map {
                        .init(path: SyncPath(property: Int32(property)), value: .null, stamp: $0, replica: replica, isFresh: true)
                    }
                    one.registers.append(.init(path: SyncPath(property: Int32(property), key: .string("k")), value: .int(1),
                                               stamp: stamps[0], replica: replica, isFresh: true))
                }
                answer.rows = [one]
            }
        }
        // Stamps that are those of what is pending: the number of the replica decides.
        try forge("equal stamps") { answer in
            var one = try row(answer)
            for property in answer.names.classes[Int(one.object.type)].properties.indices {
                for milliseconds in -3000..<3000 where milliseconds % 1000 == 0 {
                    one.registers.append(.init(path: SyncPath(property: Int32(property)), value: .int(3),
                                               stamp: SyncStamp(milliseconds: Exchange.now + 2000 + Int64(milliseconds)), replica: 1 << 30,
                                               isFresh: true))
                }
            }
            answer.rows = [one]
        }
        for time in [Int64.min, -1, 0, .max, Exchange.now - 10_000_000] {
            try forge("time \(time)") { $0.time = time }
            try forge("time \(time), round trip") { answer in
                answer.time = time
                answer.sent = 0
            }
        }
        for known in [0, 1, 2, 3, UInt64.max] { try forge("known \(known)") { $0.known = known } }
        try forge("a reset that names nothing") { answer in
            answer.isReset = true
            answer.rows = []
            answer.names = SyncNames()
            answer.replicas = []
        }
    }

    @Test("identities of elements, positions and embedded objects that are none, another one's, or given twice")
    func forgedIdentities() throws {
        let identities = [.none, SyncIdentity(replica: 0, count: SyncIdentity.maximumCount), SyncIdentity(replica: 0, count: 1),
                          SyncIdentity(replica: 1, count: 1), SyncIdentity(replica: 1 << 24 - 1, count: 1)]
        for identity in identities {
            for position in identities {
                for isTwice in [true, false] { try forge("identity \(identity) at \(position), twice: \(isTwice)") { answer in
                    answer.replicas = [answer.replica, ReplicaIdentity(high: 9, low: 9)]
                    var one = try row(answer)
                    let names = answer.names.classes[Int(one.object.type)].properties
                    let list = Int32(try #require(names.firstIndex { $0 == "stringList" }))
                    one.lists = [.init(property: list, elements: [
                        .init(identity: identity, position: position, value: .string("e")),
                        .init(identity: SyncIdentity(replica: 1, count: 7), position: SyncIdentity(replica: 1, count: 7),
                              value: .string("f")),
                    ])]
                    if isTwice { one.lists[0].elements += one.lists[0].elements }
                    let inner = Int32(try #require(names.firstIndex { $0 == "inner" }))
                    one.registers = [.init(path: SyncPath(property: inner), value: .embedded(identity), stamp: SyncStamp(milliseconds: 1),
                                           replica: 0, isFresh: true)]
                    var other = one
                    other.object.key = .string("2")
                    answer.rows = isTwice ? [one, other] : [one]
                } }
            }
        }
    }
}
