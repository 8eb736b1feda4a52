import Foundation
import Freehold

class Dog: Object {
    @Persisted var name = ""
    @Persisted var age = 0
    @Persisted var owner: Person?
}

class Person: Object {
    @Persisted(primaryKey: true) var id: Int
    @Persisted(indexed: true) var name = "nobody"
    @Persisted var age = 0
    @Persisted var score = 0.5
    @Persisted var isFirst = false
    @Persisted var email: String?
    @Persisted var height: Int?
    @Persisted var born = Date(timeIntervalSince1970: 0)
    @Persisted var friend: Person?
    @Persisted var token: UUID
}

/// A folder of its own, removed at the end.
final class Folder {
    let url: URL
    init() throws {
        url = FileManager.default.temporaryDirectory.appendingPathComponent("freehold-objects-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    }
    deinit { try? FileManager.default.removeItem(at: url) }
    func configuration(_ types: [ObjectBase.Type], name: String = "test.freehold") -> Realm.Configuration {
        Realm.Configuration(fileURL: url.appendingPathComponent(name), objectTypes: types)
    }
}

class Address: EmbeddedObject {
    @Persisted var street = ""
    @Persisted var number = 0
}

class Kennel: Object {
    @Persisted(primaryKey: true) var name = ""
    @Persisted var dogs: List<Dog>
    @Persisted var scores: List<Int>
    @Persisted var notes: List<String?>
    @Persisted var address: Address?
    @Persisted var branches: List<Address>
}

class Owner: Object {
    @Persisted var name = ""
    @Persisted var pets: List<Pet>
    @Persisted var phones: Map<String, String>
    @Persisted var byName: Map<String, Pet?>
    @Persisted var tags: MutableSet<String>
    @Persisted var favourite: Pet?
}

class Pet: Object {
    @Persisted var name = ""
    @Persisted(originProperty: "pets") var owners: LinkingObjects<Owner>
}

/// In the manner of before `@Persisted`.
class OldOwner: Object {
    let pets = List<OldPet>()
    @Persisted var name = ""
    let tags = MutableSet<String>()
    let notIt = List<Int>()

    override class func ignoredProperties() -> [String] { ["notIt"] }
}

class OldPet: Object {
    @Persisted var name = ""
    let owners = LinkingObjects(fromType: OldOwner.self, property: "pets")

    override class func indexedProperties() -> [String] { ["name"] }
}
