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

class Song: Object {
    @Persisted(primaryKey: true, collation: "de") var code = ""
    @Persisted(unique: true, fullText: true, collation: ["DE-u-kn-true", Collation("sv", caseFirst: .upper)], name: "heading")
    var title: String?
    @Persisted(indexed: true, collation: []) var place = ""
    @Persisted(collation: "de") var singer: String

    override class func shouldIncludeInDefaultSchema() -> Bool { false }

    override class func collationIndexes() -> [Freehold.CollationIndex] { [.init("place", collation: "fr")] }
}

class Hymn: Song {
    @Persisted(collation: "fr") var verse: String?
}

class MistakenSong: Object {
    @Persisted(collation: "de") var number = 0
    @Persisted(collation: "de-u-kn") var title = ""

    override class func shouldIncludeInDefaultSchema() -> Bool { false }

    override class func collationIndexes() -> [Freehold.CollationIndex] { [.init("title", collation: "DE-u-kn-true")] }
}

class SongPart: EmbeddedObject {
    @Persisted(collation: "de") var text = ""
}

class SongBook: Object {
    @Persisted var part: SongPart?

    override class func shouldIncludeInDefaultSchema() -> Bool { false }
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

    @Test("properties declare them, one or several, and subclasses inherit them")
    func properties() throws {
        let folder = try Folder(), realm = try Realm(configuration: folder.configuration([Song.self, Hymn.self]))
        try realm.write {
            for number in 0..<600 {
                let song = number % 2 == 0 ? Song() : Hymn()
                (song.code, song.title, song.singer) = ("\(number)", ["Zoo", "ähre"][number % 2] + "\(number)", "Ö\(number % 3)")
                realm.add(song)
            }
        }
        realm.core.shared.indexes.waitUntilDone()
        realm.refresh()
        let database = try Database.open(folder.path), all = try database.snapshot().classes
        let own: [Freehold.CollationIndex] = [
            .init("code", collation: "de"), .init("heading", collation: "de-u-kn"), .init("heading", collation: "sv-u-kf-upper"),
            .init("singer", collation: "de"), .init("place", collation: "fr"),
        ]
        #expect(all.first { $0.name == "Song" }?.collationIndexes == own)
        #expect(all.first { $0.name == "Hymn" }?.collationIndexes == [.init("verse", collation: "fr")])
        #expect(all.first { $0.name == "Song" }?.fullTextIndexes == [["heading"]])
        let heading = all.first { $0.name == "Song" }?.properties.first { $0.name == "heading" }
        #expect(heading?.isUnique == true && heading?.isNullable == true)
        let sorted = realm.objects(Song.self).sorted(by: \.title, collation: "de-u-kn").limit(2)
        #expect(Array(sorted.map(\.title)) == ["ähre1", "ähre3"] && sorted.explain().contains("in the order of the index of heading"))
        #expect(realm.schema["Hymn"]?.collationIndexes.count == 6 && Song().title == nil && Song().singer.isEmpty)
        #expect(try Realm(configuration: folder.configuration([Song.self, Hymn.self])).objects(Song.self).count == 600)
    }

    @Test("wrong declarations of properties are named when the file is opened")
    func mistakenProperties() throws {
        let place = "Index in a collation of class 'MistakenSong'", folder = try Folder()
        let told = try #require(refusal(folder.configuration([MistakenSong.self]))).message
        #expect(told.contains("\(place): 'number' is of type 'int'; an index in a collation is over a string."), "\(told)")
        #expect(told.contains("\(place): 'title COLLATE \"de-u-kn\"' is declared twice."), "\(told)")
        let embedded = try #require(refusal(folder.configuration([SongBook.self, SongPart.self]))).message
        #expect(embedded.contains("Embedded class 'SongPart' cannot have an index in a collation."), "\(embedded)")
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
