import DatabaseKit
@testable import FreeholdEngine
import Glibc
import Platform
import TestKit
import Testing

/// Files that version 1 of the format has made are read for ever, and this code writes no other bytes than it says.
@Suite struct GoldenTests {
    let folder: TemporaryFolder
    var path: String { folder.file("copy.freehold") }

    init() throws { folder = try TemporaryFolder() }

    /// A copy of a committed file, on this machine's disk.
    private func copy(_ golden: GoldenFile) throws { try GoldenFile.write(golden.committed(), path) }

    private func open(_ golden: GoldenFile, readOnly: Bool = false) throws -> Database {
        var options = golden.options
        options.readOnly = readOnly
        options.createIfMissing = false
        return try Database.open(path, options)
    }

    private func expectWhole(_ database: Database, _ scribe: Scribe, sourceLocation: SourceLocation = #_sourceLocation) throws {
        let differences = try scribe.differences(in: database.snapshot()), report = try database.check()
        #expect(differences == [], sourceLocation: sourceLocation)
        #expect(report.isClean, "\(report.problems.prefix(5))", sourceLocation: sourceLocation)
    }

    @Test("a golden file opens for reading only, and holds what went in", arguments: GoldenFile.all)
    func reading(golden: GoldenFile) throws {
        let (_, scribe) = try golden.make()
        try copy(golden)
        let database = try open(golden, readOnly: true)
        try expectWhole(database, scribe)
        database.close()
        #expect(try GoldenFile.read(path, on: LinuxSystem.shared) == golden.committed(), "reading wrote to the file")
    }

    @Test("a golden file takes commits, also of every object it has, and stays whole", arguments: GoldenFile.all)
    func writing(golden: GoldenFile) throws {
        let (_, scribe) = try golden.make()
        try copy(golden)
        var database = try open(golden)
        try expectWhole(database, scribe)
        try database.write { transaction in
            try transaction.createClass(ClassSchema("New", [PropertySchema("number", .int, isIndexed: true)]))
            for number in 0..<500 { try transaction.insert(into: "New", [("number", .int(Int64(number)))]) }
        }
        database.close()
        database = try open(golden)
        #expect(try database.snapshot().table("New").count == 500)
        try database.write { try $0.dropClass("New") }
        try expectWhole(database, scribe)
        // Every object is rewritten as it was: all leaves, trees and indexes are taken apart and put together.
        try database.write { transaction in
            let embedded = Set(transaction.classes.filter(\.isEmbedded).map(\.name))
            for schema in transaction.classes where !schema.isEmbedded {
                let table = try transaction.table(schema.name, withSubclasses: false)
                for key in try table.keys() {
                    for property in schema.properties where !schema.primaryKeys.contains(property.name) {
                        if let target = property.linkTarget, embedded.contains(target) { continue }
                        let column = try table.column(property.name)
                        try transaction.set(key, in: table, column, to: table.value(key, column))
                    }
                }
            }
        }
        try expectWhole(database, scribe)
        database.close()
    }

    @Test("the content of a golden file, written anew, has its very bytes", arguments: GoldenFile.all.filter(\.isStillMade))
    func sameBytes(golden: GoldenFile) throws {
        let (bytes, _) = try golden.make()
        let committed = try golden.committed()
        #expect(bytes.count == committed.count)
        let first = zip(bytes, committed).enumerated().first { $0.element.0 != $0.element.1 }?.offset
        #expect(first == nil, "they differ from byte \(first ?? 0) on: see Tests/Engine/Format/README.md")
    }

