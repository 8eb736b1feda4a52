import Foundation
import Freehold
import FreeholdEngine
import Testing

private let composed = "caf\u{E9}", decomposed = "cafe\u{301}"

/// Two properties whose names in the file are spellings of one text.
class Bistro: Object {
    @Persisted(primaryKey: true) var id: Int
    @Persisted var first = ""
    @Persisted var second = ""
    override class func propertiesMapping() -> [String: String] { ["first": composed, "second": decomposed] }
}

/// Two classes whose names are.
class ComposedCafe: Object {
    @Persisted var seats = 0
    override class func className() -> String { composed }
    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

class DecomposedCafe: Object {
    @Persisted var tables = 0
    @Persisted var other: ComposedCafe?
    override class func className() -> String { decomposed }
    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

/// Classes, properties and files whose names Swift takes for equal and that are different bytes. A file may have both; once such a file
/// stopped every program that opened it.
@Suite("Names that are spellings of one text")
struct NameSpellingTests {
    private static func bytes(_ texts: [String]) -> [[UInt8]] { texts.map { Array($0.utf8) } }

    @Test("two such classes of a file are read, written and migrated each by itself")
    func classes() throws {
        let folder = try Folder()
        let database = try folder.file([
            ClassSchema(composed, [PropertySchema("n", .int)]), ClassSchema(decomposed, [PropertySchema("m", .string)]),
        ]) { transaction in
            try transaction.insert(into: composed, [("n", .int(1))])
            try transaction.insert(into: decomposed, [("m", .string("x"))])
        }
        try use(folder)
        let snapshot = try database.snapshot()
        #expect(try snapshot.table(composed).count == 2 && snapshot.table(decomposed).count == 2)
        _ = try Realm(configuration: folder.configuration([Person.self, Dog.self], version: 1) { migration, _ in
            #expect(migration.oldSchema[composed]?["n"] != nil && migration.oldSchema[decomposed]?["m"] != nil)
            var seen: [String] = []
            migration.enumerateObjects(ofType: decomposed) { old, new in seen.append("\(old?["m"] ?? "")\(new == nil ? "" : "!")") }
            migration.enumerateObjects(ofType: composed) { old, _ in seen.append("\(old?["n"] ?? "")") }
            #expect(seen == ["x", "z", "1", "2"])
            #expect(migration.deleteData(forType: decomposed) && migration.deleteData(forType: composed))
        })
        #expect(try database.snapshot().classes.allSatisfy { $0.name != composed })
        #expect(try database.check().problems.isEmpty)
    }

    private func use(_ folder: Folder) throws {
        let realm = try Realm(configuration: folder.configuration([Person.self, Dog.self]))
        for _ in 0..<2 {
            #expect(realm.dynamicObjects(composed).first?["n"] as? Int == 1)
            #expect(realm.dynamicObjects(decomposed).first?["m"] as? String == "x")
        }
        try realm.write {
            realm.dynamicCreate(composed, value: ["n": 2])
            realm.dynamicCreate(decomposed, value: ["m": "y"])["m"] = "z"
        }
        #expect(realm.dynamicObjects(composed).count == 2 && realm.dynamicObjects(decomposed).count == 2)
        let frozen = realm.freeze()
        #expect(frozen.dynamicObjects(composed).first?["n"] as? Int == 1 && frozen.dynamicObjects(decomposed).first?["m"] as? String == "x")
    }

    @Test("a class of the program may have two such properties beside its own, which a migration reads and renames")
    func properties() throws {
        let folder = try Folder()
        let database = try folder.file([.citizen {
            $0.properties += [PropertySchema(composed, .string), PropertySchema(decomposed, .string)]
            $0.properties.removeAll { $0.name == "email" }
        }]) { try $0.insert(into: "Citizen", key: .int(1), [(composed, .string("one")), (decomposed, .string("two"))]) }
        _ = try Realm(configuration: folder.configuration([Citizen.self], version: 1) { migration, _ in
            let names = migration.oldSchema["Citizen"]?.properties.map(\.name).filter { $0 == composed } ?? []
            #expect(Self.bytes(names) == Self.bytes([composed, decomposed]))
            migration.enumerateObjects(ofType: "Citizen") { old, new in
                #expect(old?[composed] as? String == "one" && old?[decomposed] as? String == "two")
                new?["fullName"] = "\(old?[composed] ?? "")\(old?[decomposed] ?? "")"
            }
            migration.renameProperty(onType: "Citizen", from: decomposed, to: "email")
        })
        let snapshot = try database.snapshot(), table = try snapshot.table("Citizen")
        #expect(try table.value(ObjectKey(1), table.column("email")) == .string("two"))
        #expect(try table.value(ObjectKey(1), table.column("fullName")) == .string("onetwo"))
        #expect(table.schema.properties.allSatisfy { $0.name != composed })
    }

