import Foundation
@testable import Freehold
import FreeholdEngine
import Testing

@Suite("Tutorials: opening")
struct TutorialOpeningTests {
    @Test("the default file's URL can be printed, and a file for each user stands beside it")
    func urls() throws {
        let url = try #require(Realm.Configuration.defaultConfiguration.fileURL)
        #expect(url.path.hasSuffix("/default.freehold"))
        var configuration = Realm.Configuration.defaultConfiguration
        configuration.fileURL = url.deletingLastPathComponent().appendingPathComponent("\("anna").realm")
        #expect(configuration.fileURL?.lastPathComponent == "anna.realm")
        #expect(configuration.fileURL?.deletingLastPathComponent() == url.deletingLastPathComponent())
    }

    @Test("a database by configuration is at its path, and refuses other classes")
    func configured() throws {
        let folder = try Folder()
        let configuration = Realm.Configuration(fileURL: folder.url.appendingPathComponent("my.realm"), schemaVersion: 1,
                                                migrationBlock: { _, _ in }, objectTypes: [TBook.self])
        let realm = try Realm(configuration: configuration)
        #expect(FileManager.default.fileExists(atPath: configuration.fileURL!.path))
        #expect(mistakes { _ = realm.objects(TCar.self).count } == ["Object type 'TCar' is not managed by the Realm."])
    }

    @Test("one in memory has no URL and is gone with its last holder")
    func inMemory() throws {
        var configuration = Realm.Configuration(inMemoryIdentifier: "MyInMemoryRealm \(UUID())")
        configuration.objectTypes = Tutorial.types
        #expect(configuration.fileURL == nil)
        do {
            let realm = try Realm(configuration: configuration)
            try realm.write { realm.add(TBook(value: ["id": 1])) }
        }
        #expect(try Realm(configuration: configuration).isEmpty)
    }

    @Test("a key that is ignored too is an error of the schema")
    func ignoredKey() throws {
        let folder = try Folder()
        #expect { _ = try Realm(configuration: folder.configuration([TIgnoredKey.self])) } throws: {
            "\($0)".contains("Primary key property 'ID' does not exist on object 'TIgnoredKey'.")
        }
    }

    @Test("a wrong key is an error, also a new random one at the second launch")
    func encryption() throws {
        let folder = try Folder()
        var configuration = folder.configuration(Tutorial.types)
        configuration.encryptionKey = Realm.generateEncryptionKey()
        do { _ = try Realm(configuration: configuration) }
        configuration.encryptionKey = Realm.generateEncryptionKey()
        #expect { _ = try Realm(configuration: configuration) } throws: { ($0 as? Realm.Error)?.code == .invalidDatabase }
    }

    @Test("bundled data is read from where nothing can be written")
    func bundled() throws {
        let folder = try Folder()
        var configuration = folder.configuration(Tutorial.types)
        do {
            let realm = try Realm(configuration: configuration)
            try realm.write { for age in [3, 6, 9] { realm.create(TDog.self, value: ["name": "\(age)", "age": age]) } }
        }
        configuration.readOnly = true
        let realm = try Realm(configuration: configuration)
        #expect(realm.objects(TDog.self).map(\.age) == [3, 6, 9])
        #expect(mistakes { realm.beginWrite() } == ["Can't perform transactions on read-only Realms."])
    }

    @Test("bundled data is read by a user who may not write in its folder")
    func unwritableFolder() async throws {
        await #expect(processExitsWith: .success) {
            let folder = try Folder(), manager = FileManager.default
            var configuration = folder.configuration(Tutorial.types)
            let path = configuration.fileURL!.path
            do {
                let realm = try Realm(configuration: configuration)
                try realm.write { for age in [3, 6, 9] { realm.create(TDog.self, value: ["name": "\(age)", "age": age]) } }
            }
            for file in try manager.contentsOfDirectory(atPath: folder.url.path) where file != configuration.fileURL?.lastPathComponent {
                try manager.removeItem(at: folder.url.appendingPathComponent(file))
            }
            try manager.setAttributes([.posixPermissions: 0o444], ofItemAtPath: path)
            try manager.setAttributes([.posixPermissions: 0o555], ofItemAtPath: folder.url.path)
            defer { try? manager.setAttributes([.posixPermissions: 0o755], ofItemAtPath: folder.url.path) }
            becomeNobody()
            try #require(!manager.createFile(atPath: folder.url.appendingPathComponent("other").path, contents: nil))
            configuration.readOnly = true
            let realm = try Realm(configuration: configuration)
            #expect(realm.objects(TDog.self).map(\.age).filter { $0 > 5 } == [6, 9])
            #expect(try manager.contentsOfDirectory(atPath: folder.url.path).count == 1)
        }
    }

    @Test("files are removed by hand, those that are not there too")
    func removal() throws {
        let folder = try Folder(), configuration = folder.configuration(Tutorial.types), url = configuration.fileURL!
        do {
            let realm = try Realm(configuration: configuration)
            try realm.write { realm.create(TBook.self, value: ["id": 1]) }
        }
        for file in [url, url.appendingPathExtension("lock"), url.appendingPathExtension("note"), url.appendingPathExtension("management")] {
            try? FileManager.default.removeItem(at: file)
        }
        #expect(try Realm(configuration: configuration).isEmpty)
    }

    @Test("two instances nested on one thread are one, and a write within a write is told")
    func nested() throws {
        let folder = try Folder(), configuration = folder.configuration(Tutorial.types)
        let first = try Realm(configuration: configuration)
        try first.write {
            let second = try Realm(configuration: configuration)
            #expect(mistakes { second.beginWrite() } == ["The Realm is already in a write transaction"])
        }
    }
}
