import DatabaseKit
@testable import FreeholdEngine
import Platform
import TestKit
import Testing

/// A durable root that was destroyed: an older version opens, and everybody is told.
@Suite struct LostRootTests {
    private static let path = "/lost.freehold"
    private let machine = SimulatedSystem(seed: 12)

    private func options(_ key: EncryptionKey?, readOnly: Bool = false) -> OpenOptions {
        var options = OpenOptions.simulated
        options.encryptionKey = key
        options.readOnly = readOnly
        return options
    }

    /// A file at rest with five durable versions; the highest.
    private func make(_ key: EncryptionKey?) throws -> UInt64 {
        let database = try Database.open(Self.path, options(key), on: machine.makeProcess())
        try database.write { transaction in
            try transaction.createClass(ClassSchema("Word", [PropertySchema("text", .string)]))
        }
        for number in 0..<4 {
            try database.write { transaction in
                try transaction.insert(into: try transaction.table("Word"), values: [.string("word \(number)")])
            }
        }
        defer { database.close() }
        return try database.information().durableVersion.rawValue
    }

    private func destroy(_ places: [Int], with byte: UInt8, in path: String = path) throws {
        let file = try machine.makeProcess().openFile(path, .readWrite)
        for place in places { try file.write([UInt8](repeating: byte, count: 120), at: place) }
        try file.synchronizeData()
        file.close()
    }

    @Test(arguments: [false, true], [0, 0xA5] as [UInt8])
    func whatOpensInItsPlaceSaysSo(_ isEncrypted: Bool, _ byte: UInt8) throws {
        let key = isEncrypted ? try EncryptionKey(Array(repeating: 7, count: 64)) : nil
        var told = 0
        for slot in FileLayout.durableSlots {
            try? machine.makeProcess().removeFile(Self.path)
            let newest = try make(key)
            try destroy([slot] + FileLayout.volatileSlots, with: byte)
            let reader = try Database.open(Self.path, options(key, readOnly: true), on: machine.makeProcess())
            let found = try reader.information(), report = try reader.check()
            reader.close()
            guard found.version.rawValue < newest else {
                // The older root of the two was destroyed, and nobody needs it.
                #expect(found.lostVersion == nil && report.isClean)
                continue
            }
            told += 1
            #expect(found.lostVersion?.rawValue == newest)
            #expect(report.problems.map(\.kind) == [.lostVersion], "\(report.problems)")
            // Nothing was changed by looking: a writer is told as well, and who joins it.
            let process = machine.makeProcess()
            let writer = try Database.open(Self.path, options(key), on: process)
            #expect(try writer.information().lostVersion?.rawValue == newest)
            let other = try Database.open(Self.path, options(key), on: machine.makeProcess())
            #expect(try other.check().problems.map(\.kind) == [.lostVersion])
            other.close()
            // No number is given twice.
            try writer.write { transaction in
                try transaction.insert(into: try transaction.table("Word"), values: [.string("new")])
            }
            #expect(try writer.information().version.rawValue > newest)
            writer.close()
            // Everybody is told, until somebody says that he knows.
            let next = try Database.open(Self.path, options(key), on: machine.makeProcess())
            #expect(try next.lostVersion?.rawValue == newest && next.check().problems.map(\.kind) == [.lostVersion])
            try next.acknowledgeLostVersion()
            #expect(try next.information().lostVersion == nil && next.check().isClean)
            next.close()
            let last = try Database.open(Self.path, options(key), on: machine.makeProcess())
            #expect(try last.information().lostVersion == nil && last.check().isClean)
            last.close()
        }
        #expect(told == 1)
        machine.discard()
    }

