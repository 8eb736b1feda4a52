import Dispatch
import FreeholdEngine
import Synchronization
import TestKit
import Testing

@testable import FreeholdImport

@Suite struct StoreImporterTests {
    private static let seeds = TestScale.seeds(30)

    private static func importer(_ store: MemoryStore, _ database: Database) -> StoreImporter {
        let importer = StoreImporter(store, name: "old", into: database)
        importer.objectsInTransaction = 25
        return importer
    }

    private static func names(_ database: Database) throws -> [String] { try database.snapshot().classes.map(\.name) }

    @Test("an import gives the database what the source has", arguments: seeds)
    func equal(seed: UInt64) throws {
        let folder = try TemporaryFolder(), store = MemoryStore(seed: seed, count: 120)
        let database = try Database.open(folder.file("a.freehold"))
        let importer = Self.importer(store, database)
        importer.onProgress = { progress in
            #expect(progress.written <= progress.total)
            // Nothing of it is to be seen before it is complete.
            #expect((try? Self.names(database)) == [])
            return true
        }
        let summary = try importer.run()
        #expect(try StoreContent.actual(database, store) == StoreContent.expected(store), "seed \(seed)")
        #expect(try Set(Self.names(database)) == Set(store.classes.map(\.schema.name)))
        #expect(try database.snapshot().schemaVersion == 7)
        #expect(summary.isNew && Array(summary.remarks.prefix(store.remarks.count)) == store.remarks)
        #expect((summary.missingLinks > 0) == (summary.remarks.count > store.remarks.count))
        #expect(try database.check().problems.isEmpty)
        #expect(try !Self.importer(store, database).run().isNew)
        #expect(try StoreContent.actual(database, store) == StoreContent.expected(store), "seed \(seed)")
    }

    @Test("stopped after every batch, an import continues where it stood", arguments: seeds)
    func stopped(seed: UInt64) throws {
        let folder = try TemporaryFolder(), store = MemoryStore(seed: seed, count: 120), path = folder.file("a.freehold")
        var stops = 0, isDone = false
        while !isDone {
            // Opened anew each time, as after a crash.
            let database = try Database.open(path)
            let importer = Self.importer(store, database)
            importer.onProgress = { _ in false }
            do {
                _ = try importer.run()
                isDone = true
            } catch let error as SourceError {
                #expect(error.kind == .cancelled)
                stops += 1
                try #require(stops < 1000)
            }
            database.close()
        }
        let database = try Database.open(path)
        #expect(try StoreContent.actual(database, store) == StoreContent.expected(store), "seed \(seed)")
        #expect(try database.check().problems.isEmpty)
    }

    @Test("a source that is another one than before is imported from its start", arguments: seeds)
    func another(seed: UInt64) throws {
        let folder = try TemporaryFolder(), database = try Database.open(folder.file("a.freehold"))
        let first = MemoryStore(seed: seed, count: 120)
        first.failsAfter = Int(seed % 13)
        #expect(throws: SourceError.self) { try Self.importer(first, database).run() }
        #expect(try Self.names(database).isEmpty)
        let second = MemoryStore(seed: seed + 1, count: 120)
        _ = try Self.importer(second, database).run()
        #expect(try StoreContent.actual(database, second) == StoreContent.expected(second), "seed \(seed)")
        #expect(try database.check().problems.isEmpty)
    }

    @Test("a source that changed while it was read leaves nothing", arguments: TestScale.seeds(5))
    func changed(seed: UInt64) throws {
        let folder = try TemporaryFolder(), database = try Database.open(folder.file("a.freehold"))
        let store = MemoryStore(seed: seed, count: 60)
        store.hasChanged = true
        let error = #expect(throws: SourceError.self) { try Self.importer(store, database).run() }
        #expect(error?.kind == .changed)
        let transaction = try database.beginWrite()
        #expect(transaction.hiddenClasses.map(\.name) == [ImportState.className])
        transaction.rollback()
        store.hasChanged = false
        _ = try Self.importer(store, database).run()
        #expect(try StoreContent.actual(database, store) == StoreContent.expected(store), "seed \(seed)")
    }

    @Test("many that import at once import once", arguments: TestScale.seeds(5))
    func together(seed: UInt64) throws {
        let folder = try TemporaryFolder(), path = folder.file("a.freehold")
        let summaries = Mutex<[StoreImportSummary]>([])
        DispatchQueue.concurrentPerform(iterations: 4) { _ in
            do {
                let database = try Database.open(path)
                let summary = try Self.importer(MemoryStore(seed: seed, count: 200), database).run()
                summaries.withLock { $0.append(summary) }
            } catch {
                Issue.record(error)
            }
        }
        #expect(summaries.withLock { $0.count } == 4)
        #expect(summaries.withLock { $0.count { $0.isNew } } == 1)
        let database = try Database.open(path), store = MemoryStore(seed: seed, count: 200)
        #expect(try StoreContent.actual(database, store) == StoreContent.expected(store), "seed \(seed)")
    }

