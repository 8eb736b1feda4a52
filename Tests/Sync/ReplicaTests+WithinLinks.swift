import TestKit
import Testing
@testable import FreeholdEngine
@testable import FreeholdMerge

/// Embedded objects in collections: links within them, subclasses, nested collections, other schemas, depth.
extension ReplicaTests {
    private func setFriend(_ part: ObjectKey, _ friend: ObjectKey?, _ transaction: WriteTransaction) throws {
        let parts = try transaction.table("Part")
        let value = friend.map { Value.link($0) } ?? .null
        try transaction.set(part, in: parts, parts.column("friend"), to: value)
        try transaction.set(part, in: parts, parts.column("mixed"),
                            to: friend.map { .object(try transaction.table("Thing").reference(to: $0)) } ?? .null)
        try transaction.list(of: part, in: parts, parts.column("friends")).assign([value, value].filter { $0 != .null })
        try transaction.map(of: part, in: parts, parts.column("friendMap")).assign(["f": value])
    }

    /// What a thing's parts say of a property, in words.
    private func words(_ file: SyncedFile, _ property: String, _ id: String = "t") throws -> String {
        try PlainFile(file.database).objects["Thing '\(id)'"]?[property] ?? "none"
    }

    @Test("links within elements and entries: to objects of the same batch, to absent ones, and to those that come again")
    func partLinks() throws {
        let exchange = try Exchange(prepare: makeParts)
        try exchange.write(exchange.ann) { transaction in
            try insertThing("t", transaction)
            let friend = try insertThing("friend", transaction, parts: 0)
            try setFriend(part(0, transaction), friend, transaction)
            try setFriend(part("k0", transaction), friend, transaction)
        }
        try expectSame(exchange, newcomer: { try makeParts(0, $0) })
        // Ben deletes the target while Ann changes another property within, and sends the link again.
        try exchange.write(exchange.ben) { transaction in
            try transaction.delete(thing("friend", transaction), from: transaction.table("Thing"))
        }
        try exchange.write(exchange.ann) { transaction in
            try name(part(0, transaction), "with a link", transaction)
            try name(part("k0", transaction), "with a link", transaction)
        }
        try exchange.push(exchange.ben)
        try exchange.pull(exchange.ann)
        #expect(try !words(exchange.ann, "parts").split(separator: " ").contains("→"))
        // The pending element is sent with the link that does not show.
        try exchange.push(exchange.ann)
        try exchange.pull(exchange.ben)
        try exchange.settle()
        #expect(try exchange.ann.problems() + exchange.ben.problems() == [])
        for file in exchange.files {
            #expect(try file.database.snapshot().table("Thing").keys().count == 1)
            #expect(try names(file, "parts")[0] == "with a link" && names(file, "byName")[0] == "with a link")
        }
        // The target comes again: single links show in all files.
        try exchange.write(exchange.ben) { try insertThing("friend", $0, parts: 1) }
        try exchange.settle()
        for file in exchange.files {
            for property in ["parts", "byName"] {
                let links = try words(file, property).split(separator: "; ").filter { $0.split(separator: " ").dropFirst().first == "→" }
                #expect(links.count == 2, "\(file.name) \(property)")
            }
            #expect(try file.problems() == [])
        }
        // A file that comes now has them, too, and the next change of the element brings collections along.
        try exchange.write(exchange.ann) { transaction in
            let friend = try thing("friend", transaction)
            try setFriend(part(0, transaction), friend, transaction)
            try setFriend(part("k0", transaction), friend, transaction)
        }
        try expectSame(exchange, newcomer: { try makeParts(0, $0) })
    }

    @Test("a link within an embedded object that is a single property is sent as the link it is while its target is absent")
    func singlePartLinks() throws {
        let exchange = try Exchange(3, prepare: makeParts)
        try exchange.write(exchange.ann) { transaction in
            let (key, friend) = try (insertThing("t", transaction, parts: 0), insertThing("friend", transaction, parts: 0))
            let things = try transaction.table("Thing")
            try setFriend(transaction.embed([], in: key, of: things, things.column("home")), friend, transaction)
        }
        try exchange.write(exchange.ann) { transaction in
            try transaction.delete(thing("friend", transaction), from: transaction.table("Thing"))
        }
        try exchange.settle()
        try exchange.write(exchange.ben) { try insertThing("friend", $0, parts: 0) }
        try exchange.settle()
        for file in exchange.files {
            #expect(try words(file, "home").split(separator: "; ").contains("friend → Thing 'friend'"), "\(file.name)")
            #expect(try file.problems() == [])
        }
    }

