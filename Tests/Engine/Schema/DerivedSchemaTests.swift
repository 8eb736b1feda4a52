@testable import FreeholdEngine
import TestKit
import Testing

/// Declarations of derived indexes, in memory and as bytes.
@Suite struct DerivedSchemaTests {
    /// Classes with all that a field can be of: own properties, links to other classes, a family, an embedded class.
    private static let classes = [
        ClassSchema("Author", primaryKey: "id", [
            PropertySchema("id", .int), PropertySchema("name", .string), PropertySchema("born", .date, isNullable: true),
        ]),
        ClassSchema("Address", isEmbedded: true, [PropertySchema("street", .string), PropertySchema("town", .string, isNullable: true)]),
        ClassSchema("Article", [
            PropertySchema("note", .int), PropertySchema("title", .string), PropertySchema("words", .string, collections: [.list]),
            PropertySchema("author", linkTo: "Author"), PropertySchema("editor", linkTo: "Author"),
            PropertySchema("place", linkTo: "Address"),
            PropertySchema("others", linkTo: "Author", collections: [.list]), PropertySchema("any", .mixed),
        ]),
        ClassSchema("Essay", superclass: "Article", [PropertySchema("summary", .string), PropertySchema("reviewer", linkTo: "Author")]),
    ]

    private static let fields: [(link: String?, property: String)] = [
        (nil, "title"), (nil, "words"), (nil, "note"), (nil, "any"), ("author", "name"), ("author", "born"), ("editor", "name"),
        ("author", "id"), ("place", "street"), ("place", "town"),
    ]

    private func schema() throws -> StoredSchema {
        var schema = StoredSchema.empty
        for wanted in Self.classes { schema = try schema.adding(wanted) }
        return schema
    }

    private func wanted(_ fields: [(link: String?, property: String)], kind: UInt8 = 255) -> DerivedSchema {
        DerivedSchema(kind: kind, fields: fields.map { DerivedSchema.Field(link: $0.link, property: $0.property) })
    }

    /// A schema with some derived indexes, some of which were dropped again.
    private func randomSchema(_ random: inout SeededRandom) throws -> StoredSchema {
        var schema = try schema()
        for _ in 0..<random.below(6) {
            let isEssay = random.oneIn(3)
            let possible = Self.fields + (isEssay ? [(nil, "summary"), ("reviewer", "name")] : [])
            let some = possible.shuffled(using: &random).prefix(1 + random.below(5)).map { field in
                DerivedSchema.Field(link: field.link, property: field.property, options: (0..<random.below(4)).map { UInt8($0) })
            }
            let options = (0..<random.below(40)).map { UInt8($0) }
            schema = try schema.adding(DerivedSchema(kind: UInt8(random.below(256)), fields: Array(some), options: options),
                                       to: isEssay ? "Essay" : "Article")
            if random.oneIn(4), let gone = schema.classes[2].derived.randomElement(using: &random) {
                schema = schema.dropping(derived: gone.number, of: 2)
            }
        }
        return schema
    }

    private func isRefused(_ schema: StoredSchema, _ wanted: DerivedSchema, in name: String = "Article") -> Bool {
        do { _ = try schema.adding(wanted, to: name) } catch { return error.code == .invalidArgument || error.code == .unknownProperty }
        return false
    }

    @Test("declarations come back from their bytes, and a program of version 1 reads the same classes", arguments: TestScale.seeds(40))
    func roundTrip(seed: UInt64) throws {
        var random = SeededRandom(seed: seed)
        let plain = try schema(), schema = try randomSchema(&random), bytes = SchemaCodec.encode(schema)
        #expect(schema.complaint() == nil)
        let back = try SchemaCodec.decode(bytes)
        #expect(back.classes == schema.classes && back.derivedThrough == schema.derivedThrough)
        #expect(try SchemaCodecOfVersion1.decode(bytes).classes == plain.classes)
        #expect(Array(bytes.prefix(SchemaCodec.encode(plain).count)) == SchemaCodec.encode(plain))
    }

