import DatabaseKit
@testable import FreeholdEngine
import Platform
import TestKit

/// A small real database to be damaged: its machine, its bytes, and what it held at each version.
struct Base {
    static let path = "/fuzz.freehold"
    let machine: SimulatedSystem
    let bytes: [UInt8]
    /// The history up to each version: the model, and the random choices that follow.
    let states: [UInt64: History]
    let blocks: BlockMap
    /// Whether its last process closed it, rather than being killed.
    let isClosed: Bool
    let openOptions: OpenOptions

    /// - Parameter mayBeEncrypted: whether one seed of three makes an encrypted database.
    init(seed: UInt64, mayBeEncrypted: Bool) throws {
        openOptions = mayBeEncrypted ? .simulated(seed: seed) : .simulated
        var options = SimulatedSystem.Options(seed: seed)
        options.fileCapacity = 1 << 26
        options.recordsMappedStores = false
        machine = SimulatedSystem(options)
        let process = machine.makeProcess()
        let database = try Database.open(Self.path, openOptions, on: process)
        var history = History(seed: seed)
        history.bulk = seed % 4 == 0 ? 600 : 60
        var states: [UInt64: History] = [:]
        states[try database.snapshot().version.rawValue] = history
        for _ in 0..<(4 + seed % 9) {
            try history.transact(on: database, durability: history.random.oneIn(3) ? .processCrash : .full)
            states[try database.snapshot().version.rawValue] = history
        }
        self.states = states
        isClosed = seed % 3 != 0
        if isClosed {
            database.close()
        } else {
            process.leak(database)
            process.kill()
        }
        bytes = try Self.read(Self.path, on: machine.makeProcess())
        blocks = openOptions.encryptionKey == nil ? BlockMap(bytes) : BlockMap(pagesOf: bytes)
    }

    static func read(_ path: String, on system: any System) throws -> [UInt8] {
        let file = try system.openFile(path, .readOnly)
        defer { file.close() }
        var bytes = [UInt8](repeating: 0, count: try file.length())
        let count = try bytes.withUnsafeMutableBytes { buffer throws(SystemError) in try file.read(into: buffer, at: 0) }
        return Array(bytes[..<count])
    }

    static func write(_ bytes: [UInt8], to path: String, on system: any System) throws {
        let isThere = try system.status(of: path) != nil
        let file = try system.openFile(path, isThere ? .readWrite : .createExclusive(permissions: 0o644))
        defer { file.close() }
        try file.setLength(bytes.count)
        // A throwing closure of two types of errors at once crashes the compiler here.
        let failure: (any Error)? = bytes.withUnsafeBytes { buffer in
            do { try file.write(buffer, at: 0) } catch { return error }
            return nil
        }
        if let failure { throw failure }
    }
}
