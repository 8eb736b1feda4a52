import DatabaseKit
@testable import FreeholdEngine
import TestKit
import Testing

/// Synced classes in files: marked and unmarked, copied, compacted, salvaged, checked.
@Suite struct SyncFileTests {
    private static let path = SyncCaptureTests.path, other = "/other.freehold"

    /// Pending changes of every kind, of two epochs.
    static func change(_ database: Database) throws {
        try SyncCaptureTests.set(database, 0, "title", .string("x"))
        try SyncCaptureTests.set(database, 0, "stock", .int(13))
        try SyncListTests.set(database, [1, 2])
        try database.write { transaction in
            for id in 0..<700 { try transaction.insert(into: "Task", [("id", .string("n\(id)")), ("title", .string("t"))]) }
        }
        try History.sealSync(on: database, durability: .full)
        try SyncCaptureTests.set(database, 0, "stock", .int(12))
        try SyncCaptureTests.set(database, 1, "tags", .set([.string("x")]))
        try SyncCaptureTests.set(database, 1, "map", .map(["k": .int(1)]))
        try SyncListTests.set(database, [1], of: 1)
        try SyncCaptureTests.delete(database, 2)
    }

    private static let changed = [
        "3…702 new", "0 title", "0 list +1…2 -|-", "1 tags{x}", "1 map[k]", "1 list +3 -|-", "2 deleted", "2 was c", "0 stock +3/1@1",
        "0 stock -1/1@2",
    ]

    private func slots(_ database: Database) throws -> Set<UInt16> {
        let snapshot = try database.snapshot(), schema = try snapshot.schema(), stored = try #require(schema.find("Task"))
        var slots: Set<UInt16> = []
        let trees = PendingTrees(try snapshot.state(Int(stored.number), as: stored).root)
        try trees.forEachChange(in: snapshot.core.access) { slots.insert($0.origin.slot) }
        try trees.forEachSum(in: snapshot.core.access) { slots.insert($0.origin.slot) }
        return slots
    }

    @Test("a class is marked with its objects as created, and unmarked with all that is pending; only then writers need the feature")
    func marking() throws {
        let machine = SimulatedSystem(seed: 2)
        defer { machine.discard() }
        let database = try Database.open(Self.path, .simulated, on: machine.makeProcess())
        defer { database.close() }
        try database.write { transaction in
            try transaction.createClasses(SyncCaptureTests.classes)
            for number in 0..<600 as Range<Int64> {
                try transaction.insert(into: "Project", [("number", .int(number)), ("name", .string("p"))])
            }
        }
        #expect(try database.snapshot().root.writeFeatures == 0 && database.snapshot().syncState() == nil)
        try database.write { try $0.sync.mark("Project") }
        #expect(try database.snapshot().root.writeFeatures == FormatFeatures.sync)
        #expect(try SyncCaptureTests.pending(database, "Project") == ["0…599 new"])
        let body = try SyncCaptureTests.body(database)
        #expect(body.epoch == 1 && body.slots.isEmpty && body.cursor == .never && body.replica != .server)
        try database.write { transaction in
            #expect(transaction.sync.classes == ["Project"])
            try transaction.sync.mark("Task", SyncRules(counters: ["stock"]))
            try transaction.sync.unmark("Project")
            // Tasks link to projects.
            #expect(throws: FreeholdError.self) { try transaction.commit() }
        }
        try database.write { try $0.sync.unmark("Project") }
        #expect(try SyncCaptureTests.pending(database, "Project").isEmpty && database.snapshot().syncState() == nil)
        #expect(try database.snapshot().root.writeFeatures == FormatFeatures.sync, "older versions of the file still have it")
        try database.write { try $0.sync.mark("Project", SyncRules(onConflict: .updateWins)) }
        #expect(try SyncCaptureTests.body(database).replica != body.replica)
        let stored = try #require(database.snapshot().schema().find("Project"))
        #expect(stored.sync == StoredSync(onConflict: .updateWins))
    }

