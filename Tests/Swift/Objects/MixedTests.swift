import Foundation
import Freehold
import Testing

class Setting: Object {
    @Persisted(primaryKey: true) var name = ""
    @Persisted(indexed: true) var value: AnyRealmValue
    @Persisted var history: List<AnyRealmValue>
    @Persisted var seen: MutableSet<AnyRealmValue>
    @Persisted var byKey: Map<String, AnyRealmValue>
}

@Suite("Mixed values")
struct MixedTests {
    private let types: [ObjectBase.Type] = [Setting.self, Dog.self, Person.self]

    /// One value of each kind but objects and collections.
    private let samples: [AnyRealmValue] = [
        .none, .int(.max), .bool(true), .float(1.5), .double(-0.25), .string("a longer text than fits a word"), .data(Data([0, 255])),
        .date(Date(timeIntervalSince1970: 1.25)), .objectId(ObjectId("507f1f77bcf86cd799439011")), .decimal128("19.90"), .uuid(UUID()),
    ]

    @Test("a value of every kind comes back, alone and in collections, before and after the commit")
    func kinds() throws {
        let folder = try Folder()
        let realm = try Realm(configuration: folder.configuration(types))
        let settings = samples.enumerated().map { place, sample in
            let setting = Setting(value: ["name": "\(place)"])
            setting.value = sample
            setting.history.append(objectsIn: samples)
            setting.seen.insert(objectsIn: samples)
            for (place, sample) in samples.enumerated() { setting.byKey["\(place)"] = sample }
            return setting
        }
        func check() {
            for (setting, sample) in zip(settings, samples) {
                #expect(setting.value == sample)
                #expect(Array(setting.history) == samples)
                #expect(Set(setting.seen) == Set(samples))
                #expect(setting.seen.contains(sample))
                #expect(samples.indices.allSatisfy { setting.byKey["\($0)"] == samples[$0] })
            }
        }
        check()
        try realm.write {
            for setting in settings { realm.add(setting) }
            check()
        }
        check()
        #expect(settings[1].value.intValue == .max && settings[2].value.boolValue == true && settings[3].value.floatValue == 1.5)
        #expect(settings[4].value.doubleValue == -0.25 && settings[5].value.stringValue?.count == 30 && settings[6].value.dataValue?.count == 2)
        #expect(settings[7].value.dateValue == Date(timeIntervalSince1970: 1.25) && settings[8].value.objectIdValue?.stringValue == "507f1f77bcf86cd799439011")
        #expect(settings[9].value.decimal128Value == "19.9" && settings[10].value.uuidValue != nil)
        #expect(settings[0].value.intValue == nil && settings[1].value.stringValue == nil && settings[1].value.listValue == nil)
        try realm.write { settings[1].seen.remove(.int(.max)) }
        #expect(settings[1].seen.count == samples.count - 1)
    }

    @Test("links lead to objects of any class, which come along")
    func links() throws {
        let folder = try Folder()
        let realm = try Realm(configuration: folder.configuration(types)), setting = Setting(value: ["name": "links"])
        let dog = Dog(value: ["name": "Rex"])
        setting.value = .object(dog)
        setting.history.append(.object(Person(value: ["id": 7, "name": "Ann"])))
        setting.byKey["within"] = [.object(Dog(value: ["name": "Fido"])), ["deep": .object(Person(value: ["id": 8, "name": "Bob"]))]]
        try realm.write { realm.add(setting) }
        #expect(realm.objects(Dog.self).map(\.name).sorted() == ["Fido", "Rex"])
        #expect(realm.objects(Person.self).map(\.name) == ["Ann", "Bob"])
        #expect(dog.realm == realm)
        #expect(setting.value.object(Dog.self)?.name == "Rex")
        #expect(setting.value.object(Person.self) == nil)
        #expect(setting.history[0].object(Person.self)?.name == "Ann")
        #expect(setting.byKey["within"]?.listValue?[0].object(Dog.self)?.name == "Fido")
        #expect(setting.byKey["within"]?.listValue?[1].dictionaryValue?["deep"]?.object(Person.self)?.id == 8)
        try realm.write {
            realm.delete(dog)
            realm.delete(realm.objects(Person.self))
        }
        #expect(setting.value == .none)
        #expect(setting.history.count == 1 && setting.history[0] == .none)
        #expect(setting.byKey["within"]?.listValue?[1].dictionaryValue?["deep"] == AnyRealmValue.none)
        #expect(setting.byKey["within"]?.listValue?[0].object(Dog.self)?.name == "Fido")
    }