    @Test("a link to another absent object is noted where a list within an element changes its length")
    func otherAbsentLinks() throws {
        let exchange = try Exchange(prepare: makeParts)
        func inner(_ transaction: WriteTransaction) throws -> ListWriter {
            let parts = try transaction.table("Part")
            return try transaction.list(of: part(0, transaction), in: parts, parts.column("parts"))
        }
        func link(_ id: String, _ transaction: WriteTransaction) throws {
            guard case .link(let part) = try inner(transaction).view()[0] else { return }
            let parts = try transaction.table("Part")
            try transaction.set(part, in: parts, parts.column("friend"), to: .link(thing(id, transaction)))
        }
        try exchange.write(exchange.ann) { transaction in
            for id in ["one", "two", "t"] { try insertThing(id, transaction, parts: 1) }
            try inner(transaction).embed([("string", .string("inner"))])
            try link("one", transaction)
        }
        try exchange.settle()
        try exchange.write(exchange.ann) { try $0.delete(thing("one", $0), from: $0.table("Thing")) }
        try exchange.settle()
        try exchange.write(exchange.ben) { transaction in
            try link("two", transaction)
            try inner(transaction).embed([("string", .string("another"))])
        }
        try exchange.write(exchange.ben) { try $0.delete(thing("two", $0), from: $0.table("Thing")) }
        try exchange.settle()
        try exchange.write(exchange.ben) { try insertThing("two", $0, parts: 0) }
        try exchange.settle()
        for file in exchange.files {
            let found = try words(file, "parts")
            #expect(found.split(separator: "; ").contains("friend → Thing 'two'"), "\(file.name): \(found)")
            #expect(try file.problems() == [])
        }
    }

    @Test("embedded objects of a subclass, alone and in collections, are of that class everywhere; one that is of another class is another")
    func partSubclasses() throws {
        let exchange = try Exchange(prepare: makeParts)
        try exchange.write(exchange.ann) { transaction in
            let key = try insertThing("t", transaction), things = try transaction.table("Thing")
            let fine = [("fine", Value.string("fine")), ("string", .string("a fine one"))]
            try transaction.embed(fine, as: "FinePart", in: key, of: things, things.column("home"))
            try partList(transaction).embed(fine, as: "FinePart", at: 1)
            try partMap(transaction).embed(fine, as: "FinePart", for: "fine")
        }
        try expectSame(exchange, newcomer: { try makeParts(0, $0) })
        for property in ["home", "parts", "byName"] {
            let fine = try words(exchange.ben, property).split(separator: "; ").filter { $0.hasSuffix(":class FinePart") }
            #expect(fine.count == 1, "\(property)")
        }
        try exchange.write(exchange.ben) { transaction in
            try partList(transaction).embed([("fine", .string("now"))], as: "FinePart", replacing: 0)
            try partList(transaction).embed([("string", .string("not so fine"))], replacing: 1)
            try partMap(transaction).embed([("fine", .string("now"))], as: "FinePart", for: "k0")
            try partMap(transaction).embed([("string", .string("not so fine"))], for: "fine")
        }
        try expectSame(exchange, newcomer: { try makeParts(0, $0) })
        // A change within one of a subclass.
        try exchange.write(exchange.ann) { transaction in
            let fine = try transaction.table("FinePart")
            try transaction.set(part(0, transaction), in: fine, fine.column("fine"), to: .string("changed"))
            try transaction.set(part("k0", transaction), in: fine, fine.column("fine"), to: .string("changed"))
        }
        try expectSame(exchange, newcomer: { try makeParts(0, $0) })
        #expect(exchange.ann.losses + exchange.ben.losses == [])
    }

