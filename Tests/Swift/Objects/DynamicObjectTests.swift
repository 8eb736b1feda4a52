import Foundation
import Freehold
import FreeholdEngine
import Testing

@Suite("Objects by name")
struct DynamicObjectTests {
    private func realm(_ folder: Folder) throws -> Realm {
        do {
            _ = try folder.file([
                ClassSchema("Foreign", primaryKey: "key", [
                    PropertySchema("key", .string), PropertySchema("count", .int), PropertySchema("share", .double, isNullable: true),
                    PropertySchema("when", .date), PropertySchema("id", .uuid), PropertySchema("other", linkTo: "Foreign"),
                    PropertySchema("numbers", .int, collections: [.list]), PropertySchema("names", .string, isNullable: true, collections: [.map]),
                    PropertySchema("tags", .string, collections: [.set]), PropertySchema("others", linkTo: "Foreign", collections: [.list]),
                    PropertySchema("byName", linkTo: "Foreign", collections: [.map]), PropertySchema("group", linkTo: "Foreign", collections: [.set]),
                    PropertySchema("part", linkTo: "Part"), PropertySchema("parts", linkTo: "Part", collections: [.list]),
                    PropertySchema("grid", .int, collections: [.list, .list]), PropertySchema("bytes", .data),
                ]),
                ClassSchema("Part", isEmbedded: true, [PropertySchema("x", .int), PropertySchema("of", linkTo: "Foreign")]),
            ])
        }
        return try Realm(configuration: folder.configuration([Person.self, Dog.self]))
    }

    @Test("objects of classes that the program does not have are made, read, changed and deleted")
    func foreign() throws {
        let folder = try Folder(), realm = try realm(folder)
        try realm.write {
            let one = realm.dynamicCreate("Foreign", value: [
                "key": "one", "count": 3, "share": 0.5, "when": Date(timeIntervalSince1970: 5), "numbers": [1, 2, 3], "names": ["a": "x", "b": nil] as [String: Any?],
                "tags": ["t", "u", "t"], "others": [["key": "two"], ["key": "three", "count": 9]], "part": ["x": 4], "parts": [["x": 5], ["x": 6]],
                "grid": [[1, 2], [3]], "bytes": Data([1, 2]),
            ] as [String: Any])
            one["other"] = realm.dynamicObject(ofType: "Foreign", forPrimaryKey: "two")
            one["byName"] = ["self": one]
            one["group"] = [one]
        }
        let one = try #require(realm.dynamicObject(ofType: "Foreign", forPrimaryKey: "one"))
        #expect(one["count"] as? Int == 3 && one.share as? Double == 0.5 && one["when"] as? Date == Date(timeIntervalSince1970: 5))
        #expect(one["id"] is UUID && one["bytes"] as? Data == Data([1, 2]))
        #expect((one["numbers"] as? List<Int>).map { Array($0) } == [1, 2, 3])
        #expect((one["tags"] as? MutableSet<String>).map { Set($0) } == ["t", "u"])
        #expect((one["names"] as? Map<String, String?>)?["a"] == "x" && (one["names"] as? Map<String, String?>)?.count == 2)
        #expect((one["other"] as? DynamicObject)?["key"] as? String == "two")
        #expect(one.dynamicList("others").map { $0["count"] as? Int } == [0, 9])
        #expect(one.dynamicMap("byName")["self"]??["key"] as? String == "one")
        #expect(one.dynamicMutableSet("group").first?.isSameObject(as: one) == true)
        #expect((one["part"] as? DynamicObject)?["x"] as? Int == 4)
        #expect(one.dynamicList("parts").map { $0["x"] as? Int } == [5, 6])
        #expect((one["grid"] as? [Any])?.count == 2)
        #expect(realm.dynamicObjects("Foreign").count == 3)
        try realm.write {
            one["count"] = 4
            one.share = nil
            one.dynamicList("others").append(one)
            one.dynamicList("others").remove(at: 0)
            one["parts"] = nil
            one["part"] = ["x": 7, "of": one]
            realm.dynamicCreate("Foreign", value: ["key": "three", "count": 10], update: .modified)
        }
        #expect(one["count"] as? Int == 4 && one["share"] == nil)
        #expect(one.dynamicList("others").map { $0["key"] as? String } == ["three", "one"])
        #expect(one.dynamicList("others").first?["count"] as? Int == 10)
        #expect(one.dynamicList("parts").isEmpty)
        #expect(((one["part"] as? DynamicObject)?["of"] as? DynamicObject)?.isSameObject(as: one) == true)
        try realm.write { realm.delete(one) }
        #expect(one.isInvalidated && realm.dynamicObjects("Foreign").count == 2 && realm.dynamicObjects("Part").isEmpty)
    }

