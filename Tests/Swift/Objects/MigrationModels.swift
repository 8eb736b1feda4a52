import Foundation
import Freehold
import FreeholdEngine

/// What the program of the migration tests has; the files are of other programs.
class Citizen: Object {
    @Persisted(primaryKey: true) var id: Int
    @Persisted var fullName = ""
    @Persisted var age = ""
    @Persisted var email: String?
    @Persisted var height = 0.0
    @Persisted var friend: Citizen?
    @Persisted(indexed: true) var city = ""
    @Persisted var marks: List<Int?>
}

class KeyedByCode: Object {
    @Persisted(primaryKey: true) var code = ""
    @Persisted var number = 0
    @Persisted var next: KeyedByCode?
}

class KeyedByNumber: Object {
    @Persisted(primaryKey: true) var id: Int
    @Persisted var code = ""
    @Persisted var next: KeyedByNumber?
}

class Keyless: Object {
    @Persisted var id = 0
    @Persisted var next: Keyless?
}

class Edifice: Object {
    @Persisted var name = ""
    @Persisted var room: Chamber?
    @Persisted var rooms: List<Chamber>
}

class Chamber: EmbeddedObject {
    @Persisted var floor = 0
}

class Venture: Object {
    @Persisted var site: Premises?
}

class Premises: Object {
    @Persisted var street = ""
}

class UniqueTag: Object {
    @Persisted(unique: true) var tag = ""
}

/// What a migration block throws.
struct Stop: Error, Equatable {}

extension Folder {
    /// A file as another program has left it.
    func file(version: UInt64? = nil, key: Data? = nil, _ classes: [ClassSchema], _ fill: (WriteTransaction) throws -> Void = { _ in }) throws -> Database {
        var options = OpenOptions()
        if let key { options.encryptionKey = try EncryptionKey(Array(key)) }
        let database = try Database.open(path, options)
        try database.write { transaction in
            try transaction.createClasses(classes)
            try transaction.setSchemaVersion(version)
            try fill(transaction)
        }
        return database
    }

    var path: String { url.appendingPathComponent("test.freehold").path }

    func configuration(_ types: [ObjectBase.Type], version: UInt64, _ block: MigrationBlock? = nil) -> Realm.Configuration {
        var configuration = configuration(types)
        configuration.schemaVersion = version
        configuration.migrationBlock = block
        return configuration
    }
}

/// All that a file has: its version, classes and objects.
struct Contents: Equatable {
    let schemaVersion: UInt64?
    let version: Version
    let classes: [ClassSchema]
    let objects: [String: [ObjectKey: [Value]]]

    init(_ database: Database) throws {
        let snapshot = try database.snapshot()
        schemaVersion = try snapshot.schemaVersion
        version = snapshot.version
        classes = try snapshot.classes
        var objects: [String: [ObjectKey: [Value]]] = [:]
        for name in classes.map(\.name) {
            let table = try snapshot.table(name)
            objects[name] = Dictionary(uniqueKeysWithValues: try table.keys().map { ($0, try table.values($0)) })
        }
        self.objects = objects
    }
}

/// What opening a realm is refused with.
func refusal(_ configuration: Realm.Configuration) -> Realm.Error? {
    do {
        _ = try Realm(configuration: configuration)
        return nil
    } catch { return error as? Realm.Error }
}

extension ClassSchema {
    /// The class of `Citizen` as earlier versions had it.
    static func citizen(_ change: (inout ClassSchema) -> Void = { _ in }) -> ClassSchema {
        var schema = ClassSchema("Citizen", primaryKey: "id", [
            PropertySchema("id", .int), PropertySchema("fullName", .string), PropertySchema("age", .string),
            PropertySchema("email", .string, isNullable: true), PropertySchema("height", .double), PropertySchema("friend", linkTo: "Citizen"),
            PropertySchema("city", .string, isIndexed: true), PropertySchema("marks", .int, isNullable: true, collections: [.list]),
        ])
        change(&schema)
        return schema
    }

    /// Gives a property another declaration.
    mutating func change(_ property: PropertySchema) {
        for place in properties.indices where properties[place].name == property.name { properties[place] = property }
    }
}
