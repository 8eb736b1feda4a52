import Foundation
import Freehold
import FreeholdEngine
import Testing

@Suite("Migrations of classes")
struct MigrationClassTests {
    @Test("a class that the program has no more stays, and goes with its objects when its data is deleted")
    func deleteData() throws {
        let folder = try Folder()
        let database = try folder.file(version: 0, [
            ClassSchema("Keyless", [PropertySchema("id", .int), PropertySchema("next", linkTo: "Keyless"), PropertySchema("old", linkTo: "Gone")]),
            ClassSchema("Gone", [PropertySchema("x", .int), PropertySchema("other", linkTo: "Went")]), ClassSchema("Went", [PropertySchema("back", linkTo: "Gone")]),
        ]) { transaction in
            let gone = try transaction.insert(into: "Gone", [("x", .int(5))])
            try transaction.insert(into: "Keyless", [("id", .int(1)), ("old", .link(gone))])
        }
        do { _ = try Realm(configuration: folder.configuration([Keyless.self], version: 1)) }
        #expect(try database.snapshot().classes.map(\.name) == ["Keyless", "Gone", "Went"])
        do {
            _ = try Realm(configuration: folder.configuration([Keyless.self], version: 2) { migration, _ in
                var values: [Int?] = []
                migration.enumerateObjects(ofType: "Gone") { old, new in
                    #expect(new == nil)
                    values.append(old?["x"] as? Int)
                }
                #expect(values == [5])
                #expect(migration.deleteData(forType: "Gone"))
                #expect(migration.deleteData(forType: "Went"))
                #expect(!migration.deleteData(forType: "Never"))
                migration.enumerateObjects(ofType: "Gone") { old, _ in values.append(old?["x"] as? Int) }
                #expect(values == [5, 5])
            })
        }
        #expect(try database.snapshot().classes.map(\.name) == ["Keyless"])
        #expect(try database.check().problems.isEmpty)
    }

    @Test("the data of a class that stays is deleted")
    func emptied() throws {
        let folder = try Folder()
        _ = try folder.file(version: 0, [.citizen()]) { try $0.insert(into: "Citizen", key: .int(1), []) }
        let realm = try Realm(configuration: folder.configuration([Citizen.self], version: 1) { migration, _ in migration.deleteData(forType: "Citizen") })
        #expect(realm.objects(Citizen.self).isEmpty)
    }

    private func buildings() -> [ClassSchema] {
        [ClassSchema("Edifice", [PropertySchema("name", .string), PropertySchema("room", linkTo: "Chamber"), PropertySchema("rooms", linkTo: "Chamber", collections: [.list])]),
         ClassSchema("Chamber", [PropertySchema("floor", .int)])]
    }