    /// Whoever overwrites `confirmed`, which tells it, has written down before what was lost; wherever the power is cut.
    @Test(arguments: [false, true]) func noPowerCutForgetsIt(isBegunByAReader: Bool) throws {
        var images = 0
        for slot in FileLayout.durableSlots {
            try? machine.makeProcess().removeFile(Self.path)
            let newest = try make(nil)
            try destroy([slot] + FileLayout.volatileSlots, with: 0)
            let begun = isBegunByAReader ? try Database.open(Self.path, options(nil, readOnly: true), on: machine.makeProcess()) : nil
            let start = machine.operationCount
            let writer = try Database.open(Self.path, options(nil), on: machine.makeProcess())
            let isLost = try writer.lostVersion != nil
            try writer.write { try $0.insert(into: $0.table("Word"), values: [.string("new")]) }
            writer.close()
            begun?.close()
            guard isLost else { continue }
            for crash in machine.crashCases(seed: UInt64(slot)) where crash.place >= start {
                let image = machine.image(crash)
                let database = try Database.open(Self.path, options(nil), on: image.makeProcess())
                #expect(try database.lostVersion?.rawValue == newest, "\(crash)")
                database.close()
                image.discard()
                images += 1
            }
        }
        #expect(images > 50)
        machine.discard()
    }

    /// A file whose newest version was destroyed; that version.
    private func makeLost(_ key: EncryptionKey? = nil) throws -> UInt64 {
        for slot in FileLayout.durableSlots {
            try? machine.makeProcess().removeFile(Self.path)
            let newest = try make(key)
            try destroy([slot] + FileLayout.volatileSlots, with: 0)
            let reader = try Database.open(Self.path, options(key, readOnly: true), on: machine.makeProcess())
            defer { reader.close() }
            if try reader.lostVersion != nil { return newest }
        }
        throw FreeholdError(.corrupt, "neither root was the newest")
    }

    private func open() throws -> Database { try Database.open(Self.path, options(nil), on: machine.makeProcess()) }

    private func add(_ database: Database) throws {
        try database.write { try $0.insert(into: $0.table("Word"), values: [.string("new")]) }
    }

    /// No other version gets the number of the lost one: not in the session that found it, nor in a later one, acknowledged or not.
    @Test(arguments: [false, true]) func itsNumberIsNotGivenAgain(isAcknowledged: Bool) throws {
        let newest = try makeLost()
        let first = try open()
        if isAcknowledged { try first.acknowledgeLostVersion() }
        first.close()
        for _ in 0..<2 {
            let again = try open()
            #expect(try again.lostVersion?.rawValue == (isAcknowledged ? nil : newest))
            again.close()
        }
        let last = try open()
        try add(last)
        #expect(try last.information().version.rawValue > newest)
        last.close()
        machine.discard()
    }

    /// A program from before the acknowledged bit wrote version 0, and one that meets the bit finds no record.
    @Test func olderAcknowledgementsStand() throws {
        _ = try makeLost()
        let database = try open()
        let header = try database.core().session.header
        database.close()
        let file = try machine.makeProcess().openFile(Self.path, .readWrite)
        try LostRecord(file: header.file, version: 0).withBytes { bytes throws(SystemError) in try file.write(bytes, at: FileLayout.lost) }
        file.close()
        let next = try open()
        #expect(try next.lostVersion == nil && next.check().isClean)
        next.close()
        machine.discard()
    }

    /// The kernel tells once that pages were lost; whoever is told must not leave it at that.
    @Test func aFlushThatFailsEndsTheSessionThatAcknowledges() throws {
        let newest = try makeLost()
        let database = try open()
        try database.write(durability: .processCrash) { try $0.insert(into: $0.table("Word"), values: [.string("new")]) }
        machine.inject(FaultRule(.synchronize, code: ErrorNumber.inputOutput, pathEnding: ".freehold", times: 1))
        let error = #expect(throws: FreeholdError.self) { try database.acknowledgeLostVersion() }
        #expect(error?.code == .io)
        // Others are told, whatever this process does next.
        #expect(try database.core().session.memory.poisoned.load() != 0)
        let next = #expect(throws: FreeholdError.self) { try add(database) }
        #expect(next?.code == .io, "a commit was acknowledged over lost pages")
        database.close()
        let again = try open()
        // The record itself may have been lost with the rest, or not.
        #expect(try [nil, newest].contains(again.lostVersion?.rawValue))
        try add(again)
        #expect(try again.information().version.rawValue > newest)
        again.close()
        machine.discard()
    }

    @Test func aFlushThatFailsAtOpeningForgetsNothing() throws {
        let newest = try makeLost()
        machine.inject(FaultRule(.synchronize, code: ErrorNumber.inputOutput, pathEnding: ".freehold", times: 1))
        let error = #expect(throws: FreeholdError.self) { try open() }
        #expect(error?.code == .io)
        let again = try open()
        #expect(try again.lostVersion?.rawValue == newest)
        again.close()
        let image = machine.image(surviving: .none)
        let last = try Database.open(Self.path, options(nil), on: image.makeProcess())
        #expect(try last.lostVersion?.rawValue == newest)
        last.close()
        image.discard()
        machine.discard()
    }