    @Test("an object by name and one of its class stand for the same row, also within a write transaction")
    func both() throws {
        let folder = try Folder(), realm = try realm(folder), person = Person(value: ["id": 1, "name": "Ann"])
        try realm.write { realm.add(person) }
        let same = try #require(realm.dynamicObject(ofType: "Person", forPrimaryKey: 1))
        #expect((0..<3).allSatisfy { _ in person.age == 0 && same["age"] as? Int == 0 })
        try realm.write {
            for age in 1...3 {
                same["age"] = age
                #expect(person.age == age)
                person.age = age * 10
                #expect(same["age"] as? Int == age * 10)
            }
            same["friend"] = person
            #expect(person.friend?.name == "Ann")
        }
        #expect(same["name"] as? String == "Ann" && same.value(forKeyPath: "friend.name") as? String == "Ann")
        #expect(realm.dynamicObjects("Person").map { $0["id"] as? Int } == [1])
    }

    @Test("a list by name follows one of the class, and the other way round")
    func lists() throws {
        let folder = try Folder()
        let realm = try Realm(configuration: folder.configuration([Kennel.self, Dog.self, Person.self, Address.self]))
        let kennel = Kennel(value: ["name": "K", "dogs": [["name": "Rex"]], "address": ["street": "S"]])
        try realm.write { realm.add(kennel) }
        let list = kennel.dynamicList("dogs"), dynamic = try #require(realm.dynamicObjects("Kennel").first)
        #expect(list.map { $0["name"] as? String } == ["Rex"])
        #expect((dynamic["address"] as? DynamicObject)?["street"] as? String == "S")
        try realm.write {
            kennel.dogs.append(Dog(value: ["name": "Fido"]))
            #expect(list.count == 2)
            list.remove(at: 0)
            #expect(kennel.dogs.map(\.name) == ["Fido"])
            kennel.dogs.append(Dog(value: ["name": "Ace"]))
            #expect(list.map { $0["name"] as? String } == ["Fido", "Ace"])
        }
        #expect(dynamic.description.contains("street = S"))
    }

    @Test("a class by name has the objects of those that extend it, each of its own class")
    func families() throws {
        let folder = try Folder(), realm = try Realm(configuration: folder.configuration([Cat.self]))
        try realm.write {
            realm.add(Cat(value: ["name": "Tom", "lives": 7]))
            realm.add(Animal(value: ["name": "Bear"]))
        }
        let animals = realm.dynamicObjects("Animal")
        #expect(animals.map(\.objectSchema.className) == ["Cat", "Animal"])
        #expect(animals[0]["lives"] as? Int == 7 && animals.map { $0["name"] as? String } == ["Tom", "Bear"])
        #expect(realm.dynamicObjects("Cat").count == 1)
    }

    @Test("mistakes are told in so many words")
    func mistaken() throws {
        let folder = try Folder(), realm = try realm(folder)
        #expect(mistakes { _ = realm.dynamicObjects("Nothing") } == ["Object type 'Nothing' is not managed by the Realm."])
        #expect(mistakes { _ = realm.dynamicCreate("Foreign") }.first?.hasPrefix("Can only add, remove, or create objects in a Realm in a write transaction") == true)
        try realm.write {
            let one = realm.dynamicCreate("Foreign", value: ["key": "one"])
            #expect(mistakes { one["count"] = "many" } == ["Invalid value 'many' of type 'String' for 'int' property 'Foreign.count'."])
            #expect(mistakes { one["nothing"] = 1 } == ["Invalid property name 'nothing' for class 'Foreign'."])
            #expect(mistakes { _ = one["nothing"] } == ["Invalid property name 'nothing' for class 'Foreign'."])
            #expect(mistakes { one["key"] = "two" } == ["Primary key can't be changed after an object is inserted."])
            #expect(mistakes { realm.dynamicCreate("Part") } == ["Cannot create an object of the embedded class 'Part' without an owner."])
            let person = realm.create(Person.self, value: ["id": 1])
            #expect(mistakes { one["other"] = person }.first?.hasPrefix("Invalid value") == true)
            #expect(mistakes { _ = one.dynamicList("count") } == ["Property 'Foreign.count' is not a list of objects."])
        }
        let one = try #require(realm.dynamicObjects("Foreign").first)
        #expect(mistakes { one["count"] = 1 } == ["Cannot modify managed objects outside of a write transaction."])
    }

