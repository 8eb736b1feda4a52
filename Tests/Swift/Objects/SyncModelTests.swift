import Foundation
@testable import Freehold
@testable import FreeholdEngine
import Testing

class Parcel: Object {
    @Persisted(primaryKey: true) var id = ""
    @Persisted(counter: true, indexed: true, name: "amount") var stock = 0
    @Persisted(counter: true) var sold: Int8
    @Persisted var title = ""
    @Persisted(name: "remark") var note: String?
    @Persisted var tags: MutableSet<String>
    @Persisted var next: Parcel?
    @Persisted var stamp: ParcelStamp?

    override class func shouldIncludeInDefaultSchema() -> Bool { false }

    override class func syncRules() -> Freehold.SyncRules? { SyncRules(onConflict: .updateWins, merged: ["note"]) }
}

class ParcelStamp: EmbeddedObject {
    @Persisted var value = 0
}

class Carton: Parcel {
    @Persisted(counter: true) var opened = 0
}

/// A class of the file whose properties and rules other programs declare otherwise.
enum Otherwise {
    class Plain: Object {
        @Persisted(primaryKey: true) var id = 0
        @Persisted var count = 0

        override class func className() -> String { "Shelf" }
        override class func shouldIncludeInDefaultSchema() -> Bool { false }
    }

    class Synced: Object {
        @Persisted(primaryKey: true) var id = 0
        @Persisted var count = 0

        override class func className() -> String { "Shelf" }
        override class func shouldIncludeInDefaultSchema() -> Bool { false }
        override class func syncRules() -> Freehold.SyncRules? { SyncRules() }
    }

    class Kept: Object {
        @Persisted(primaryKey: true) var id = 0
        @Persisted var count = 0

        override class func className() -> String { "Shelf" }
        override class func shouldIncludeInDefaultSchema() -> Bool { false }
        override class func syncRules() -> Freehold.SyncRules? { SyncRules(onConflict: .updateWins) }
    }

    class Counting: Object {
        @Persisted(primaryKey: true) var id = 0
        @Persisted(counter: true) var count = 0

        override class func className() -> String { "Shelf" }
        override class func shouldIncludeInDefaultSchema() -> Bool { false }
        override class func syncRules() -> Freehold.SyncRules? { SyncRules() }
    }

    class More: Object {
        @Persisted(primaryKey: true) var id = 0
        @Persisted var count = 0
        @Persisted(counter: true) var more = 0

        override class func className() -> String { "Shelf" }
        override class func shouldIncludeInDefaultSchema() -> Bool { false }
        override class func syncRules() -> Freehold.SyncRules? { SyncRules() }
    }
}

enum Mistaken {
    class Numbered: Object {
        @Persisted(primaryKey: true, autoincrement: true) var id: Int

        override class func shouldIncludeInDefaultSchema() -> Bool { false }
        override class func syncRules() -> Freehold.SyncRules? { SyncRules() }
    }

    class Keyless: Object {
        @Persisted var title = ""
        override class func shouldIncludeInDefaultSchema() -> Bool { false }
        override class func syncRules() -> Freehold.SyncRules? { SyncRules(counters: ["missing"], merged: ["title", "absent"]) }
    }

    class NoKey: Object {
        @Persisted var title = ""
        override class func shouldIncludeInDefaultSchema() -> Bool { false }
        override class func syncRules() -> Freehold.SyncRules? { SyncRules() }
    }

    class Heir: Parcel {
        override class func syncRules() -> Freehold.SyncRules? { nil }
    }

    class Linking: Object {
        @Persisted(primaryKey: true) var id = 0
        @Persisted var plain: Otherwise.Plain?
        override class func shouldIncludeInDefaultSchema() -> Bool { false }
        override class func syncRules() -> Freehold.SyncRules? { SyncRules() }
    }

    class Collecting: Object {
        @Persisted(primaryKey: true) var id = 0
        @Persisted var tags: MutableSet<String>
        override class func shouldIncludeInDefaultSchema() -> Bool { false }
        override class func syncRules() -> Freehold.SyncRules? { SyncRules(merged: ["tags"]) }
    }

    class Embedding: Object {
        @Persisted(primaryKey: true) var id = 0
        @Persisted var stamp: ParcelStamp?
        override class func shouldIncludeInDefaultSchema() -> Bool { false }
        override class func syncRules() -> Freehold.SyncRules? { SyncRules(merged: ["stamp"]) }
    }

    class Both: Object {
        @Persisted(primaryKey: true) var id = 0
        @Persisted(counter: true) var count = 0
        override class func shouldIncludeInDefaultSchema() -> Bool { false }
        override class func syncRules() -> Freehold.SyncRules? { SyncRules(merged: ["count"]) }
    }
}

@Suite("Synced classes that models declare")
struct SyncModelTests {
    private let types: [ObjectBase.Type] = [Parcel.self, Carton.self, ParcelStamp.self]

    private func rules(_ folder: Folder, _ name: String) throws -> Freehold.SyncRules? {
        try Database.open(folder.path).snapshot().classes.first { $0.name == name }?.syncRules
    }