    /// What is made of the file reports what the file has lost.
    @Test(arguments: [false, true]) func itsCopiesReportItToo(isEncrypted: Bool) throws {
        let key = isEncrypted ? try EncryptionKey(Array(repeating: 7, count: 64)) : nil
        let newest = try makeLost(key)
        let process = machine.makeProcess()
        let database = try Database.open(Self.path, options(key), on: process)
        try database.copy(to: "/copy.freehold", encryption: .same, .simulated, on: process)
        _ = try database.backup(to: "/backup.freehold", on: process)
        database.close()
        _ = try Database.compactFile(at: Self.path, options(key), on: process)
        for path in ["/copy.freehold", "/backup.freehold", Self.path] {
            for _ in 0..<2 {
                let made = try Database.open(path, options(key), on: machine.makeProcess())
                #expect(try made.lostVersion?.rawValue == newest, "\(path)")
                #expect(try made.check().problems.map(\.kind) == [.lostVersion], "\(path)")
                made.close()
            }
            let made = try Database.open(path, options(key), on: machine.makeProcess())
            try made.acknowledgeLostVersion()
            try add(made)
            #expect(try made.lostVersion == nil && made.check().isClean, "\(path)")
            made.close()
        }
        machine.discard()
    }

    /// A copy has numbers of its own, below the one that its source has lost. What it loses itself is told by the higher number, and no version gets
    /// that one.
    @Test(arguments: [false, true]) func aCopyThatLosesAVersionItselfKeepsTheHigherNumber(isBegunByAReader: Bool) throws {
        let newest = try makeLost(), process = machine.makeProcess(), copy = "/copy.freehold"
        var told = 0
        for slot in FileLayout.durableSlots {
            try? process.removeFile(copy)
            let source = try open()
            try source.copy(to: copy, encryption: .same, .simulated, on: process)
            source.close()
            let first = try Database.open(copy, options(nil), on: process), own = try first.information().version.rawValue
            first.close()
            #expect(own < newest)
            try destroy([slot] + FileLayout.volatileSlots, with: 0, in: copy)
            let reader = isBegunByAReader ? try Database.open(copy, options(nil, readOnly: true), on: machine.makeProcess()) : nil
            let next = try Database.open(copy, options(nil), on: process), isOlder = try next.information().version.rawValue < own
            if isOlder { told += 1 }
            try next.write { try $0.createClass(ClassSchema("New", [PropertySchema("text", .string)])) }
            next.close()
            reader?.close()
            let last = try Database.open(copy, options(nil), on: process)
            #expect(try last.lostVersion?.rawValue == newest)
            #expect(try last.information().version.rawValue > newest)
            last.close()
        }
        #expect(told == 1)
        machine.discard()
    }

    /// Device numbers change when machines start; where the boot cannot be told, that alone makes no copy of a file.
    @Test(arguments: [false, true]) func anotherDeviceNumberHidesNothing(isBootKnown: Bool) throws {
        for slot in FileLayout.durableSlots {
            try? machine.makeProcess().removeFile(Self.path)
            let newest = try make(nil)
            let process = machine.makeProcess(), database = try Database.open(Self.path, options(nil), on: process)
            process.leak(database)
            process.kill()
            try destroy([slot] + FileLayout.volatileSlots, with: 0)
            let file = try machine.makeProcess().openFile(Self.path, .readWrite), status = try file.status()
            let moved = FilePlace(boot: isBootKnown ? machine.bootIdentity : nil, identity: FileIdentity(device: 77, inode: status.identity.inode))
            try InUseRecord(isInUse: true, place: moved, session: 2).withBytes { bytes throws(SystemError) in
                try file.write(bytes, at: FileLayout.inUse)
            }
            file.close()
            let next = try open()
            let information = try next.information()
            #expect(information.version.rawValue == newest || information.lostVersion?.rawValue == newest, "slot \(slot)")
            next.close()
        }
        machine.discard()
    }
}
