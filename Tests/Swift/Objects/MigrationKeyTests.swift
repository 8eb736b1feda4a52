import Foundation
import Freehold
import FreeholdEngine
import Testing

@Suite("Migrations of primary keys")
struct MigrationKeyTests {
    private func links<Model: Object>(_ objects: Results<Model>, _ next: (Model) -> Model?) -> Int { objects.count { next($0) != nil } }

    @Test("a class gets an integer key that its objects have different values of; links stay, and objects are found")
    func added() throws {
        let folder = try Folder()
        let database = try folder.file(version: 0, [ClassSchema("KeyedByNumber", [
            PropertySchema("id", .int), PropertySchema("code", .string), PropertySchema("next", linkTo: "KeyedByNumber"),
        ])]) { transaction in
            var last: ObjectKey?
            for id in 0..<400 as Range<Int64> {
                last = try transaction.insert(into: "KeyedByNumber", [("id", .int(1000 - id)), ("next", last.map { .link($0) } ?? .null)])
            }
        }
        let realm = try Realm(configuration: folder.configuration([KeyedByNumber.self], version: 1))
        let object = try #require(realm.object(ofType: KeyedByNumber.self, forPrimaryKey: 990))
        #expect(object.id == 990 && object.next?.id == 991)
        #expect(realm.object(ofType: KeyedByNumber.self, forPrimaryKey: 3) == nil)
        #expect(links(realm.objects(KeyedByNumber.self)) { $0.next } == 399)
        try realm.write {
            realm.create(KeyedByNumber.self, value: ["id": 5, "next": object])
            realm.create(KeyedByNumber.self, value: ["id": 990, "code": "changed"], update: .modified)
        }
        let error = #expect(throws: Realm.Error.self) { try realm.write { realm.add(KeyedByNumber(value: ["id": 990])) } }
        #expect(error?.message.contains("existing primary key value '990'") == true)
        #expect(object.code == "changed" && realm.objects(KeyedByNumber.self).count == 401)
        #expect(try database.check().problems.isEmpty)
    }

    @Test("objects with equal values keep a property from becoming the key; the block can give them others")
    func duplicates() throws {
        let folder = try Folder()
        let database = try folder.file(version: 0, [ClassSchema("KeyedByCode", [
            PropertySchema("code", .string), PropertySchema("number", .int), PropertySchema("next", linkTo: "KeyedByCode"),
        ])]) { transaction in for number in 0..<4 { try transaction.insert(into: "KeyedByCode", [("code", .string("c")), ("number", .int(Int64(number)))]) } }
        let before = try Contents(database)
        let error = refusal(folder.configuration([KeyedByCode.self], version: 1))
        #expect(error?.message == "Primary key property 'KeyedByCode.code' has duplicate values after migration.")
        #expect(try Contents(database) == before)
        let realm = try Realm(configuration: folder.configuration([KeyedByCode.self], version: 1) { migration, _ in
            migration.enumerateObjects(ofType: "KeyedByCode") { old, new in new?["code"] = "c\(old?["number"] as? Int ?? 0)" }
        })
        #expect(realm.object(ofType: KeyedByCode.self, forPrimaryKey: "c2")?.number == 2)
    }

    @Test("an integer key becomes a text, and another property becomes the key")
    func changed() throws {
        let folder = try Folder()
        let database = try folder.file(version: 0, [ClassSchema("KeyedByCode", primaryKey: "number", [
            PropertySchema("number", .int), PropertySchema("code", .int), PropertySchema("next", linkTo: "KeyedByCode"),
        ])]) { transaction in
            for number in 0..<300 as Range<Int64> {
                try transaction.insert(into: "KeyedByCode", key: .int(number * 2), [("code", .int(number)), ("next", number == 0 ? .null : .link(ObjectKey(number * 2 - 2)))])
            }
        }
        let realm = try Realm(configuration: folder.configuration([KeyedByCode.self], version: 1) { migration, _ in
            migration.enumerateObjects(ofType: "KeyedByCode") { old, new in
                if old?["number"] as? Int == 4 { new?["code"] = "four" }
            }
        })
        #expect(realm.object(ofType: KeyedByCode.self, forPrimaryKey: "7")?.number == 14)
        #expect(realm.object(ofType: KeyedByCode.self, forPrimaryKey: "four")?.number == 4)
        #expect(realm.object(ofType: KeyedByCode.self, forPrimaryKey: "7")?.next?.code == "6")
        #expect(links(realm.objects(KeyedByCode.self)) { $0.next } == 299)
        #expect(try database.check().problems.isEmpty)
    }

