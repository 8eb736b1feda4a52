import FreeholdEngine
import FreeholdImport

@testable import BrowserData

/// A database with a class of each kind, and an editor of it.
final class EditingFixture {
    let path: String
    let database: Database
    let editor: Editor
    /// A second program that changes the same file.
    let other: Database

    init(undo: UndoLimits = UndoLimits(), uploads: UploadLimits = UploadLimits(),
        now: @escaping () -> ContinuousClock.Instant = { .now }) throws {
        path = "/tmp/browser-editing-\(UInt64.random(in: .min ... .max)).freehold"
        database = try Database.open(path)
        try database.write { transaction in
            try transaction.createClasses(Self.classes)
            try transaction.createClass(ClassSchema("Dog", superclass: "Animal",
                [PropertySchema("barks", .bool), PropertySchema("tricks", .string, collections: [.list])]))
            try transaction.createClass(ClassSchema("Cat", superclass: "Animal", [PropertySchema("lives", .int, isNullable: true)]))
        }
        other = try Database.open(path)
        editor = Editor(database, TestCells.reading, undo: undo, uploads: uploads, lockTimeoutMilliseconds: 200, now: now)
    }

    deinit {
        editor.close()
        database.close()
        other.close()
        try? Database.deleteFiles(at: path)
    }

    static let classes = [
        ClassSchema("Room", isEmbedded: true, [PropertySchema("name", .string)]),
        ClassSchema("Address", isEmbedded: true, [
            PropertySchema("street", .string), PropertySchema("zip", .int, isNullable: true),
                PropertySchema("tags", .string, collections: [.list]),
            PropertySchema("room", linkTo: "Room"), PropertySchema("of", linkTo: "Person"),
        ]),
        ClassSchema("Person", primaryKey: "id", [
            PropertySchema("id", .int), PropertySchema("name", .string), PropertySchema("nick", .string, isNullable: true, isUnique: true),
            PropertySchema("rank", .int, isUnique: true),
            PropertySchema("friend", linkTo: "Person"), PropertySchema("friends", linkTo: "Person", collections: [.list]),
            PropertySchema("scores", .int, collections: [.list]), PropertySchema("labels", .string, collections: [.set]),
            PropertySchema("phones", .string, isNullable: true, collections: [.map]),
                PropertySchema("matrix", .int, collections: [.list, .list]),
            PropertySchema("home", linkTo: "Address"), PropertySchema("homes", linkTo: "Address", collections: [.list]),
            PropertySchema("rooms", linkTo: "Room", collections: [.map]),
                PropertySchema("plans", linkTo: "Room", collections: [.map, .list]),
            PropertySchema("any", .mixed),
        ]),
        ClassSchema("Note", [
            PropertySchema("tag", .string), PropertySchema("text", .string), PropertySchema("owner", linkTo: "Person"),
            PropertySchema("about", linkTo: "Person", collections: [.set]), PropertySchema("next", linkTo: "Note"),
            PropertySchema("byName", linkTo: "Note", collections: [.map]), PropertySchema("any", .mixed),
        ]),
        ClassSchema("Team", primaryKey: "name", [
            PropertySchema("name", .string), PropertySchema("notes", linkTo: "Note", deleteRule: .cascade, collections: [.list]),
            PropertySchema("lead", linkTo: "Person", deleteRule: .deny), PropertySchema("captain", linkTo: "Person", isUnique: true),
        ]),
        ClassSchema("Animal", [PropertySchema("tag", .string), PropertySchema("legs", .int)]),
        ClassSchema("Kinds", [
            PropertySchema("bool", .bool), PropertySchema("int", .int), PropertySchema("float", .float), PropertySchema("double", .double),
            PropertySchema("decimal", .decimal), PropertySchema("string", .string), PropertySchema("data", .data),
                PropertySchema("date", .date),
            PropertySchema("uuid", .uuid), PropertySchema("objectId", .objectId), PropertySchema("maybe", .int, isNullable: true),
            PropertySchema("mixed", .mixed), PropertySchema("link", linkTo: "Note"), PropertySchema("mixeds", .mixed, collections: [.list]),
        ]),
    ]

    var stamp: String { get throws { SchemaStamp.text(of: try database.snapshot().classes) } }

    func request(_ operations: [JSON]) throws -> EditRequest { try EditRequest(["stamp": .string(try stamp),
        "operations": .array(operations)]) }

    func commit(_ operations: JSON...) throws -> EditOutcome { try editor.commit(try request(operations)) }

    func preview(_ operations: JSON...) throws -> EditOutcome { try editor.preview(try request(operations)) }

    /// Changes the file as another program would.
    @discardableResult
    func elsewhere<Result>(_ body: (WriteTransaction) throws -> Result) throws -> Result { try other.write(body) }

    func cell(_ className: String, _ key: ObjectKey, _ property: String) throws -> JSON {
        let snapshot = try database.snapshot(), table = try snapshot.table(className)
        let place = table.schema.properties.firstIndex { $0.name == property }!
        return try TestCells.reading.property(snapshot, table, table.row(key)!, table.columns[place], table.schema.properties[place])
    }

    func value(_ className: String, _ key: ObjectKey, _ property: String) throws -> Value {
        let table = try database.snapshot().table(className)
        return try table.value(key, table.column(property))
    }

    func count(_ className: String) throws -> Int { try database.snapshot().table(className).count }

    /// Adds people 1 … count, of ranks 1 … count.
    func addPeople(_ count: Int) throws {
        try database.write { transaction in
            for id in 1...count {
                try transaction.insert(into: "Person", key: .int(Int64(id)), [("name", .string("P\(id)")), ("rank", .int(Int64(id)))])
            }
        }
    }

    func contents() throws -> [String: String] { try Contents(try database.snapshot()).objects }
}