    @Test("an unmarked class drops what is pending of the embedded objects that it owns, too")
    func unmarkingEmbedded() throws {
        try SyncCaptureTests.withFile { database, _, _ in
            let key = try database.write { transaction in
                let table = try transaction.table("Task")
                return try transaction.embed([("street", .string("x"))], in: ObjectKey(0), of: table, table.column("place"))
            }
            try database.write { transaction in
                let table = try transaction.table("Place")
                try transaction.set(key, in: table, table.column("street"), to: .string("y"))
            }
            #expect(try SyncCaptureTests.pending(database, "Place") == ["0 street"])
            try database.write { try $0.sync.unmark("Task") }
            #expect(try SyncCaptureTests.pending(database, "Place").isEmpty && SyncCaptureTests.pending(database).isEmpty)
            #expect(try database.snapshot().syncState() != nil)
            try database.write { transaction in
                let table = try transaction.table("Place")
                try transaction.set(key, in: table, table.column("street"), to: .string("z"))
            }
            #expect(try database.snapshot().pendingCounts().isEmpty && database.check().isClean)
        }
    }

    @Test("classes that cannot be synced, and changes that sync does not allow, are refused")
    func refusals() throws {
        try SyncCaptureTests.withFile { database, _, _ in
            func expectRefused(_ body: (WriteTransaction) throws -> Void) throws {
                let transaction = try database.beginWrite()
                #expect {
                    try body(transaction)
                    try transaction.commit()
                } throws: { ($0 as? FreeholdError)?.code == .invalidArgument }
                transaction.rollback()
            }
            try expectRefused { try $0.sync.mark("Other") }
            try expectRefused { try $0.sync.mark("Place") }
            try expectRefused { try $0.sync.mark("Task", SyncRules(counters: ["stock", "title"])) }
            try expectRefused { try $0.sync.mark("Task", SyncRules(counters: [])) }
            try expectRefused { try $0.sync.mark("Project", SyncRules(counters: ["number"])) }
            try expectRefused { try $0.sync.unmark("Other") }
            // A link to a class that is not synced, and an embedded class that another class has, too.
            try expectRefused { try $0.addProperty(PropertySchema("other", linkTo: "Other"), to: "Task") }
            try expectRefused { try $0.addProperty(PropertySchema("place", linkTo: "Place"), to: "Other") }
            try expectRefused { try $0.sync.unmark("Project") }
            try expectRefused { try $0.setPrimaryKey("title", of: "Task") }
            try expectRefused { try $0.setNullable(true, "stock", in: "Task") }
            try database.write { try $0.createClass(ClassSchema("Sub", superclass: "Project", [PropertySchema("more", .int)])) }
            try expectRefused { try $0.sync.mark("Sub") }
            try database.write { _ = try $0.insert(into: "Sub", [("number", .int(77)), ("name", .string("")), ("more", .int(1))]) }
            #expect(try SyncCaptureTests.pending(database, "Project") == ["77 new"])
            #expect(throws: FreeholdError.self) { try database.write { try $0.sync.mark("None") } }
            // Numbers that the class gives would be those of other devices' objects.
            for name in ["Project", "Sub"] {
                let error = #expect(throws: FreeholdError.self) {
                    try database.write { _ = try $0.insert(into: name, [("name", .string("unnumbered"))]) }
                }
                #expect(error?.code == .notNullable && error?.message.contains("primary key 'number'") == true)
            }
            try database.write { transaction in
                try transaction.sync.unmark("Task")
                try transaction.sync.unmark("Project")
                #expect(try transaction.insert(into: "Project", [("name", .string("numbered"))]).rawValue == 78)
            }
        }
    }

    @Test("a dropped property takes its entries along; one of another type, or another name, is followed")
    func schemaChanges() throws {
        try SyncCaptureTests.withFile { database, _, _ in
            try Self.change(database)
            try database.write { transaction in
                try transaction.dropProperty("tags", from: "Task")
                try transaction.renameProperty("title", to: "name", in: "Task")
                try transaction.addProperty(PropertySchema("added", .int), to: "Task")
                try transaction.addProperty(PropertySchema("more", .string, isNullable: true), to: "Task")
            }
            let lists = ["0 list +1…2 -|-", "1 list +3 -|-"], rest = ["2 deleted", "2 was c", "0 stock +3/1@1", "0 stock -1/1@2"]
            #expect(try SyncCaptureTests.pending(database) == ["3…702 new", "0 name", lists[0], "1 map[k]", lists[1]] + rest)
            try database.write { try $0.dropProperty("list", from: "Task") }
            #expect(try SyncCaptureTests.pending(database) == ["3…702 new", "0 name", "1 map[k]"] + rest)
            try SyncCaptureTests.set(database, 1, "added", .int(4))
            try History.settleSync(on: database, durability: .full)
            try database.write { transaction in
                try transaction.changeType(of: "added", in: "Task", to: .string) { $0 == .int(0) ? .string("") : .string("four") }
                try transaction.renameClass("Task", to: "Chore")
            }
            #expect(try SyncCaptureTests.pending(database, "Chore") == ["1 added"])
            try database.write { transaction in
                try transaction.dropProperty("task", from: "Other")
                try transaction.dropClass("Chore")
            }
            #expect(try database.check().isClean && database.snapshot().pendingCounts().isEmpty)
        }
    }

    @Test("a copy has what is pending under the old replica, and one of its own; a compacted file stays the same replica")
    func copies() throws {
        try SyncCaptureTests.withFile { database, machine, process in
            try Self.change(database)
            #expect(try SyncCaptureTests.pending(database) == Self.changed)
            let body = try SyncCaptureTests.body(database)
            #expect(try slots(database) == [0])
            try database.copy(to: Self.other, encryption: .same, .simulated, on: process)
            var copy = try Database.open(Self.other, .simulated, on: machine.makeProcess())
            let inherited = try SyncCaptureTests.body(copy)
            #expect(try SyncCaptureTests.pending(copy) == Self.changed && slots(copy) == [1])
            #expect(inherited.slots == [SyncBody.Slot(replica: body.replica, epoch: 2, last: body.clock.last)]
                && inherited.replica != body.replica)
            #expect(inherited.epoch == 1 && inherited.home != body.home && inherited.clock == body.clock)
            // The copy's own changes are its own: sums go beside those inherited.
            try SyncCaptureTests.set(copy, 0, "stock", .int(20))
            try SyncCaptureTests.set(copy, 0, "title", .string("z"))
            #expect(try slots(copy) == [0, 1] && SyncCaptureTests.pending(copy).contains("0 stock +8/1@1"))
            // Elements that it inserts are its own, beside those of the original; what it had inserted may be known.
            try SyncListTests.set(copy, [1, 2, 3])
            #expect(try SyncCaptureTests.pending(copy).contains("0 list +2.1 2|-"))
            try SyncListTests.set(copy, [1, 3])
            let elements = try SyncCaptureTests.pending(copy).filter { $0.hasPrefix("0 list") }
            #expect(elements == ["0 list +1 -|-", "0 list +2.1 1|-", "0 list -2"])
            try SyncListTests.set(copy, [3])
            #expect(try SyncCaptureTests.pending(copy).contains("0 list +2.1 -|-"))
            // Objects that were created before the copy may be known by the original.
            try SyncCaptureTests.delete(copy, 100)
            #expect(try SyncCaptureTests.pending(copy).contains("100 deleted"))
            let before = try SyncCaptureTests.pending(copy), own = try SyncCaptureTests.body(copy)
            _ = try copy.compact()
            #expect(try SyncCaptureTests.pending(copy) == before && SyncCaptureTests.body(copy) == own)
            copy.close()
            _ = try FileReplacement(path: Self.other, options: .simulated, system: machine.makeProcess()).run()
            copy = try Database.open(Self.other, .simulated, on: machine.makeProcess())
            var moved = own
            moved.home = try SyncCaptureTests.body(copy).home
            #expect(try SyncCaptureTests.pending(copy) == before && SyncCaptureTests.body(copy) == moved && moved.home != own.home)
            #expect(try copy.snapshot().root.writeFeatures == FormatFeatures.sync)
            copy.close()
            _ = try database.backup(to: "/backup.freehold", on: process)
            var reading = OpenOptions.simulated
            reading.readOnly = true
            for isRead in [true, false] {
                let backup = try Database.open("/backup.freehold", isRead ? reading : .simulated, on: machine.makeProcess())
                #expect(try SyncCaptureTests.pending(backup) == Self.changed && slots(backup) == [isRead ? 0 : 1])
                #expect(try (SyncCaptureTests.body(backup) == body) == isRead)
                backup.close()
            }
        }
    }

    @Test("a file that is compacted in place keeps the state of sync while blocks move")
    func relocated() throws {
        try SyncCaptureTests.withFile { database, _, _ in
            try database.write { transaction in
                let note = Value.string(String(repeating: "note ", count: 80))
                for id in 0..<3000 {
                    try transaction.insert(into: "Task", [("id", .string("m\(id)")), ("title", .string("t")), ("note", note)])
                }
            }
            try database.write { transaction in
                for value in 0..<3000 as Range<Int64> { try transaction.insert(into: "Other", [("value", .int(value))]) }
            }
            try database.write { transaction in
                try transaction.delete((3..<3000).map { ObjectKey($0) }, from: transaction.table("Task"))
            }
            try Self.change(database)
            let body = try SyncCaptureTests.body(database), pending = try SyncCaptureTests.pending(database)
            #expect(try database.compact().movedBlocks > 10 && pending.count == Self.changed.count + 1)
            #expect(try SyncCaptureTests.body(database) == body && SyncCaptureTests.pending(database) == pending)
        }
    }

    @Test("a salvaged file has the objects, and no synced classes; the report says so")
    func salvaged() throws {
        try SyncCaptureTests.withFile { database, machine, process in
            try Self.change(database)
            database.close()
            let report = try Database.salvage(from: Self.path, to: Self.other, .simulated, on: machine.makeProcess())
            #expect(report.notes.contains { $0.hasPrefix("its classes are not synced") } && report.classes.allSatisfy(\.isComplete))
            let salvaged = try Database.open(Self.other, .simulated, on: process)
            defer { salvaged.close() }
            #expect(try salvaged.snapshot().table("Task").count == 702 && salvaged.snapshot().syncState() == nil)
            #expect(try salvaged.check().isClean)
            #expect(try salvaged.snapshot().root.writeFeatures == 0)
            try salvaged.write { try SyncCaptureTests.mark($0) }
            #expect(try SyncCaptureTests.pending(salvaged).prefix(2) == ["0…1 new", "3…702 new"])
        }
    }

    @Test("readers see a synced file like one that is not: classes, counts, queries, changes, sizes")
    func hidden() throws {
        let machine = SimulatedSystem(seed: 5)
        defer { machine.discard() }
        var databases: [Database] = []
        for isSynced in [false, true] {
            let database = try Database.open(isSynced ? "/a.freehold" : "/b.freehold", .simulated, on: machine.makeProcess())
            databases.append(database)
            try database.write { transaction in
                try transaction.createClasses(SyncCaptureTests.classes)
                try SyncCaptureTests.insertTasks(transaction)
                if isSynced { try SyncCaptureTests.mark(transaction) }
            }
            let before = try database.snapshot()
            for step in 0..<400 {
                try database.write(durability: .processCrash) { transaction in
                    _ = try transaction.insert(into: "Task", [("id", .string("n\(step)")), ("title", .string("\(step % 7)"))])
                    let table = try transaction.table("Task")
                    try transaction.set(ObjectKey(0), in: table, table.column("title"), to: .string("\(step)"))
                }
            }
            let changes = try database.snapshot().changes(since: before)
            #expect(changes.classes.map(\.name) == ["Task"])
            #expect(try changes.classes[0].counts() == ChangeCounts(inserted: 400, changed: 1))
            if isSynced { try History.sealSync(on: database, durability: .full) }
            #expect(try database.snapshot().changes(since: database.snapshot()).classes.isEmpty)
        }
        let plain = try databases[0].snapshot(), synced = try databases[1].snapshot()
        var classes = try synced.classes
        for place in classes.indices { classes[place].syncRules = nil }
        #expect(try plain.classes == classes && plain.classes != synced.classes && StateDigest.of(plain) == StateDigest.of(synced))
        let query = try ObjectQuery("title == '3' SORT(id DESC)")
        #expect(try plain.table("Task").prepare(query).keys() == synced.table("Task").prepare(query).keys())
        #expect(try plain.table("Task").count == synced.table("Task").count)
        let use = try synced.spaceUse { _, _ in }, names = try plain.spaceUse { _, _ in }.classes.map(\.name)
        #expect(try use.usedBytes == databases[1].information().usedBytes && use.classes.map(\.name) == names)
        #expect(try synced.pendingCounts() == PendingCounts(created: 403, changes: 1, sums: 3))
        for database in databases { database.close() }
    }

    @Test("a state of sync comes back from its bytes, and bytes that no writer makes are refused", arguments: TestScale.seeds(20))
    func bodies(seed: UInt64) throws {
        var random = SeededRandom(seed: seed)
        var body = SyncBody(replica: ReplicaIdentity(high: random.next() | 1, low: random.next()), home: random.next())
        body.epoch = 1 + random.next() >> 1
        let stamps = (SyncStamp(rawValue: random.next()), SyncStamp(rawValue: random.next()))
        body.clock = HybridClock(last: stamps.0, seen: stamps.1, offset: Int64(bitPattern: random.next()))
        (body.history, body.identities) = (random.next(), random.next())
        body.cursor = try #require(SyncCursor(next: 1000, running: (0..<random.below(5)).map { UInt64($0 * 7 + 1) }))
        for _ in 0..<random.below(4) { body = body.copied(as: ReplicaIdentity(high: random.next() | 1, low: 4), home: random.next()) }
        func read(_ bytes: [UInt8]) -> SyncBody? { bytes.withUnsafeBytes { SyncBody(bytes: $0) } }
        let bytes = body.bytes
        #expect(bytes.count == body.byteCount && read(bytes) == body)
        for length in 0..<bytes.count { #expect(read(Array(bytes[..<length])) == nil) }
        #expect(read(bytes + [0]) == nil)
        for place in bytes.indices {
            for value in [0, 1, 0xFF] as [UInt8] {
                var changed = bytes
                changed[place] = value
                if let other = read(changed) { #expect(other.bytes == changed) }
            }
        }
    }

    @Test("neighbours of pending elements are found in a copy, under another identity, and until their object or property goes")
    func neighbours() throws {
        try SyncCaptureTests.withFile { database, machine, process in
            try SyncListTests.set(database, [1, 2])
            try SyncListTests.set(database, [1, 2], of: 1)
            try History.settleSync(on: database, durability: .full)
            try SyncListTests.set(database, [1, 9, 2])
            try SyncListTests.set(database, [1, 9, 2], of: 1)
            #expect(try SyncCaptureTests.pending(database) == ["0 list +5 1|2", "1 list +6 3|4"])
            try database.copy(to: Self.other, encryption: .same, .simulated, on: process)
            let copy = try Database.open(Self.other, .simulated, on: machine.makeProcess())
            defer { copy.close() }
            for file in [database, copy] {
                let transaction = try file.beginWrite()
                try transaction.sync.takeIdentity()
                try transaction.commit(.full)
                #expect(try file.check().isClean && slots(file) == [1])
                try SyncListTests.set(file, [9])
                #expect(try SyncCaptureTests.pending(file) == ["0 list +5 -|-", "0 list -1…2", "1 list +6 3|4"])
                #expect(try file.check().isClean)
                try SyncCaptureTests.delete(file, 1)
                #expect(try file.check().isClean)
            }
            try SyncListTests.set(database, [9, 8, 7])
            try SyncListTests.set(database, [9, 6, 8, 7])
            try database.write { try $0.dropProperty("list", from: "Task") }
            #expect(try database.check().isClean)
        }
    }
}