    @Test("those who import without taking turns import once too", arguments: TestScale.seeds(5))
    func withoutTurns(seed: UInt64) throws {
        let folder = try TemporaryFolder(), path = folder.file("a.freehold"), store = MemoryStore(seed: seed, count: 150)
        let database = try Database.open(path)
        let importer = Self.importer(store, database)
        var depth = 0
        importer.onProgress = { _ in
            // Another one goes on in the middle of the first, which does not know of it.
            if depth < 3 {
                depth += 1
                let other = Self.importer(MemoryStore(seed: seed, count: 150), database)
                other.takesTurns = false
                var left = 2
                other.onProgress = { _ in
                    left -= 1
                    return left > 0
                }
                _ = try? other.run()
            }
            return true
        }
        _ = try importer.run()
        #expect(try StoreContent.actual(database, store) == StoreContent.expected(store), "seed \(seed)")
    }

    @Test("one who goes on, completes or discards the import while another one looks away is noticed", arguments: seeds)
    func overtaken(seed: UInt64) throws {
        let folder = try TemporaryFolder(), database = try Database.open(folder.file("a.freehold"))
        var random = SeededRandom(seed: seed)
        let store = MemoryStore(seed: seed, count: 120)
        func other(stoppingAfter batches: Int) throws {
            let other = Self.importer(MemoryStore(seed: seed, count: 120), database)
            other.takesTurns = false
            var left = batches
            other.onProgress = { _ in
                left -= 1
                return left > 0
            }
            do { _ = try other.run() } catch let error as SourceError where error.kind == .cancelled {}
        }
        try other(stoppingAfter: random.below(15))
        var left = 1 + random.below(3), acts = 4
        store.onUse = {
            left -= 1
            guard left == 0, acts > 0 else { return }
            (acts, left) = (acts - 1, 1 + random.below(20))
            do {
                switch random.below(4) {
                case 0: try other(stoppingAfter: .max)
                case 1: try Self.importer(MemoryStore(seed: seed, count: 120), database).discard()
                default: try other(stoppingAfter: 1 + random.below(8))
                }
            } catch {
                Issue.record(error, "seed \(seed)")
            }
        }
        let importer = Self.importer(store, database)
        importer.takesTurns = false
        _ = try importer.run()
        #expect(try StoreContent.actual(database, store) == StoreContent.expected(store), "seed \(seed)")
        #expect(try database.check().problems.isEmpty)
    }

    @Test("a class that has objects is not replaced, an empty one is")
    func existing() throws {
        let folder = try TemporaryFolder(), database = try Database.open(folder.file("a.freehold"))
        try database.write { try $0.createClass(ClassSchema("City", [PropertySchema("x", .int)])) }
        let store = MemoryStore(seed: 3, count: 60)
        try database.write { _ = try $0.insert(into: "City", [("x", .int(1))]) }
        let error = #expect(throws: FreeholdError.self) { try Self.importer(store, database).run() }
        #expect(error?.code == .schemaMismatch)
        #expect(error?.message.contains("'City' is in the database already and has 1 objects") == true)
        try database.write { transaction in try transaction.delete(try transaction.table("City").keys(), from: transaction.table("City")) }
        _ = try Self.importer(store, database).run()
        #expect(try StoreContent.actual(database, store) == StoreContent.expected(store))
    }