    @Test("a schema without derived indexes has the bytes that it had")
    func noSection() throws {
        let bytes = SchemaCodec.encode(try schema())
        #expect(try SchemaCodecOfVersion1.decode(bytes).classes == schema().classes)
        // Every class has a list of indexes last: here none.
        #expect(bytes.suffix(4) == [0, 0, 0, 0])
        #expect(try schema().writeFeatures == 0 && !schema().hasDerived)
    }

    @Test("a section that is cut off or goes on is an error, one of another number is skipped")
    func sections() throws {
        let schema = try schema().adding(wanted([(nil, "title"), ("author", "name")]), to: "Article"), plain = try self.schema()
        let bytes = SchemaCodec.encode(schema), start = SchemaCodec.encode(plain).count
        for length in start + 1..<bytes.count {
            #expect { try SchemaCodec.decode(Array(bytes[..<length])) } throws: { ($0 as? FreeholdError)?.code == .corrupt }
        }
        let other: [UInt8] = [7, 0, 0, 0, 5, 0, 0, 0, 1, 2, 3, 4, 5], section = Array(bytes[start...])
        for extra in [section + other, other + section, other + section + other] {
            #expect(try SchemaCodec.decode(Array(bytes[..<start]) + extra).classes == schema.classes)
        }
        #expect(try SchemaCodec.decode(Array(bytes[..<start]) + other).classes == plain.classes)
        var longer = section
        longer[4] += 1
        for wrong in [section + section, longer + [0], section + [1]] {
            #expect { try SchemaCodec.decode(Array(bytes[..<start]) + wrong) } throws: { ($0 as? FreeholdError)?.code == .corrupt }
        }
    }

