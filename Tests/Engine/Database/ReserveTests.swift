import DatabaseKit
@testable import FreeholdEngine
import Platform
import Synchronization
import TestKit
import Testing

/// Processes that may reserve less address space than the file is long.
@Suite struct ReserveTests {
    private static let small: OpenOptions = {
        var options = OpenOptions.simulated
        options.reserve = 1 << 20
        options.leastReserve = 1 << 20
        return options
    }()

    private func grow(_ database: Database, by objects: Int) throws {
        try database.write { transaction in
            if transaction.classes.isEmpty { try transaction.createClass(ClassSchema("Blob", [PropertySchema("bytes", .data)])) }
            for number in 0..<objects {
                try transaction.insert(into: "Blob", [("bytes", .data(Array(repeating: UInt8(truncatingIfNeeded: number), count: 50_000)))])
            }
        }
    }

    // What lay behind the range was taken for damage, and a commit that was not confirmed yet for one that never was.
    @Test("a file longer than the range is refused, and is whole for those who may reserve more")
    func longer() throws {
        let machine = SimulatedSystem(seed: 1)
        defer { machine.discard() }
        let process = machine.makeProcess()
        var database = try Database.open("/long.freehold", OpenOptions.simulated, on: process)
        try grow(database, by: 60)
        let version = try database.snapshot().version
        database.close()
        let error = #expect(throws: FreeholdError.self) { try Database.open("/long.freehold", Self.small, on: machine.makeProcess()) }
        #expect(error?.code == .outOfMemory, "\(String(describing: error))")
        database = try Database.open("/long.freehold", OpenOptions.simulated, on: process)
        #expect(try database.snapshot().version >= version && database.snapshot().table("Blob").count == 60)
        #expect(try database.check().isClean)
    }

    // The call that makes a file longer could also make it shorter.
    @Test("a file that another process has made longer since its length was read is not cut")
    func extended() throws {
        let machine = SimulatedSystem(seed: 3), complaints = Synchronization.Mutex<[String]>([])
        defer { machine.discard() }
        let late = machine.makeProcess(), other = machine.makeProcess()
        try other.openFile("/x", .createExclusive(permissions: 0o644)).write([1], at: 0)
        late.start { process in
            do {
                let file = try process.openFile("/x", .readWrite)
                try DataFile(file, identity: file.status().identity, system: process, isWritable: true, reserve: 1 << 20, leastReserve: 1 << 20)
                    .extend(to: 8192)
                file.close()
            } catch { complaints.withLock { $0.append("\(error)") } }
        }
        machine.onStep = { $0.process === late && $0.name == "setLength" ? .stop : .proceed }
        #expect(machine.run(stepLimit: 1000) == .idle)
        machine.onStep = nil
        let file = try other.openFile("/x", .readWrite)
        try file.write([UInt8](repeating: 7, count: 40_000), at: 0)
        late.resume()
        #expect(machine.run(stepLimit: 1000) == .finished)
        #expect(complaints.withLock { $0 }.isEmpty)
        #expect(try file.length() == 40_000)
    }

    @Test("who cannot see where a file has grown is told so, and goes on with what was there before")
    func outgrown() throws {
        let machine = SimulatedSystem(seed: 2)
        defer { machine.discard() }
        let wide = try Database.open("/grown.freehold", OpenOptions.simulated, on: machine.makeProcess())
        try grow(wide, by: 2)
        let narrow = try Database.open("/grown.freehold", Self.small, on: machine.makeProcess())
        let before = try narrow.snapshot()
        #expect(try before.table("Blob").count == 2)
        try grow(wide, by: 60)
        let error = #expect(throws: FreeholdError.self) {
            let blobs = try narrow.snapshot().table("Blob")
            try blobs.forEach { row in try row.value(blobs.columns[0]) != .null }
        }
        #expect(error?.code == .outOfMemory, "\(String(describing: error))")
        #expect(throws: FreeholdError.self) { try grow(narrow, by: 1) }
        #expect(try before.table("Blob").count == 2)
        try grow(wide, by: 1)
        #expect(try wide.snapshot().table("Blob").count == 63)
        #expect(try wide.check().isClean)
    }
}
