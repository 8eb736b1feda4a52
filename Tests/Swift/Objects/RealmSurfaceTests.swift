import Foundation
@testable import Freehold
import Testing

class Visit: Object {
    @Persisted(primaryKey: true) var shade = Shade.green
    @Persisted var name: String?
}

class Stay: Object, Codable {
    var nights = RealmProperty<Int?>()
    var score = RealmProperty<Double>()
}

class Mixture: Object {
    @Persisted var any: AnyRealmValue
    @Persisted var even: Even?
    @Persisted var evens: List<Even>
}

class Weighed: Object {
    @Persisted(primaryKey: true) var weight: Weight
    @Persisted var name = ""
}

/// Declarations of Realm's that are small by themselves.
@Suite("What else Realm declares")
struct RealmSurfaceTests {
    private let folder: Folder
    private let realm: Realm

    init() throws {
        folder = try Folder()
        realm = try Realm(configuration: folder.configuration([Visit.self, Stay.self, Kennel.self, Dog.self, Person.self, Address.self, Owner.self, Pet.self, Mixture.self, Weighed.self]))
    }

    @Test("an enumeration is a primary key")
    func enumerationAsKey() throws {
        try realm.write {
            realm.add(Visit())
            realm.create(Visit.self, value: ["shade": "red", "name": "x"])
            realm.create(Visit.self, value: ["shade": Shade.red, "name": "y"] as [String: Any], update: .modified)
        }
        #expect(realm.objects(Visit.self).count == 2 && realm.schema["Visit"]?.primaryKeyProperty?.type == .string)
        #expect(realm.object(ofType: Visit.self, forPrimaryKey: Shade.red)?.name == "y" && realm.object(ofType: Visit.self, forPrimaryKey: "green")?.name == nil)
        #expect(realm.object(ofType: Visit.self, forPrimaryKey: Shade.rose) == nil)
    }

