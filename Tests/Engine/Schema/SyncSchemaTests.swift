@testable import FreeholdEngine
import TestKit
import Testing

/// Synced classes in a schema, in memory and as bytes.
@Suite struct SyncSchemaTests {
    private func schema() throws -> StoredSchema {
        try StoredSchema.empty.adding([
            ClassSchema("Task", primaryKey: "id", [
                PropertySchema("id", .uuid), PropertySchema("count", .int), PropertySchema("title", .string),
                PropertySchema("project", linkTo: "Project"), PropertySchema("place", linkTo: "Place"),
            ]),
            ClassSchema("Project", primaryKey: "name", [PropertySchema("name", .string)]),
            ClassSchema("Place", isEmbedded: true, [PropertySchema("inner", linkTo: "Inner")]),
            ClassSchema("Inner", isEmbedded: true, [PropertySchema("x", .int)]),
            ClassSchema("Other", [PropertySchema("task", linkTo: "Task")]),
        ])
    }

    private func synced() throws -> StoredSchema {
        try schema().marking(0, StoredSync(onConflict: .updateWins, kinds: [1: .counter, 2: .merged])).marking(1, StoredSync())
    }

    @Test("marks come back from their bytes, and a program of version 1 reads the same classes")
    func roundTrip() throws {
        let schema = try synced(), bytes = SchemaCodec.encode(schema), plain = SchemaCodec.encode(try self.schema())
        #expect(schema.synced.complaint(schema) == nil && schema.writeFeatures == FormatFeatures.sync)
        let back = try SchemaCodec.decode(bytes)
        #expect(back.classes == schema.classes && back.hasSynced)
        #expect((0..<5).map { back.isCaptured($0) } == [true, true, true, true, false])
        #expect(try SchemaCodecOfVersion1.decode(bytes).classes == self.schema().classes)
        #expect(Array(bytes.prefix(plain.count)) == plain && bytes.count > plain.count)
        #expect(SchemaCodec.encode(schema.withoutSync()) == plain && !schema.withoutSync().hasSynced)
        // Beside derived indexes, which come first.
        let both = try schema.adding(DerivedSchema(kind: 255, fields: [DerivedSchema.Field(link: nil, property: "title")]), to: "Task")
        #expect(try SchemaCodec.decode(SchemaCodec.encode(both)).classes == both.classes)
        #expect(both.writeFeatures == FormatFeatures.sync | FormatFeatures.derivedIndexes)
    }

    @Test("a section that is cut off, goes on or says what cannot be is damage")
    func damage() throws {
        let schema = try synced(), bytes = SchemaCodec.encode(schema), start = SchemaCodec.encode(try self.schema()).count
        for length in start + 1..<bytes.count {
            #expect { try SchemaCodec.decode(Array(bytes[..<length])) } throws: { ($0 as? FreeholdError)?.code == .corrupt }
        }
        #expect { try SchemaCodec.decode(bytes + bytes[start...]) } throws: { ($0 as? FreeholdError)?.code == .corrupt }
        var valid = 0
        for place in start..<bytes.count {
            for value in [0, 1, 2, 3, 4, 0x7f, 0xff] as [UInt8] {
                var damaged = bytes
                damaged[place] = value
                guard let read = try? SchemaCodec.decode(damaged) else { continue }
                valid += 1
                #expect(read.complaint() == nil && read.synced.complaint(read) == nil)
            }
        }
        #expect(valid > bytes.count - start)
    }

    @Test("marks stay with their classes through other changes, and kinds with their properties")
    func changes() throws {
        let schema = try synced()
        #expect(schema.versioned(3).classes[0].sync == schema.classes[0].sync)
        let dropped = try schema.replacing(schema.classes[0].dropping(1))
        #expect(dropped.classes[0].sync?.kinds == [2: .merged] && dropped.synced.complaint(dropped) == nil)
        #expect(try schema.replacing(schema.classes[1].renamed("Plan")).classes[1].sync == StoredSync())
        #expect(schema.classes[0].isCounter(1) && !schema.classes[0].isCounter(2) && !schema.classes[4].isCounter(0))
        #expect(try schema.classes != self.schema().classes)
    }

    @Test("what a synced class cannot be, or link to, is complained about")
    func complaints() throws {
        let schema = try synced()
        func complains(_ schema: StoredSchema) -> Bool { schema.synced.complaint(schema) != nil }
        #expect(complains(schema.marking(1, nil)), "a link to a class that is not synced")
        #expect(complains(schema.marking(4, StoredSync())), "no primary key")
        #expect(complains(schema.marking(2, StoredSync())), "embedded")
        #expect(complains(schema.marking(0, StoredSync(kinds: [0: .merged]))), "the primary key")
        #expect(complains(schema.marking(0, StoredSync(kinds: [2: .counter]))), "no integer")
        let shared = try schema.adding(ClassSchema("Owner", [PropertySchema("inner", linkTo: "Inner")]))
        #expect(complains(shared), "an embedded class of another one, too")
        #expect(try !complains(schema.adding(ClassSchema("Any", [PropertySchema("any", .mixed), PropertySchema("task", linkTo: "Task")]))))
        let nullable = try StoredSchema.empty.adding(ClassSchema("A", primaryKey: "id", [PropertySchema("id", .string, isNullable: true)]))
        #expect(complains(nullable.marking(0, StoredSync())))
        let dated = try StoredSchema.empty.adding(ClassSchema("A", primaryKey: "id", [PropertySchema("id", .date)]))
        #expect(complains(dated.marking(0, StoredSync())))
    }
}
