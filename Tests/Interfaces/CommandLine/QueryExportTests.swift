import FreeholdEngine
import FreeholdImport
import FreeholdTools
import TestKit
import Testing

/// What `QueryExport` writes for programs, against what the verbs print.
@Suite struct QueryExportTests {
    private static let classes = [
        ClassSchema("Animal", primaryKey: "id", [
            PropertySchema("id", .int), PropertySchema("name", .string), PropertySchema("friend", linkTo: "Animal"),
        ]),
        ClassSchema("Dog", superclass: "Animal", [PropertySchema("tricks", .string, collections: [.list])]),
        ClassSchema("Note", [PropertySchema("text", .string), PropertySchema("size", .double, isNullable: true)]),
    ]

    private func place() throws -> Workplace {
        let place = try Workplace()
        let database = try Database.open(place.folder.appending(path: "d").path)
        try database.write { transaction in
            for schema in Self.classes { try transaction.createClass(schema) }
            let animals = try transaction.table("Animal"), dogs = try transaction.table("Dog"), notes = try transaction.table("Note")
            let animal = try transaction.insert(into: animals, values: [.int(1), .string("ant, \"A\""), .null])
            for id: Int64 in 2...3000 {
                try transaction.insert(into: dogs, values: [.int(id), .string("Rex"), .link(animal), .list([.string("sit")])])
            }
            try transaction.insert(into: notes, values: [.string(""), .null])
            try transaction.insert(into: notes, values: [.string("two\nlines"), .double(1.5)])
        }
        database.close()
        return place
    }

    private struct Written {
        var text = ""
        var pieces = 0
        var progress: [Int] = []
    }

    private func export(
        _ place: Workplace, _ className: String, _ query: String?, _ format: RecordFormat, _ properties: [String]? = nil,
        chunkBytes: Int = 64 << 10
    ) throws -> Written {
        let database = try Database.open(place.folder.appending(path: "d").path)
        defer { database.close() }
        let snapshot = try database.snapshot(), table = try snapshot.table(className)
        var written = Written(), bytes: [UInt8] = []
        let sink = ChunkedSink(chunkBytes: chunkBytes) { bytes += $0; written.pieces += 1 }
        let prepared = try query.map { try table.prepare(ObjectQuery($0)) }
        let export = try QueryExport(table, prepared, in: snapshot, format, properties: properties)
        try export.write(to: sink) { done, _ in written.progress.append(done) }
        try sink.flush()
        written.text = String(decoding: bytes, as: UTF8.self)
        return written
    }

    @Test("a whole class is written as export writes it", arguments: [RecordFormat.json, .jsonl, .csv, .tsv])
    func aWholeClassIsWrittenAsExportWritesIt(format: RecordFormat) throws {
        let place = try place()
        for name in ["Animal", "Dog", "Note"] {
            let printed = try place.run("export", "d", name, "--format", format.rawValue)
            let written = try export(place, name, nil, format)
            #expect(printed.status == 0 && printed.output == written.text)
            // A query that every object meets leads to the same, in the same order.
            let queried = try export(place, name, "TRUEPREDICATE", format)
            #expect(queried.text == written.text)
        }
    }

    @Test("objects and groups of a query are written as query writes them", arguments: [RecordFormat.json, .jsonl, .csv, .tsv])
    func aQueryIsWrittenAsQueryWritesIt(format: RecordFormat) throws {
        let place = try place()
        for (name, query) in [
            ("Dog", "id < 5 SORT(id DESC)"), ("Note", "size == 1.5"), ("Note", "text == 'none'"),
            ("Animal", "GROUP(name) SELECT(@count, id.@max)"),
        ] {
            let printed = try place.run("query", "d", name, query, "--format", format.rawValue)
            let written = try export(place, name, query, format)
            #expect(printed.status == 0 && printed.output == written.text, "\(query)")
        }
        let printed = try place.run("query", "d", "Animal", "id < 3", "--format", format.rawValue, "--columns", "name,id")
        let written = try export(place, "Animal", "id < 3", format, ["name", "id"])
        #expect(printed.output == written.text)
    }

    @Test("objects of subclasses found by a query are written with their own class")
    func objectsOfSubclassesAreWrittenWithTheirClass() throws {
        #expect(try export(try place(), "Animal", "id < 3", .jsonl).text == """
            {"$class":"Animal","id":1,"name":"ant, \\"A\\"","friend":null}
            {"$class":"Dog","id":2,"name":"Rex","friend":1,"tricks":["sit"]}

            """)
    }

    @Test("bytes are passed on in pieces, and progress is reported up to the total")
    func bytesArePassedOnInPieces() throws {
        let place = try place()
        let one = try export(place, "Dog", nil, .csv), many = try export(place, "Dog", "id > 0", .csv, chunkBytes: 100)
        #expect(one.text == many.text && one.pieces < 5 && many.pieces > 500)
        #expect(one.progress == [1024, 2048, 2999] && many.progress == one.progress)
    }

    @Test("an unknown property is an error with a suggestion, and an error of the receiver ends the export")
    func errorsEndTheExport() throws {
        let place = try place()
        #expect { try export(place, "Note", nil, .csv, ["txet"]) } throws: { error in
            let error = error as? FreeholdError
            return error?.code == .unknownProperty && error?.message == "there is no property 'txet' in class 'Note'; did you mean 'text'?"
        }
        #expect { try export(place, "Note", nil, .control) } throws: { ($0 as? FreeholdError)?.code == .invalidArgument }
        struct Stop: Error {}
        let database = try Database.open(place.folder.appending(path: "d").path)
        defer { database.close() }
        let snapshot = try database.snapshot()
        var pieces = 0
        let sink = ChunkedSink(chunkBytes: 1000) { _ in
            pieces += 1
            if pieces == 3 { throw Stop() }
        }
        #expect(throws: Stop.self) { try QueryExport(try snapshot.table("Dog"), in: snapshot, .jsonl).write(to: sink) }
        #expect(pieces == 3)
    }
}
