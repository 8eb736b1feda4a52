import Foundation
@testable import Freehold
import FreeholdEngine
import Testing

class TCitizen: Object {
    @Persisted var fullName = ""
    @Persisted var email = ""
    @Persisted var years = 0

    override class func className() -> String { "Citizen" }
    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

@Suite("Tutorials: migrations")
struct TutorialMigrationTests {
    /// The class as its first version had it.
    private func first(_ configuration: Realm.Configuration) throws {
        try Database.open(configuration.fileURL!.path).write { transaction in
            try transaction.createClass(ClassSchema("Citizen", [
                PropertySchema("firstName", .string), PropertySchema("lastName", .string), PropertySchema("age", .int),
            ]))
            try transaction.insert(into: "Citizen", [("firstName", .string("Ada")), ("lastName", .string("Byron")), ("age", .int(36))])
        }
    }

    @Test("a full name is put together, a property renamed, another added")
    func block() throws {
        let folder = try Folder()
        var configuration = folder.configuration([TCitizen.self])
        try first(configuration)
        configuration.schemaVersion = 2
        configuration.migrationBlock = { migration, old in
            #expect(old == 0)
            migration.enumerateObjects(ofType: "Citizen") { oldObject, newObject in
                newObject!["fullName"] = "\(oldObject!["firstName"]!) \(oldObject!["lastName"]!)"
            }
            migration.renameProperty(onType: "Citizen", from: "age", to: "years")
        }
        let citizen = try #require(try Realm(configuration: configuration).objects(TCitizen.self).first)
        #expect(citizen.fullName == "Ada Byron" && citizen.email.isEmpty && citizen.years == 36)
    }

    @Test("under an empty block columns come and go, and the rest keeps its data; without a version a changed type is refused")
    func emptyBlock() throws {
        let folder = try Folder()
        var configuration = folder.configuration([TCitizen.self])
        try first(configuration)
        try Database.open(configuration.fileURL!.path).write { try $0.addProperty(PropertySchema("email", .double), to: "Citizen") }
        #expect { _ = try Realm(configuration: configuration) } throws: { error in
            (error as? Realm.Error)?.code == .schemaMismatch && "\(error)".contains("Property 'Citizen.email' has been changed from 'double' to 'string'.")
        }
        configuration.schemaVersion = 1
        configuration.migrationBlock = { _, _ in }
        let citizen = try #require(try Realm(configuration: configuration).objects(TCitizen.self).first)
        #expect(citizen.fullName.isEmpty && citizen.years == 0)
    }

    /// The file as a program of version 0, 1 or 2 left it.
    private func leave(_ version: UInt64, in configuration: Realm.Configuration) throws {
        let names: [PropertySchema] = version == 0 ? [PropertySchema("firstName", .string), PropertySchema("lastName", .string)]
            : [PropertySchema("fullName", .string)]
        let values: [(String, Value)] = version == 0 ? [("firstName", .string("Ada")), ("lastName", .string("Byron"))]
            : [("fullName", .string("Ada Byron"))]
        let others = version == 2 ? [PropertySchema("email", .string), PropertySchema("years", .int)] : [PropertySchema("age", .int)]
        try Database.open(configuration.fileURL!.path).write { transaction in
            try transaction.createClass(ClassSchema("Citizen", names + others))
            try transaction.insert(into: "Citizen", values + (version == 2 ? [("email", .string("a@b")), ("years", .int(36))] : [("age", .int(36))]))
            try transaction.setSchemaVersion(version)
        }
    }

    @Test("a file of every older version comes to the newest step by step", arguments: [0, 1, 2] as [UInt64])
    func stepwise(_ version: UInt64) throws {
        let folder = try Folder()
        var configuration = folder.configuration([TCitizen.self])
        try leave(version, in: configuration)
        configuration.schemaVersion = 2
        configuration.migrationBlock = { migration, old in
            #expect(old == version)
            if old < 1 {
                migration.enumerateObjects(ofType: "Citizen") { oldObject, newObject in
                    newObject!["fullName"] = "\(oldObject!["firstName"]!) \(oldObject!["lastName"]!)"
                }
            }
            if old < 2 {
                migration.enumerateObjects(ofType: "Citizen") { _, newObject in newObject!["email"] = "" }
                migration.renameProperty(onType: "Citizen", from: "age", to: "years")
            }
        }
        let citizen = try #require(try Realm(configuration: configuration).objects(TCitizen.self).first)
        #expect(citizen.fullName == "Ada Byron" && citizen.email == (version == 2 ? "a@b" : "") && citizen.years == 36)
    }
}
