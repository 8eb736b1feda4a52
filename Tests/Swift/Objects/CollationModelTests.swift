import Foundation
@testable import Freehold
@testable import FreeholdEngine
import Testing

class Volume: Object {
    @Persisted(primaryKey: true) var id = 0
    @Persisted(name: "heading") var title = ""
    @Persisted var number = 0

    override class func shouldIncludeInDefaultSchema() -> Bool { false }

    override class func collationIndexes() -> [Freehold.CollationIndex] {
        [.init("title", collation: "de-u-kn"), .init("title", collation: "sv")]
    }
}

class Atlas: Volume {
    @Persisted var region: String?

    override class func collationIndexes() -> [Freehold.CollationIndex] { super.collationIndexes() + [.init("region", collation: "de")] }
}

class MistakenVolume: Object {
    @Persisted var title = ""
    @Persisted var number = 0
    @Persisted var next: MistakenVolume?

    override class func shouldIncludeInDefaultSchema() -> Bool { false }

    override class func collationIndexes() -> [Freehold.CollationIndex] {
        [.init("missing", collation: "de"), .init("number", collation: "de"), .init("next.title", collation: "de"),
         .init("title", collation: "de-u-kn"), .init("title", collation: "DE-u-kn-true")]
    }
}

@Suite("Indexes in a collation that models declare")
struct CollationModelTests {
    private let types: [ObjectBase.Type] = [Volume.self, Atlas.self]

    private func fill(_ realm: Realm, _ count: Int) throws {
        try realm.write {
            for number in 0..<count {
                let volume = number % 3 == 0 ? Atlas() : Volume()
                volume.id = number
                volume.title = ["Zoo", "ähre", "Apfel", "Ärmel"][number % 4] + "\(number)"
                (volume as? Atlas)?.region = "\(number % 5)"
                realm.add(volume)
            }
        }
    }

    @Test("they are declared by their names in the file, answer, and are listed")
    func answers() throws {
        let folder = try Folder(), realm = try Realm(configuration: folder.configuration(types))
        try fill(realm, 900)
        realm.core.shared.indexes.waitUntilDone()
        realm.refresh()
        let database = try Database.open(folder.path), all = try database.snapshot().classes
        let own = [Freehold.CollationIndex("heading", collation: "de-u-kn"), .init("heading", collation: "sv")]
        #expect(all.first { $0.name == "Volume" }?.collationIndexes == own)
        #expect(all.first { $0.name == "Atlas" }?.collationIndexes == [.init("region", collation: "de")])
        let sorted = realm.objects(Volume.self).sorted(by: \.title, collation: "de-u-kn").limit(3)
        #expect(Array(sorted.map(\.title)) == ["ähre1", "ähre5", "ähre9"])
        #expect(sorted.explain().contains("in the order of the index of heading in the collation \"de-u-kn\""), "\(sorted.explain())")
        let atlases = realm.objects(Atlas.self).sorted(byKeyPath: "region", ascending: false, collation: "de").limit(2)
        #expect(Array(atlases.map(\.id)) == [9, 24] && atlases.explain().contains("in the order of the index of region"))
        #expect(realm.schema["Volume"]?.collationIndexes == Volume.collationIndexes())
        #expect(realm.storedSchema["Atlas"]?.collationIndexes == [.init("region", collation: "de")])
        #expect(realm.schema["Volume"]?.description.contains("\torder = title COLLATE \"sv\";\n") == true)
        #expect(try database.check().problems.isEmpty)
    }

    @Test("wrong declarations are named, with their class and what is wrong, when the file is opened")
    func mistakes() throws {
        let folder = try Folder(), error = try #require(refusal(folder.configuration([MistakenVolume.self])))
        let place = "Index in a collation of class 'MistakenVolume'", rule = "an index in a collation is over a string"
        let wanted = [
            "\(place): 'missing' does not exist on object 'MistakenVolume'.", "\(place): 'number' is of type 'int'; \(rule).",
            "\(place): 'next.title' leads over a link; an index in a collation is over a property of the class.",
            "\(place): 'title COLLATE \"de-u-kn\"' is declared twice.",
        ]
        let told = error.message.components(separatedBy: "\n").dropFirst().map { String($0.dropFirst(2)) }
        #expect(Set(told) == Set(wanted), "\(error.message)")
    }
}
