import Foundation
import Freehold
import Synchronization
import TestKit
import Testing

private final class OldNote: Object {
    @Persisted var text = ""
    @Persisted var rank = 0
    @Persisted var pinned = false

    override class func className() -> String { "Note" }
}

private final class OldPerson: Object {
    @Persisted(primaryKey: true) var id: Int
    @Persisted var name = ""
    @Persisted var bestFriend: OldPerson?
    @Persisted var tags: List<String>
    @Persisted var address: OldAddress?

    override class func className() -> String { "Person" }
}

private final class OldAddress: EmbeddedObject {
    @Persisted var street = ""
    @Persisted var zip: Int?

    override class func className() -> String { "Address" }
}

/// A `.realm` file that Realm itself wrote becomes objects of a configuration's file.
@Suite("Importing where a file is opened")
struct ImportingTests {
    private static func sample(_ name: String) -> URL {
        URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
            .appendingPathComponent("Interfaces/Import/RealmSamples/\(name)")
    }

    private static func configuration(_ folder: TemporaryFolder, _ source: Realm.ImportSource, version: UInt64 = 3) -> Realm.Configuration {
        Realm.Configuration(fileURL: URL(fileURLWithPath: folder.file("new.freehold")), schemaVersion: version,
                            objectTypes: [OldNote.self, OldPerson.self, OldAddress.self], importing: source)
    }

    @Test("a .realm file's objects are there when the file is first opened, and only then imported")
    func plain() throws {
        let folder = try TemporaryFolder(), old = URL(fileURLWithPath: folder.file("old.realm"))
        try FileManager.default.copyItem(at: Self.sample("plain.realm"), to: old)
        let reports = Mutex<[Realm.ImportSource.Report]>([])
        var source = Realm.ImportSource.file(old)
        source.onCompletion = { report in reports.withLock { $0.append(report) } }
        do {
            let realm = try Realm(configuration: Self.configuration(folder, source))
            #expect(realm.objects(OldNote.self).count == 18)
            #expect(realm.objects(OldNote.self).where { $0.text == "b" && $0.pinned }.first?.rank == -1)
            let people = realm.objects(OldPerson.self)
            #expect(people.count == 10 && people.contains { $0.bestFriend != nil } && people.contains { !$0.tags.isEmpty })
        }
        #expect(reports.withLock { $0.count } == 1)
        #expect(reports.withLock { $0.first?.format.hasPrefix("Realm file, format 24") } == true)
        #expect(reports.withLock { $0.first?.objectCounts["Note"] } == 18)
        // Done once for ever: the source may go.
        try FileManager.default.removeItem(at: old)
        source.mustExist = true
        #expect(try Realm(configuration: Self.configuration(folder, source)).objects(OldNote.self).count == 18)
        #expect(reports.withLock { $0.count } == 1)
    }

    @Test("an encrypted .realm file is read with its key, and refused with another")
    func encrypted() throws {
        let folder = try TemporaryFolder(), sample = Self.sample("encrypted.realm")
        for key in [nil, Data(repeating: 7, count: 64), Data(repeating: 7, count: 3)] {
            #expect(throws: Realm.Error.self) { try Realm(configuration: Self.configuration(folder, .file(sample, encryptionKey: key))) }
        }
        let realm = try Realm(configuration: Self.configuration(folder, .file(sample, encryptionKey: Data(0..<64))))
        #expect(realm.objects(OldNote.self).count == 18)
    }

    @Test("a migration block sees the imported objects under the version that they had")
    func migrated() throws {
        let folder = try TemporaryFolder()
        let source = Realm.ImportSource.file(Self.sample("encrypted.realm"), encryptionKey: Data(0..<64))
        var configuration = Self.configuration(folder, source, version: 4)
        let versions = Mutex<[UInt64]>([])
        configuration.migrationBlock = { migration, old in
            versions.withLock { $0.append(old) }
            migration.enumerateObjects(ofType: "Note") { _, new in new?["rank"] = 42 }
        }
        let realm = try Realm(configuration: configuration)
        #expect(versions.withLock { $0 } == [3])
        #expect(realm.objects(OldNote.self).where { $0.rank == 42 }.count == 18)
        #expect(realm.objects(OldPerson.self).contains { $0.address?.street.isEmpty == false })
    }

    @Test("an import that the program stops continues when the file is opened again")
    func stopped() throws {
        let folder = try TemporaryFolder()
        var source = Realm.ImportSource.file(Self.sample("plain.realm"))
        source.onProgress = { _ in false }
        #expect(throws: Realm.Error.self) { try Realm(configuration: Self.configuration(folder, source)) }
        source.onProgress = { $0.written <= $0.total && !$0.isWaiting }
        #expect(try Realm(configuration: Self.configuration(folder, source)).objects(OldNote.self).count == 18)
    }

    @Test("a source that does not exist is nothing to import, unless it must")
    func missing() throws {
        let folder = try TemporaryFolder()
        var source = Realm.ImportSource.file(URL(fileURLWithPath: folder.file("none.realm")))
        #expect(try Realm(configuration: Self.configuration(folder, source)).objects(OldNote.self).isEmpty)
        source.mustExist = true
        #expect(throws: Realm.Error.self) { try Realm(configuration: Self.configuration(folder, source)) }
    }
}