    @Test("properties that another program has added under two such names disturb nobody who has the file open")
    func addedBeside() throws {
        let folder = try Folder(), realm = try Realm(configuration: folder.configuration([Citizen.self]))
        try realm.write { realm.create(Citizen.self, value: ["id": 1, "fullName": "Ada"]) }
        try Database.open(folder.path).write { transaction in
            for name in [composed, decomposed] { try transaction.addProperty(PropertySchema(name, .string), to: "Citizen") }
            let table = try transaction.table("Citizen")
            try transaction.set(ObjectKey(1), in: table, table.column(composed), to: .string("one"))
            try transaction.set(ObjectKey(1), in: table, table.column(decomposed), to: .string("two"))
        }
        realm.refresh()
        #expect(realm.objects(Citizen.self).first?.fullName == "Ada")
        let object = try #require(realm.dynamicObject(ofType: "Citizen", forPrimaryKey: 1))
        #expect(object[composed] as? String == "one" && object[decomposed] as? String == "two")
        try realm.write {
            object[decomposed] = "three"
            realm.create(Citizen.self, value: ["id": 2])
        }
        #expect(object[composed] as? String == "one" && object[decomposed] as? String == "three")
        #expect(realm.dynamicObjects("Citizen").filter("\(decomposed) == 'three'").count == 1)
    }

    @Test("properties of the program may have two such names in the file")
    func mapped() throws {
        let folder = try Folder(), realm = try Realm(configuration: folder.configuration([Bistro.self]))
        let bistro = Bistro(value: ["id": 1, "first": "one", "second": "two"])
        try realm.write {
            realm.dynamicCreate("Bistro", value: bistro)
            realm.add(Bistro(value: ["id": 2, "first": "a", "second": "b"]))
        }
        #expect(realm.objects(Bistro.self).map { $0.first + $0.second } == ["onetwo", "ab"])
        #expect(realm.objects(Bistro.self).filter("second == 'b' AND first == 'a'").count == 1)
        let object = try #require(realm.dynamicObject(ofType: "Bistro", forPrimaryKey: 2))
        #expect(object[composed] as? String == "a" && object[decomposed] as? String == "b")
        try realm.write { realm.dynamicCreate("Bistro", value: ["id": 2, "second": "c"], update: .modified) }
        #expect(realm.object(ofType: Bistro.self, forPrimaryKey: 2).map { $0.first + $0.second } == "ac")
    }

    @Test("a property of the file that is spelled otherwise is another one")
    func otherSpelling() throws {
        let folder = try Folder()
        let database = try folder.file(version: 0, [ClassSchema("Bistro", primaryKey: "id", [
            PropertySchema("id", .int), PropertySchema(composed, .string), PropertySchema("old", .string),
        ])]) { try $0.insert(into: "Bistro", key: .int(1), [("old", .string("x"))]) }
        let realm = try Realm(configuration: folder.configuration([Bistro.self], version: 1) { migration, _ in
            migration.renameProperty(onType: "Bistro", from: "old", to: decomposed)
        })
        #expect(realm.objects(Bistro.self).map { "\($0.first)|\($0.second)" } == ["|x"])
        #expect(Self.bytes(try database.snapshot().table("Bistro").schema.properties.map(\.name)) == Self.bytes(["id", composed, decomposed]))
    }

    @Test("classes of the program may have two such names")
    func programClasses() throws {
        let folder = try Folder(), realm = try Realm(configuration: folder.configuration([ComposedCafe.self, DecomposedCafe.self]))
        try realm.write {
            let one = realm.create(ComposedCafe.self, value: ["seats": 4])
            realm.create(DecomposedCafe.self, value: ["tables": 2, "other": one] as [String: Any])
        }
        #expect(realm.objects(ComposedCafe.self).map(\.seats) == [4] && realm.objects(DecomposedCafe.self).map(\.tables) == [2])
        #expect(realm.objects(DecomposedCafe.self).first?.other?.seats == 4)
        #expect(realm.schema[composed]?["seats"] != nil && realm.schema[decomposed]?["tables"] != nil)
        #expect(realm.dynamicObjects(decomposed).first?["tables"] as? Int == 2)
    }

    @Test("files with two such names are two files")
    func paths() throws {
        let folder = try Folder()
        let one = try Realm(configuration: folder.configuration([Person.self, Dog.self], name: "\(composed).freehold"))
        let two = try Realm(configuration: folder.configuration([Person.self, Dog.self], name: "\(decomposed).freehold"))
        try one.write { one.create(Dog.self, value: ["name": "Rex"]) }
        two.refresh()
        #expect(one.objects(Dog.self).count == 1 && two.objects(Dog.self).isEmpty && one != two)
        let names = try FileManager.default.contentsOfDirectory(atPath: folder.url.path).filter { $0.hasSuffix(".freehold") }
        #expect(Set(Self.bytes(names)) == Set(Self.bytes(["\(composed).freehold", "\(decomposed).freehold"])))
    }
}
