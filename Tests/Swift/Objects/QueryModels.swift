import Foundation
@testable import Freehold
import FreeholdEngine

enum Bulk: String, PersistableEnum { case small, large }

struct Weight: CustomPersistable, Hashable {
    var grams: Int
    init(grams: Int) { self.grams = grams }
    init(persistedValue: Int) { grams = persistedValue }
    var persistableValue: Int { grams }
}

class Beast: Object {
    @Persisted var name = ""
    @Persisted var age = 0
    @Persisted var weight = Weight(grams: 0)
    @Persisted var size = Bulk.small
    @Persisted var nick: String?
    @Persisted var born = Date(timeIntervalSince1970: 0)
    @Persisted var price: Double?
    @Persisted var isTame = false
    @Persisted var tags: List<String>
    @Persisted var marks: Map<String, Int>
    @Persisted var any: AnyRealmValue
    @Persisted var keeper: Keeper?
    @Persisted(originProperty: "animals") var houses: LinkingObjects<Stable>
    override class func propertiesMapping() -> [String: String] { ["age": "years", "keeper": "kept_by"] }

    var isOld: Bool { age > 10 }
}

class Horse: Beast {
    @Persisted var speed = 0
}

class Keeper: Object {
    @Persisted(primaryKey: true) var id: Int
    @Persisted var name = ""
    @Persisted(originProperty: "keeper") var animals: LinkingObjects<Beast>
}

class Stable: Object {
    @Persisted var city = ""
    @Persisted var animals: List<Beast>
    @Persisted var favourites: MutableSet<Beast>
    @Persisted var byName: Map<String, Beast?>
    @Persisted var numbers: List<Int>
    @Persisted var words: MutableSet<String>
    @Persisted var notes: List<String?>
}

/// Six animals, two houses, two keepers, in a file of their own.
final class Zoo {
    static let types: [ObjectBase.Type] = [Beast.self, Horse.self, Keeper.self, Stable.self]
    let folder: Folder
    let realm: Realm

    init() throws {
        folder = try Folder()
        realm = try Realm(configuration: folder.configuration(Self.types))
        try realm.write {
            let ann = realm.create(Keeper.self, value: ["id": 1, "name": "Ann"]), bob = realm.create(Keeper.self, value: ["id": 2, "name": "Bob"])
            for (name, age, keeper) in [("Rex", 3, ann), ("Fido", 5, bob), ("Élan", 12, ann), ("ada", 5, nil)] as [(String, Int, Keeper?)] {
                realm.create(Beast.self, value: ["name": name, "age": age, "keeper": keeper as Any, "weight": age * 100, "tags": [name, "all"],
                                                  "marks": ["a": age], "price": Double(age) / 2, "born": Date(timeIntervalSince1970: Double(age))])
            }
            realm.create(Horse.self, value: ["name": "Jolly", "age": 20, "size": "large", "nick": "J", "isTame": true, "speed": 7, "any": 1])
            realm.create(Horse.self, value: ["name": "Zack", "age": 1, "size": "large", "any": "text", "price": 9.5])
            let animals = realm.objects(Beast.self), house = realm.create(Stable.self, value: ["city": "Oslo"])
            for place in [3, 0, 4, 0] { house.animals.append(animals[place]) }
            house.favourites.insert(objectsIn: [animals[1], animals[2]])
            for animal in animals[..<3] { house.byName[animal.name] = animal }
            house.byName["none"] = .some(nil)
            house.numbers.append(objectsIn: [3, 1, 2, 3])
            house.words.insert(objectsIn: ["b", "Z", "a"])
            house.notes.append(objectsIn: ["x", nil, "a", nil])
            realm.create(Stable.self, value: ["city": "Rome"])
        }
    }

    var animals: Results<Beast> { realm.objects(Beast.self) }
    var house: Stable { realm.objects(Stable.self)[0] }
}

extension Results {
    /// The query by the file's names.
    var text: String { source.subject?.query.description ?? "nothing" }
}
