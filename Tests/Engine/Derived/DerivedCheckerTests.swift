@testable import FreeholdEngine
import TestKit
import Testing

/// What the checker says of derived indexes that are not what their objects file.
@Suite struct DerivedCheckerTests {
    /// A database of notes with an index of their titles: 600 sealed ones, of which every third has none, and two in
    /// the tail. `change` puts something else in the index's place.
    private func problems(seed: UInt64 = 1, _ change: (inout DerivedRoot, TableWriter) throws -> Void = { _, _ in }) throws -> CheckReport {
        let machine = SimulatedSystem(seed: seed)
        defer { machine.discard() }
        let database = try Database.open("/derived.freehold", OpenOptions.simulated, on: machine.makeProcess())
        try database.write(durability: .full) { transaction in
            try transaction.createClass(ClassSchema("Note", [PropertySchema("title", .string, isNullable: true)]))
            try transaction.derived.add(DerivedSchema(kind: 255, fields: [DerivedSchema.Field(link: nil, property: "title")]), to: "Note")
            for key in 0..<600 {
                try transaction.insert(into: "Note", key % 3 == 0 ? [] : [("title", .string("title \(key)"))])
            }
        }
        try database.write(durability: .full) { transaction in
            for key in 600..<602 { try transaction.insert(into: "Note", [("title", .string("title \(key)"))]) }
            let writer = try transaction.writer(0), known = writer.state.root.auxiliary(.derived, StoredDerived.firstColumn)
            var root = try DerivedRoot(known, in: writer.pending.access)
            try change(&root, writer)
            writer.pending.free(known)
            writer.state.root.setAuxiliary(.derived, StoredDerived.firstColumn, root.write(table: 0, in: writer.pending))
        }
        return try database.check()
    }

    /// Inserts and removes entries of objects in the index's tree.
    private func file(_ root: inout DerivedRoot, _ writer: TableWriter, inserting: [(String, Int64)] = [],
                      removing: [(String, Int64)] = []) throws {
        let operations = IndexOperations(), key = ByteBuffer()
        func set(_ text: String) {
            key.removeAll()
            key.append(0 as UInt8)
            key.appendKey(.string(text), of: .mixed)
        }
        for (text, object) in inserting {
            set(text)
            operations.insert(key.bytes, ObjectKey(object))
        }
        for (text, object) in removing {
            set(text)
            operations.remove(key.bytes, ObjectKey(object))
        }
        root.contents.references[0] = try OrderedIndex.apply(operations, to: root.contents.references[0], table: 0, in: writer.pending)
    }

    private func messages(_ report: CheckReport) -> [String] { report.problems.map { "\($0.kind.rawValue) \($0.place): \($0.message)" } }

    @Test("an index that is what its objects file is clean, and its entries are counted")
    func clean() throws {
        let report = try problems()
        #expect(report.problems.isEmpty && report.indexEntries == 400)
    }

