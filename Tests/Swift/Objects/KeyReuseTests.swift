import Foundation
@testable import Freehold
import FreeholdEngine
import Testing

/// A file keeps which keys were given anew only as long as anybody holds a version before. A realm that has handed objects out remembers
/// it for longer.
@Suite("Keys that others give anew")
struct KeyReuseTests {
    /// Deletes the person with key 1 and makes another one, in two commits; then commits until the file has forgotten it. `move` is called
    /// between the commits.
    private func replace(_ database: Database, _ move: () throws -> Void) throws {
        try database.write { try $0.delete(ObjectKey(1), from: $0.table("Person")) }
        try database.write { transaction in
            _ = try transaction.insert(into: transaction.table("Person"), primaryKey: .int(1)) { row in try row.set("name", .string("another")) }
        }
        try move()
        for round in 0..<400 as Range<Int64> {
            try database.write { transaction in
                let people = try transaction.table("Person")
                for key in 0..<3 as Range<Int64> { _ = try transaction.insert(into: people, primaryKey: .int(-1 - round * 3 - key)) { _ in } }
                try transaction.set(ObjectKey(2), in: people, people.column("age"), to: .int(round))
            }
            try move()
            let snapshot = try database.snapshot()
            defer { snapshot.end() }
            if try snapshot.table("Person").row(ObjectKey(1))?.incarnation == 0 { return }
        }
        Issue.record("the file still knows that the key was given anew")
    }

    private func realm(_ folder: Folder) throws -> Realm {
        let realm = try Realm(configuration: folder.configuration([Person.self, Dog.self]))
        try realm.write { for id in 1...5 { realm.create(Person.self, value: ["id": id, "name": "first"]) } }
        return realm
    }

    @Test("an object whose key was given anew is gone, whatever its realm has shown since")
    func refreshed() throws {
        let folder = try Folder(), realm = try realm(folder), database = try Database.open(folder.path)
        let kept = realm.objects(Person.self)[0], stays = realm.objects(Person.self)[1]
        #expect(kept.id == 1 && kept.name == "first")
        try replace(database) { realm.refresh() }
        #expect(kept.isInvalidated && !stays.isInvalidated && stays.name == "first")
        #expect(mistakes { _ = kept.name } == ["Object has been deleted or invalidated."])
        #expect(realm.object(ofType: Person.self, forPrimaryKey: 1)?.name == "another")
        // The one that is there now stays itself.
        let other = try #require(realm.object(ofType: Person.self, forPrimaryKey: 1))
        try realm.write { other.age = 3 }
        realm.refresh()
        #expect(!other.isInvalidated && other.age == 3 && kept.isInvalidated)
    }

    @Test("so it is for a realm that moves by writing")
    func written() throws {
        let folder = try Folder(), realm = try realm(folder), database = try Database.open(folder.path)
        let kept = realm.objects(Person.self)[0], stays = realm.objects(Person.self)[1]
        #expect(kept.name == "first")
        try replace(database) { try realm.write { stays.name = "written" } }
        #expect(kept.isInvalidated && !stays.isInvalidated && stays.name == "written")
    }

    @Test("an object that the realm itself replaced is gone, and the new one is not")
    func own() throws {
        let folder = try Folder(), realm = try realm(folder), kept = realm.objects(Person.self)[0]
        try realm.write { realm.delete(Array(realm.objects(Person.self).prefix(1))) }
        let made = try realm.write { realm.create(Person.self, value: ["id": 1, "name": "mine"]) }
        for age in 0..<20 { try realm.write { realm.objects(Person.self)[1].age = age } }
        #expect(kept.isInvalidated && !made.isInvalidated && made.name == "mine")
    }
}