    @Test("classes without objects that link to one another, and to which others link, are replaced; one that another extends is not")
    func replaced() throws {
        let folder = try TemporaryFolder(), database = try Database.open(folder.file("a.freehold"))
        // As a program leaves them that was there before the import was declared.
        _ = try StoreImporter(MemoryStore(seed: 3, count: 0), name: "none", into: database).run()
        let team = ClassSchema("Team", [
            PropertySchema("lead", linkTo: "Person"), PropertySchema("title", .string),
            PropertySchema("all", linkTo: "Person", collections: [.list]),
        ])
        try database.write { transaction in
            try transaction.createClass(team)
            try transaction.createClass(ClassSchema("Cat", superclass: "Animal", [PropertySchema("lives", .int)]))
            _ = try transaction.insert(into: "Team", [("title", .string("first"))])
        }
        let store = MemoryStore(seed: 3, count: 60)
        let error = #expect(throws: FreeholdError.self) { try Self.importer(store, database).run() }
        #expect(error?.code == .schemaMismatch && error?.message.contains("cannot be replaced: ") == true, "\(String(describing: error))")
        #expect(try StoreImporter.unfinished(in: database.snapshot()).isEmpty)
        try database.write { try $0.dropClass("Cat") }
        _ = try Self.importer(store, database).run()
        #expect(try StoreContent.actual(database, store) == StoreContent.expected(store))
        let snapshot = try database.snapshot(), teams = try snapshot.table("Team")
        #expect(Set(teams.schema.properties.map(\.name)) == ["lead", "title", "all"] && teams.schema.properties.count == 3)
        #expect(teams.schema.properties.allSatisfy { team.properties.contains($0) })
        #expect(try teams.value(#require(teams.keys().first), teams.column("title")) == .string("first"))
        let person = try #require(snapshot.table("Person").keys().first)
        try database.write { transaction in
            let teams = try transaction.table("Team")
            try transaction.set(#require(teams.keys().first), in: teams, teams.column("lead"), to: .link(person))
        }
        #expect(try database.check().isClean)
    }

    @Test("what compares versions learns of an import when it is complete, and then of all its objects")
    func compared() throws {
        let folder = try TemporaryFolder(), database = try Database.open(folder.file("a.freehold"))
        let store = MemoryStore(seed: 4, count: 100), before = try database.snapshot(), importer = Self.importer(store, database)
        var told = 0
        importer.onProgress = { _ in
            told += 1
            #expect((try? database.snapshot().changes(since: before).classes.isEmpty) == true)
            #expect((try? database.check()).map { $0.classes == 0 && $0.objects == 0 && $0.isClean } == true)
            return true
        }
        _ = try importer.run()
        #expect(told > 3)
        let after = try database.snapshot(), changes = try after.changes(since: before), back = try before.changes(since: after)
        #expect(Set(changes.classes.map(\.name)) == Set(store.classes.map(\.schema.name)))
        for name in try after.classes.map(\.name) {
            let count = try after.table(name, withSubclasses: false).count
            #expect(try changes[name]?.counts() == ChangeCounts(inserted: count), "\(name)")
            #expect(try back[name]?.counts() == ChangeCounts(deleted: count), "\(name)")
            #expect(changes[name]?.before == nil && changes[name]?.after?.name == name)
        }
        let check = try database.check()
        #expect(try check.classes == after.classes.count)
    }

    @Test("a source without classes is asked again")
    func empty() throws {
        let folder = try TemporaryFolder(), database = try Database.open(folder.file("a.freehold"))
        let store = MemoryStore(seed: 4, count: 10), nothing = MemoryStore(seed: 4, count: 0, isEmpty: true)
        let summary = try Self.importer(nothing, database).run()
        #expect(summary.classes.isEmpty && summary.isNew)
        #expect(try Self.importer(store, database).run().isNew)
        #expect(try StoreContent.actual(database, store) == StoreContent.expected(store))
    }

    @Test("the error of a damaged source says what can still be read")
    func readable() throws {
        let folder = try TemporaryFolder(), database = try Database.open(folder.file("a.freehold"))
        let store = MemoryStore(seed: 4, count: 100), cities = store.objects[MemoryStore.city]
        store.damaged = (MemoryStore.city, cities[cities.count / 2].key)
        let error = #expect(throws: SourceError.self) { try Self.importer(store, database).run() }
        let told = try #require(error?.readable)
        #expect(told.map(\.name) == store.classes.map(\.schema.name))
        for place in store.classes.indices where !store.classes[place].schema.isEmbedded {
            let isCity = place == MemoryStore.city
            let wanted = isCity ? cities.count / 2 : store.objects[place].count
            #expect(told[place] == ReadableClass(store.classes[place].schema.name, count: wanted, isWhole: !isCity))
        }
        #expect(error?.readableDescription?.hasPrefix("the first \(cities.count / 2) objects of 'City', all ") == true)
        #expect(SourceError(.damaged, "x", readable: [ReadableClass("A", count: 0, isWhole: false)]).readableDescription == "no object")
        let many = (0..<9).map { ReadableClass("C\($0)", count: $0, isWhole: true) }
        let description = try #require(SourceError(.damaged, "x", readable: many).readableDescription)
        #expect(description.hasSuffix(", all 6 objects of 'C6', 15 objects of 2 other classes"))
    }

    @Test("what was given up leaves nothing")
    func discarded() throws {
        let folder = try TemporaryFolder(), database = try Database.open(folder.file("a.freehold"))
        let store = MemoryStore(seed: 4, count: 100)
        store.failsAfter = 9
        let importer = Self.importer(store, database)
        #expect(throws: SourceError.self) { try importer.run() }
        try importer.discard()
        let transaction = try database.beginWrite()
        defer { transaction.rollback() }
        #expect(transaction.hiddenClasses.map(\.name) == [ImportState.className])
        #expect(try ImportState.read("old", within: transaction) == nil)
    }
}
