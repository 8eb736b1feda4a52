#if OldModels
import Foundation
@testable import Freehold
import Testing

@PersistedMembers
class OldPuppy: Object {
    dynamic var name = ""
    dynamic var age: Int = 0
    dynamic var nickname: String? = nil
    dynamic var mother: OldPuppy?
    dynamic var weight = 0.5 { didSet { changes += 1 } }
    dynamic var colour = "brown"
    dynamic var title: String { "\(name), \(age)" }
    dynamic lazy var smell = "of dog"
    let friends = List<OldPuppy>()
    let keepers = LinkingObjects(fromType: OldKeeper.self, property: "puppies")
    let tricks = RealmProperty<Int?>()
    var changes = 0
    @Persisted var chip = ""

    override static func primaryKey() -> String? { return "name" }
    override static func indexedProperties() -> [String] { return ["age"] }
    override static func ignoredProperties() -> [String] { return ["colour"] }
    override class func propertiesMapping() -> [String: String] { ["nickname": "nick"] }
}

@PersistedMembers
class OldKeeper: Object {
    let puppies = List<OldPuppy>()
    dynamic var home: OldHome?
    dynamic var born = Date(timeIntervalSince1970: 0)

    override static func ignoredProperties() -> [String] { return [] }
}

@PersistedMembers
class OldHome: EmbeddedObject {
    dynamic var street = ""
}

@Suite("Plain properties of models of the old manner")
struct PersistedMembersTests {
    @Test("what is dynamic is kept, and nothing else")
    func properties() throws {
        let puppy = try ModelClass.of(OldPuppy.self)
        #expect(puppy.properties.map(\.name) == ["name", "age", "nickname", "mother", "weight", "friends", "keepers", "tricks", "chip"])
        #expect(puppy.properties.map(\.storedName)[2] == "nick")
        #expect(puppy.primaryKey == 0 && puppy.properties[1].attributes.isIndexed && puppy.properties[2].kind.isOptional)
        #expect(try ModelClass.of(OldKeeper.self).properties.map(\.name) == ["puppies", "home", "born"])
        #expect(try ModelClass.of(OldHome.self).properties.map(\.name) == ["street"])
    }

    @Test("objects are live, and what is ignored is the instance's own")
    func live() throws {
        let folder = try Folder(), realm = try Realm(configuration: folder.configuration([OldPuppy.self, OldKeeper.self, OldHome.self]))
        let rex = OldPuppy(value: ["name": "Rex", "age": 1, "friends": [["name": "Fido"]]])
        rex.colour = "black"
        try realm.write {
            realm.add(rex)
            rex.mother = realm.create(OldPuppy.self, value: ["name": "Bella", "nickname": "B"])
            realm.create(OldKeeper.self, value: ["puppies": [rex], "home": ["street": "Via Appia"]])
        }
        let same = try #require(realm.object(ofType: OldPuppy.self, forPrimaryKey: "Rex"))
        try realm.write {
            same.age += 1
            same.weight = 3
            same.tricks.value = 4
        }
        #expect(rex.age == 2 && rex.weight == 3 && rex.mother?.nickname == "B" && rex.tricks.value == 4)
        #expect(rex.friends.map(\.name) == ["Fido"] && rex.keepers.map { $0.home?.street } == ["Via Appia"])
        #expect(same.changes == 1 && rex.changes == 0 && rex.colour == "black" && same.colour == "brown" && rex.title == "Rex, 2")
    }
}
#endif
