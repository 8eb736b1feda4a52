import Foundation
@testable import Freehold
import Testing

@Suite("Models of the old manner")
struct OldModelTests {
    @Test("collections declared with let are those of the object")
    func declared() throws {
        let folder = try Folder()
        let realm = try Realm(configuration: folder.configuration([OldOwner.self, OldPet.self]))
        let ann = OldOwner(value: ["name": "Ann", "pets": [["name": "Rex"], ["name": "Fido"]], "tags": ["b", "a"]])
        #expect(ann.pets.map(\.name) == ["Rex", "Fido"])
        ann.notIt.append(1)
        try realm.write { realm.add(ann) }
        #expect(ann.pets.map(\.name) == ["Rex", "Fido"])
        #expect(Array(ann.tags) == ["a", "b"])
        let rex = ann.pets[0]
        #expect(rex.owners.map(\.name) == ["Ann"])
        try realm.write {
            realm.add(OldOwner(value: ["name": "Bea", "pets": [rex]]))
            ann.pets.remove(at: 1)
        }
        #expect(rex.owners.map(\.name) == ["Ann", "Bea"])
        #expect(realm.objects(OldOwner.self).map { $0.pets.map(\.name) } == [["Rex"], ["Rex"]])
        #expect(realm.objects(OldOwner.self).first?.notIt.isEmpty == true)
        #expect(try ModelClass.of(OldOwner.self).properties.map(\.name) == ["pets", "name", "tags"])
    }
}
