import Foundation
@testable import Freehold
import Testing

class MixedBox: Object {
    @Persisted var items: List<AnyRealmValue>
    @Persisted var unique: MutableSet<AnyRealmValue>
    @Persisted var byKey: Map<String, AnyRealmValue>
    @Persisted var value: AnyRealmValue
}

class Mare: Beast {
    @Persisted var foals = 0
}

class Paddock: Object {
    @Persisted var mares: List<Mare>
}

/// Collections of mixed values, and of objects of classes that extend others: what counts as modified.
@Suite("What changed in collections of mixed values")
struct MixedChangeTests {
    private let watch: Watch
    private let told = Heard()
    private let box: MixedBox
    private var realm: Realm { watch.realm }

    init() throws {
        watch = try Watch([MixedBox.self, Dog.self, Person.self, Pet.self, Owner.self, Paddock.self, Mare.self] + Zoo.types)
        let realm = watch.realm
        box = try realm.write {
            let dog = realm.dog("Rex", 1), pet = realm.create(Pet.self, value: ["name": "Tom"]), box = MixedBox()
            realm.add(box)
            box.items.append(objectsIn: [.int(1), .object(dog), .string("x"), .object(pet), .object(dog)])
            box.unique.insert(objectsIn: [.int(1), .object(dog)])
            for (key, value) in [("a", .object(pet)), ("b", .int(1)), ("c", .object(dog))] as [(String, AnyRealmValue)] { box.byKey[key] = value }
            return box
        }
    }

    private func change(_ body: () -> Void) throws -> [String] {
        try realm.write(body)
        watch.turn()
        return told.take()
    }

    @Test("an element that links to an object is modified as the object is, of whatever class, and as what that links to")
    func links() throws {
        let tokens = [box.items.observe { told.add($0) }, box.unique.observe { told.add($0) }, box.byKey.observe { told.add($0) }]
        watch.turn()
        #expect(told.take() == ["initial 5", "initial 2", "initial 3"])
        let dog = realm.objects(Dog.self)[0], place = box.unique.firstIndex { $0 != .int(1) } ?? -1
        #expect(try change { dog.age = 2 } == ["-[] +[] ~[1, 4]", "-[] +[] ~[\(place)]", "-[] +[] ~[\"c\"]"])
        #expect(try change { realm.objects(Pet.self)[0].name = "Tim" } == ["-[] +[] ~[3]", "-[] +[] ~[\"a\"]"])
        #expect(try change { dog.owner = realm.create(Person.self, value: ["id": 1]) }.count == 3)
        #expect(try change { realm.objects(Person.self)[0].age = 9 }.first == "-[] +[] ~[1, 4]")
        #expect(try change { realm.dog("other") } == [])
        #expect(try change { box.items.remove(at: 1) } == ["-[1] +[] ~[]"])
        #expect(try change { (dog.age, box.items[0]) = (3, .int(7)) }.first == "-[] +[] ~[0, 3]")
        tokens.forEach { $0.invalidate() }
    }

    @Test("a mixed value's list is over once a map, or nothing, is in its place")
    func replaced() throws {
        try realm.write { box.value = .fromArray([.int(1), .object(realm.objects(Dog.self)[0])]) }
        let list = try #require(box.value.listValue), token = list.observe { told.add($0) }
        watch.turn()
        #expect(told.take() == ["initial 2"])
        #expect(try change { realm.objects(Dog.self)[0].age = 5 } == ["-[] +[] ~[1]"])
        #expect(try change { list.append(.int(3)) } == ["-[] +[2] ~[]"])
        #expect(try change { box.value = .fromDictionary(["k": .int(1)]) } == ["-[0, 1, 2] +[] ~[]"])
        #expect(try change { box.value = .fromArray([.int(9)]) } == [])
        let map = try realm.write { () -> Map<String, AnyRealmValue>? in
            box.value = .fromDictionary(["a": .int(1), "b": .object(realm.objects(Dog.self)[0])])
            return box.value.dictionaryValue
        }
        let keys = try #require(map).observe { told.add($0) }
        watch.turn()
        #expect(told.take() == ["initial 2"])
        #expect(try change { realm.objects(Dog.self)[0].age = 6 } == ["-[] +[] ~[\"b\"]"])
        #expect(try change { box.value = .none } == ["-[\"a\", \"b\"] +[] ~[]"])
        token.invalidate()
        keys.invalidate()
    }

