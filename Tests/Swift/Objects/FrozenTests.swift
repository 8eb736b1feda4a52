import Foundation
@testable import Freehold
import FreeholdEngine
import Synchronization
import Testing

@Suite("What is frozen")
struct FrozenTests {
    private let types: [ObjectBase.Type] = [Person.self, Dog.self, Owner.self, Pet.self, Kennel.self, Address.self, OldOwner.self, OldPet.self]

    private func realm(_ folder: Folder) throws -> Realm {
        let realm = try Realm(configuration: folder.configuration(types))
        try realm.write {
            for id in 0..<600 { realm.create(Person.self, value: ["id": id, "name": "person \(id)", "age": id]) }
            realm.create(Owner.self, value: ["name": "Ann", "pets": [["name": "Rex"], ["name": "Fido"]], "phones": ["home": "1"], "tags": ["a", "b"]])
            realm.create(Kennel.self, value: ["name": "north", "address": ["street": "High", "number": 4]])
        }
        return realm
    }

    @Test("a frozen object keeps its values after later commits, and after it is deleted")
    func keepsValues() throws {
        let folder = try Folder(), realm = try realm(folder)
        let person = try #require(realm.object(ofType: Person.self, forPrimaryKey: 7)), frozen = person.freeze()
        #expect(frozen.isFrozen && !person.isFrozen && frozen.freeze() === frozen)
        try realm.write { person.age = 70 }
        #expect(frozen.age == 7 && person.age == 70 && frozen.name == "person 7")
        try realm.write { realm.delete(person) }
        #expect(frozen.age == 7 && !frozen.isInvalidated)
        #expect(frozen.thaw() == nil)
    }

    @Test("everything that belongs to a realm can be frozen and thawed")
    func everyKind() throws {
        let folder = try Folder(), realm = try realm(folder)
        let owner = try #require(realm.objects(Owner.self).first), kennel = try #require(realm.objects(Kennel.self).first)
        let rex = owner.pets[0], people = realm.objects(Person.self)
        let pets = owner.pets.freeze(), phones = owner.phones.freeze(), tags = owner.tags.freeze()
        let owners = rex.owners.freeze(), frozenPeople = people.freeze(), address = try #require(kennel.address?.freeze())
        try realm.write {
            owner.pets.removeAll()
            owner.phones["home"] = nil
            owner.tags.removeAll()
            realm.delete(Array(people))
            kennel.address?.number = 5
        }
        #expect(pets.isFrozen && pets.map(\.name) == ["Rex", "Fido"])
        #expect(phones.isFrozen && phones["home"] == "1" && phones.keys == ["home"])
        #expect(tags.isFrozen && tags.contains("a") && Array(tags).count == 2)
        #expect(owners.isFrozen && owners.map(\.name) == ["Ann"])
        #expect(frozenPeople.isFrozen && frozenPeople.count == 600 && frozenPeople[599].age == 599)
        #expect(address.isFrozen && address.number == 4)
        #expect(pets.thaw()?.count == 0 && phones.thaw()?.count == 0 && tags.thaw()?.count == 0 && owners.thaw()?.count == 0)
        #expect(frozenPeople.thaw()?.count == 0 && address.thaw()?.number == 5)
        #expect(pets.thaw()?.isFrozen == false && pets.thaw()?.realm == realm)
    }