    @Test("they follow classes that other programs change")
    func changedMeanwhile() throws {
        let folder = try Folder(), realm = try realm(folder)
        try realm.write { realm.dynamicCreate("Foreign", value: ["key": "one", "count": 5]) }
        #expect(realm.dynamicObjects("Foreign")[0]["count"] as? Int == 5)
        try Database.open(folder.path).write { transaction in
            try transaction.changeType(of: "count", in: "Foreign", to: .string)
            try transaction.addProperty(PropertySchema("more", .int), to: "Foreign")
        }
        realm.refresh()
        #expect(realm.dynamicObjects("Foreign")[0]["count"] as? String == "5")
        #expect(realm.dynamicObjects("Foreign")[0]["more"] as? Int == 0)
        #expect(realm.storedSchema["Foreign"]?["count"]?.type == .string)
    }

    @Test("mixed values come as what they are, and link to objects of any class")
    func mixed() throws {
        let folder = try Folder()
        do {
            _ = try folder.file([
                ClassSchema("Setting", [PropertySchema("value", .mixed), PropertySchema("all", .mixed, collections: [.list])]), ClassSchema("Thing", [PropertySchema("x", .int)]),
            ])
        }
        let realm = try Realm(configuration: folder.configuration([Dog.self, Person.self]))
        try realm.write {
            let setting = realm.dynamicCreate("Setting", value: ["value": 5, "all": [1, "two", nil] as [Any?]])
            #expect(setting["value"] as? Int == 5)
            #expect((setting["all"] as? List<AnyRealmValue>).map { Array($0) } == [.int(1), .string("two"), AnyRealmValue.none])
            setting["value"] = realm.dynamicCreate("Thing", value: ["x": 7])
            #expect((setting["value"] as? DynamicObject)?["x"] as? Int == 7)
            setting["value"] = ["a": [1, 2]]
            (setting["value"] as? Map<String, AnyRealmValue>)?["b"] = .bool(true)
            #expect((setting["value"] as? Map<String, AnyRealmValue>)?["b"] == .bool(true))
            setting["value"] = nil
            #expect(setting["value"] == nil)
        }
    }

    @Test("objects that link to one are found by the name that the program's class has for them")
    func linking() throws {
        let folder = try Folder(), realm = try Realm(configuration: folder.configuration([Owner.self, Pet.self]))
        try realm.write {
            let rex = realm.create(Pet.self, value: ["name": "Rex"])
            for name in ["Ann", "Bea"] { realm.create(Owner.self, value: ["name": name, "pets": [rex]]) }
        }
        let rex = realm.dynamicObjects("Pet")[0]
        let owners = try #require(rex["owners"] as? LinkingObjects<DynamicObject>)
        #expect(owners.map { $0["name"] as? String } == ["Ann", "Bea"] && owners[1].name as? String == "Bea")
        #expect(owners.value(forKey: "name") as? [String] == ["Ann", "Bea"] && (rex.value(forKeyPath: "owners.@count") as? Int) == 2)
        #expect(owners == rex["owners"] as? LinkingObjects<DynamicObject> && owners.index(of: owners[1]) == 1)
        let frozen = owners.freeze()
        try realm.write { realm.delete(owners[0]) }
        #expect(owners.map { $0["name"] as? String } == ["Bea"] && owners.realm == realm)
        #expect(frozen.map { $0["name"] as? String } == ["Ann", "Bea"] && frozen.thaw()?.count == 1)
        try realm.write { realm.delete(rex) }
        #expect(owners.isInvalidated && owners.isEmpty)
        #expect(mistakes { _ = realm.dynamicObjects("Owner")[0]["owners"] } == ["Invalid property name 'owners' for class 'Owner'."])
    }
}
