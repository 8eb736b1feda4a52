import Foundation
import Freehold
import FreeholdEngine
import Synchronization
import Testing

@Suite("Migration blocks")
struct MigrationBlockTests {
    @Test("old values are readable after their columns have other types, and new ones are set from them")
    func retype() throws {
        let folder = try Folder()
        let database = try folder.file(version: 1, [.citizen { $0.change(PropertySchema("age", .int, isIndexed: true)) }]) { transaction in
            for id in 0..<300 { try transaction.insert(into: "Citizen", key: .int(Int64(id)), [("age", .int(Int64(id * 2)))]) }
        }
        let realm = try Realm(configuration: folder.configuration([Citizen.self], version: 2) { migration, oldVersion in
            #expect(oldVersion == 1)
            #expect(migration.oldSchema["Citizen"]?["age"]?.type == .int)
            #expect(migration.newSchema["Citizen"]?["age"]?.type == .string)
            migration.enumerateObjects(ofType: "Citizen") { old, new in
                let age = old?["age"] as? Int ?? -1
                if age % 3 == 0 { new?["age"] = "about \(age)" }
            }
        })
        #expect(realm.objects(Citizen.self).allSatisfy { $0.age == ($0.id * 2 % 3 == 0 ? "about \($0.id * 2)" : "\($0.id * 2)") })
        #expect(try database.check().problems.isEmpty)
    }

    @Test("values that do not convert become empty, and those of links are left to the block")
    func unconverted() throws {
        let folder = try Folder()
        let database = try folder.file(version: 0, [
            .citizen {
                $0.change(PropertySchema("height", .string))
                $0.change(PropertySchema("friend", linkTo: "Citizen", collections: [.list]))
            },
        ]) { transaction in
            try transaction.insert(into: "Citizen", key: .int(1), [("height", .string("1.75"))])
            try transaction.insert(into: "Citizen", key: .int(2), [("height", .string("tall")), ("friend", .list([.link(ObjectKey(1)), .link(ObjectKey(1))]))])
        }
        let realm = try Realm(configuration: folder.configuration([Citizen.self], version: 1) { migration, _ in
            migration.enumerateObjects(ofType: "Citizen") { old, new in new?["friend"] = old?.dynamicList("friend").first }
        })
        #expect(realm.objects(Citizen.self).map(\.height) == [1.75, 0])
        #expect(realm.object(ofType: Citizen.self, forPrimaryKey: 2)?.friend?.id == 1)
        #expect(try database.check().problems.isEmpty)
    }