    @Test("a key that stays the key gets another type")
    func retyped() throws {
        let folder = try Folder()
        let database = try folder.file(version: 0, [ClassSchema("KeyedByCode", primaryKey: "code", [
            PropertySchema("code", .int), PropertySchema("number", .int), PropertySchema("next", linkTo: "KeyedByCode"),
        ])]) { transaction in
            for code in 0..<300 as Range<Int64> {
                try transaction.insert(into: "KeyedByCode", key: .int(code), [("next", code == 0 ? .null : .link(ObjectKey(code - 1)))])
            }
        }
        let realm = try Realm(configuration: folder.configuration([KeyedByCode.self], version: 1))
        #expect(realm.object(ofType: KeyedByCode.self, forPrimaryKey: "7")?.next?.code == "6")
        #expect(links(realm.objects(KeyedByCode.self)) { $0.next } == 299)
        #expect(try database.check().problems.isEmpty)
    }

    @Test("a key is given up, and objects may be alike from then on")
    func removed() throws {
        let folder = try Folder()
        let database = try folder.file(version: 0, [ClassSchema("Keyless", primaryKey: "id", [PropertySchema("id", .int), PropertySchema("next", linkTo: "Keyless")])]) { transaction in
            for id in 0..<5 { try transaction.insert(into: "Keyless", key: .int(Int64(id)), []) }
        }
        let realm = try Realm(configuration: folder.configuration([Keyless.self], version: 1))
        try realm.write {
            realm.objects(Keyless.self)[3].id = 2
            realm.create(Keyless.self, value: ["id": 2])
        }
        #expect(realm.objects(Keyless.self).map(\.id) == [0, 1, 2, 2, 4, 2])
        #expect(try database.check().problems.isEmpty)
    }

    @Test("a key that stays the key gets another name, and objects get other values of it")
    func renamedAndRenumbered() throws {
        let folder = try Folder()
        let database = try folder.file(version: 0, [ClassSchema("KeyedByNumber", primaryKey: "number", [
            PropertySchema("number", .int), PropertySchema("code", .string), PropertySchema("next", linkTo: "KeyedByNumber"),
        ])]) { transaction in for id in 0..<5 { try transaction.insert(into: "KeyedByNumber", key: .int(Int64(id)), [("next", .link(ObjectKey(Int64(id))))]) } }
        do {
            let realm = try Realm(configuration: folder.configuration([KeyedByNumber.self], version: 1) { migration, _ in
                migration.renameProperty(onType: "KeyedByNumber", from: "number", to: "id")
            })
            #expect(realm.object(ofType: KeyedByNumber.self, forPrimaryKey: 3)?.next?.id == 3)
        }
        do {
            let realm = try Realm(configuration: folder.configuration([KeyedByNumber.self], version: 2) { migration, _ in
                migration.enumerateObjects(ofType: "KeyedByNumber") { old, new in new?["id"] = 10 - (old?["id"] as? Int ?? 0) }
            })
            #expect(realm.object(ofType: KeyedByNumber.self, forPrimaryKey: 9)?.next?.id == 9)
            #expect(realm.object(ofType: KeyedByNumber.self, forPrimaryKey: 3) == nil)
        }
        let before = try Contents(database)
        let error = refusal(folder.configuration([KeyedByNumber.self], version: 3) { migration, _ in
            migration.enumerateObjects(ofType: "KeyedByNumber") { _, new in new?["id"] = 1 }
        })
        #expect(error?.message == "Primary key property 'KeyedByNumber.id' has duplicate values after migration.")
        #expect(try Contents(database) == before)
        #expect(try database.check().problems.isEmpty)
    }

    @Test("a property becomes unique unless objects have the same value")
    func unique() throws {
        let folder = try Folder()
        let database = try folder.file(version: 0, [ClassSchema("UniqueTag", [PropertySchema("tag", .string)])]) { transaction in
            for _ in 0..<2 { try transaction.insert(into: "UniqueTag", [("tag", .string("t"))]) }
        }
        #expect(refusal(folder.configuration([UniqueTag.self], version: 1))?.message == "Unique property 'UniqueTag.tag' has duplicate values after migration.")
        let realm = try Realm(configuration: folder.configuration([UniqueTag.self], version: 1) { migration, _ in
            var count = 0
            migration.enumerateObjects(ofType: "UniqueTag") { _, new in
                count += 1
                new?["tag"] = "t\(count)"
            }
        })
        #expect(realm.objects(UniqueTag.self).map(\.tag) == ["t1", "t2"])
        #expect(try database.check().problems.isEmpty)
    }
}