    @Test("entries too many, missing and wrong are reported with their objects")
    func entries() throws {
        #expect(try messages(problems { try file(&$0, $1, inserting: [("more", 7)]) }) == [
            "brokenIndex Note.derived 0: its 401 entries differ from the 400 that its objects file",
            "brokenIndex Note.derived 0: object 7 has 2 entries, its document files 1",
        ])
        #expect(try messages(problems { try file(&$0, $1, removing: [("title 8", 8)]) }) == [
            "brokenIndex Note.derived 0: its 399 entries differ from the 400 that its objects file",
            "brokenIndex Note.derived 0: object 8 has 0 entries, its document files 1",
        ])
        #expect(try messages(problems { root, writer in
            try file(&root, writer, inserting: [("title 10", 8), ("title 8", 10)], removing: [("title 8", 8), ("title 10", 10)])
        }) == [
            "brokenIndex Note.derived 0: its 400 entries differ from the 400 that its objects file",
            "brokenIndex Note.derived 0: object 8 has 1 entries, its document files 1 others",
            "brokenIndex Note.derived 0: object 10 has 1 entries, its document files 1 others",
        ])
        // An object of the tail has no document.
        #expect(try messages(problems { try file(&$0, $1, inserting: [("title 600", 600)]) }).last
            == "brokenIndex Note.derived 0: object 600 has 1 entries, its document files 0")
        let many = try problems { root, writer in try file(&root, writer, inserting: (0..<150).map { ("more", $0) }) }
        #expect(many.problems.count == 102 && many.problems.last?.message == "50 more objects have wrong entries")
    }

    @Test("counts, kinds and positions that are wrong are reported, and what is being built has entries below its position")
    func roots() throws {
        #expect(try messages(problems { root, _ in root.contents.bytes[0] += 1 })
            == ["brokenIndex Note.derived 0: it counts [401] for its documents, which make [400]"])
        #expect(try messages(problems { root, _ in
            let other = DerivedRoot(kind: 9, versions: root.versions)
            root = other
        }).contains("brokenIndex Note.derived 0: its root is of kind 9, declared is kind 255"))
        #expect(try messages(problems { root, _ in root.contents.bytes.removeLast() })
            == ["brokenIndex Note.derived 0: its root has other parts than it should"])
        #expect(try problems { root, _ in (root.state, root.position) = (.building, 1000) }.problems.isEmpty)
        #expect(try problems { root, _ in (root.state, root.position) = (.building, 599) }.problems.count > 1)
        // What another version of the algorithm files is not known.
        #expect(try problems { root, writer in
            root.versions = DerivedVersions(algorithm: 2, tables: 0, tool: 0)
            try file(&root, writer, inserting: [("more", 7)])
        }.problems.isEmpty)
    }

    @Test("an index without a root, and a root that no index has, are reported")
    func missing() throws {
        let machine = SimulatedSystem(seed: 1)
        defer { machine.discard() }
        let database = try Database.open("/derived.freehold", OpenOptions.simulated, on: machine.makeProcess())
        try database.write(durability: .full) { transaction in
            try transaction.createClass(ClassSchema("Note", [PropertySchema("title", .string)]))
            for key in 0..<600 { try transaction.insert(into: "Note", [("title", .string("title \(key)"))]) }
            let writer = try transaction.writer(0), root = DerivedRoot(kind: 255, versions: FieldKind.versions)
            writer.state.root.setAuxiliary(.derived, StoredDerived.firstColumn + 4, root.write(table: 0, in: writer.pending))
        }
        #expect(try messages(database.check()) == ["brokenIndex class Note: it has a derived index 4 that it does not declare"])
        try database.write(durability: .full) { transaction in
            try transaction.derived.add(DerivedSchema(kind: 255, fields: [DerivedSchema.Field(link: nil, property: "title")]), to: "Note")
        }
        #expect(try database.check().problems.count == 1, "the declared one is whole")
        let snapshot = try database.snapshot(), (schema, top) = try snapshot.contents(), access = snapshot.core.access
        var root = try TableRoot(top.table(0), in: access)
        root.auxiliaries.removeAll { $0.kind == .derived }
        let state = try TableState(schema.classes[0], root: root, buffer: nil, in: access)
        var checker = DerivedChecker(state: state, schema: schema, access: access, report: CheckReport(version: Version(1))) { _ in
            root
        } progress: { _, _ in }
        checker.run()
        #expect(messages(checker.report) == ["brokenIndex Note.derived 0: it has no root for 600 objects"])
    }

    @Test("an index whose objects cannot be read is not reported as damaged")
    func unreadable() throws {
        let machine = SimulatedSystem(seed: 1)
        defer { machine.discard() }
        let database = try Database.open("/derived.freehold", OpenOptions.simulated, on: machine.makeProcess())
        try database.write(durability: .full) { transaction in
            try transaction.createClass(ClassSchema("Note", [PropertySchema("title", .string)]))
            for key in 0..<600 { try transaction.insert(into: "Note", [("title", .string("title \(key)"))]) }
            try transaction.derived.add(DerivedSchema(kind: 255, fields: [DerivedSchema.Field(link: nil, property: "title")]), to: "Note")
        }
        let snapshot = try database.snapshot(), (schema, top) = try snapshot.contents(), access = snapshot.core.access
        func problems(_ change: (inout TableRoot) -> Void) throws -> [String] {
            var root = try TableRoot(top.table(0), in: access)
            change(&root)
            let state = try TableState(schema.classes[0], root: root, buffer: nil, in: access)
            var checker = DerivedChecker(state: state, schema: schema, access: access, report: CheckReport(version: Version(1))) { _ in
                root
            } progress: { _, _ in }
            checker.run()
            return messages(checker.report)
        }
        #expect(try problems { _ in } == [])
        // In place of the clusters there is another block, then in that of the index.
        let objects = try problems { $0.clusters = $0.auxiliary(.derived, StoredDerived.firstColumn) }
        let start = "damagedBlock class Note: derived index 0 is not compared with the objects, of which some cannot be read: "
        #expect(objects.count == 1 && objects.first?.hasPrefix(start) == true, "\(objects)")
        let index = try problems { $0.setAuxiliary(.derived, StoredDerived.firstColumn, $0.clusters) }
        #expect(index.count == 1 && index.first?.hasPrefix("damagedBlock Note.derived 0: ") == true, "\(index)")
    }
}
