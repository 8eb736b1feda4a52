import DatabaseKit
@testable import FreeholdEngine
import TestKit
import Testing

/// A page of an undurable version that never reached the disk, of which no flush was told: whoever finds it in a write ends the session.
@Suite struct LostPageTests {
    private static let path = "/page.freehold"

    /// Two processes: a version that is durable, and one that is not.
    private func scene(_ key: EncryptionKey?) throws -> (SimulatedSystem, Database, Database, OpenOptions) {
        let machine = SimulatedSystem(seed: 3)
        var options = OpenOptions.simulated
        options.encryptionKey = key
        let writer = try Database.open(Self.path, options, on: machine.makeProcess())
        try writer.write { transaction in
            try transaction.createClass(ClassSchema("Word", primaryKey: "id", [PropertySchema("id", .int), PropertySchema("text", .string)]))
            try transaction.insert(into: transaction.table("Word"), values: [.int(1), .string("durable")])
        }
        let other = try Database.open(Self.path, options, on: machine.makeProcess())
        try writer.write(durability: .processCrash) { transaction in
            try transaction.insert(into: transaction.table("Word"), values: [.int(2), .string("lost")])
        }
        return (machine, writer, other, options)
    }

    /// Destroys the newest version's top block.
    /// - Returns: puts it back.
    private func destroyTop(_ machine: SimulatedSystem, _ database: Database) throws -> () throws -> Void {
        let top = try database.snapshot().root.top, file = try machine.makeProcess().openFile(Self.path, .readWrite)
        var bytes = [UInt8](repeating: 0, count: top.byteLength)
        _ = try bytes.withUnsafeMutableBytes { try file.read(into: $0, at: Int(top.byteOffset)) }
        try file.write([UInt8](repeating: 0, count: top.byteLength), at: Int(top.byteOffset))
        return { [bytes] in try file.write(bytes, at: Int(top.byteOffset)) }
    }

    @Test("found by a write, it ends the session, and the durable version opens", arguments: [false, true])
    func ends(isEncrypted: Bool) throws {
        let (machine, writer, other, options) = try scene(isEncrypted ? EncryptionKey(Array(repeating: 9, count: 64)) : nil)
        _ = try destroyTop(machine, writer)
        let found = #expect(throws: FreeholdError.self) { try other.write { try $0.insert(into: $0.table("Word"), values: [.int(3), .string("no")]) } }
        #expect(found?.code == .io)
        // The other one has the blocks in its memory, and must not make a version durable that stands on what is lost.
        let refused = #expect(throws: FreeholdError.self) { try writer.write { try $0.insert(into: $0.table("Word"), values: [.int(4), .string("no")]) } }
        #expect(refused?.code == .io)
        writer.close()
        other.close()
        let next = try Database.open(Self.path, options, on: machine.makeProcess())
        #expect(try next.snapshot().table("Word").count == 1)
        #expect(try next.check().isClean)
        next.close()
        machine.discard()
    }

    @Test("damage in a block that is durable ends no session")
    func durable() throws {
        let (machine, writer, other, _) = try scene(nil)
        try writer.write { try $0.insert(into: $0.table("Word"), values: [.int(3), .string("durable too")]) }
        let repair = try destroyTop(machine, writer)
        let found = #expect(throws: FreeholdError.self) { try other.write { _ in } }
        #expect(found?.code == .corrupt)
        // As by a repaired disk.
        try repair()
        try writer.write { try $0.insert(into: $0.table("Word"), values: [.int(4), .string("goes on")]) }
        writer.close()
        other.close()
        machine.discard()
    }
}
