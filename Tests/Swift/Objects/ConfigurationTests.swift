import Foundation
@testable import Freehold
import Testing

@Suite("Configurations")
struct ConfigurationTests {
    @Test("a file and a name in memory exclude each other, and a seed is for a file")
    func exclusive() {
        let file = URL(fileURLWithPath: "/somewhere/a.freehold")
        var configuration = Realm.Configuration(inMemoryIdentifier: "a")
        #expect(configuration.fileURL == nil)
        configuration.fileURL = file
        #expect(configuration.inMemoryIdentifier == nil)
        configuration.inMemoryIdentifier = "b"
        #expect(configuration.fileURL == nil)
        configuration.seedFilePath = file
        #expect(configuration.inMemoryIdentifier == nil)
        #expect(Realm.Configuration(path: "/somewhere/a.freehold").fileURL == file)
    }

    @Test("configurations of the same file, key, version and access are equal")
    func equality() {
        let first = Realm.Configuration(fileURL: URL(fileURLWithPath: "/a"), schemaVersion: 1)
        var second = first
        second.objectTypes = [Dog.self]
        second.maximumNumberOfActiveVersions = 3
        #expect(first == second)
        for change: (inout Realm.Configuration) -> Void in [
            { $0.readOnly = true }, { $0.schemaVersion = 2 }, { $0.encryptionKey = Data(0..<64) }, { $0.inMemoryIdentifier = "a" },
            { $0.fileURL = URL(fileURLWithPath: "/b") },
        ] {
            second = first
            change(&second)
            #expect(first != second)
        }
    }

    @Test("a description says what is set, and never the key")
    func described() {
        var configuration = Realm.Configuration(fileURL: URL(fileURLWithPath: "/a.freehold"), objectTypes: [Dog.self])
        configuration.encryptionKey = Data(repeating: 0xAB, count: 64)
        configuration.maximumNumberOfActiveVersions = 9
        let text = "\(configuration)"
        for part in ["fileURL = /a.freehold", "encryptionKey = 64 bytes", "objectTypes = Dog", "maximumNumberOfActiveVersions = 9"] {
            #expect(text.contains(part))
        }
        #expect(!text.lowercased().contains("abab") && !text.contains("171"))
    }

    @Test("the default file is where the XDG specification has a program's data")
    func defaultPath() {
        func path(_ environment: [String: String]) -> String {
            Realm.Configuration.path(environment: environment, home: "/home/ann", program: "/usr/bin/zoo")
        }
        #expect(path([:]) == "/home/ann/.local/share/zoo/default.freehold")
        #expect(path(["XDG_DATA_HOME": "/data"]) == "/data/zoo/default.freehold")
        #expect(path(["XDG_DATA_HOME": "data"]) == "/home/ann/.local/share/zoo/default.freehold")
        #expect(Realm.Configuration().fileURL?.path == Realm.Configuration.defaultPath)
    }

    @Test("a name in memory may have any characters, and no two names are one")
    func names() throws {
        let names = ["MyInMemoryRealm", "a b", "a%20b", "../x", "a/b", ".hidden", "ä", "%"]
        let written = names.map { Realm.Configuration.engineName($0) }
        #expect(written.first == "MyInMemoryRealm")
        #expect(Set(written).count == names.count)
        #expect(written.allSatisfy { !$0.contains("/") && !$0.contains(" ") && !$0.hasPrefix(".") })
        var configuration = Realm.Configuration(inMemoryIdentifier: "-[Tests test] \(UUID())/.")
        configuration.objectTypes = [Dog.self, Person.self]
        #expect(try Realm(configuration: configuration).isEmpty)
    }

    @Test("a key of the wrong length, no file at all and the URL of a web page are refused in clear words")
    func refused() {
        func reason(_ change: (inout Realm.Configuration) -> Void) -> Realm.Error? {
            var configuration = Realm.Configuration(fileURL: URL(fileURLWithPath: "/tmp/never-made.freehold"))
            change(&configuration)
            return #expect(throws: Realm.Error.self) { _ = try Realm(configuration: configuration) }
        }
        let short = reason { $0.encryptionKey = Data(0..<63) }
        #expect(short?.code == .invalidInput && short?.message.contains("exactly 64 bytes long, not 63") == true)
        #expect(reason { $0.fileURL = nil }?.code == .fileAccess)
        #expect(reason { $0.fileURL = URL(string: "https://example.org/a") }?.message.contains("is not the URL of a file") == true)
        #expect(!FileManager.default.fileExists(atPath: "/tmp/never-made.freehold"))
    }
}