    @Test("embedded objects in nested collections, and collections in an embedded object that is a single property")
    func nestedParts() throws {
        let exchange = try Exchange(prepare: makeParts)
        func spot(_ x: Int64) -> [(String, Value)] { [("x", .int(x))] }
        try exchange.write(exchange.ann) { transaction in
            let key = try insertThing("t", transaction), things = try transaction.table("Thing"), parts = try transaction.table("Part")
            let grid = try transaction.list(of: key, in: things, things.column("grid"))
            try grid.assign([.list([]), .list([]), .list([])])
            for row in 0..<2 { for x in 0..<3 { try grid.list(at: row).embed(spot(Int64(row * 3 + x))) } }
            let atlas = try transaction.map(of: key, in: things, things.column("atlas"))
            for name in ["a", "b"] { for x in 0..<2 { try atlas.list(for: name).embed(spot(Int64(x))) } }
            let home = try transaction.embed([], in: key, of: things, things.column("home"))
            for x in 0..<3 as Range<Int64> {
                try transaction.list(of: home, in: parts, parts.column("spots")).embed(spot(x))
                try transaction.map(of: home, in: parts, parts.column("spotMap")).embed(spot(x), for: "\(x)")
            }
        }
        try expectSame(exchange, newcomer: { try makeParts(0, $0) })
        // Changes within spots only, by both, of different rows, entries and properties; then of their number and order.
        func change(_ transaction: WriteTransaction, _ place: Int, x: Int64) throws {
            let spots = try transaction.table("Spot"), keys = try spots.keys()
            try transaction.set(keys[place], in: spots, spots.column("x"), to: .int(x))
        }
        try exchange.write(exchange.ann) { transaction in
            try change(transaction, 1, x: 100)
            try change(transaction, 6, x: 101)
            try change(transaction, 10, x: 102)
        }
        try exchange.write(exchange.ben) { transaction in
            let things = try transaction.table("Thing"), key = try thing("t", transaction), parts = try transaction.table("Part")
            try transaction.list(of: key, in: things, things.column("grid")).list(at: 1).embed(spot(200), at: 0)
            try transaction.list(of: key, in: things, things.column("grid")).move(from: 2, to: 0)
            try transaction.map(of: key, in: things, things.column("atlas")).list(for: "b").remove(at: 0)
            guard case .link(let home) = try things.value(key, things.column("home")) else { return }
            try transaction.map(of: home, in: parts, parts.column("spotMap")).remove("1")
        }
        try expectSame(exchange, newcomer: { try makeParts(0, $0) })
        let shown = try #require(PlainFile(exchange.ann.database).objects["Thing 't'"])
        let found = (shown["grid"] ?? "") + (shown["atlas"] ?? "") + (shown["home"] ?? "")
        for x in [100, 101, 102, 200] { #expect(found.split(separator: "int(\(x))").count == 2, "\(x) in \(found)") }
        #expect(exchange.ann.losses + exchange.ben.losses == [])
    }

    @Test("a file whose parts lack properties or have other types takes what it can, and reports the rest")
    func otherParts() throws {
        func make(_ number: Int, _ transaction: WriteTransaction) throws {
            var properties = [PropertySchema("n", .int), PropertySchema("other", number == 1 ? .string : .int)]
            if number == 0 { properties.append(PropertySchema("more", .int)) }
            try transaction.createClass(ClassSchema("Part", isEmbedded: true, properties))
            try transaction.createClass(ClassSchema("Thing", primaryKey: "id", [
                PropertySchema("id", .string), PropertySchema("parts", linkTo: "Part", collections: [.list]),
                PropertySchema("byName", linkTo: "Part", collections: [.map]),
            ]))
            try transaction.sync.mark("Thing")
        }
        let exchange = try Exchange(prepare: make)
        try exchange.write(exchange.ann) { transaction in
            let key = try transaction.insert(into: "Thing", [("id", .string("t"))])
            for n in 0..<2 as Range<Int64> {
                let values = [("n", Value.int(n)), ("other", .int(7)), ("more", .int(8))]
                try partList(transaction).embed(values)
                try partMap(transaction).embed(values, for: "k\(n)")
            }
            _ = key
        }
        try exchange.settle()
        #expect(Set(exchange.ben.losses.map { "\($0.className) \($0.primaryKey) \($0.property ?? "") \($0.reason)" })
            == Set(["parts", "byName"].map { "Thing \(Value.string("t")) \($0).other unknown" }))
        #expect(try words(exchange.ben, "parts") == "[(:class Part; n int(0); other ''), (:class Part; n int(1); other '')]")
        #expect(try words(exchange.ben, "byName") == "<'k0': (:class Part; n int(0); other ''), 'k1': (:class Part; n int(1); other '')>")
        #expect(try exchange.ann.problems() + exchange.ben.problems() == [])
        // What Ben sends of an element is the whole: Ann reports the text that she cannot have and keeps her number there.
        try exchange.write(exchange.ben) { transaction in
            let parts = try transaction.table("Part"), key = try part(0, transaction)
            try transaction.set(key, in: parts, parts.column("n"), to: .int(5))
            try transaction.set(key, in: parts, parts.column("other"), to: .string("text"))
        }
        try exchange.settle()
        #expect(exchange.ann.losses.map { "\($0.property ?? "") \($0.reason)" } == ["parts.other unknown"])
        #expect(try words(exchange.ann, "parts")
            == "[(:class Part; more int(0); n int(5); other int(7)), (:class Part; more int(8); n int(1); other int(7))]")
    }

    @Test("embedded objects within one another up to the limit of a message arrive; deeper ones are an error that says where")
    func deepParts() throws {
        func embed(_ levels: Int, _ id: String, _ exchange: Exchange) throws {
            try exchange.write(exchange.ann) { transaction in
                let things = try transaction.table("Thing"), parts = try transaction.table("Part")
                let key = try transaction.insert(into: "Thing", [("id", .string(id))])
                var part = try transaction.list(of: key, in: things, things.column("parts")).embed([])
                for _ in 1..<levels { part = try transaction.list(of: part, in: parts, parts.column("parts")).embed([]) }
                try name(part, "deep", transaction)
            }
        }
        // A part is a level, and so is the list that it is in.
        let exchange = try Exchange(prepare: makeParts)
        try embed(50, "deep", exchange)
        try expectSame(exchange, newcomer: { try makeParts(0, $0) })
        try embed(51, "deeper", exchange)
        let error = #expect(throws: FreeholdError.self) { _ = try exchange.ann.push() }
        #expect(error?.code == .valueTooLarge && error?.message.utf8.count ?? 0 > 80, "\(String(describing: error))")
        // The program removes it, and goes on.
        try exchange.write(exchange.ann) { transaction in
            try transaction.delete(thing("deeper", transaction), from: transaction.table("Thing"))
        }
        try expectSame(exchange)
        // A change deep within is an error of the same kind.
        let other = try Exchange(prepare: makeParts)
        try embed(120, "deep", other)
        #expect(throws: FreeholdError.self) { _ = try other.ann.push() }
        try other.write(other.ann) { transaction in
            let parts = try transaction.table("Part")
            try name(#require(parts.keys().last), "changed", transaction)
        }
        #expect(throws: FreeholdError.self) { _ = try other.ann.push() }
        #expect(try other.ann.problems() == [])
    }

    @Test("of changes within an element the last one is sent, though an inherited one has a stamp ahead of it")
    func inheritedPartChanges() throws {
        let exchange = try Exchange(prepare: makeParts)
        try exchange.write(exchange.ann) { transaction in
            let key = try insertThing("t", transaction), things = try transaction.table("Thing")
            let home = try transaction.embed([], in: key, of: things, things.column("home"))
            try transaction.list(of: home, in: transaction.table("Part"), transaction.table("Part").column("spots")).embed([("x", .int(1))])
        }
        try expectSame(exchange)
        // Ann's clock is ahead by an hour when she changes something within; then she is copied.
        exchange.ann.machine.wallClockNanoseconds = (Exchange.now + 3_600_000) * 1_000_000
        func change(_ file: SyncedFile, _ text: String, _ property: String) throws {
            try file.write { transaction in
                try name(part(0, transaction), text, transaction, property)
                try name(part("k0", transaction), text, transaction, property)
            }
        }
        func changeSpot(_ file: SyncedFile, _ property: String, _ value: Value) throws {
            try file.write { transaction in
                let spots = try transaction.table("Spot"), spot = try #require(spots.keys().first)
                try transaction.set(spot, in: spots, spots.column(property), to: value)
            }
        }
        try change(exchange.ann, "ahead", "string")
        try changeSpot(exchange.ann, "x", .int(9))
        let copy = try exchange.copy(of: exchange.ann)
        exchange.wait()
        try exchange.push(exchange.ann)
        // The copy learns the time; what it writes then has an earlier stamp than what it has inherited.
        try exchange.write(exchange.ben) { try insertThing("other", $0, parts: 0) }
        try exchange.push(exchange.ben)
        try copy.write { try insertThing("copy", $0, parts: 0) }
        let answer = try exchange.answer(copy)
        try copy.apply(answer)
        exchange.wait()
        try change(copy, "later", "stringStrict")
        try changeSpot(copy, "y", .double(7))
        for _ in 0..<2 {
            try exchange.push(copy)
            try exchange.pull(copy)
        }
        try exchange.settle()
        for file in exchange.files + [copy] {
            for property in ["parts", "byName"] {
                let shown = try words(file, property).split(separator: "; ")
                #expect(shown.contains("string 'ahead'") && shown.contains("stringStrict 'later'"), "\(file.name) \(property)")
            }
            let home = try words(file, "home")
            let spot = home.split(separator: "[(").last ?? ""
            #expect(spot.hasPrefix(":class Spot; x int(9); y double 4619567317775286272)"), "\(file.name) \(home)")
            #expect(try file.problems() == [])
        }
    }
}