    @Test("objects looked at by name can be frozen, and read by other threads")
    func dynamicObjects() throws {
        let folder = try Folder(), realm = try realm(folder)
        let people = Frozen(realm.dynamicObjects("Person")), owner = Frozen(try #require(realm.dynamicObjects("Owner").first))
        try realm.write { realm.delete(realm.objects(Person.self)) }
        try onThreads(4) { number in
            // Each thread meets the classes in another order.
            if number % 2 == 0 { #expect(people.value[number]["age"] as? Int == number) }
            #expect(owner.value["name"] as? String == "Ann" && owner.value.dynamicList("pets").count == 2)
            #expect(people.value.count == 600 && people.value[599]["name"] as? String == "person 599")
        }
        #expect(people.thaw()?.count == 0)
    }

    @Test("what is found in a frozen realm is frozen: links, lists, linking objects, old-style collections")
    func reachable() throws {
        let folder = try Folder(), realm = try realm(folder)
        try realm.write { realm.create(OldOwner.self, value: ["name": "Old", "pets": [["name": "Tom"]], "tags": ["x"]]) }
        let frozen = realm.freeze()
        #expect(frozen.isFrozen && frozen == realm.freeze() && frozen.freeze() == frozen)
        let owner = try #require(frozen.objects(Owner.self).first), old = try #require(frozen.objects(OldOwner.self).first)
        #expect(owner.isFrozen && owner.pets.isFrozen && owner.pets[0].isFrozen && owner.pets[0].owners.isFrozen && owner.pets[0].owners[0].isFrozen)
        #expect(old.pets.isFrozen && old.pets[0].name == "Tom" && old.pets[0].owners.count == 1 && old.tags.contains("x"))
        #expect(owner.realm == frozen && owner == owner.pets[0].owners[0])
        #expect(Set([owner]).contains(owner.pets[1].owners[0]))
    }

    @Test("freezing one version twice gives one realm, another version another")
    func cached() throws {
        let folder = try Folder(), realm = try realm(folder)
        let first = realm.freeze()
        #expect(realm.freeze() == first)
        try realm.write { realm.delete(Array(realm.objects(Owner.self))) }
        #expect(realm.freeze() != first)
        #expect(first.objects(Owner.self).count == 1 && realm.freeze().objects(Owner.self).count == 0)
    }

    @Test("a frozen version is kept as long as anything of it is held, and no longer")
    func released() throws {
        let folder = try Folder(), realm = try realm(folder)
        let database = try Database.open(folder.url.appendingPathComponent("test.freehold").path)
        func held() throws -> Int { Set(try database.information().holders.map(\.version)).count }
        var person: Person? = realm.objects(Person.self)[3].freeze()
        for age in 0..<3 { try realm.write { realm.objects(Person.self)[3].age = age } }
        realm.invalidate()
        _ = realm.objects(Person.self).count
        #expect(try held() == 2)
        let read = try onThread { [frozen = Frozen(person!)] in frozen.age }
        #expect(read == 3)
        person = nil
        #expect(try held() == 1)
    }

    @Test("a frozen realm goes on when the live one is gone, and its file is open until then")
    func outlives() throws {
        let folder = try Folder(), terms = try folder.configuration(types).terms()
        var live: Realm? = try realm(folder), frozen: Results<Person>? = live?.objects(Person.self).freeze()
        live = nil
        #expect(frozen?.last?.age == 599)
        #expect(frozen?.thaw()?.count == 600)
        #expect(SharedDatabase.isOpen(terms))
        frozen = nil
        #expect(!SharedDatabase.isOpen(terms))
    }

    @Test("many threads read one frozen realm at once, by every way, and the same instances")
    func manyThreads() throws {
        let folder = try Folder(), realm = try realm(folder)
        let people = Frozen(realm.objects(Person.self)), one = Frozen(people.value[300]), pets = Frozen(realm.objects(Owner.self)[0].pets)
        let all = Frozen(realm), kept = Smuggled(Array(people.value))
        let sums = Mutex<[Int]>([])
        try onThreads(8) { number in
            var sum = 0
            for _ in 0..<20 {
                for person in people.value { sum += person.age }
                for person in kept.value { sum += person.age - person.id }
                sum += one.age + one.name.count + people.value[number].age - number
                sum += pets.value.map(\.name.count).reduce(0, +) + (pets.value[0].owners.first?.phones.count ?? 0)
                sum += all.value.object(ofType: Person.self, forPrimaryKey: 5)?.age ?? 0
            }
            sums.withLock { $0.append(sum) }
        }
        let one20 = (0..<600).reduce(0, +) + 300 + "person 300".count + 7 + 1 + 5
        #expect(sums.withLock { $0 } == Array(repeating: one20 * 20, count: 8))
    }

    @Test("going through what is frozen continues on another thread where it was")
    func iterationMoves() throws {
        let folder = try Folder(), realm = try realm(folder)
        for stop in [1, 255, 256, 300, 599] {
            var iterator = realm.objects(Person.self).freeze().makeIterator(), seen: [Int] = []
            for _ in 0..<stop { seen.append(iterator.next()!.id) }
            let moved = Smuggled(iterator)
            seen += try onThread {
                var iterator = moved.value, ids: [Int] = []
                while let person = iterator.next() { ids.append(person.id) }
                return ids
            }
            #expect(seen == Array(0..<600))
        }
    }

    @Test("the reader of a thread goes with the thread")
    func threadsEnd() throws {
        let folder = try Folder(), realm = try realm(folder), frozen = Frozen(realm)
        for _ in 0..<3 { #expect(try onThread { frozen.value.objects(Person.self).count } == 600) }
        #expect(frozen.value.core.frozen?.readerCount == 0)
        #expect(frozen.value.objects(Person.self)[1].age == 1)
        #expect(frozen.value.core.frozen?.readerCount == 1)
    }

    @Test("in a write transaction what was there before is frozen, and what it made is refused")
    func withinWrite() throws {
        let folder = try Folder(), realm = try realm(folder)
        try realm.write {
            let person = realm.objects(Person.self)[4]
            person.age = 40
            let frozen = person.freeze()
            #expect(frozen.age == 4 && person.age == 40)
            let made = realm.create(Person.self, value: ["id": 1000])
            #expect(mistakes { _ = made.freeze() } == ["Cannot freeze an object in the same write transaction as it was created in."])
            #expect(frozen.thaw()?.age == 40)
        }
    }

    @Test("what cannot be frozen, thawed or changed says so")
    func misuse() throws {
        let folder = try Folder(), realm = try realm(folder), frozen = realm.freeze()
        #expect(mistakes { _ = Person().freeze() } == ["Unmanaged objects cannot be frozen."])
        #expect(mistakes { _ = Person().thaw() } == ["Unmanaged objects cannot be thawed."])
        #expect(mistakes { _ = List<Int>().freeze() } == ["This method may only be called on RLMArray instances retrieved from an RLMRealm"])
        #expect(mistakes { frozen.beginWrite() } == ["Can't perform transactions on a frozen Realm"])
        #expect(try mistakes { try frozen.write {} }.first == "Can't perform transactions on a frozen Realm")
        let person = frozen.objects(Person.self)[3], owner = frozen.objects(Owner.self)[0]
        #expect(mistakes { person.age = 4 } == ["Attempting to modify a frozen object - call thaw on the Object instance first."])
        #expect(mistakes { owner.pets.removeAll() } == ["Attempting to modify a frozen List - call thaw on the List instance first."])
        #expect(mistakes { frozen.add(Person()) } == ["Can't perform transactions on a frozen Realm"])
        #expect(mistakes { frozen.delete(person) } == ["Can't perform transactions on a frozen Realm"])
        #expect(person.age == 3 && owner.pets.count == 2 && !frozen.refresh())
        try realm.write {
            let gone = realm.objects(Person.self)[9]
            realm.delete(gone)
            #expect(mistakes { _ = gone.freeze() } == ["Object has been deleted or invalidated."])
        }
    }

    @Test("an invalidated frozen realm is closed for good; the version can be frozen anew")
    func invalidated() throws {
        let folder = try Folder(), realm = try realm(folder), frozen = realm.freeze(), person = frozen.objects(Person.self)[3]
        frozen.invalidate()
        #expect(mistakes { _ = frozen.objects(Person.self).count } == ["Cannot read from a frozen Realm which has been invalidated."])
        #expect(mistakes { _ = person.name } == ["Cannot read from a frozen Realm which has been invalidated."])
        #expect(realm.freeze() != frozen && realm.freeze().objects(Person.self)[3].age == 3)
    }

    @Test("an encrypted file is read frozen by several threads")
    func encrypted() throws {
        let folder = try Folder()
        var configuration = folder.configuration(types)
        configuration.encryptionKey = Data((0..<64).map { UInt8($0) })
        let realm = try Realm(configuration: configuration)
        try realm.write { for id in 0..<2000 { realm.create(Person.self, value: ["id": id, "name": "person \(id)", "age": id]) } }
        let people = Frozen(realm.objects(Person.self))
        try onThreads(4) { _ in
            #expect(people.value.reduce(0) { $0 + $1.age } == (0..<2000).reduce(0, +))
            #expect(people.value.allSatisfy { $0.name == "person \($0.id)" })
        }
    }
}
