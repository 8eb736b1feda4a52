import Foundation
import Freehold
import FreeholdEngine
import Testing

/// What comes by itself, what stays, and what is refused until the version is raised.
@Suite("What of a changed model comes by itself")
struct MigrationRuleTests {
    @Test("new classes, properties and indexes come without a version, and keep what there is")
    func additions() throws {
        let folder = try Folder()
        let database = try folder.file(version: 0, [.citizen {
            $0.properties.removeAll { ["email", "marks", "friend"].contains($0.name) }
            $0.change(PropertySchema("city", .string))
        }]) { try $0.insert(into: "Citizen", key: .int(7), [("city", .string("Delft"))]) }
        let realm = try Realm(configuration: folder.configuration([Citizen.self, Keyless.self]))
        let citizen = try #require(realm.object(ofType: Citizen.self, forPrimaryKey: 7))
        #expect(citizen.city == "Delft" && citizen.email == nil && citizen.marks.isEmpty)
        #expect(try database.snapshot().table("Citizen").schema.properties.first { $0.name == "city" }?.isIndexed == true)
        #expect(realm.objects(Keyless.self).isEmpty)
        #expect(try database.check().problems.isEmpty)
    }

    @Test("what the model does not name stays, and is still there for others, until the version is raised")
    func removals() throws {
        let folder = try Folder(), schema = ClassSchema("Keyless", [
            PropertySchema("id", .int), PropertySchema("next", linkTo: "Keyless"), PropertySchema("nick", .string), PropertySchema("born", .date, isIndexed: true),
        ])
        let other = ClassSchema("Other", [PropertySchema("x", .int)])
        let database = try folder.file(version: 1, [schema, other]) { try $0.insert(into: "Keyless", [("nick", .string("Al"))]) }
        let before = try Contents(database)
        do { _ = try Realm(configuration: folder.configuration([Keyless.self], version: 1)) }
        #expect(try Contents(database) == before)
        do { _ = try Realm(configuration: folder.configuration([Keyless.self], version: 2)) }
        let after = try Contents(database)
        #expect(after.schemaVersion == 2)
        #expect(after.classes == [ClassSchema("Keyless", Array(schema.properties.prefix(2))), other])
        #expect(after.objects["Keyless"]?.count == 1)
        #expect(try database.check().problems.isEmpty)
    }

    private static let refused: [(ClassSchema, String)] = [
        (.citizen { $0.change(PropertySchema("age", .int)) }, "Property 'Citizen.age' has been changed from 'int' to 'string'."),
        (.citizen { $0.change(PropertySchema("email", .string)) }, "Property 'Citizen.email' has been made optional."),
        (.citizen { $0.change(PropertySchema("height", .double, isNullable: true)) }, "Property 'Citizen.height' has been made required."),
        (.citizen { $0.primaryKeys = [] }, "Primary Key for class 'Citizen' has been added."),
        (.citizen { $0.primaryKeys = ["fullName"] }, "Primary Key for class 'Citizen' has changed from 'fullName' to 'id'."),
        (.citizen { $0.change(PropertySchema("friend", linkTo: "Other")) }, "Property 'Citizen.friend' has been changed from '<Other>' to '<Citizen>'."),
        (.citizen { $0.change(PropertySchema("marks", .int, collections: [.list])) }, "Property 'Citizen.marks' has been made optional."),
        (.citizen { $0.change(PropertySchema("marks", .string, collections: [.set])) },
         "Property 'Citizen.marks' has been changed from 'set<string>' to 'array<int>'."),
        // It is indexed, which a list cannot be before it has the other type.
        (.citizen { $0.change(PropertySchema("city", .string, collections: [.list])) },
         "Property 'Citizen.city' has been changed from 'array<string>' to 'string'."),
        (.citizen { $0.change(PropertySchema("city", .string, isIndexed: true, isUnique: true)) }, "Property 'Citizen.city' has been made not unique."),
        (.citizen { $0.change(PropertySchema("friend", linkTo: "Citizen", deleteRule: .cascade)) },
         "Property 'Citizen.friend' has changed its delete rule from 'cascade' to 'nullify'."),
        (.citizen { ($0.primaryKeys, $0.isEmbedded) = ([], true) }, "Class 'Citizen' has been changed from embedded to top-level."),
    ]

    @Test("anything else is refused, each difference named, with what to do; with the version raised it is not", arguments: refused)
    func differences(stored: ClassSchema, sentence: String) throws {
        let folder = try Folder()
        let database = try folder.file(version: 3, [stored, ClassSchema("Other", [PropertySchema("x", .int)])])
        let before = try Contents(database), error = try #require(refusal(folder.configuration([Citizen.self], version: 3)))
        #expect(error.code == .schemaMismatch)
        #expect(error.message.hasPrefix("Migration is required due to the following errors:\n- "))
        #expect(error.message.components(separatedBy: "\n").contains("- \(sentence)"), "\(error.message)")
        #expect(error.recoverySuggestion?.contains("Set schemaVersion to 4 or more") == true)
        #expect(try Contents(database) == before)
        do { _ = try Realm(configuration: folder.configuration([Citizen.self], version: 4)) }
        #expect(try database.snapshot().schemaVersion == 4)
        #expect(try database.check().problems.isEmpty)
        #expect(refusal(folder.configuration([Citizen.self], version: 4)) == nil)
    }

    @Test("several differences are told at once")
    func several() throws {
        let folder = try Folder()
        _ = try folder.file(version: 0, [.citizen {
            $0.change(PropertySchema("age", .int))
            $0.change(PropertySchema("email", .string))
        }])
        #expect(refusal(folder.configuration([Citizen.self]))?.message == """
            Migration is required due to the following errors:
            - Property 'Citizen.age' has been changed from 'int' to 'string'.
            - Property 'Citizen.email' has been made optional.
            """)
    }

    @Test("a class that comes to extend another one cannot be migrated, and is told so")
    func superclass() throws {
        let folder = try Folder()
        let database = try folder.file(version: 0, [
            ClassSchema("Animal", primaryKey: "id", [PropertySchema("id", .int), PropertySchema("name", .string)]),
            ClassSchema("Cat", primaryKey: "id", [PropertySchema("id", .int), PropertySchema("lives", .int)]),
        ])
        let before = try Contents(database)
        for version in [0, 1] as [UInt64] {
            let error = refusal(folder.configuration([Cat.self], version: version))
            #expect(error?.message.contains("Class 'Cat' has changed its superclass from 'Object' to 'Animal'.") == true)
        }
        #expect(try Contents(database) == before)
    }

    @Test("a stored name is another name for the same property: no version, no migration")
    func alias() throws {
        let folder = try Folder()
        _ = try folder.file(version: 0, [ClassSchema("Aliased", [PropertySchema("mail", .string), PropertySchema("years", .int)])]) {
            try $0.insert(into: "Aliased", [("mail", .string("a@b")), ("years", .int(4))])
        }
        let realm = try Realm(configuration: folder.configuration([Aliased.self]))
        #expect(realm.objects(Aliased.self).first?.email == "a@b")
        #expect(realm.objects(Aliased.self).first?.age == 4)
    }
}

class Aliased: Object {
    @Persisted(name: "mail") var email = ""
    @Persisted var age = 0

    override class func propertiesMapping() -> [String: String] { ["age": "years"] }
}
