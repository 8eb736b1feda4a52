import Foundation
@testable import Freehold
import FreeholdEngine
import Synchronization
import Testing

@Suite("Schema versions of files")
struct MigrationFileTests {
    @Test("a new file gets the version without its block being called; a file of no version has none")
    func versionAtURL() throws {
        let folder = try Folder(), url = URL(fileURLWithPath: folder.path)
        #expect(throws: Realm.Error.self) { try schemaVersionAtURL(url) }
        #expect(!FileManager.default.fileExists(atPath: folder.path))
        do { _ = try Realm(configuration: folder.configuration([Keyless.self], version: 4) { _, _ in Issue.record("called for a new file") }) }
        #expect(try schemaVersionAtURL(url) == 4)
        let empty = folder.url.appendingPathComponent("empty.freehold")
        _ = try Database.open(empty.path)
        #expect { try schemaVersionAtURL(empty) } throws: { error in
            (error as? Realm.Error)?.message == "Realm at path '\(empty.path)' has not been initialized." && (error as? Realm.Error)?.code == .invalidDatabase
        }
    }

    @Test("a version lower than the file's is refused in so many words")
    func lower() throws {
        let folder = try Folder()
        let database = try folder.file(version: 2, [ClassSchema("Keyless", [PropertySchema("id", .int), PropertySchema("next", linkTo: "Keyless")])])
        let error = refusal(folder.configuration([Keyless.self], version: 1) { _, _ in Issue.record("called for an older version") })
        #expect(error?.code == .fail && error?.message == "Provided schema version 1 is less than last set version 2.")
        #expect(try database.snapshot().schemaVersion == 2)
    }

    @Test("an encrypted file is migrated")
    func encrypted() throws {
        let folder = try Folder(), key = Data(0..<64)
        _ = try folder.file(version: 0, key: key, [.citizen { $0.change(PropertySchema("age", .int)) }]) { transaction in
            for id in 0..<600 { try transaction.insert(into: "Citizen", key: .int(Int64(id)), [("age", .int(Int64(id)))]) }
        }
        var configuration = folder.configuration([Citizen.self], version: 1) { migration, _ in
            migration.enumerateObjects(ofType: "Citizen") { old, new in new?["fullName"] = "of \(old?["age"] as? Int ?? -1)" }
        }
        configuration.encryptionKey = key
        let realm = try Realm(configuration: configuration)
        #expect(realm.objects(Citizen.self).allSatisfy { $0.age == "\($0.id)" && $0.fullName == "of \($0.id)" })
        #expect(try schemaVersionAtURL(URL(fileURLWithPath: folder.path), encryptionKey: key) == 1)
    }

    @Test("a file is migrated at a time of its own, but not while it is open")
    func perform() throws {
        let folder = try Folder()
        _ = try folder.file(version: 0, [.citizen { $0.change(PropertySchema("age", .int)) }]) { try $0.insert(into: "Citizen", key: .int(1), [("age", .int(3))]) }
        let configuration = folder.configuration([Citizen.self], version: 1)
        try Realm.performMigration(for: configuration)
        #expect(try schemaVersionAtURL(URL(fileURLWithPath: folder.path)) == 1)
        let realm = try Realm(configuration: configuration)
        #expect(realm.objects(Citizen.self).map(\.age) == ["3"])
        #expect(mistakes { try? Realm.performMigration(for: configuration) } == ["Cannot migrate Realms that are already open."])
    }

    @Test("a file that would have to be migrated is deleted where that is allowed, also for another version; one that fits is not")
    func deletion() throws {
        let folder = try Folder()
        var configuration = folder.configuration([Citizen.self], version: 0) { _, _ in Issue.record("called") }
        configuration.deleteRealmIfMigrationNeeded = true
        do { _ = try folder.file(version: 0, [.citizen { $0.properties.removeLast() }]) { try $0.insert(into: "Citizen", key: .int(1), []) } }
        do { #expect(try Realm(configuration: configuration).objects(Citizen.self).count == 1) }
        for version in [2, 1] as [UInt64] {
            configuration.schemaVersion = version
            let realm = try Realm(configuration: configuration)
            #expect(realm.objects(Citizen.self).isEmpty)
            try realm.write { realm.create(Citizen.self, value: ["id": 1]) }
        }
        do { try Database.open(folder.path).write { try $0.changeType(of: "age", in: "Citizen", to: .int) { _ in .int(0) } } }
        #expect(try Realm.migrationPlan(for: configuration).outcome == .deletion)
        #expect(try Realm(configuration: configuration).isEmpty)
    }

    @Test("what is judged is deleted, and nothing that another process has put there since")
    func deletionOfWhatWasJudged() throws {
        let folder = try Folder(), path = folder.path
        func make(_ age: Int64) throws -> StoredVersion {
            let database = try Database.open(path)
            defer { database.close() }
            try database.write { transaction in
                if transaction.classes.isEmpty { try transaction.createClass(ClassSchema("Citizen", [PropertySchema("age", .int)])) }
                try transaction.insert(into: "Citizen", [("age", .int(age))])
            }
            let snapshot = try database.snapshot()
            defer { snapshot.end() }
            return snapshot.storedVersion
        }
        func count() throws -> Int {
            let database = try Database.open(path)
            defer { database.close() }
            return try database.snapshot().table("Citizen").count
        }
        let first = try make(1)
        // The same program in another process was faster: it has deleted the file and created another one.
        try Database.deleteFiles(at: path)
        let second = try make(2)
        #expect(try !Database.deleteFiles(at: path, unlessChangedSince: first))
        // One that has committed since.
        let third = try make(3)
        #expect(try !Database.deleteFiles(at: path, unlessChangedSince: second))
        #expect(try count() == 2)
        // One that has only looked: who deletes judges anew.
        #expect(try !Database.deleteFiles(at: path, unlessChangedSince: third))
        let fourth = try make(4)
        let open = try Database.open(path)
        let error = #expect(throws: FreeholdError.self) { try Database.deleteFiles(at: path, unlessChangedSince: fourth) }
        #expect(error?.code == .inUse)
        open.close()
        let fifth = try make(5)
        #expect(try Database.deleteFiles(at: path, unlessChangedSince: fifth))
        #expect(try !Database.exists(at: path))
        #expect(try !Database.deleteFiles(at: path, unlessChangedSince: fifth))
    }

    @Test("a file that another process has open for a moment only is deleted then")
    func deletionAfterAMoment() throws {
        let folder = try Folder()
        let other = try folder.file(version: 0, [.citizen { $0.change(PropertySchema("age", .int)) }]) { try $0.insert(into: "Citizen", key: .int(1), []) }
        var configuration = folder.configuration([Citizen.self], version: 0), openings = 0
        configuration.deleteRealmIfMigrationNeeded = true
        let report = OpeningReport(began: { step in
            if step == .opening { openings += 1 }
            if openings == 2 { other.close() }
        }, built: { _ in true })
        _ = try OpenedFile(configuration, for: .current, report: report)
        #expect(openings == 3)
    }

    @Test("a file that another process has open is not deleted")
    func deletionRefused() throws {
        let folder = try Folder()
        let database = try folder.file(version: 0, [.citizen { $0.change(PropertySchema("age", .int)) }]) { try $0.insert(into: "Citizen", key: .int(1), []) }
        let before = try Contents(database)
        var configuration = folder.configuration([Citizen.self], version: 0)
        configuration.deleteRealmIfMigrationNeeded = true
        #expect(refusal(configuration)?.code == .alreadyOpen)
        #expect(try Contents(database) == before)
    }

    @Test("a file is deleted once its realm is let go of, after a migration that was done or failed", arguments: [false, true])
    func deletionAfterBlock(fails: Bool) throws {
        let folder = try Folder()
        do {
            _ = try folder.file(version: 0, [.citizen { $0.change(PropertySchema("age", .int)) }, ClassSchema("Gone", [PropertySchema("x", .int)])]) { transaction in
                for id in 0..<5 as Range<Int64> { try transaction.insert(into: "Citizen", key: .int(id), [("friend", id == 0 ? .null : .link(ObjectKey(id - 1)))]) }
                try transaction.insert(into: "Gone", [])
            }
        }
        let configuration = folder.configuration([Citizen.self, Keyless.self], version: 1) { migration, _ in
            try migration.enumerateObjects(ofType: "Citizen") { old, new in
                new?["fullName"] = "\(old?["age"] ?? "") \((old?["friend"] as? MigrationObject)?["id"] ?? "")"
                new?["friend"] = old?["friend"]
                if old?["id"] as? Int == 4, let new { migration.delete(new) }
                if fails, old?["id"] as? Int == 3 { throw Stop() }
            }
            migration.create("Keyless", value: ["id": 1, "next": ["id": 2]])
            migration.enumerateObjects(ofType: "Keyless") { _, new in _ = new?.description }
            migration.deleteData(forType: "Gone")
        }
        do {
            if fails { #expect(throws: Stop()) { try Realm(configuration: configuration) } } else {
                #expect(try Realm(configuration: configuration).objects(Citizen.self).count == 4)
            }
        }
        #expect(try Realm.deleteFiles(for: configuration) && !FileManager.default.fileExists(atPath: folder.path))
    }

    @Test("a dry run tells the plan and changes nothing")
    func plan() throws {
        let folder = try Folder(), configuration = folder.configuration([Keyless.self, Premises.self], version: 2) { _, _ in Issue.record("called") }
        #expect(try Realm.migrationPlan(for: configuration).outcome == .additions)
        #expect(!FileManager.default.fileExists(atPath: folder.path))
        let database = try folder.file(version: 1, [
            ClassSchema("Keyless", primaryKey: "code", [PropertySchema("id", .string), PropertySchema("code", .string), PropertySchema("next", linkTo: "Keyless")]),
            ClassSchema("Other", []),
        ])
        let before = try Contents(database)
        #expect(try Realm.migrationPlan(for: configuration).description == """
            \(folder.path): schema version 1 → 2
            - Primary Key for class 'Keyless' has been removed.
            - Property 'Keyless.id' has been changed from 'string' to 'int'. Values are converted where the conversion is lossless.
            - Class 'Premises' has been added.
            - Property 'Keyless.code' has been removed. Its values are dropped.
            The migration block is called.
            Classes that the program does not declare are kept: Other.
            """)
        #expect(try Realm.migrationPlan(for: folder.configuration([Keyless.self], version: 1)).description.hasSuffix("""
            - Property 'Keyless.code' has been removed. It is kept until the schema version is raised.
            Opening throws: Migration is required due to the following errors:
            - Primary Key for class 'Keyless' has been removed.
            - Property 'Keyless.id' has been changed from 'string' to 'int'.
            Classes that the program does not declare are kept: Other.
            """))
        #expect(try Realm.migrationPlan(for: folder.configuration([Keyless.self], version: 0)).outcome
            == .refusal("Provided schema version 0 is less than last set version 1."))
        #expect(try Contents(database) == before)
    }

    @Test("a file that is only read has to have the version")
    func readOnly() throws {
        let folder = try Folder()
        do { _ = try Realm(configuration: folder.configuration([Keyless.self], version: 1)) }
        var configuration = folder.configuration([Keyless.self], version: 1)
        configuration.readOnly = true
        do { #expect(try Realm(configuration: configuration).objects(Keyless.self).isEmpty) }
        configuration.schemaVersion = 2
        #expect(refusal(configuration)?.message == "Provided schema version 2 does not equal last set version 1.")
    }

    @Test("opening the file within its own migration is refused, not waited for")
    func nested() throws {
        let folder = try Folder()
        _ = try folder.file(version: 0, [ClassSchema("Keyless", [PropertySchema("id", .int), PropertySchema("next", linkTo: "Keyless")])])
        let configuration = folder.configuration([Keyless.self], version: 1)
        let inner = Mutex<String?>(nil)
        var outer = configuration
        outer.migrationBlock = { _, _ in inner.withLock { $0 = refusal(configuration)?.message } }
        _ = try Realm(configuration: outer)
        #expect(inner.withLock { $0 } == "The file cannot be migrated within a write transaction or a migration of the same thread.")
    }

    @Test("threads that open a file at once migrate it once")
    func atOnce() async throws {
        let folder = try Folder()
        _ = try folder.file(version: 0, [.citizen { $0.change(PropertySchema("age", .int)) }]) { try $0.insert(into: "Citizen", key: .int(1), [("age", .int(3))]) }
        let calls = Mutex(0)
        let configuration = folder.configuration([Citizen.self], version: 1) { _, _ in calls.withLock { $0 += 1 } }
        await withTaskGroup(of: String?.self) { group in
            for _ in 0..<4 { group.addTask { try? Realm(configuration: configuration).objects(Citizen.self).first?.age } }
            for await age in group { #expect(age == "3") }
        }
        #expect(calls.withLock { $0 } == 1)
    }
}
