import Foundation
@testable import Freehold
import Testing

@Suite("Objects")
struct ObjectTests {
    @Test("an object added is the one read back")
    func addAndRead() throws {
        let folder = try Folder()
        let realm = try Realm(configuration: folder.configuration([Person.self, Dog.self]))
        let ada = Person(value: ["id": 1, "name": "Ada", "age": 36, "email": "ada@example.com", "height": 170])
        let fido = Dog(value: ["Fido", 1])
        fido.owner = ada
        try realm.write { realm.add(fido) }
        #expect(ada.name == "Ada")
        #expect(ada.age == 36)
        #expect(ada.email == "ada@example.com")
        #expect(ada.height == 170)
        #expect(ada.score == 0.5)
        #expect(fido.owner?.name == "Ada")
        #expect(realm.objects(Person.self).count == 1)
        let found = try #require(realm.object(ofType: Person.self, forPrimaryKey: 1))
        #expect(found.name == "Ada")
        try realm.write { found.age = 37 }
        #expect(ada.age == 37)
        #expect(found.token == ada.token)
    }

    @Test("going through a thousand objects makes one")
    func iterate() throws {
        let folder = try Folder()
        let realm = try Realm(configuration: folder.configuration([Person.self, Dog.self]))
        try realm.write { for id in 0..<1000 { realm.create(Person.self, value: ["id": id, "age": id % 100]) } }
        var sum = 0, count = 0
        for person in realm.objects(Person.self) {
            sum += person.age
            #expect(person.id == count)
            count += 1
        }
        #expect(count == 1000)
        #expect(sum == 49_500)
        let kept = Array(realm.objects(Person.self))
        #expect(kept.map(\.id) == Array(0..<1000))
        #expect(realm.objects(Person.self)[517].id == 517)
    }

    @Test("classes are found by themselves")
    func discovery() {
        let names = Set(ModelDiscovery.classes().map { $0.className() })
        #expect(names.isSuperset(of: ["Dog", "Person"]))
    }
}
