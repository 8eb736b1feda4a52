import DatabaseKit
@testable import FreeholdEngine
import Platform
import TestKit
import Testing

/// What of another version of the format is refused, in words that say what, where and what to do.
@Suite struct FormatVersionTests {
    private static let path = "/versions.freehold"

    private func withFile(_ body: (SimulatedSystem) throws -> Void) throws {
        let machine = SimulatedSystem(seed: 3)
        defer { machine.discard() }
        let database = try open(machine.makeProcess())
        try database.write { transaction in
            try transaction.createClass(ClassSchema("Note", [PropertySchema("text", .string)]))
            try transaction.insert(into: "Note", [("text", .string("kept"))])
        }
        database.close()
        try body(machine)
    }

    private func open(_ process: SimulatedProcess, readOnly: Bool = false) throws -> Database {
        var options = OpenOptions.simulated
        options.readOnly = readOnly
        return try Database.open(Self.path, options, on: process)
    }

    private func expectRefused(
        _ words: String..., code: FreeholdError.Code = .unsupportedFormat, sourceLocation: SourceLocation = #_sourceLocation, _ body: () throws -> Void
    ) {
        let error = #expect(throws: FreeholdError.self, sourceLocation: sourceLocation) { try body() }
        guard let error else { return }
        #expect(error.code == code && error.path == Self.path, "\(error)", sourceLocation: sourceLocation)
        for word in words { #expect(error.message.contains(word), "\(error)", sourceLocation: sourceLocation) }
    }

    private func changeHeader(_ machine: SimulatedSystem, _ change: (inout FileHeader) -> Void) throws {
        let file = try machine.makeProcess().openFile(Self.path, .readWrite)
        defer { file.close() }
        for offset in FileLayout.headerCopies {
            var bytes = [UInt8](repeating: 0, count: FileHeader.byteCount)
            _ = try bytes.withUnsafeMutableBytes { try file.read(into: $0, at: offset) }
            var header = try #require(bytes.withUnsafeBytes { FileHeader.read(at: $0.baseAddress!) })
            change(&header)
            try file.write(header.withBytes { Array($0) }, at: offset)
        }
    }

    @Test("files from before version 1, and of later ones, are refused by every way in, and stay as they were", arguments: [0, 2, 99] as [UInt32])
    func otherVersions(version: UInt32) throws {
        try withFile { machine in
            try changeHeader(machine) { $0.formatVersion = version }
            let before = try GoldenFile.read(Self.path, on: machine.makeProcess())
            let way = version == 0 ? "export its contents" : "newer Freehold"
            for readOnly in [false, true] {
                expectRefused("version \(version)", way) { try open(machine.makeProcess(), readOnly: readOnly).close() }
            }
            expectRefused("version \(version)", way) { _ = try DamagedFile(Self.path, machine.makeProcess()) }
            #expect(try GoldenFile.read(Self.path, on: machine.makeProcess()) == before)
        }
    }

    @Test("a file that uses what is unknown here is refused; one that only writers must know is read")
    func unknownFeaturesOfTheFile() throws {
        try withFile { machine in
            try changeHeader(machine) { $0.writeFeatures = 1 << 6 }
            expectRefused("feature 6", "reading only", "newer Freehold") { try open(machine.makeProcess()).close() }
            let reader = try open(machine.makeProcess(), readOnly: true)
            #expect(try reader.snapshot().table("Note").count == 1)
            reader.close()
            try changeHeader(machine) { $0.readFeatures = 1 << 3 | 1 << 63 }
            for readOnly in [false, true] {
                expectRefused("features 3, 63", "newer Freehold") { try open(machine.makeProcess(), readOnly: readOnly).close() }
            }
        }
    }

    @Test("a feature that a program knows to write is not one that it knows to read")
    func separateFeatures() {
        let features = FormatFeatures(knownToRead: 1 << 1, knownToWrite: 1 << 0)
        let cases: [(read: UInt64, write: UInt64, reading: String?, writing: String?)] = [
            (0, 0, nil, nil), (2, 1, nil, nil), (1, 0, "it uses feature 0 ", "it uses feature 0 "),
            (0, 2, nil, "writing to it needs feature 1 "), (0, 7, nil, "writing to it needs features 1, 2 "),
            (7, 7, "it uses features 0, 2 ", "it uses features 0, 2 "),
        ]
        for (read, write, reading, writing) in cases {
            for (forWriting, expected) in [(false, reading), (true, writing)] {
                let refusal = features.refusal(read: read, write: write, forWriting: forWriting)
                #expect(refusal.map { $0.hasPrefix(expected ?? "?") } ?? (expected == nil), "\(read) \(write) \(forWriting)")
                #expect(features.refuses(read: read, write: write, forWriting: forWriting) == (expected != nil))
            }
        }
    }

    @Test("a version that uses what is unknown here is neither read nor judged, whichever record has it")
    func unknownFeaturesOfAVersion() throws {
        for places in [FileLayout.durableSlots, FileLayout.volatileSlots] {
            try withFile { machine in
                let file = try machine.makeProcess().openFile(Self.path, .readWrite)
                func change(_ change: (inout Root) -> Void) throws -> Int {
                    var found = 0
                    for place in places {
                        var bytes = [UInt8](repeating: 0, count: FileLayout.sector)
                        _ = try bytes.withUnsafeMutableBytes { try file.read(into: $0, at: place) }
                        if var record = bytes.withUnsafeBytes({ DurableRecord.read(at: $0.baseAddress!) }) {
                            change(&record.root)
                            try file.write(record.withBytes { Array($0) }, at: place)
                            found += 1
                        } else if var record = bytes.withUnsafeBytes({ VolatileRecord.read(at: $0.baseAddress!) }) {
                            change(&record.root)
                            try file.write(record.withBytes { Array($0) }, at: place)
                            found += 1
                        }
                    }
                    return found
                }
                #expect(try change { $0.writeFeatures = 1 << 11 } > 0)
                expectRefused("feature 11", "reading only") { try open(machine.makeProcess()).close() }
                #expect(try change { ($0.readFeatures, $0.writeFeatures) = (2, 0) } > 0)
                expectRefused("feature 1", "newer Freehold") { try open(machine.makeProcess()).close() }
                expectRefused("feature 1", "newer Freehold") { _ = try DamagedFile(Self.path, machine.makeProcess()) }
                #expect(try change { $0.readFeatures = 0 } > 0)
                let database = try open(machine.makeProcess())
                #expect(try database.snapshot().table("Note").count == 1)
                database.close()
                file.close()
            }
        }
    }

    @Test("when a newer program joins and uses what is unknown here, the next snapshot and the next transaction say so; what is held is read on")
    func unknownFeaturesInTheMiddle() throws {
        try withFile { machine in
            let database = try open(machine.makeProcess()), session = try database.core().session
            let held = try database.snapshot(), again = try database.snapshot()
            again.end()
            func publish(read: UInt64, write: UInt64) throws {
                var root = session.memory.newest.read().root
                (root.version, root.readFeatures, root.writeFeatures) = (root.version + 1, read, write)
                try session.roots.writeVolatileRecord(root)
                session.memory.newest.write(root)
                session.memory.visible.byWriter.write(root)
            }
            try publish(read: 0, write: 1 << 11)
            expectRefused("feature 11", "reading only") { _ = try database.beginWrite() }
            try again.begin()
            #expect(try again.table("Note").count == 1)
            again.end()
            try publish(read: 1 << 7, write: 0)
            expectRefused("feature 7", "newer Freehold") { _ = try database.snapshot() }
            expectRefused("feature 7", "newer Freehold") { try again.begin() }
            expectRefused("feature 7", "newer Freehold") { _ = try database.beginWrite() }
            expectRefused("feature 7", "newer Freehold") { try open(machine.makeProcess()).close() }
            #expect(try held.table("Note").count == 1)
            try publish(read: 0, write: 0)
            try again.begin()
            #expect(try again.table("Note").count == 1)
            #expect(try database.snapshot().table("Note").count == 1)
        }
    }

    @Test("who has another layout of the lock file is kept apart while it lives, and no longer")
    func anotherLockLayout() throws {
        try withFile { machine in
            let owner = machine.makeProcess(), database = try open(owner)
            owner.leak(database)
            let file = try machine.makeProcess().openFile(Self.path + ".lock", .readWrite)
            try file.write([4, 0, 0, 0], at: LockLayout.versionOffset)
            for readOnly in [false, true] {
                expectRefused(Self.path + ".lock", "layout 4", "layout 3", "Close the database there", code: .inUse) {
                    try open(machine.makeProcess(), readOnly: readOnly).close()
                }
            }
            #expect(try database.snapshot().table("Note").count == 1)
            owner.kill()
            let next = try open(machine.makeProcess())
            #expect(try next.snapshot().table("Note").count == 1)
            next.close()
            file.close()
        }
    }

    /// Nothing of this moves while the layout is version 3. (Since version 2 cells have a second word.)
    @Test("the lock file of version 3 stands where it stood") func lockLayout() {
        #expect(LockLayout.version == 3 && FileLayout.formatVersion == 1 && LockLayout.magic == 0x6B63_6F6C_6C6F_4846)
        let words = [
            LockLayout.magicOffset, LockLayout.versionOffset, LockLayout.layoutTag, LockLayout.file, LockLayout.place, LockLayout.namespace,
            LockLayout.session, LockLayout.ready, LockLayout.usesByteLocks, LockLayout.versionFloor, LockLayout.poisoned, LockLayout.processCount,
            LockLayout.cellCount, LockLayout.listenerCount, LockLayout.inUseWritten, LockLayout.cellsUsed, LockLayout.ownPlace,
            LockLayout.reservationCount, LockLayout.reservationChange, LockLayout.movedPins, LockLayout.scanWaits, LockLayout.writerLock,
            LockLayout.flushLock, LockLayout.flushLeader,
            LockLayout.durableBell, LockLayout.durableSleepers, LockLayout.targetWritten, LockLayout.flushAttempt, LockLayout.rising,
            LockLayout.changeBell, LockLayout.changeSleepers, LockLayout.listenersArmed, LockLayout.lastFull, LockLayout.lastFullSince,
            LockLayout.volatileSlot, LockLayout.newest, LockLayout.durable, LockLayout.flushing, LockLayout.visible, LockLayout.ring,
        ]
        #expect(words == [
            0, 8, 12, 16, 32, 64, 72, 80, 88, 96, 104, 112, 120, 128, 136, 144, 152, 168, 176, 192, 200, 256, 512, 768, 776, 780, 784, 792, 800, 832, 836,
            896, 960, 968, 976, 1024, 1280, 1536, 1792, 12288,
        ])
        let tables = [LockLayout.processes, LockLayout.cells, LockLayout.listeners, LockLayout.reservations]
        #expect(tables.map(\.first) == [4096, 8192, 20_480, 344_064] && tables.map(\.rest) == [86_016, 409_600, 24_576, 348_160])
        #expect([LockLayout.ringEntries, LockLayout.ringEntryBytes, LockLayout.line, LockLayout.linesPerPage, LockLayout.initialLength]
            == [256, 32, 64, 64, 20_480])
        #expect([SharedRoot.firstCopy, SharedRoot.copyStride, SharedRoot.byteCount] == [64, 96, 256])
        #expect([LivenessByte.session, LivenessByte.writer, LivenessByte.flush, LivenessByte.syncing, LivenessByte.process(0)]
            == [1 << 62, 1 << 62 + 1, 1 << 62 + 2, 1 << 62 + 5, 1 << 62 + 64])
        #expect([ProcessSlots.free, ProcessSlots.claiming, ProcessSlots.live, ProcessSlots.reaping] == [0, 1, 2, 3])
    }
}
