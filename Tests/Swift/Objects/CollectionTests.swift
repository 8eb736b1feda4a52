import Foundation
@testable import Freehold
import Testing

@Suite("Sets, maps and linking objects")
struct SetAndMapTests {
    @Test("sets and maps come along with their object, and change in place")
    func setsAndMaps() throws {
        let folder = try Folder()
        let realm = try Realm(configuration: folder.configuration([Owner.self, Pet.self]))
        let owner = Owner(value: ["name": "Ann", "pets": [["name": "Rex"]], "phones": ["home": "1", "work": "2"], "tags": ["b", "a", "b"]])
        owner.byName["rex"] = owner.pets[0]
        #expect(Array(owner.tags) == ["b", "a"])
        try realm.write { realm.add(owner) }
        #expect(Array(owner.tags) == ["a", "b"])
        #expect(owner.phones["home"] == "1")
        #expect(owner.phones.keys == ["home", "work"])
        #expect(owner.byName["rex"]??.name == "Rex")
        #expect(owner.pets[0].owners.map(\.name) == ["Ann"])
        let rex = owner.pets[0]
        try realm.write {
            owner.tags.insert("c")
            owner.tags.remove("a")
            owner.phones["work"] = nil
            owner.phones["cell"] = "3"
            owner.pets.append(rex)
        }
        #expect(Array(owner.tags) == ["b", "c"])
        #expect(owner.phones.asKeyValueSequence().map(\.value) == ["3", "1"])
        #expect(rex.owners.count == 2)
        try realm.write { realm.delete(rex) }
        #expect(owner.pets.isEmpty)
        #expect(owner.byName.count == 1)
        #expect(owner.byName["rex"] == .some(nil))
        #expect(rex.isInvalidated)
    }
}