    /// The states that the files of full-text indexes are for, by the numbers of the index's trees.
    @Test("golden files of full-text indexes have the runs and merges that they are for, answer by them, and are built to the end",
          arguments: ["derived-1", "derived-2", "derived-11"])
    func fullText(name: String) throws {
        let golden = try #require(GoldenFile.all.first { $0.name == name }), isBegun = name == "derived-2"
        try copy(golden)
        let database = try open(golden), fields = isBegun ? "body" : "title, author.name"
        let query = try ObjectQuery("\(fields) TEXT 'w31 -w35 OR 東京'")
        defer { database.close() }
        let snapshot = try database.snapshot(), (_, top) = try snapshot.contents(), access = snapshot.core.access
        let table = try TableRoot(top.table(1), in: access)
        let root = try DerivedRoot(table.auxiliary(.derived, StoredDerived.firstColumn), in: access)
        let index = try FullTextKind.root(root.contents)
        #expect(root.state == (isBegun ? .building : .complete) && (isBegun ? root.position > 0 : index.runs.count > 3))
        #expect(index.merges.contains { $0.position != nil } == !isBegun)
        for isComplete in [!isBegun, true] {
            let prepared = try database.snapshot().table("Article").prepare(query)
            let wanted = try database.snapshot().table("Article").keys().filter { try prepared.matches($0) }
            #expect(try prepared.keys() == wanted && wanted.count > 5)
            #expect(try prepared.explanation().contains("index for") == isComplete)
            try database.buildIndexes()
        }
        #expect(try database.check().isClean)
    }

    @Test("golden files of full-text indexes with a language answer by them on a machine with their stemmer, elsewhere once built anew",
          arguments: [("derived-9", "english"), ("derived-10", "german"), ("derived-12", "english")])
    func languages(name: String, language: String) throws {
        let golden = try #require(GoldenFile.all.first { $0.name == name }), isBegun = name == "derived-10"
        let query = try ObjectQuery("\(isBegun ? "body" : "title, author.name") TEXT 'w31 -w35s OR w20ing OR w66en OR 東京'")
        for stemmers in [SimulatedStemmers.usual, .other, .missing] {
            let machine = SimulatedSystem(seed: 1), process = machine.makeProcess()
            defer { machine.discard() }
            process.stemmers = stemmers
            do {
                let file = try process.openFile("/golden.freehold", .createExclusive(permissions: 0o644))
                defer { file.close() }
                try file.write(golden.committed(), at: 0)
            }
            let database = try Database.open("/golden.freehold", golden.options, on: process), snapshot = try database.snapshot()
            defer { database.close() }
            #expect(snapshot.root.writeFeatures == FormatFeatures.derivedIndexes | FormatFeatures.textOptions)
            let status = try #require(try snapshot.fullTextIndexes().first)
            #expect(status.index.language == language && (status.state == .unavailable) == (stemmers == .missing))
            #expect((status.state == .older) == (stemmers == .other) && (status.state == .complete) == (stemmers == .usual && !isBegun))
            for isComplete in [status.state == .complete, true] where stemmers != .missing {
                let table = try database.snapshot().table("Article"), prepared = try table.prepare(query)
                let wanted = try table.keys().filter { try prepared.matches($0) }
                #expect(try prepared.keys() == wanted && wanted.count > 5)
                #expect(try prepared.explanation().contains("index for") == isComplete)
                try database.buildIndexes()
            }
            #expect(try database.check().isClean)
        }
    }

