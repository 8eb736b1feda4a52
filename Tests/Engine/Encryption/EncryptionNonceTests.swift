import DatabaseKit
@testable import FreeholdEngine
import Platform
import TestKit
import Testing

/// No nonce is used twice under a key, whatever happens: every use on a simulated machine, and on the machines that crashes
/// make of it, is written down.
@Suite struct EncryptionNonceTests {
    private typealias Secret = EncryptionTests
    static let seeds = TestScale.seeds(6)

    private func change(_ database: Database, _ random: inout SeededRandom, isAborted: Bool? = nil) throws {
        let isAborted = isAborted ?? random.oneIn(3)
        let transaction = try database.beginWrite()
        let notes = try transaction.table("Note")
        for _ in 0..<Int.random(in: 1...20, using: &random) {
            let id = ObjectKey(Int64.random(in: 0..<300, using: &random))
            try transaction.set(id, in: notes, notes.column("text"), to: .string("text \(random.next())"))
        }
        if isAborted { transaction.rollback() } else { try transaction.commit(random.oneIn(3) ? .full : .processCrash) }
    }

    @Test("no nonce repeats over aborted commits, failed writes, crashes, reopenings and copies", arguments: seeds)
    func neverTwice(seed: UInt64) throws {
        let machine = SimulatedSystem(seed: seed)
        defer { machine.discard() }
        var random = SeededRandom(seed: seed)
        try Secret.make(on: machine.makeProcess())
        let first = machine.operationCount
        var database = try Database.open(Secret.path, Secret.options(), on: machine.makeProcess())
        for _ in 0..<12 {
            try change(database, &random)
            if random.oneIn(4) {
                // The commit is sealed, and fails to be written; then the same version and places come again.
                let before = machine.nonces.count
                var same = random
                machine.inject(FaultRule(.write, code: ErrorNumber.noSpace, pathEnding: Secret.path))
                #expect(throws: FreeholdError.self) { try change(database, &same, isAborted: false) }
                machine.clearFaults()
                #expect(machine.nonces.count > before)
                try change(database, &random, isAborted: false)
            }
            if random.oneIn(4) {
                database.close()
                database = try Database.open(Secret.path, Secret.options(), on: machine.makeProcess())
            }
        }
        // The file as it was at some moment, on other machines: each goes on from there by itself.
        for _ in 0..<10 {
            let place = Int.random(in: first...machine.operationCount, using: &random)
            let image = machine.image(at: place, surviving: .torn(seed: random.next()), boot: random.oneIn(2) ? .same : .next)
            defer { image.discard() }
            let other = try Database.open(Secret.path, Secret.options(), on: image.makeProcess())
            for _ in 0..<3 { try change(other, &random) }
            other.close()
        }
        database.close()
        // And copied as it lies, byte by byte: both go on under one identifier and one data key.
        try Secret.write(try Secret.bytes(of: Secret.path, on: machine.makeProcess()), to: "/twin.freehold", on: machine.makeProcess())
        for path in [Secret.path, "/twin.freehold"] {
            let twin = try Database.open(path, Secret.options(), on: machine.makeProcess())
            for _ in 0..<3 { try change(twin, &random) }
            try twin.copy(to: path + ".copy", encryption: .same, .simulated, on: machine.makeProcess())
            twin.close()
        }
        #expect(machine.nonces.count > 300)
        #expect(machine.nonces.repeated.isEmpty, "seed \(seed): \(machine.nonces.repeated.prefix(3))")
    }

    @Test("the log of nonces sees one that is used twice")
    func theLogSees() throws {
        let machine = SimulatedSystem(seed: 1)
        defer { machine.discard() }
        let cryptography = try machine.makeProcess().loadCryptography()
        let key = [UInt8](repeating: 7, count: 32)
        let sealer = try key.withUnsafeBytes { try cryptography.makeSealer(key: $0) }
        var bytes = [UInt8](repeating: 1, count: 64), tag = [UInt8](repeating: 0, count: 16)
        for counter in [1, 2, 1] as [UInt64] {
            bytes.withUnsafeMutableBytes { bytes in
                tag.withUnsafeMutableBytes { tag in
                    sealer.seal(UnsafeRawBufferPointer(bytes), to: bytes.baseAddress!, Nonce(counter: counter),
                                associated: UnsafeRawBufferPointer(start: nil, count: 0), tag: tag.baseAddress!)
                }
            }
        }
        #expect(machine.nonces.count == 2 && machine.nonces.repeated.count == 1)
    }

    @Test("a forked child seals in an epoch of its own")
    func forkedChild() throws {
        let machine = SimulatedSystem(seed: 9)
        defer { machine.discard() }
        let process = machine.makeProcess()
        try Secret.make(on: process)
        let file = try process.openFile(Secret.path, .readOnly)
        defer { file.close() }
        let page = try FirstPage(of: file)
        let header = try #require(page.header)
        let cipher = try #require(try page.cipher(header, .forTests, process, path: ""))
        func sealedEpoch() throws -> [UInt8] {
            var block = [UInt8](repeating: 3, count: 128)
            _ = try block.withUnsafeMutableBytes { try cipher.seal($0, location: 1, birth: 1) }
            return Array(block[..<16])
        }
        let parent = try sealedEpoch()
        #expect(try sealedEpoch() == parent)
        process.becomeForkedChild()
        #expect(try sealedEpoch() != parent)
        #expect(machine.nonces.repeated.isEmpty)
    }
}