    @Test("a renamed property keeps its values, links and index; what cannot be renamed fails the migration", arguments: [false, true])
    func rename(isLink: Bool) throws {
        let folder = try Folder()
        let database = try folder.file(version: 0, [.citizen {
            $0.properties.removeAll { ["friend", "city"].contains($0.name) }
            $0.properties += [PropertySchema("town", .string), PropertySchema("buddy", linkTo: "Citizen")]
        }]) { transaction in
            for id in 0..<10 as Range<Int64> {
                try transaction.insert(into: "Citizen", key: .int(id), [("town", .string("t\(id)")), ("buddy", id == 0 ? .null : .link(ObjectKey(id - 1)))])
            }
        }
        let before = try Contents(database)
        let wrong: [(String, String, String, String)] = [
            ("Citizen", "nowhere", "city", "Cannot rename property 'Citizen.nowhere' because it does not exist."),
            ("Citizen", "town", "nowhere", "Renamed property 'Citizen.nowhere' does not exist."),
            ("Citizen", "age", "fullName", "Cannot rename property 'Citizen.age' to 'fullName' because the source property still exists."),
            ("Citizen", "town", "friend", "Cannot rename property 'Citizen.town' to 'friend' because it would change from type 'string' to '<Citizen>'."),
            ("Nobody", "a", "b", "Cannot rename properties for type 'Nobody' because it does not exist."),
        ]
        for (type, from, to, message) in wrong {
            #expect(refusal(folder.configuration([Citizen.self], version: 1) { migration, _ in
                migration.renameProperty(onType: type, from: from, to: to)
            })?.message == message)
            #expect(try Contents(database) == before)
        }
        let realm = try Realm(configuration: folder.configuration([Citizen.self], version: 1) { migration, _ in
            migration.renameProperty(onType: "Citizen", from: "town", to: "city")
            migration.renameProperty(onType: "Citizen", from: "buddy", to: "friend")
            migration.enumerateObjects(ofType: "Citizen") { old, new in
                #expect(old?["town"] as? String == new?["city"] as? String)
                #expect((old?["buddy"] as? MigrationObject)?["id"] as? Int == (new?["friend"] as? MigrationObject)?["id"] as? Int)
            }
        })
        #expect(realm.objects(Citizen.self).map(\.city) == (0..<10).map { "t\($0)" })
        #expect(realm.objects(Citizen.self).map { $0.friend?.id } == [nil] + (0..<9).map { $0 })
        #expect(try database.snapshot().classes[0].properties.first { $0.name == "city" }?.isIndexed == true)
        #expect(try database.check().problems.isEmpty)
    }

    @Test("what becomes optional keeps its values; what becomes required has 0 or empty where it was nil")
    func optionality() throws {
        let folder = try Folder()
        let database = try folder.file(version: 0, [.citizen {
            $0.change(PropertySchema("email", .string))
            $0.change(PropertySchema("height", .double, isNullable: true))
            $0.change(PropertySchema("city", .string, isNullable: true, isIndexed: true))
            $0.change(PropertySchema("marks", .int, collections: [.list]))
        }]) { transaction in
            try transaction.insert(into: "Citizen", key: .int(1), [
                ("email", .string("a@b")), ("height", .double(1.5)), ("city", .string("Bonn")), ("marks", .list([.int(1), .int(2)])),
            ])
            try transaction.insert(into: "Citizen", key: .int(2), [])
        }
        let realm = try Realm(configuration: folder.configuration([Citizen.self], version: 1))
        let citizens = realm.objects(Citizen.self)
        #expect(citizens.map(\.email) == ["a@b", ""])
        #expect(citizens.map(\.height) == [1.5, 0])
        #expect(citizens.map(\.city) == ["Bonn", ""])
        #expect(citizens.map { Array($0.marks) } == [[1, 2], []])
        #expect(try database.check().problems.isEmpty)
    }

    @Test("elements that may not be nil any more become 0")
    func requiredElements() throws {
        let folder = try Folder()
        _ = try folder.file(version: 0, [ClassSchema("ScoreListing", [
            PropertySchema("scores", .int, isNullable: true, collections: [.list]), PropertySchema("byName", .string, isNullable: true, collections: [.map]),
        ])]) { transaction in
            try transaction.insert(into: "ScoreListing", [("scores", .list([.int(1), .null])), ("byName", .map(["a": .null, "b": .string("x")]))])
        }
        let realm = try Realm(configuration: folder.configuration([ScoreListing.self], version: 1))
        #expect(realm.objects(ScoreListing.self).first.map { Array($0.scores) } == [1, 0])
        #expect(realm.objects(ScoreListing.self).first?.byName["a"] == "")
    }

    @Test("an empty block keeps unchanged properties, drops those removed and adds new ones")
    func emptyBlock() throws {
        let folder = try Folder()
        let database = try folder.file(version: 0, [.citizen {
            $0.properties.removeAll { $0.name == "email" }
            $0.properties.append(PropertySchema("nick", .string))
        }]) { try $0.insert(into: "Citizen", key: .int(1), [("fullName", .string("Ann")), ("nick", .string("A"))]) }
        let realm = try Realm(configuration: folder.configuration([Citizen.self], version: 1) { _, _ in })
        #expect(realm.objects(Citizen.self).map(\.fullName) == ["Ann"])
        #expect(try !database.snapshot().classes[0].properties.contains { $0.name == "nick" })
    }

    @Test("a new required property holds zero, not the model's default")
    func zero() throws {
        let folder = try Folder()
        _ = try folder.file(version: 0, [ClassSchema("Defaulted", [PropertySchema("name", .string)])]) { try $0.insert(into: "Defaulted", []) }
        let realm = try Realm(configuration: folder.configuration([Defaulted.self], version: 1) { migration, _ in
            migration.create("Defaulted", value: ["name": "made"])
        })
        #expect(realm.objects(Defaulted.self).map(\.level) == [0, 9])
        #expect(realm.objects(Defaulted.self).map(\.name) == ["", "made"])
    }

    @Test("a block goes step by step from any old version", arguments: [0, 1, 2] as [UInt64])
    func stepwise(from oldVersion: UInt64) throws {
        let folder = try Folder(), first = PropertySchema("firstName", .string), last = PropertySchema("lastName", .string)
        let names = oldVersion < 1 ? [first, last] : [PropertySchema("fullName", .string)]
        let mail = oldVersion < 3 ? PropertySchema("mail", .string, isNullable: true) : PropertySchema("email", .string, isNullable: true)
        let age = PropertySchema("age", oldVersion < 2 ? .int : .string)
        _ = try folder.file(version: oldVersion, [.citizen {
            $0.properties.removeAll { ["fullName", "email"].contains($0.name) }
            $0.change(age)
            $0.properties += names + [mail]
        }]) { transaction in
            try transaction.insert(into: "Citizen", key: .int(1), (oldVersion < 1 ? [("firstName", .string("Ann")), ("lastName", .string("Lee"))]
                : [("fullName", .string("Ann Lee"))]) + [("age", oldVersion < 2 ? .int(30) : .string("30")), ("mail", .string("a@b"))])
        }
        let steps = Mutex<[Int]>([])
        let realm = try Realm(configuration: folder.configuration([Citizen.self], version: 3) { migration, oldVersion in
            if oldVersion < 1 {
                steps.withLock { $0.append(1) }
                migration.enumerateObjects(ofType: "Citizen") { old, new in
                    new?["fullName"] = "\(old?["firstName"] as? String ?? "") \(old?["lastName"] as? String ?? "")"
                }
            }
            if oldVersion < 2 {
                steps.withLock { $0.append(2) }
                migration.enumerateObjects(ofType: "Citizen") { old, new in new?.age = "\(old?.age as? Int ?? 0)" }
            }
            if oldVersion < 3 {
                steps.withLock { $0.append(3) }
                migration.renameProperty(onType: "Citizen", from: "mail", to: "email")
            }
        })
        let citizen = try #require(realm.objects(Citizen.self).first)
        #expect([citizen.fullName, citizen.age, citizen.email ?? ""] == ["Ann Lee", "30", "a@b"])
        #expect(steps.withLock { $0 } == Array(Int(oldVersion) + 1...3))
    }

    @Test("a block that throws, after changes of all kinds, leaves file and version as they were")
    func failing() throws {
        let folder = try Folder()
        let database = try folder.file(version: 5, [.citizen { $0.change(PropertySchema("age", .int)) }, ClassSchema("Gone", [PropertySchema("x", .int)])]) { transaction in
            for id in 0..<20 { try transaction.insert(into: "Citizen", key: .int(Int64(id)), [("age", .int(Int64(id)))]) }
            try transaction.insert(into: "Gone", [])
        }
        let before = try Contents(database)
        #expect(throws: Stop()) {
            _ = try Realm(configuration: folder.configuration([Citizen.self], version: 6) { migration, _ in
                migration.deleteData(forType: "Gone")
                migration.create("Citizen", value: ["id": 99])
                try migration.enumerateObjects(ofType: "Citizen") { old, new in
                    new?["age"] = "x"
                    new?["id"] = 100 + (old?["id"] as? Int ?? 0)
                    if old?["id"] as? Int == 10 { throw Stop() }
                }
            })
        }
        #expect(try Contents(database) == before)
        #expect(try database.check().problems.isEmpty)
        let realm = try Realm(configuration: folder.configuration([Citizen.self], version: 6))
        #expect(realm.objects(Citizen.self).count == 20)
    }

    @Test("objects are made and deleted, and those deleted are passed over")
    func createAndDelete() throws {
        let folder = try Folder()
        _ = try folder.file(version: 0, [.citizen()]) { transaction in
            for id in 0..<6 { try transaction.insert(into: "Citizen", key: .int(Int64(id)), []) }
        }
        let realm = try Realm(configuration: folder.configuration([Citizen.self, Keyless.self], version: 1) { migration, _ in
            var seen = 0
            migration.enumerateObjects(ofType: "Citizen") { old, new in
                guard let old, let new else { return }
                seen += 1
                if old["id"] as? Int == 1 { migration.delete(new) }
                if old["id"] as? Int == 2 { migration.delete(old) }
            }
            migration.enumerateObjects(ofType: "Citizen") { _, _ in seen += 1 }
            #expect(seen == 10)
            let made = migration.create("Citizen", value: ["id": 50, "fullName": "New", "marks": [1, nil], "friend": ["id": 51]])
            made["city"] = "Ghent"
            migration.create("Keyless", value: ["id": 3])
            var new = 0
            migration.enumerateObjects(ofType: "Keyless") { old, object in
                #expect(old == nil && object?["id"] as? Int == 3)
                new += 1
            }
            #expect(new == 1)
        })
        #expect(realm.objects(Citizen.self).map(\.id) == [0, 3, 4, 5, 50, 51])
        let made = try #require(realm.object(ofType: Citizen.self, forPrimaryKey: 50))
        #expect(made.friend?.id == 51 && made.city == "Ghent" && Array(made.marks) == [1, nil])
    }

    @Test("old and new objects have the program's names for properties, and take enumerations")
    func mappedNames() throws {
        let folder = try Folder()
        _ = try folder.file(version: 0, [ClassSchema("Tinted", [
            PropertySchema("stored_number", .int), PropertySchema("stored_color", .int), PropertySchema("shared", .int), PropertySchema("stored_others", linkTo: "Tinted", collections: [.list]),
        ])]) { transaction in
            let first = try transaction.insert(into: "Tinted", [("stored_number", .int(3)), ("stored_color", .int(1)), ("shared", .int(8))])
            try transaction.insert(into: "Tinted", [("stored_number", .int(4)), ("stored_others", .list([.link(first)]))])
        }
        let realm = try Realm(configuration: folder.configuration([Tinted.self], version: 1) { migration, _ in
            var count = 0
            migration.enumerateObjects(ofType: "Tinted") { old, new in
                guard let old, let new else { return }
                count += 1
                #expect(old["number"] as? Int == old["stored_number"] as? Int && old["color"] as? Int == old.stored_color as? Int && old["number"] != nil)
                #expect(old.dynamicList("others").map { $0["number"] as? Int } == old.dynamicList("stored_others").map { $0["stored_number"] as? Int })
                // The file has a property of that name, which is another one's in the program.
                #expect(old["shared"] as? Int == (count == 1 ? 8 : 0))
                new["number"] = (old["number"] as? Int ?? 0) * 10
                new["color"] = count == 1 ? GapColor.green : GapColor.red
            }
            let made = migration.create("Tinted", value: ["number": 5, "color": GapColor.green, "others": [["stored_number": 6]]])
            #expect(made["number"] as? Int == 5 && made["stored_number"] as? Int == 5 && made["color"] as? Int == 1 && count == 2)
        })
        #expect(realm.objects(Tinted.self).map(\.number) == [30, 40, 5, 6] && realm.objects(Tinted.self).map(\.color) == [.green, .red, .green, .red])
        #expect(realm.objects(Tinted.self)[2].others[0].number == 6)
    }
}

class Tinted: Object {
    @Persisted var number = 0
    @Persisted var color = GapColor.red
    @Persisted var others: List<Tinted>
    @Persisted var shared = 0
    override static func propertiesMapping() -> [String: String] {
        ["number": "stored_number", "color": "stored_color", "others": "stored_others", "shared": "stored_shared"]
    }
}

class ScoreListing: Object {
    @Persisted var scores: List<Int>
    @Persisted var byName: Map<String, String>
}

class Defaulted: Object {
    @Persisted var name = "none"
    @Persisted var level = 9
}