    @Test("golden files of indexes of places are in the states that they are for, answer by them, and are built to the end",
          arguments: ["derived-3", "derived-4"])
    func places(name: String) throws {
        let golden = try #require(GoldenFile.all.first { $0.name == name }), isBegun = name == "derived-4"
        try copy(golden)
        let database = try open(golden)
        defer { database.close() }
        let snapshot = try database.snapshot(), states = try snapshot.derivedStates().filter { $0.index.kind == PlacesKind.number }
        #expect(snapshot.root.writeFeatures == FormatFeatures.derivedIndexes | FormatFeatures.places)
        #expect(states.count == (isBegun ? 2 : 3) && states.allSatisfy { $0.state == (isBegun ? .building(coveredCount: 97) : .complete) })
        for entry in states { #expect(try PlacesKind().counts(#require(entry.root).contents)[0] > (isBegun ? 30 : 100)) }
        var paths = ["location", "latitude, longitude"]
        if !isBegun { paths.append("home.north, home.east") }
        for isComplete in [!isBegun, true] {
            let table = try database.snapshot().table("Shop")
            for query in paths.flatMap({ ["\($0) GEOWITHIN geoCircle([0, 20], 0.8)", "\($0) GEOWITHIN geoBox([170, -60], [-90, 90])"] }) {
                let prepared = try table.prepare(ObjectQuery(query))
                let wanted = try table.keys().filter { try prepared.matches($0) }
                #expect(try prepared.keys() == wanted && wanted.count > 5, "\(query): \(wanted.count)")
                #expect(try prepared.explanation().contains("index for") == isComplete, "\(query)")
            }
            try database.buildIndexes()
        }
        #expect(try database.check().isClean)
    }

    @Test("golden files of indexes of vectors are in the states that they are for, answer by them, and are built to the end",
          arguments: ["derived-5", "derived-6"])
    func vectors(name: String) throws {
        let golden = try #require(GoldenFile.all.first { $0.name == name }), isBegun = name == "derived-6"
        try copy(golden)
        let database = try open(golden)
        defer { database.close() }
        let snapshot = try database.snapshot(), states = try snapshot.derivedStates()
        #expect(snapshot.root.writeFeatures == FormatFeatures.derivedIndexes | FormatFeatures.vectors)
        #expect(states.count == (isBegun ? 2 : 4) && states.allSatisfy { $0.state == (isBegun ? .building(coveredCount: 64) : .complete) })
        try database.buildIndexes()
        let table = try database.snapshot().table("Item"), keys = try table.keys()
        for number in [3, 77, 1500] {
            for (property, dimensions, elements, metric) in [
                ("small", 12, VectorElements.int8, VectorMetric.cosine), ("half", 9, .float16, .dot), ("place", 3, .float32, .euclidean),
                ("long", 33_000, .int8, .cosine),
            ] {
                let wanted = (0..<dimensions).map { Float(number * ($0 + 3) % 61 - 30) }
                let query = QueryNearest(PropertyPath(property), to: wanted, count: 10, metric: metric, elements: elements)
                let scores = try VectorScores(QueryBinder(table).nearest(query), table)
                let best = zip(keys, try scores.scores(of: keys)).filter { !$0.1.isNaN }
                    .sorted { $0.1 != $1.1 ? $0.1 > $1.1 : $0.0.rawValue < $1.0.rawValue }.prefix(10).map(\.0)
                #expect(try scores.best(of: nil, requiringLength: true, firstRound: .max) == best, "\(property), \(number)")
                let prepared = try table.prepare(ObjectQuery(.constant(true), [.nearest(query)]))
                #expect(best.count == (property == "long" ? 1 : 10))
                #expect(try prepared.keys().count == best.count && prepared.explanation().contains("an index of sign bits") == !isBegun)
            }
        }
        #expect(try database.check().isClean)
    }

    @Test("the golden file of sync has what is pending, and goes on from there")
    func sync() throws {
        let golden = try #require(GoldenFile.all.first { $0.name == "sync-1" })
        try copy(golden)
        var database = try open(golden, readOnly: true)
        defer { database.close() }
        let snapshot = try database.snapshot(), schema = try snapshot.schema(), body = try #require(try snapshot.syncState())
        #expect(snapshot.root.writeFeatures == FormatFeatures.sync && body.epoch == 3 && body.slots.isEmpty)
        let task = try #require(schema.find("Task"))
        #expect(task.sync == StoredSync(onConflict: .updateWins, kinds: [2: .counter, 3: .merged]))
        #expect(schema.find("Project")?.sync == StoredSync())
        // Epoch 1 ends with increments that go with their objects, epoch 2 is sealed. What is deleted in epoch 1 leaves nothing.
        let counts = try snapshot.pendingCounts()
        #expect(counts.created == 300 + 300 + 60 - 15 && counts.deleted == 2 * (5 + 1) && counts.sums > 200)
        // Properties, members and keys; lists of one element; that of task 0: 490 inserted, 1 moved, 10 deleted; embedded objects.
        #expect(counts.changes == 60 * 4 + 59 + 490 + 1 + 10 + 3)
        let trees = PendingTrees(try snapshot.state(Int(task.number), as: task).root)
        let identities = IdentityReader(trees: trees, access: snapshot.core.access)
        let list = try #require(task.properties.first { $0.name == "list" }).number, runs = try identities.runs(of: 0, list)
        #expect(runs.elements == 490 && runs.count == 3 && runs.filter { $0.first != $0.position }.map(\.count) == [1])
        #expect(try identities.replicas() == [1: body.replica])
        let place = try #require(schema.find("Place")), embedded = PendingTrees(try snapshot.state(Int(place.number), as: place).root)
        #expect(try (0..<3).allSatisfy { try IdentityReader(trees: embedded, access: snapshot.core.access).identity(of: $0) != nil })
        var stamps: Set<UInt64> = [], epochs: Set<UInt64> = []
        try PendingTrees(snapshot.state(Int(task.number), as: task).root).forEachChange(in: snapshot.core.access) { entry in
            stamps.insert(entry.stamp.rawValue)
            epochs.insert(entry.origin.epoch)
        }
        #expect(epochs == [1, 2, 3] && stamps.count == 4 && stamps.max() == body.clock.last.rawValue)
        snapshot.end()
        database.close()
        // This file is a copy.
        database = try open(golden)
        #expect(try database.snapshot().syncState()?.slots.map(\.replica) == [body.replica])
        #expect(try database.snapshot().pendingCounts() == counts)
        try database.write { try $0.delete(ObjectKey(0), from: $0.table("Task")) }
        #expect(try database.snapshot().pendingCounts().deleted == counts.deleted + 1)
        #expect(try database.check().isClean)
    }

    @Test("golden files of indexes in a collation are in the states that they are for, answer by them, and are built to the end",
          arguments: ["derived-7", "derived-8"])
    func collations(name: String) throws {
        let golden = try #require(GoldenFile.all.first { $0.name == name }), isBegun = name == "derived-8"
        var options = SimulatedSystem.Options(seed: 2)
        options.collation = GoldenFile.collation
        let machine = SimulatedSystem(options)
        defer { machine.discard() }
        let process = machine.makeProcess(), file = try process.openFile("/copy.freehold", .createExclusive(permissions: 0o644))
        try file.write(golden.committed(), at: 0)
        file.close()
        let database = try Database.open("/copy.freehold", golden.options, on: process)
        let snapshot = try database.snapshot(), states = try snapshot.derivedStates()
        #expect(snapshot.root.writeFeatures == FormatFeatures.derivedIndexes | FormatFeatures.collations)
        #expect(states.count == (isBegun ? 1 : 3) && states.allSatisfy { $0.state == (isBegun ? .building(coveredCount: 97) : .complete) })
        for isComplete in [!isBegun, true] {
            let table = try database.snapshot().table("Word")
            for text in ["SORT(name COLLATE 'de') LIMIT(20)", "SORT(name DESC COLLATE 'de', number) LIMIT(5)", "SORT(name COLLATE 'de')"] {
                let prepared = try table.prepare(ObjectQuery(text)), transaction = try database.beginWrite()
                defer { transaction.rollback() }
                #expect(try prepared.keys() == transaction.table("Word").keys(matching: ObjectQuery(text)))
                #expect(try prepared.explanation().contains("in the order of the index of name") == isComplete, "\(text)")
            }
            try database.buildIndexes()
        }
        #expect(try database.check().isClean)
    }

    /// Writes the files that are not there yet; never one that is.
    @Test(.enabled(if: getenv("FREEHOLD_MAKE_GOLDEN") != nil, "makes files that are missing when FREEHOLD_MAKE_GOLDEN is set"))
    func makeMissingFiles() throws {
        for golden in GoldenFile.all where access(golden.path, F_OK) != 0 { try GoldenFile.write(golden.make().bytes, golden.path) }
    }
}
