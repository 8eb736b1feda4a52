import Foundation
import Freehold
import Testing

class Booklet: Object {
    @Persisted(primaryKey: true) var id = 0
    @Persisted(fullText: .init(weight: 2)) var title = ""
    @Persisted(fullText: true) var body = ""
    @Persisted var shelf: BookletShelf?

    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

class BookletShelf: Object {
    @Persisted var booklets: List<Booklet>
    @Persisted var chosen: MutableSet<Booklet>
    @Persisted(originProperty: "shelf") var standing: LinkingObjects<Booklet>

    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

@Suite("Full-text searches in collections of objects")
struct CollectionSearchTests {
    private static let words = ["tea", "milk", "green", "cup", "water"]

    /// A realm with a shelf that has some of many booklets, in an order of its own, some twice.
    private func withShelf(_ count: Int, _ body: (Realm, BookletShelf) throws -> Void) throws {
        let folder = try Folder(), realm = try Realm(configuration: folder.configuration([Booklet.self, BookletShelf.self]))
        let shelf = try realm.write {
            let shelf = BookletShelf()
            realm.add(shelf)
            for id in 0..<count {
                let text = [id % 5, id / 5 % 5, id / 25 % 5].map { Self.words[$0] }
                let booklet = realm.create(Booklet.self, value: ["id": id, "title": text[0], "body": text.joined(separator: " ")])
                if id % 3 == 0 { shelf.booklets.insert(booklet, at: 0) }
                if id % 6 == 0 { shelf.booklets.append(booklet) }
                if id % 4 == 0 { shelf.chosen.insert(booklet) }
                if id % 2 == 0 { booklet.shelf = shelf }
            }
            return shelf
        }
        try body(realm, shelf)
    }

    private func hasWords(_ booklet: Booklet) -> Bool { booklet.body.contains("tea") && !booklet.body.contains("milk") }

    @Test("elements are found as the strings say, in the order of the collection, of small and of large ones", arguments: [40, 900])
    func found(count: Int) throws {
        try withShelf(count) { _, shelf in
            let search = "tea -milk"
            #expect(shelf.booklets.search(search).map(\.id) == shelf.booklets.filter(hasWords).map(\.id))
            #expect(Set(shelf.chosen.search(search).map(\.id)) == Set(shelf.chosen.filter(hasWords).map(\.id)))
            #expect(shelf.standing.search(search).map(\.id) == shelf.standing.filter(hasWords).map(\.id))
            let all = AnyRealmCollection(shelf.booklets)
            #expect(all.search(search, in: \.body).count == shelf.booklets.search(search).count && all.search("tea", in: \.title).count > 0)
        }
    }

    @Test("their scores are those of the whole class; the best come first, with what was found in them")
    func scores() throws {
        try withShelf(300) { realm, shelf in
            let all = realm.objects(Booklet.self).search("green tea"), found = shelf.booklets.search("green tea").sortedByScore()
            #expect(found.count > 5)
            for booklet in found { #expect(found.score(of: booklet) == all.score(of: booklet) && found.score(of: booklet) > 0) }
            let scores = Array(found).map { found.score(of: $0) }
            #expect(scores == scores.sorted(by: >) && scores.first != scores.last)
            #expect(found.first.map { found.hits(in: $0).map(\.keyPath) }?.contains("body") == true)
            let newer = shelf.standing.where { $0.id > 100 }.search("green tea").sortedByScore().limit(3)
            #expect(newer.count == 3 && newer.allSatisfy { $0.id > 100 })
        }
    }

    @Test("results follow the collection and the strings")
    func live() throws {
        try withShelf(60) { realm, shelf in
            let found = shelf.booklets.search("coffee")
            #expect(found.isEmpty)
            try realm.write { shelf.booklets[1].body = "coffee" }
            #expect(found.count == shelf.booklets.count { $0.body == "coffee" } && found.count > 0)
            try realm.write { shelf.booklets.removeAll() }
            #expect(found.isEmpty)
        }
    }

    @Test("an unmanaged list, and one of a class without an index, say what is missing")
    func refused() throws {
        #expect(mistakes { _ = BookletShelf().booklets.search("tea") }.count == 1)
        let folder = try Folder(), realm = try Realm(configuration: folder.configuration([Owner.self, Pet.self]))
        let owner = try realm.write { realm.create(Owner.self, value: ["name": "k", "pets": [["name": "Rex"]]]) }
        #expect(mistakes { _ = owner.pets.search("rex") }.first?.contains("Class 'Pet' declares no full-text index") == true)
        #expect(owner.pets.search("rex", in: \.name).count == 1)
    }
}
