import Foundation
import FreeholdEngine
import SyncAgent
import Testing

@Suite("Tokens")
struct TokenTests {
    private func settings(_ token: String? = nil, file: String? = nil) -> SyncSettings {
        SyncSettings(address: "https://example.org", token: token, tokenFile: file)
    }

    private func withFolder(_ body: (String) throws -> Void) throws {
        let folder = NSTemporaryDirectory() + "token-" + UUID().uuidString
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        try body(folder)
    }

    @Test("A token file goes before the settings' token, and is read anew")
    func file() throws {
        try withFolder { folder in
            let path = folder + "/token"
            for token in ["first", "second.one-longer", "x"] {
                try Data("\n \(token)\r\n".utf8).write(to: URL(fileURLWithPath: path))
                #expect(try Token.current(settings("other", file: path))?.utf8.elementsEqual(token.utf8) == true)
            }
        }
        #expect(try Token.current(settings(" abc "))?.utf8.elementsEqual("abc".utf8) == true)
        #expect(try Token.current(settings()) == nil)
    }

    @Test("What is no token is refused, and not shown", arguments: [
        "", " \n", "secret\r\nX: y", "secret word", "secr\u{e9}t", "secret\u{0}",
    ])
    func refused(_ text: String) throws {
        let error = #expect(throws: FreeholdError.self) { try Token.current(settings(text)) }
        #expect(error?.code == .invalidArgument)
        #expect("\(String(describing: error))".range(of: "secr") == nil)
    }

    @Test("A pipe, a folder, no file and a file without end give errors, and hold nobody up")
    func files() throws {
        try withFolder { folder in
            #expect(mkfifo(folder + "/pipe", 0o600) == 0)
            try Data(repeating: 0x41, count: Token.limit + 1).write(to: URL(fileURLWithPath: folder + "/long"))
            for name in ["/pipe", "", "/long", "/absent"] {
                #expect(throws: FreeholdError.self) { try Token.current(settings("other", file: folder + name)) }
            }
        }
    }
}
