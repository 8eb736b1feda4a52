import Foundation
import Freehold
import FreeholdEngine
import Testing

/// The classes of two programs that share a file, each as its own program has them.
private enum Older {
    class Voter: Object {
        @Persisted(primaryKey: true) var id: Int
        @Persisted var name = ""
        @Persisted var age = 0
        @Persisted var nick = ""
        @Persisted var next: Voter?

        override class func shouldIncludeInDefaultSchema() -> Bool { false }
    }

    class Kept: Object {
        @Persisted var value = 0

        override class func shouldIncludeInDefaultSchema() -> Bool { false }
    }
}

private enum Newer {
    class Voter: Object {
        @Persisted(primaryKey: true) var id: Int
        @Persisted var name = ""
        @Persisted var age = ""
        @Persisted var city = "Bonn"
        @Persisted var next: Voter?

        override class func shouldIncludeInDefaultSchema() -> Bool { false }
    }
}

private let older: [ObjectBase.Type] = [Older.Voter.self, Older.Kept.self]

private func newer(_ path: String) -> Realm.Configuration {
    Realm.Configuration(fileURL: URL(fileURLWithPath: path), schemaVersion: 2, migrationBlock: { migration, _ in
        migration.enumerateObjects(ofType: "Voter") { old, new in new?["age"] = "\(old?["age"] as? Int ?? 0) years" }
    }, objectTypes: [Newer.Voter.self])
}

@Suite("Programs with older classes")
struct OlderProgramTests {
    private func opened(_ folder: Folder, queue: DispatchQueue? = nil) throws -> Realm {
        let realm = try Realm(configuration: folder.configuration(older, version: 1), queue: queue)
        realm.autorefresh = false
        try realm.write {
            let ann = realm.create(Older.Voter.self, value: ["id": 1, "name": "Ann", "age": 30, "nick": "A"])
            realm.create(Older.Voter.self, value: ["id": 2, "name": "Bea", "age": 40, "next": ann])
            realm.create(Older.Kept.self, value: ["value": 5])
        }
        // It shows this version from here on.
        #expect(realm.objects(Older.Voter.self).count == 2)
        return realm
    }

    /// What a program of older classes can do, and what it is told.
    private func goesOn(_ realm: Realm, _ folder: Folder) throws {
        let voters = realm.objects(Older.Voter.self), bea = try #require(realm.object(ofType: Older.Voter.self, forPrimaryKey: 2))
        #expect(bea.age == 40)
        #expect(realm.refresh())
        #expect(voters.map(\.name) == ["Ann", "Bea"] && bea.next?.name == "Ann")
        let gone = "Property 'Voter.age' is not in the file as this program knows it."
        #expect(mistakes { _ = bea.age } == [gone])
        #expect(mistakes { _ = bea.nick } == ["Property 'Voter.nick' is not in the file as this program knows it."])
        try realm.write {
            bea.name = "Beatrice"
            realm.create(Older.Kept.self, value: ["value": 6])
            #expect(mistakes { bea.age = 41 } == [gone])
            #expect(mistakes { realm.add(Older.Voter(value: ["id": 3])) } == [gone])
            realm.delete(voters[0])
        }
        #expect(voters.map(\.name) == ["Beatrice"] && bea.next == nil)
        #expect(realm.objects(Older.Kept.self).map(\.value) == [5, 6])
        // Its other threads read on as long as it has the file open.
        let queue = DispatchQueue(label: "another")
        let configuration = folder.configuration(older, version: 1)
        let name = try queue.sync { try Realm(configuration: configuration, queue: queue).objects(Older.Voter.self).first?.name }
        #expect(name == "Beatrice")
        #expect(try Database.open(folder.path).check().problems.isEmpty)
    }

    @Test("a program goes on with what there still is while another process migrates the file, and is told what it cannot write")
    func process() async throws {
        let folder = try Folder(), path = folder.path
        // A test that waits goes on on any thread.
        let queue = DispatchQueue(label: "older"), realm = try queue.sync { try opened(folder, queue: queue) }
        await #expect(processExitsWith: .success) { [path = path as String] in
            let realm = try Realm(configuration: newer(path))
            precondition(realm.objects(Newer.Voter.self).map(\.age) == ["30 years", "40 years"])
        }
        #expect(try Database.open(path).snapshot().schemaVersion == 2)
        try queue.sync { try goesOn(realm, folder) }
    }

    @Test("so it does while another thread of its own migrates the file")
    func thread() throws {
        let folder = try Folder(), realm = try opened(folder), queue = DispatchQueue(label: "newer"), path = folder.path
        try queue.sync {
            let realm = try Realm(configuration: newer(path), queue: queue)
            #expect(realm.objects(Newer.Voter.self).map(\.age) == ["30 years", "40 years"])
        }
        try goesOn(realm, folder)
    }

    @Test("once it has closed the file it is refused")
    func closed() throws {
        let folder = try Folder()
        do { _ = try opened(folder) }
        do { _ = try Realm(configuration: newer(folder.path)) }
        #expect(refusal(folder.configuration(older, version: 1))?.message == "Provided schema version 1 is less than last set version 2.")
    }

    @Test("a program that adds to the classes leaves those that have fewer as they are")
    func additions() throws {
        let folder = try Folder(), realm = try opened(folder)
        let database = try Database.open(folder.path)
        try database.write { try $0.addProperty(PropertySchema("extra", .string), to: "Voter") }
        realm.refresh()
        try realm.write { realm.create(Older.Voter.self, value: ["id": 7, "name": "Cy"]) }
        #expect(realm.object(ofType: Older.Voter.self, forPrimaryKey: 7)?.name == "Cy")
        #expect(realm.dynamicObject(ofType: "Voter", forPrimaryKey: 7)?["extra"] as? String == "")
    }
}