    @Test("lists and dictionaries within are live and can be written")
    func collections() throws {
        let folder = try Folder()
        let realm = try Realm(configuration: folder.configuration(types)), setting = Setting(value: ["name": "nested"])
        setting.value = ["sizes": [1, 2.5, nil], "name": "large", "on": true]
        #expect(setting.value.dictionaryValue?["sizes"]?.listValue?[1] == .double(2.5))
        try realm.write { realm.add(setting) }
        let sizes = try #require(setting.value.dictionaryValue?["sizes"]?.listValue)
        #expect(Array(sizes) == [.int(1), .double(2.5), .none])
        try realm.write {
            sizes.append("more")
            setting.value.dictionaryValue?["name"] = .string("small")
            setting.value.dictionaryValue?["on"] = nil
            setting.value.dictionaryValue?["deep"] = ["a": ["b": [1]]]
            setting.value.dictionaryValue?["deep"]?.dictionaryValue?["a"]?.dictionaryValue?["b"]?.listValue?.insert(0, at: 0)
            setting.history.append([1, [2]])
            setting.history[0].listValue?[1].listValue?.append(3)
            setting.byKey["x"] = ["y": nil]
            setting.byKey["x"]?.dictionaryValue?["y"] = .int(9)
        }
        #expect(sizes.count == 4 && sizes.last == .string("more"))
        #expect(setting.value == ["sizes": [1, 2.5, nil, "more"], "name": "small", "deep": ["a": ["b": [0, 1]]]])
        #expect(Array(setting.history) == [[1, [2, 3]]])
        #expect(setting.byKey["x"] == ["y": 9])
        #expect(mistakes { sizes.append(1) } == ["Cannot modify managed List outside of a write transaction."])
        try realm.write {
            setting.value.listValue?.removeAll()
            setting.value = .int(5)
        }
        #expect(sizes.isInvalidated)
        var count = -1
        #expect(mistakes { count = sizes.count } == ["This collection is no more."])
        #expect(count == 0)
        try realm.write { #expect(mistakes { sizes.append(1) } == ["This collection is no more."]) }
        #expect(setting.value == .int(5))
    }

    @Test("a collection that another kind replaces is invalidated, in the versions in which it is replaced")
    func replacedKinds() throws {
        let folder = try Folder()
        let realm = try Realm(configuration: folder.configuration(types)), setting = Setting(value: ["name": "kinds"])
        setting.value = [["deep": [1, 2]]]
        try realm.write { realm.add(setting) }
        let outer = try #require(setting.value.listValue), map = try #require(outer[0].dictionaryValue)
        let list = try #require(map["deep"]?.listValue), frozen = list.freeze()
        #expect(list.count == 2 && frozen.count == 2)
        let others: [AnyRealmValue] = [["deep": [1, 2]], 5, [], [[1, 2]], [["deep": ["k": 1]]], [["other": [1, 2]]]]
        for (number, other) in others.enumerated() {
            try realm.write {
                setting.value = other
                #expect(list.isInvalidated && outer.isInvalidated == (number < 2))
                #expect(mistakes { list.append(3) } == ["This collection is no more."])
            }
            #expect(list.isInvalidated)
            #expect(mistakes { _ = list.count } == ["This collection is no more."])
            #expect(frozen.thaw()?.isInvalidated == true && Array(frozen) == [1, 2])
        }
        try realm.write { setting.value = [["deep": [7, 8, 9]]] }
        #expect(Array(list) == [7, 8, 9] && map.keys == ["deep"] && outer.count == 1)
        try realm.write { list.append(10) }
        #expect(frozen.thaw().map { Array($0) } == [7, 8, 9, 10] && frozen.count == 2)
        try realm.write { realm.delete(setting) }
        #expect(list.isInvalidated && frozen.thaw() == nil && frozen.count == 2)
        #expect(mistakes { _ = list.count } == ["Object has been deleted or invalidated."])
    }

    @Test("a value is taken over from another property, itself included")
    func copying() throws {
        let folder = try Folder()
        let realm = try Realm(configuration: folder.configuration(types)), one = Setting(value: ["name": "one"]), two = Setting(value: ["name": "two"])
        one.value = [1, ["k": "v"]]
        try realm.write {
            realm.add([one, two])
            two.value = one.value
            one.value = one.value
            two.history = one.history
            two.history.append(one.value)
            one.value.listValue?.append(2)
        }
        #expect(one.value == [1, ["k": "v"], 2])
        #expect(two.value == [1, ["k": "v"]])
        #expect(Array(two.history) == [[1, ["k": "v"]]])
        let copy = Setting(value: one)
        #expect(copy.value == one.value)
        #expect(copy.value["k"] == nil)
        let endless = List<AnyRealmValue>()
        endless.append(.list(endless))
        try realm.write {
            #expect(mistakes { one.value = .list(endless) } == ["Lists and dictionaries can be nested at most 100 levels deep."])
            #expect(mistakes { one.seen.insert([1]) }.count == 1)
        }
        #expect(one.seen.isEmpty)
    }

    @Test("a link to an object of a class that the program does not have leads to a dynamic object")
    func strangers() throws {
        let folder = try Folder()
        func writing() throws {
            let realm = try Realm(configuration: folder.configuration(types)), setting = Setting(value: ["name": "s"])
            setting.value = .object(Dog(value: ["Rex", 3]))
            setting.history.append([.object(Dog(value: ["Fido", 4]))])
            try realm.write { realm.add(setting) }
            #expect(setting.value.dynamicObject == nil)
        }
        try writing()
        let realm = try Realm(configuration: folder.configuration([Setting.self])), setting = realm.objects(Setting.self)[0]
        let rex = try #require(setting.value.dynamicObject)
        #expect(rex.name as? String == "Rex" && rex["age"] as? Int == 3 && setting.value.object(Dog.self) == nil)
        try realm.write {
            rex["age"] = 5
            setting.byKey["rex"] = setting.value
        }
        #expect(setting.byKey["rex"]?.dynamicObject?.age as? Int == 5 && setting.history[0].listValue?[0].dynamicObject?.name as? String == "Fido")
    }

    @Test("paths lead through them, and they read well as text, also in circles")
    func pathsAndText() throws {
        let folder = try Folder()
        let realm = try Realm(configuration: folder.configuration(types)), setting = Setting(value: ["name": "s", "value": ["k": ["a": 1]], "byKey": ["x": 5]])
        try realm.write {
            realm.add(setting)
            setting.history.append(.object(setting))
            setting.setValue(2, forKeyPath: "value.k.a")
            setting.setValue("new", forKeyPath: "value.k.b")
            setting.setValue(nil, forKeyPath: "byKey.x")
        }
        #expect(setting.value == ["k": ["a": 2, "b": "new"]] && setting.byKey.isEmpty)
        #expect(setting.value(forKeyPath: "value.k.a") as? AnyRealmValue == .int(2) && setting.value(forKeyPath: "value.x.y") == nil)
        #expect(setting.value(forKeyPath: "value.k.@count") as? Int == 2 && setting.value(forKeyPath: "history.name") as? [String] == ["s"])
        #expect(mistakes { _ = setting.value(forKeyPath: "value.k.a.z") } == ["'z' was read from '2', which has no properties."])
        #expect(setting.description.replacing(#/<0x[0-9a-f]+>/#, with: "@").hasPrefix(
            "Setting {\n\tname = s;\n\tvalue = Map<string, mixed> @ (\n\t[k]: Map<string, mixed> @ (\n\t\t[a]: 2,"))
        #expect(setting.description.contains("<Maximum depth exceeded>"))
        #expect("\(AnyRealmValue.none) \(AnyRealmValue.int(5)) \(AnyRealmValue.string("t"))" == "(null) 5 t")
    }

    @Test("values without their type are what they say")
    func input() throws {
        let json = try JSONSerialization.jsonObject(with: Data(#"{"name": "j", "value": {"a": [1, 1.5, true, null, "t"]}, "history": [false, {"b": 2}]}"#.utf8))
        let setting = Setting(value: json)
        #expect(setting.value == ["a": [1, 1.5, true, nil, "t"]])
        #expect(Array(setting.history) == [false, ["b": 2]])
        setting["value"] = 3
        #expect(setting.value == .int(3))
        setting["value"] = nil
        #expect(setting.value == .none)
        setting["value"] = ["list": [Data([1]), UUID?.none as Any]]
        #expect(setting.value == ["list": [.data(Data([1])), nil]])
        #expect(setting["value"] as? AnyRealmValue == setting.value)
        #expect(mistakes { setting["value"] = (1, 2) } == ["Invalid value '(1, 2)' of type '(Int, Int)' for 'mixed' property 'Setting.value'."])
    }
}

extension AnyRealmValue {
    fileprivate subscript(key: String) -> AnyRealmValue? { dictionaryValue?[key] }
}
