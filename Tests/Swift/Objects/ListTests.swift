import Foundation
@testable import Freehold
import Testing

@Suite("Lists")
struct ListTests {
    private let types: [ObjectBase.Type] = [Kennel.self, Dog.self, Person.self, Address.self]

    @Test("a list of an object by itself comes along with it")
    func addWithObject() throws {
        let folder = try Folder()
        let realm = try Realm(configuration: folder.configuration(types))
        let kennel = Kennel(value: ["name": "North", "dogs": [["name": "Rex", "age": 3], ["Fido", 1]], "scores": [3, 1, 2], "notes": ["a", NSNull()]])
        kennel.address = Address(value: ["Lane", 3])
        kennel.branches.append(Address(value: ["Road", 4]))
        let dogs = kennel.dogs
        try realm.write { realm.add(kennel) }
        #expect(dogs === kennel.dogs)
        #expect(kennel.dogs.map(\.name) == ["Rex", "Fido"])
        #expect(Array(kennel.scores) == [3, 1, 2])
        #expect(Array(kennel.notes) == ["a", nil])
        #expect(kennel.address?.street == "Lane")
        #expect(kennel.branches.first?.number == 4)
        #expect(realm.objects(Dog.self).count == 2)
        try realm.write {
            kennel.dogs.append(Dog(value: ["Bella", 2]))
            kennel.scores.insert(9, at: 1)
            kennel.scores.move(from: 0, to: 3)
            kennel.branches[0] = Address(value: ["Street", 5])
            kennel.address = nil
        }
        #expect(kennel.dogs.map(\.name) == ["Rex", "Fido", "Bella"])
        #expect(Array(kennel.scores) == [9, 1, 2, 3])
        #expect(kennel.branches.map(\.street) == ["Street"])
        #expect(kennel.address == nil)
        #expect(realm.objects(Address.self).count == 1)
        try realm.write { realm.delete(kennel.dogs[0]) }
        #expect(kennel.dogs.map(\.name) == ["Fido", "Bella"])
    }
}