    @Test("key paths over properties that only the elements' own class has")
    func subclasses() throws {
        let paddock = try realm.write { realm.create(Paddock.self, value: ["mares": [["name": "Bella"], ["name": "Stella"]]]) }
        let token = paddock.mares.observe(keyPaths: [\.foals]) { told.add($0) }
        watch.turn()
        _ = told.take()
        #expect(try change { paddock.mares[1].foals = 1 } == ["-[] +[] ~[1]"])
        #expect(try change { paddock.mares[1].name = "x" } == [])
        token.invalidate()
    }

    @Test("many lists that are looked at alike look for what a step touches once")
    func shared() throws {
        let owners = try realm.write { (0..<50).map { number in realm.create(Owner.self, value: ["pets": [["name": "p\(number)"]]]) } }
        let tokens = owners.map { $0.pets.observe { told.add($0) } }
        watch.turn()
        _ = told.take()
        #expect(realm.core.observers?.observed.count == 1)
        #expect(try change { owners[7].pets[0].name = "new" } == ["-[] +[] ~[0]"])
        tokens.forEach { $0.invalidate() }
    }

    @Test("who sleeps while a class is made hears of its objects")
    func newClass() throws {
        let folder = try Folder(), loop = try HostLoop()
        var configuration = folder.configuration([MixedBox.self, Dog.self, Person.self]), wider = folder.configuration([MixedBox.self, Dog.self, Person.self, Pet.self, Owner.self])
        (configuration.sleepingObserverBytes, wider.sleepingObserverBytes) = (0, 0)
        let realm = try Realm(configuration: configuration), box = MixedBox()
        realm.attach(to: loop)
        try realm.write {
            realm.add(box)
            box.items.append(.int(1))
            for age in 0..<100 { realm.dog("d\(age)", age) }
        }
        let token = box.items.observe { told.add($0) }
        realm.core.follow()
        #expect(told.take() == ["initial 1"])
        for age in 0..<20 {
            try onThread { [wider] in
                let realm = try Realm(configuration: wider)
                try realm.write {
                    for dog in realm.objects(Dog.self) { dog.age = age }
                    if age == 0 { realm.objects(MixedBox.self)[0].items.append(.object(realm.create(Pet.self, value: ["name": "Tom"]))) }
                }
            }
        }
        realm.core.follow()
        #expect(told.take() == ["initial 2"])
        try onThread { [wider] in
            let realm = try Realm(configuration: wider)
            try realm.write { realm.objects(Pet.self)[0].name = "Tim" }
        }
        realm.core.follow()
        #expect(told.take() == ["-[] +[] ~[1]"])
        token.invalidate()
    }

    @Test("what is gone without its observer being told of it stays gone")
    func silentlyGone() throws {
        let dog = try realm.write {
            box.value = .fromArray([.int(1)])
            return realm.dog("alone")
        }
        let list = try #require(box.value.listValue), items = box.items
        let tokens = [list.observe { told.add($0) }, dog.observe { told.add($0) }, items.observe { told.add($0) }]
        watch.turn()
        _ = told.take()
        try realm.write(withoutNotifying: tokens) {
            box.value = .none
            realm.delete(dog)
        }
        watch.turn()
        #expect(told.take() == [])
        #expect(try change { box.value = .fromArray([.int(1), .int(2)]) } == [])
        #expect(try change { items.append(.int(4)) } == ["-[] +[5] ~[]"])
        try realm.write(withoutNotifying: tokens) { realm.delete(box) }
        #expect(try change { realm.dog("other") } == [])
        tokens.forEach { $0.invalidate() }
    }
}
