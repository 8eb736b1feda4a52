import DatabaseKit
import Testing
import TestKit

@testable import FreeholdEngine

/// Blocks that a flush writes again, as the one before may have failed unnoticed.
@Suite("Blocks that are written again")
struct RewrittenBlockTests {
    /// A page that the kernel has dropped is read from the disk again, and may be another one by then: what was verified must be what is written.
    @Test("are copies that were verified, and not what the file may show a moment later", arguments: [false, true])
    func copies(isEncrypted: Bool) throws {
        let folder = try TemporaryFolder()
        var options = OpenOptions()
        if isEncrypted { options.encryptionKey = try EncryptionKey(Array(repeating: 7, count: 64)) }
        let database = try Database.open(folder.file("d.freehold"), options)
        defer { database.close() }
        try database.write { transaction in
            try transaction.createClass(ClassSchema("C", [PropertySchema("n", .int)]))
            let table = try transaction.table("C")
            for n in 0..<5000 { try transaction.insert(into: table, values: [.int(Int64(n))]) }
        }
        let snapshot = try database.snapshot(), file = snapshot.core.session.file
        let mapped = UInt(bitPattern: file.base)..<UInt(bitPattern: file.base) + UInt(file.mappedLength)
        var met = 0, wrong = 0
        let isIntact = TreeVerifier().verify(snapshot.root, bornAfter: 0, in: file) { reference, bytes in
            met += 1
            let start = UInt(bitPattern: bytes.baseAddress), own = UnsafeRawBufferPointer(start: file.base + Int(reference.byteOffset), count: reference.byteLength)
            if mapped.contains(start) || !bytes.elementsEqual(own) { wrong += 1 }
        }
        #expect(isIntact && met > 10 && wrong == 0)
    }
}