    @Test("they are declared by their names in the file, and commits note what they change")
    func declared() throws {
        let folder = try Folder(), realm = try Realm(configuration: folder.configuration(types))
        let wanted = SyncRules(onConflict: .updateWins, counters: ["sold", "amount", "opened"], merged: ["remark"])
        #expect(try rules(folder, "Parcel") == wanted)
        #expect(try rules(folder, "Carton") == nil)
        #expect(realm.storedSchema["Parcel"]?.syncRules == wanted)
        let own = SyncRules(onConflict: .updateWins, counters: ["stock", "sold"], merged: ["note"])
        #expect(realm.schema["Parcel"]?.syncRules == own)
        #expect(realm.schema["Parcel"]?.description.contains("\tsynced = updates win; counters stock, sold; merged note;\n") == true)
        #expect(realm.schema["Carton"]?.syncRules?.counters == ["stock", "sold", "opened"])
        #expect(realm.schema["ParcelStamp"]?.syncRules == nil)
        try realm.write {
            let carton = Carton()
            (carton.id, carton.opened, carton.stamp) = ("c", 3, ParcelStamp())
            realm.add(carton)
        }
        let database = try Database.open(folder.path), counts = try database.snapshot().pendingCounts()
        #expect(counts.created == 1 && counts.sums == 1)
        try realm.write {
            let carton = try #require(realm.object(ofType: Carton.self, forPrimaryKey: "c"))
            carton.stock -= 2
            try carton.increment(\.opened, by: 4)
        }
        #expect(try database.snapshot().pendingCounts().sums == 2)
        #expect(realm.objects(Carton.self).first?.opened == 7 && realm.objects(Parcel.self).first?.stock == -2)
        #expect(try database.check().problems.isEmpty)
        // Opened again, nothing is to be changed.
        let version = try database.snapshot().version
        realm.invalidate()
        #expect(try Realm(configuration: folder.configuration(types)).objects(Carton.self).count == 1)
        #expect(try database.snapshot().version == version)
    }

    @Test("an increment that does not fit is refused, and the value stays")
    func overflow() throws {
        let folder = try Folder(), realm = try Realm(configuration: folder.configuration(types))
        try realm.write {
            let parcel = Parcel()
            parcel.id = "p"
            try parcel.increment(\.sold, by: 120)
            realm.add(parcel)
            let error = #expect(throws: RealmError.self) { try parcel.increment(\.sold, by: 8) }
            #expect(error?.code == .invalidInput && error?.message == "the sum of 120 and 8 does not fit the property")
            try parcel.increment(\.sold, by: -128)
            #expect(parcel.sold == -8)
            try parcel.increment(\.sold)
            #expect(parcel.sold == -7)
        }
    }

    @Test("a class stays synced where a program does not declare it, and new counters come with their properties")
    func programs() throws {
        let folder = try Folder()
        func open(_ type: ObjectBase.Type, version: UInt64 = 0) throws {
            var configuration = folder.configuration([type])
            configuration.schemaVersion = version
            let realm = try Realm(configuration: configuration)
            realm.invalidate()
        }
        try open(Otherwise.Plain.self)
        #expect(try rules(folder, "Shelf") == nil)
        try open(Otherwise.Synced.self)
        #expect(try rules(folder, "Shelf") == SyncRules())
        try open(Otherwise.Plain.self)
        try open(Otherwise.Plain.self, version: 1)
        #expect(try rules(folder, "Shelf") == SyncRules())
        // Other rules wait for a higher schema version.
        let told = try #require(refusal(folder.configuration([Otherwise.Kept.self]), version: 1)).message
        #expect(told.contains("Class 'Shelf' has changed its rules for sync from 'deletions win' to 'updates win'."), "\(told)")
        try open(Otherwise.Kept.self, version: 2)
        #expect(try rules(folder, "Shelf")?.onConflict == .updateWins)
        try open(Otherwise.Synced.self, version: 3)
        // A property that has values cannot become a counter; a new one may be one.
        let counter = try #require(refusal(folder.configuration([Otherwise.Counting.self]), version: 3)).message
        #expect(counter.contains("property 'count' of the synced class 'Shelf' cannot become a counter"), "\(counter)")
        try open(Otherwise.More.self, version: 3)
        #expect(try rules(folder, "Shelf") == SyncRules(counters: ["more"]))
        try open(Otherwise.Synced.self, version: 3)
        #expect(try rules(folder, "Shelf") == SyncRules(counters: ["more"]))
    }

    private func refusal(_ configuration: Realm.Configuration, version: UInt64 = 0) -> RealmError? {
        var configuration = configuration
        configuration.schemaVersion = version
        do {
            _ = try Realm(configuration: configuration)
            return nil
        } catch { return error as? RealmError }
    }

    @Test("wrong declarations are named, with their class and what is wrong, when the file is opened", arguments: [
        ([Mistaken.Keyless.self], "Rules for sync of class 'Keyless' name 'missing', which is no property of it."),
        ([Mistaken.Keyless.self], "Rules for sync of class 'Keyless' name 'absent', which is no property of it."),
        ([Mistaken.NoKey.self],
         "class 'NoKey' cannot be synced: it has no primary key that is a UUID, an ObjectId, a string or an integer, never null"),
        ([Mistaken.Heir.self, ParcelStamp.self],
         "Class 'Heir' cannot have rules for sync other than those of 'Parcel', which it extends; declare syncRules() there."),
        ([Mistaken.Linking.self, Otherwise.Plain.self],
         "property 'plain' of the synced class 'Linking' links to class 'Shelf', which is not synced"),
        ([Mistaken.Collecting.self], "property 'tags' of class 'Collecting' cannot be merged by the application: elements of collections"),
        ([Mistaken.Embedding.self, ParcelStamp.self],
         "property 'stamp' of class 'Embedding' cannot be merged by the application: properties of embedded objects are merged"),
        ([Mistaken.Numbered.self], "Primary key 'id' of the synced class 'Numbered' cannot be numbered: other devices would give the same"),
        ([Mistaken.Both.self], "property 'count' of class 'Both' is a counter, so the application cannot merge it"),
    ] as [([ObjectBase.Type], String)])
    func mistakes(types: [ObjectBase.Type], message: String) throws {
        let folder = try Folder(), error = try #require(refusal(folder.configuration(types)))
        #expect(error.message.contains(message), "\(error.message)")
    }
}
