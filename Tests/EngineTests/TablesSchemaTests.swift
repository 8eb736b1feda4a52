import Testing
@testable import FreeholdEngine

@Suite("Schemas")
struct TablesSchemaTests {
    private func sample() throws -> Schema {
        try Schema.empty
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

    @Test("names may be of any length and any script")
    func longNames() throws {
        let long = String(repeating: "n", count: 70_000)
        let schema = try Schema.empty.adding(ClassSchema(long, [PropertySchema(long, .int), PropertySchema("größe 🐢", .int)]))
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
            StoredClass(number: UInt32($0), name: "class \($0)", properties: [], primaryKey: nil)
        }
        let full = Schema(classes)
        #expect(try SchemaCodec.decode(SchemaCodec.encode(full)).classes.count == 2000)
        #expect { try full.adding(ClassSchema("one more", [])) } throws: { ($0 as? FreeholdError)?.code == .invalidArgument }
        let (reference, _) = TopBlock.make(tables: classes.count, from: nil, in: Scratch().pending)
        #expect(reference.granuleCount <= BlockLayout.maximumGranules)
    }
}
