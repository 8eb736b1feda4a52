import Freehold
import FreeholdEngine
import Testing

private class Essay: Object {
    @Persisted(primaryKey: true) var id: Int
    @Persisted var pages = 0
    @Persisted var text = ""
    @Persisted var title = ""
}

/// What a transaction has made and not yet sealed moves in memory when there is more, or less, of it.
@Suite("Objects that a transaction has made, and goes on with")
struct UnsealedRowTests {
    @Test("one of many is compared with values, and changed where it differs")
    func modified() throws {
        let folder = try Folder(), realm = try Realm(configuration: folder.configuration([Essay.self]))
        let text = String(repeating: "x", count: 10_000)
        try realm.write {
            for id in 0..<2000 { realm.create(Essay.self, value: ["id": id, "text": text, "title": "title \(id)"]) }
            for id in [1500, 3, 1999] {
                let essay = try #require(realm.object(ofType: Essay.self, forPrimaryKey: id))
                #expect(essay.pages == 0)
                #expect(realm.objects(Essay.self).where { $0.pages == 1 }.isEmpty)
                #expect(essay.title == "title \(id)")
                realm.create(Essay.self, value: ["id": id, "pages": 9, "text": text + "y", "title": "title \(id)"], update: .modified)
                #expect(essay.pages == 9 && essay.title == "title \(id)" && essay.text.utf8.count == text.utf8.count + 1)
            }
        }
        #expect(realm.objects(Essay.self).where { $0.pages == 9 }.count == 3)
    }

    @Test("one keeps its values while others of a class that extends its own are made")
    func families() throws {
        let folder = try Folder(), realm = try Realm(configuration: folder.configuration([Animal.self, Cat.self]))
        try realm.write {
            let first = Animal(value: ["name": "first"])
            realm.add(first)
            for number in 0..<1100 { realm.add(Animal(value: ["name": "animal \(number)"])) }
            #expect(first.name == "first")
            #expect(realm.objects(Animal.self).where { $0.name == "nobody" }.isEmpty)
            let cat = Cat(value: ["name": "cat"])
            realm.add(cat)
            #expect(first.name == "first")
            for number in 0..<3000 {
                realm.add(Cat(value: ["name": String(repeating: "cat ", count: 20) + "\(number)"]))
                if number % 100 == 0 { #expect(first.name == "first" && cat.name == "cat") }
            }
            realm.delete(cat)
            #expect(first.name == "first")
        }
        #expect(realm.objects(Animal.self).count == 4101)
    }
}
