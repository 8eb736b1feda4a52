import DatabaseKit
@testable import FreeholdEngine
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

    private func destroy(_ places: [Int], with byte: UInt8) throws {
        let file = try machine.makeProcess().openFile(Self.path, .readWrite)
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
}