    @Test("a class becomes embedded if each of its objects has one owner by the end of the block")
    func embedded() throws {
        let folder = try Folder()
        let database = try folder.file(version: 0, buildings()) { transaction in
            let rooms = try (1...4).map { try transaction.insert(into: "Chamber", [("floor", .int(Int64($0)))]) }
            try transaction.insert(into: "Edifice", [("name", .string("A")), ("room", .link(rooms[0])), ("rooms", .list([.link(rooms[1]), .link(rooms[2])]))])
            try transaction.insert(into: "Edifice", [("name", .string("B")), ("room", .link(rooms[0]))])
        }
        let before = try Contents(database)
        let error = refusal(folder.configuration([Edifice.self, Chamber.self], version: 1))
        #expect(error?.message.contains("Cannot convert 'Chamber' to embedded: at least one object has more than one incoming link") == true)
        #expect(refusal(folder.configuration([Edifice.self, Chamber.self], version: 1) { migration, _ in
            migration.enumerateObjects(ofType: "Edifice") { old, new in if old?.name as? String == "B" { new?["room"] = nil } }
        })?.message.contains("at least one object has no incoming links and would be deleted") == true)
        #expect(try Contents(database) == before)
        let realm = try Realm(configuration: folder.configuration([Edifice.self, Chamber.self], version: 1) { migration, _ in
            migration.enumerateObjects(ofType: "Edifice") { old, new in
                guard old?.name as? String == "B" else { return }
                new?["room"] = migration.create("Chamber", value: ["floor": (old?["room"] as? MigrationObject)?["floor"] ?? 0])
            }
            migration.enumerateObjects(ofType: "Chamber") { _, new in if new?["floor"] as? Int == 4, let new { migration.delete(new) } }
        })
        #expect(realm.objects(Edifice.self).map { $0.room?.floor } == [1, 1])
        #expect(realm.objects(Edifice.self).map { $0.rooms.map(\.floor) } == [[2, 3], []])
        try realm.write { realm.delete(realm.objects(Edifice.self)[0]) }
        #expect(try database.snapshot().table("Chamber").count == 1)
        #expect(try database.check().problems.isEmpty)
    }

    @Test("an embedded class becomes one by itself, and its objects live on")
    func topLevel() throws {
        let folder = try Folder()
        let database = try folder.file(version: 0, [
            ClassSchema("Venture", [PropertySchema("site", linkTo: "Premises")]), ClassSchema("Premises", isEmbedded: true, [PropertySchema("street", .string)]),
        ]) { transaction in
            let firm = try transaction.insert(into: "Venture", []), firms = try transaction.table("Venture")
            try transaction.embed([("street", .string("Main"))], as: "Premises", in: firm, of: firms, firms.column("site"))
        }
        #expect(refusal(folder.configuration([Venture.self, Premises.self]))?.message.contains("Class 'Premises' has been changed from embedded to top-level.") == true)
        let realm = try Realm(configuration: folder.configuration([Venture.self, Premises.self], version: 1))
        try realm.write { realm.delete(realm.objects(Venture.self)[0]) }
        #expect(realm.objects(Premises.self).map(\.street) == ["Main"])
        #expect(try database.check().problems.isEmpty)
    }

    @Test("a property with embedded objects goes with them")
    func droppedOwner() throws {
        let folder = try Folder()
        let database = try folder.file(version: 0, [
            ClassSchema("Keyless", [PropertySchema("id", .int), PropertySchema("next", linkTo: "Keyless"), PropertySchema("old", linkTo: "Part", collections: [.list])]),
            ClassSchema("Part", isEmbedded: true, [PropertySchema("x", .int)]),
        ]) { transaction in
            let owner = try transaction.insert(into: "Keyless", []), table = try transaction.table("Keyless")
            try transaction.list(of: owner, in: table, table.column("old")).embed([("x", .int(1))], as: "Part", at: 0)
        }
        do { _ = try Realm(configuration: folder.configuration([Keyless.self], version: 1)) }
        #expect(try database.snapshot().table("Part").count == 0)
        #expect(try database.check().problems.isEmpty)
    }

    @Test("the data of an embedded class is deleted out of the objects that it lived in, and linked ones of the old version are there to copy")
    func embeddedData() throws {
        let folder = try Folder()
        let database = try folder.file(version: 0, [
            ClassSchema("Edifice", [PropertySchema("name", .string), PropertySchema("room", linkTo: "Chamber"), PropertySchema("rooms", linkTo: "Chamber", collections: [.list])]),
            ClassSchema("Chamber", isEmbedded: true, [PropertySchema("floor", .int)]),
        ]) { transaction in
            let house = try transaction.insert(into: "Edifice", []), table = try transaction.table("Edifice")
            try transaction.embed([("floor", .int(3))], as: "Chamber", in: house, of: table, table.column("room"))
        }
        let realm = try Realm(configuration: folder.configuration([Edifice.self, Chamber.self], version: 1) { migration, _ in
            migration.deleteData(forType: "Chamber")
            migration.enumerateObjects(ofType: "Edifice") { old, new in
                #expect(new?["room"] == nil)
                new?["rooms"] = [["floor": (old?["room"] as? MigrationObject)?["floor"] ?? 0], ["floor": 9]]
            }
        })
        #expect(realm.objects(Edifice.self).first.map { $0.rooms.map(\.floor) } == [3, 9])
        #expect(try database.check().problems.isEmpty)
    }

    @Test("properties that subclasses declare are migrated as theirs, and those of the base class as its")
    func families() throws {
        let folder = try Folder()
        let database = try folder.file(version: 0, [
            ClassSchema("Animal", primaryKey: "id", [PropertySchema("id", .int), PropertySchema("title", .string)]),
        ]) { transaction in
            try transaction.createClass(ClassSchema("Cat", superclass: "Animal", [PropertySchema("lives", .string), PropertySchema("spots", .int)]))
            try transaction.insert(into: "Animal", key: .int(1), [("title", .string("Bear"))])
            try transaction.insert(into: "Cat", key: .int(2), [("title", .string("Tom")), ("lives", .string("7"))])
        }
        let realm = try Realm(configuration: folder.configuration([Cat.self], version: 1) { migration, _ in
            migration.renameProperty(onType: "Cat", from: "title", to: "name")
            migration.enumerateObjects(ofType: "Cat") { old, new in
                #expect(old?["title"] as? String == "Tom")
                new?["lives"] = (Int(old?["lives"] as? String ?? "") ?? 0) + 1
            }
        })
        #expect(realm.objects(Animal.self).map(\.name) == ["Bear", "Tom"])
        #expect(realm.objects(Cat.self).map(\.lives) == [8])
        #expect(try database.check().problems.isEmpty)
    }
}
