import Foundation
@testable import Freehold
import Testing

@Suite("Properties by name, and objects as text")
struct KeyTests {
    @Test("values are read and set by name and by path, of one object and of many")
    func keys() throws {
        let folder = try Folder()
        let realm = try Realm(configuration: folder.configuration([Dog.self, Person.self]))
        let dog = Dog(value: ["name": "Fido", "age": 1, "owner": ["id": 1, "name": "Ann"]])
        #expect(dog.value(forKeyPath: "owner.name") as? String == "Ann")
        try realm.write {
            realm.add(dog)
            realm.add(Dog(value: ["Rex", 2]))
        }
        #expect(dog["name"] as? String == "Fido")
        #expect(dog.value(forKeyPath: "owner.name") as? String == "Ann")
        #expect(realm.objects(Dog.self).value(forKey: "name") as? [String] == ["Fido", "Rex"])
        #expect(realm.objects(Dog.self).value(forKeyPath: "owner.name") as? [String?] == ["Ann", nil])
        try realm.write {
            realm.objects(Dog.self).setValue(5, forKey: "age")
            dog.setValue("Bea", forKeyPath: "owner.name")
            dog["name"] = "Bello"
        }
        #expect(realm.objects(Dog.self).map(\.age) == [5, 5])
        #expect(dog.owner?.name == "Bea")
        #expect(mistakes { _ = dog["nmae"] } == ["Invalid property name 'nmae' for class 'Dog'."])
    }

    @Test("an object reads well as text")
    func text() throws {
        let dog = Dog(value: ["Fido", 1])
        #expect(dog.description == "Dog {\n\tname = Fido;\n\tage = 1;\n\towner = (null);\n}")
        func text(_ value: some CustomStringConvertible) -> String { value.description.replacing(#/<0x[0-9a-f]+>/#, with: "@") }
        let owner = Owner(value: ["name": "Ann", "pets": [["name": "Rex"]], "phones": ["home": "1"]])
        #expect(text(owner.pets) == "List<Pet> @ (\n\t[0] Pet {\n\t\tname = Rex;\n\t}\n)")
        #expect(text(owner.phones) == "Map<string, string> @ (\n[home]: 1\n)")
        let folder = try Folder()
        let realm = try Realm(configuration: folder.configuration([Owner.self, Pet.self]))
        try realm.write { realm.add(owner) }
        #expect(text(realm.objects(Pet.self)) == "Results<Pet> @ (\n\t[0] Pet {\n\t\tname = Rex;\n\t}\n)")
        let pet = owner.pets[0]
        try realm.write { realm.delete(pet) }
        #expect("\(pet)" == "[invalid object]")
    }
}
