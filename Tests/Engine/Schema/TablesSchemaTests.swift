import Testing
@testable import FreeholdEngine

@Suite("Schemas")
struct TablesSchemaTests {
    private func sample() throws -> StoredSchema {
        try StoredSchema.empty
            .adding(ClassSchema("Company", primaryKey: "id", [PropertySchema("id", .uuid)]))
            .adding(ClassSchema("Person", primaryKey: "id", [
                PropertySchema("id", .int), PropertySchema("name", .string, isNullable: true, isIndexed: true),
                PropertySchema("employer", linkTo: "Company"), PropertySchema("friend", linkTo: "Person"),
            ]))
            .adding(ClassSchema("Empty", []))
            .adding(PropertySchema("born", .date), to: "Person")
    }

    @Test("a schema comes back from its bytes")
    func roundTrip() throws {
        let schema = try sample()
        #expect(try SchemaCodec.decode(SchemaCodec.encode(schema)).classes == schema.classes)
        #expect(try SchemaCodec.decode(SchemaCodec.encode(.empty)).classes.isEmpty)
    }

    @Test("a schema keeps the version that programs gave it, and takes no more room without one")
    func version() throws {
        let schema = try sample(), plain = SchemaCodec.encode(schema)
        #expect(try SchemaCodec.decode(plain).version == nil)
        for version in [0, 3, 1 << 32 | 5, .max] as [UInt64] {
            let bytes = SchemaCodec.encode(schema.versioned(version)), back = try SchemaCodec.decode(bytes)
            #expect(back.version == version && back.classes == schema.classes && bytes.count == plain.count + 8)
            for length in 0..<bytes.count { #expect(throws: FreeholdError.self) { try SchemaCodec.decode(Array(bytes[..<length])) } }
        }
    }

    @Test("names may be of any length and any script")
    func longNames() throws {
        let long = String(repeating: "n", count: 70_000)
        let schema = try StoredSchema.empty.adding(ClassSchema(long, [PropertySchema(long, .int), PropertySchema("größe 🐢", .int)]))
        let decoded = try SchemaCodec.decode(SchemaCodec.encode(schema))
        #expect(decoded.classes == schema.classes)
        #expect(try decoded.number(of: long) == 0 && decoded.classes[0].index(of: "größe 🐢") == 1)
    }

    @Test("every cut of a schema's bytes is an error")
    func cuts() throws {
        let bytes = SchemaCodec.encode(try sample())
        for length in 0..<bytes.count {
            #expect(throws: FreeholdError.self) { try SchemaCodec.decode(Array(bytes[..<length])) }
        }
    }

    @Test("changed bytes give another schema or an error, never a stop")
    func damage() throws {
        let bytes = SchemaCodec.encode(try sample())
        for place in bytes.indices {
            for value in [0, 1, 0x7f, 0x80, 0xff] as [UInt8] {
                var damaged = bytes
                damaged[place] = value
                if let schema = try? SchemaCodec.decode(damaged) {
                    _ = schema.classes.indices.map { schema.publicClass($0) }
                }
            }
        }
    }

    @Test("a file holds 2,000 classes and refuses one more")
    func classLimit() throws {
        let classes = (0..<TopBlock.maximumTables).map {
            StoredClass(number: UInt32($0), name: "class \($0)", properties: [])
        }
        let full = StoredSchema(classes)
        #expect(try SchemaCodec.decode(SchemaCodec.encode(full)).classes.count == 2000)
        #expect { try full.adding(ClassSchema("one more", [])) } throws: { ($0 as? FreeholdError)?.code == .invalidArgument }
        let (reference, _) = TopBlock.make(tables: classes.count, from: nil, in: Scratch().pending)
        #expect(reference.granuleCount <= BlockLayout.maximumGranules)
    }

    /// What a class can say, beside what is made of it.
    private let rich = StoredClass(
        number: 0, name: "Order", properties: [
            StoredProperty(number: 3, name: "a", type: .int, isNullable: true, isIndexed: false, isUnique: false,
                           isObjectKey: false, linkTarget: nil),
            StoredProperty(number: 1, name: "b", type: .string, isNullable: false, isIndexed: true, isUnique: true,
                           isObjectKey: false, linkTarget: nil),
            StoredProperty(number: 7, name: "c", type: .link, isNullable: false, isIndexed: false, isUnique: false,
                           isObjectKey: false, linkTarget: 0, deleteRule: .cascade, collections: [.map, .list]),
        ],
        primaryKeys: [0, 1], indexes: [StoredIndex(number: 0, columns: [0, 1], isUnique: true), StoredIndex(number: 5, columns: [1, 0], isUnique: true)],
        nextPropertyNumber: 12, nextIndexNumber: 6)

    @Test("a class as the API describes it has everything")
    func described() {
        let described = StoredSchema([rich]).publicClass(0)
        #expect(described == ClassSchema("Order", primaryKey: ["a", "b"], indexes: [IndexSchema(["b", "a"], isUnique: true)], [
            PropertySchema("a", .int, isNullable: true), PropertySchema("b", .string, isIndexed: true, isUnique: true),
            PropertySchema("c", linkTo: "Order", deleteRule: .cascade, collections: [.map, .list]),
        ]))
        #expect(rich.complaint() == nil)
    }

    @Test("classes and properties that cannot be are refused", arguments: [
        ClassSchema("", []),
        ClassSchema("A", [PropertySchema("", .int)]),
        ClassSchema("A", [PropertySchema("n", .int), PropertySchema("n", .bool)]),
        ClassSchema("A", primaryKey: ["n", "n"], [PropertySchema("n", .int)]),
        ClassSchema("A", primaryKey: "n", [PropertySchema("n", .double)]),
        ClassSchema("A", primaryKey: "n", isEmbedded: true, [PropertySchema("n", .int)]),
        ClassSchema("A", [PropertySchema("n", .int, isIndexed: true, collections: [.list])]),
        ClassSchema("A", [PropertySchema("n", .int, collections: Array(repeating: .list, count: 9))]),
        ClassSchema("A", indexes: [IndexSchema([])], [PropertySchema("n", .int)]),
        ClassSchema("A", indexes: [IndexSchema(["n", "n"])], [PropertySchema("n", .int)]),
        ClassSchema("A", indexes: [IndexSchema(["n"])], [PropertySchema("n", .int, collections: [.set])]),
    ])
    func nonsense(wanted: ClassSchema) {
        #expect { try StoredSchema.empty.adding(wanted) } throws: { ($0 as? FreeholdError)?.code == .invalidArgument }
    }

    @Test("a number once given to a property is not given again")
    func numbers() throws {
        let old = StoredClass(number: 0, name: "A", properties: [], nextPropertyNumber: 4)
        let schema = try SchemaCodec.decode(SchemaCodec.encode(StoredSchema([old])))
        #expect(try schema.adding(PropertySchema("n", .int), to: "A").classes[0].properties[0].number == 4)
    }
}