    @Test("RealmProperty is encoded as its value, and compared by it")
    func properties() throws {
        let stay = try JSONDecoder().decode(Stay.self, from: Data(#"{"score": 2.5}"#.utf8))
        #expect(stay.nights.value == nil && stay.score.value == 2.5)
        #expect(try JSONDecoder().decode(Stay.self, from: Data(#"{"nights": null, "score": 1}"#.utf8)).nights == RealmProperty(nil))
        stay.nights.value = 3
        #expect(stay.nights == RealmProperty(3) && stay.nights != RealmProperty(4))
        try realm.write { realm.add(stay) }
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        #expect(try String(decoding: encoder.encode(realm.objects(Stay.self)), as: UTF8.self) == #"[{"nights":3,"score":2.5}]"#)
    }

    @Test("errors are made of codes")
    func errors() {
        let error = Realm.Error(.fail), told = Realm.Error(.fileNotFound, userInfo: [NSLocalizedDescriptionKey: "none", NSFilePathErrorKey: "/x"])
        #expect(error.code == .fail && !error.localizedDescription.isEmpty && told.localizedDescription == "none" && told.fileURL?.path == "/x")
        #expect(error == Realm.Error(.fail))
    }

    @Test("values that mixed properties cannot hold are refused: sets")
    func sets() throws {
        let set = MutableSet<Int>(), list = List<Int>(), stay = Mixture()
        set.insert(1)
        list.append(1)
        let told = ["Invalid value '\(set)' of type 'MutableSet<Int>' for 'mixed' property 'Mixture.any'."]
        try realm.write { realm.add(stay) }
        for object in [Mixture(), stay] {
            try realm.write {
                #expect(mistakes { object["any"] = set } == told && object.any == .none)
                object["any"] = list
                #expect(object.any.listValue.map { Array($0) } == [.int(1)])
            }
        }
        #expect(mistakes { _ = Mixture(value: ["any": set]) } == told)
        try realm.write {
            #expect(mistakes { realm.create(Mixture.self, value: ["any": set]) } == told)
            #expect(mistakes { realm.dynamicObjects("Mixture")[0]["any"] = set }.first?.hasSuffix("of type 'MutableSet<Int>' for 'mixed?' property 'Mixture.any'.") == true)
        }
        #expect(realm.objects(Mixture.self).count == 1 && stay.any.listValue?.count == 1)
    }

    @Test("a value that a failable wrapper makes nothing of is refused, and stores nothing")
    func failableWrapper() throws {
        try realm.write {
            #expect(mistakes { realm.create(Mixture.self, value: ["even": 3]) } == ["Invalid value '3' of type 'Int' for 'int?' property 'Mixture.even'."])
            #expect(mistakes { realm.create(Mixture.self, value: ["evens": [2, 3]]) }.count == 1)
            #expect(mistakes { realm.dynamicCreate("Mixture", value: ["even": 4]) } == [])
        }
        #expect(realm.objects(Mixture.self).map(\.even?.number) == [4])
    }

    @Test("a wrapper is a primary key")
    func wrapperAsKey() throws {
        try realm.write {
            realm.create(Weighed.self, value: ["weight": 5, "name": "a"])
            realm.create(Weighed.self, value: ["weight": Weight(grams: 7), "name": "b"] as [String: Any])
            realm.create(Weighed.self, value: ["weight": 5, "name": "c"], update: .modified)
            realm.add(Weighed())
        }
        #expect(realm.objects(Weighed.self).count == 3 && realm.schema["Weighed"]?.primaryKeyProperty?.type == .int)
        #expect(realm.object(ofType: Weighed.self, forPrimaryKey: Weight(grams: 5))?.name == "c" && realm.object(ofType: Weighed.self, forPrimaryKey: 7)?.name == "b")
        #expect(realm.object(ofType: Weighed.self, forPrimaryKey: Weight(grams: 6)) == nil)
        #expect(refusalCode { try realm.write { realm.add(Weighed(value: ["weight": 7])) } } == .invalidInput)
    }

    @Test("an observer of any object, and key paths of a map's objects")
    func observers() throws {
        let dog = Dog(value: ["name": "Fido"]), owner = Owner(value: ["name": "o"])
        try realm.write {
            realm.add(dog)
            realm.add(owner)
            owner.byName["a"] = Pet(value: ["name": "a"])
        }
        let loop = try HostLoop()
        realm.attach(to: loop)
        var changed: [String] = [], kinds: [String] = [], updates = 0
        func note(_ change: ObjectChange<ObjectBase>) {
            if case .change(let object, let properties) = change {
                kinds.append(object.className)
                changed += properties.map(\.name)
            }
        }
        let tokens = [dog.observe(note), owner.byName.observe(keyPaths: [\Pet.name]) { if case .update = $0 { updates += 1 } }]
        loop.deliver()
        try realm.write { dog.age = 3 }
        loop.deliver()
        try realm.write { owner.byName["a"]??.name = "b" }
        loop.deliver()
        #expect(kinds == ["Dog"] && changed == ["age"] && updates == 1)
        #expect(mistakes { _ = dog.observe { (_: ObjectChange<Person>) in } } == ["An object of class 'Dog' cannot be observed as 'Person'."])
        for token in tokens { token.invalidate() }
    }

    @Test("descriptions are Realm's")
    func descriptions() throws {
        try realm.write {
            let dog = realm.create(Dog.self, value: ["name": "Fido", "age": 1]), kennel = realm.create(Kennel.self, value: ["name": "K", "scores": [1, 2]])
            kennel.dogs.append(dog)
            kennel.notes.append(objectsIn: ["x", nil])
            realm.create(Person.self, value: ["id": 1, "email": "a@b", "height": 5, "isFirst": true])
            realm.create(Owner.self, value: ["name": "o", "phones": ["home": "5", "work": "6"]])
            realm.create(Visit.self, value: ["shade": "rose"])
        }
        let person = realm.objects(Person.self)[0].description, kennel = realm.objects(Kennel.self)[0], owner = realm.objects(Owner.self)[0]
        #expect(person.contains("\temail = a@b;\n") && person.contains("\theight = 5;\n") && person.contains("\tisFirst = 1;\n"))
        #expect(person.contains("\tfriend = (null);\n") && !person.contains("Optional"))
        let address = #/<0x[0-9a-f]+>/#
        #expect(kennel.scores.description.replacing(address, with: "@") == "List<int> @ (\n\t[0] 1,\n\t[1] 2\n)")
        #expect(kennel.notes.description.replacing(address, with: "@") == "List<string> @ (\n\t[0] x,\n\t[1] (null)\n)")
        #expect(kennel.branches.description.replacing(address, with: "@") == "List<Address> @ (\n\n)")
        #expect(kennel.dogs.description.replacing(address, with: "@")
            == "List<Dog> @ (\n\t[0] Dog {\n\t\tname = Fido;\n\t\tage = 1;\n\t\towner = (null);\n\t}\n)")
        #expect(realm.objects(Dog.self).description.replacing(address, with: "@").hasPrefix("Results<Dog> @ (\n\t[0] Dog {\n"))
        #expect(owner.tags.description.replacing(address, with: "@") == "MutableSet<string> @ (\n\n)")
        #expect(owner.phones.description.replacing(address, with: "@") == "Map<string, string> @ (\n[home]: 5,\n[work]: 6\n)")
        #expect(Pet().owners.description.replacing(address, with: "@") == "LinkingObjects<Owner> @ (\n\n)")
        #expect(realm.objects(Visit.self)[0].description == "Visit {\n\tshade = rose;\n\tname = (null);\n}" && RealmProperty<Int?>(5).description == "5")
        #expect(realm.schema["Kennel"]?["dogs"]?.description.contains("\tobjectClassName = Dog;\n\tlinkOriginPropertyName = (null);\n") == true)
    }
}