    @Test("changed bytes of a section give another schema that is valid, or an error", arguments: TestScale.seeds(4))
    func damage(seed: UInt64) throws {
        var random = SeededRandom(seed: seed)
        let bytes = SchemaCodec.encode(try randomSchema(&random)), start = SchemaCodec.encode(try schema()).count
        for place in start..<bytes.count {
            for value in [0, 1, 3, 0x7f, 0xff] as [UInt8] {
                var damaged = bytes
                damaged[place] = value
                if let schema = try? SchemaCodec.decode(damaged) { #expect(schema.complaint() == nil) }
            }
        }
    }

    @Test("fields are properties of the class, or of the object that a to-one link leads to")
    func refusals() throws {
        let schema = try schema()
        for fields in [[], [(nil, "title"), (nil, "title")], [(nil, "summary")], [("others", "name")], [("title", "name")],
                       [("author", "street")], [(nil, "none")], Array(repeating: (nil, "title"), count: 17)] as [[(String?, String)]] {
            #expect(isRefused(schema, wanted(fields)), "\(fields)")
        }
        #expect(try schema.adding(wanted([(nil, "title"), ("reviewer", "name")]), to: "Essay").classes[2].derived.map(\.owner) == [3])
        var full = schema
        for _ in 0..<StoredDerived.maximumCount { full = try full.adding(wanted([(nil, "title")]), to: "Article") }
        #expect(isRefused(full, wanted([(nil, "title")])))
        #expect(full.classes[2].derived.map(\.column) == Array(61_000..<61_016))
        // The number of the last one is the last of 16 bits.
        for _ in full.classes[2].derived.count..<StoredDerived.maximumNumber + 1 {
            full = try full.dropping(derived: full.classes[2].derived[0].number, of: 2).adding(wanted([(nil, "title")]), to: "Article")
        }
        #expect(full.classes[2].derived.last?.column == 65_535)
        #expect(isRefused(full.dropping(derived: full.classes[2].derived[0].number, of: 2), wanted([(nil, "title")])))
    }

    @Test("declarations of a file that cannot be are damage")
    func complaints() throws {
        let schema = try schema(), article = schema.classes[2]
        func number(_ name: String, _ member: UInt32 = 2) throws -> UInt32 {
            article.properties[try article.place(of: name, in: member)].number
        }
        func isSound(_ indexes: [StoredDerived], next: UInt32 = 9) -> Bool {
            var all = schema.classes
            all[2] = article.with(derived: indexes, nextDerivedNumber: next)
            let bytes = SchemaCodec.encode(StoredSchema(all))
            return (try? SchemaCodec.decode(bytes)) != nil
        }
        func index(_ fields: [DerivedField], number: UInt32 = 0, owner: UInt32? = nil) -> StoredDerived {
            StoredDerived(number: number, kind: 1, owner: owner, fields: fields)
        }
        let title = DerivedField(table: 2, property: try number("title"))
        let summary = DerivedField(table: 2, property: try number("summary", 3))
        let author = DerivedField(link: try number("author"), table: 0, property: 1)
        #expect(isSound([index([title, author]), index([title], number: 8), index([summary], number: 3, owner: 3)]))
        #expect(!isSound([index([title]), index([author])]) && !isSound([index([title], number: 9)]) && !isSound([], next: 4_537))
        for wrong in [
            index([]), index([title, title]), index([summary]), index([title], owner: 2), index([title], owner: 0),
            index([DerivedField(table: 2, property: 99)]), index([DerivedField(table: 1, property: title.property)]),
            index([DerivedField(table: 2, property: article.properties[article.family!.classColumn].number)]),
            index([DerivedField(link: author.link, table: 1, property: 1)]),
            index([DerivedField(link: author.link, table: 0, property: 9)]),
            index([DerivedField(link: try number("others"), table: 0, property: 1)]),
            index([DerivedField(link: title.property, table: 0, property: 1)]),
            index([DerivedField(link: try number("reviewer", 3), table: 0, property: 1)]),
        ] { #expect(!isSound([wrong]), "\(wrong)") }
    }

    @Test("what a field names, here or at the other end of a link, is not free to be dropped or retyped")
    func requireFree() throws {
        let schema = try schema().adding(wanted([(nil, "title"), ("author", "name"), ("place", "town")]), to: "Article")
        for (name, property, isFree) in [
            ("Article", "title", false), ("Article", "author", false), ("Article", "place", false), ("Article", "editor", true),
            ("Article", "note", true),
            ("Author", "name", false), ("Author", "born", true), ("Address", "town", false), ("Address", "street", true),
        ] {
            let stored = schema.classes[try schema.number(of: name)], column = try stored.index(of: property)
            do {
                try schema.requireFree(stored, column, to: "dropped")
                #expect(isFree, "\(name).\(property)")
            } catch {
                #expect(!isFree && error.message.contains("derived index of class 'Article'"), "\(name).\(property): \(error.message)")
            }
        }
        // The fields stay what they are when a column before them goes.
        let table = schema.classes[2], moved = try schema.replacing(table.dropping(try table.index(of: "note")))
        #expect(moved.complaint() == nil && moved.classes[2].derived == table.derived)
        #expect(moved.derivedThrough[0] == [DerivedRoute(table: 2, index: 0, link: 2, columns: [1])])
        let dropped = moved.dropping(derived: 0, of: 2)
        #expect(!dropped.hasDerived && dropped.classes[2].nextDerivedNumber == 1)
        try dropped.requireFree(dropped.classes[2], 0, to: "dropped")
    }

    @Test("fields that lead through links are found from the class that the links lead to")
    func routes() throws {
        let schema = try schema().adding(wanted([("author", "name"), ("editor", "name"), ("author", "born")]), to: "Article")
            .adding(wanted([("place", "town"), (nil, "title")]), to: "Article").adding(wanted([("reviewer", "born")]), to: "Essay")
        #expect(schema.derivedRoutes(into: 0) == [
            DerivedRoute(table: 2, index: 0, link: 3, columns: [1, 2]), DerivedRoute(table: 2, index: 0, link: 4, columns: [1]),
            DerivedRoute(table: 2, index: 2, link: try schema.classes[2].place(of: "reviewer", in: 3), columns: [2]),
        ])
        #expect(schema.derivedRoutes(into: 1) == [DerivedRoute(table: 2, index: 1, link: 5, columns: [1])])
        #expect(schema.derivedRoutes(into: 2).isEmpty && schema.writeFeatures == 1)
    }
}
