import Foundation
import Testing

@Suite struct KeyTests {
    private func place() throws -> Workplace {
        let place = try Workplace()
        #expect(try place.run("key", "generate", "key").status == 0)
        #expect(try place.run("key", "generate", "other", "--hex").status == 0)
        try place.run("import", "d", try place.file("p.csv", "id,v\n1,one\n2,two\n"), "--into", "P", "--primary-key", "id",
                      "--encryption-key-file", "key")
        return place
    }

    @Test func everyVerbOpensAnEncryptedDatabaseWithItsKeyOnly() throws {
        let place = try place()
        for verb in [["classes", "d"], ["count", "d", "P"], ["list", "d", "P"], ["get", "d", "P", "1"], ["info", "d"],
                     ["check", "d"], ["export", "d", "P"], ["set", "d", "P", "1", "v=x"], ["add", "d", "P", "id=3", "v=three"]] {
            let line = "freehold \(verb.joined(separator: " "))"
            let without = try place.shell(line)
            #expect(without.status == 1 && without.errors.contains("encrypted"), "\(verb): \(without)")
            let wrong = try place.shell(line + " --encryption-key-file other")
            #expect(wrong.status == 1 && wrong.errors.contains("a different key"), "\(verb): \(wrong)")
            let right = try place.shell(line + " --encryption-key-file key")
            #expect(right.status == 0 && right.errors == "", "\(verb): \(right)")
        }
    }

    @Test func copiesAndNewKeys() throws {
        let place = try place()
        #expect(try place.run("copy", "d", "same", "--encryption-key-file", "key").status == 0)
        #expect(try place.run("copy", "d", "under", "--encryption-key-file", "key", "--new-key-file", "other").status == 0)
        #expect(try place.run("copy", "d", "plain", "--encryption-key-file", "key", "--decrypt").status == 0)
        #expect(try place.run("copy", "plain", "again", "--new-key-file", "other").status == 0)
        #expect(try place.run("count", "same", "P", "--encryption-key-file", "key").output == "2\n")
        #expect(try place.run("count", "under", "P", "--encryption-key-file", "other").output == "2\n")
        #expect(try place.run("count", "again", "P", "--encryption-key-file", "other").output == "2\n")
        #expect(try place.run("count", "plain", "P").output == "2\n")
        #expect(try place.run("count", "plain", "P", "--encryption-key-file", "key").errors.contains("not encrypted"))
        #expect(try place.run("backup", "d", "backup", "--encryption-key-file", "key").status == 0)
        #expect(try place.run("count", "backup", "P", "--encryption-key-file", "key").output == "2\n")
        #expect(try place.run("compact", "backup", "--encryption-key-file", "key").status == 0)
        #expect(try place.run("count", "backup", "P", "--encryption-key-file", "key").output == "2\n")
        #expect(try place.run("copy", "d", "x", "--new-key-file", "other", "--decrypt").status == 64)
        #expect(try place.run("rekey", "plain", "--new-key-file", "other").errors.contains("not encrypted"))
        #expect(try place.run("rekey", "d", "--encryption-key-file", "key", "--new-key-file", "other").status == 0)
        #expect(try place.run("count", "d", "P", "--encryption-key-file", "key").status == 1)
        #expect(try place.run("count", "d", "P", "--encryption-key-file", "other").output == "2\n")
        #expect(try place.shell("freehold salvage d rescued").errors.contains("encrypted"))
        #expect(try place.run("salvage", "d", "rescued", "--encryption-key-file", "key").errors.contains("a different key"))
        #expect(try place.run("salvage", "d", "rescued", "--encryption-key-file", "other").status == 0)
        #expect(try place.run("count", "rescued", "P", "--encryption-key-file", "other").output == "2\n")
        #expect(try place.run("salvage", "d", "open", "--encryption-key-file", "other", "--decrypt").status == 0)
        #expect(try place.run("count", "open", "P").output == "2\n")
        #expect(try place.run("salvage", "open", "closed", "--new-key-file", "key").status == 0)
        #expect(try place.run("count", "closed", "P", "--encryption-key-file", "key").output == "2\n")
    }

    @Test func keyFilesAreForTheirOwnersAndKeysOnly() throws {
        let place = try place()
        let again = try place.run("key", "generate", "key")
        #expect(again.status == 1 && again.errors.contains("exists"), "\(again)")
        #expect(try place.shell("stat -c %a:%s key other").output == "600:64\n600:129\n")
        let open = try place.shell("chmod 640 key; freehold count d P --encryption-key-file key")
        #expect(open.output == "2\n" && open.errors.contains("warning") && open.errors.contains("chmod 600"), "\(open)")
        try place.file("short", "abc")
        let short = try place.run("count", "d", "P", "--encryption-key-file", "short")
        #expect(short.status == 1 && short.errors.contains("is not a key file"), "\(short)")
        try place.file("letters", String(repeating: "xy", count: 64))
        #expect(try place.run("count", "d", "P", "--encryption-key-file", "letters").status == 1)
        #expect(try place.run("count", "d", "P", "--encryption-key-file", "missing").errors.contains("missing"))
    }
}
