import Dispatch
import Foundation
@testable import Freehold
import FreeholdEngine
import Testing

@Suite("References across threads")
struct ThreadReferenceTests {
    private let types: [ObjectBase.Type] = [Owner.self, Pet.self, Kennel.self, Dog.self, Person.self, Address.self]

    private func owner(_ realm: Realm) throws -> Owner {
        try realm.write { realm.create(Owner.self, value: ["name": "Ann", "pets": [["name": "Rex"]], "phones": ["home": "1"], "tags": ["a"]]) }
    }

    @Test("objects, lists, sets, maps, results and linking objects arrive on another thread")
    func everyKind() throws {
        let folder = try Folder(), configuration = folder.configuration(types), realm = try Realm(configuration: configuration)
        let owner = try owner(realm)
        let object = ThreadSafeReference(to: owner), list = ThreadSafeReference(to: owner.pets), map = ThreadSafeReference(to: owner.phones)
        let set = ThreadSafeReference(to: owner.tags), results = ThreadSafeReference(to: realm.objects(Pet.self))
        let linking = ThreadSafeReference(to: owner.pets[0].owners)
        let told = try onThread {
            let realm = try Realm(configuration: configuration)
            return [realm.resolve(object)?.name, realm.resolve(list)?.first?.name, realm.resolve(map)?["home"], realm.resolve(set)?.first,
                    realm.resolve(results)?.first?.name, realm.resolve(linking)?.first?.name]
        }
        #expect(told == ["Ann", "Rex", "1", "a", "Rex", "Ann"])
        #expect(object.isInvalidated)
    }

    @Test("resolving moves a realm that is behind to where the reference was made")
    func catchesUp() throws {
        let folder = try Folder(), configuration = folder.configuration(types), realm = try Realm(configuration: configuration)
        _ = realm.objects(Owner.self).count
        let reference = try onThread {
            let realm = try Realm(configuration: configuration)
            return ThreadSafeReference(to: try realm.write { realm.create(Owner.self, value: ["name": "Ben"]) })
        }
        #expect(realm.objects(Owner.self).count == 0)
        #expect(realm.resolve(reference)?.name == "Ben")
    }

    @Test("what was deleted, or made by a cancelled write, is not found, nor another object under its key")
    func gone() throws {
        let folder = try Folder(), configuration = folder.configuration(types), realm = try Realm(configuration: configuration)
        let owner = try owner(realm), deleted = ThreadSafeReference(to: owner), list = ThreadSafeReference(to: owner.pets)
        try realm.write { realm.delete(owner) }
        #expect(realm.resolve(deleted) == nil && realm.resolve(list) == nil)
        realm.beginWrite()
        let cancelled = ThreadSafeReference(to: realm.create(Person.self, value: ["id": 5]))
        realm.cancelWrite()
        try realm.write { realm.create(Person.self, value: ["id": 5]) }
        #expect(try onThread { try Realm(configuration: configuration).resolve(cancelled) == nil })
        let replaced = ThreadSafeReference(to: realm.objects(Person.self)[0])
        try realm.write { realm.delete(Array(realm.objects(Person.self))) }
        try realm.write { realm.create(Person.self, value: ["id": 5]) }
        #expect(realm.resolve(replaced) == nil)
    }

    @Test("within its write a reference finds what the write made; elsewhere only once that is committed")
    func withinWrite() throws {
        let folder = try Folder(), configuration = folder.configuration(types), realm = try Realm(configuration: configuration)
        realm.beginWrite()
        let person = realm.create(Person.self, value: ["id": 5])
        let (here, early, late) = (ThreadSafeReference(to: person), ThreadSafeReference(to: person), ThreadSafeReference(to: person))
        #expect(realm.resolve(here)?.id == 5)
        #expect(try onThread { try Realm(configuration: configuration).resolve(early) == nil })
        try realm.commitWrite()
        #expect(try onThread { try Realm(configuration: configuration).resolve(late)?.id } == 5)
    }

    @Test("what cannot be passed, or is resolved twice or in another file, says so")
    func misuse() throws {
        let folder = try Folder(), realm = try Realm(configuration: folder.configuration(types)), owner = try owner(realm)
        let other = try Realm(configuration: folder.configuration(types, name: "other.freehold"))
        #expect(mistakes { _ = ThreadSafeReference(to: Owner()) } == ["Cannot construct reference to unmanaged object, which can be passed across threads directly"])
        #expect(mistakes { _ = ThreadSafeReference(to: List<Int>()) } == ["Cannot construct reference to unmanaged object, which can be passed across threads directly"])
        let reference = ThreadSafeReference(to: owner)
        #expect(realm.resolve(reference)?.isSameObject(as: owner) == true)
        #expect(mistakes { _ = realm.resolve(reference) } == ["Can only resolve a thread safe reference once."])
        let elsewhere = ThreadSafeReference(to: owner)
        #expect(mistakes { _ = other.resolve(elsewhere) } == ["Cannot resolve thread safe reference in Realm with different configuration than the source Realm."])
        try realm.write { realm.delete(owner) }
        #expect(mistakes { _ = ThreadSafeReference(to: owner) } == ["Cannot construct reference to invalidated object"])
    }

    @Test("a thread-safe variable is read on every thread, again and again")
    func variable() throws {
        let folder = try Folder(), realm = try Realm(configuration: folder.configuration(types)), owner = try owner(realm)
        let variable = ThreadSafe(wrappedValue: owner)
        #expect(variable.wrappedValue?.isSameObject(as: owner) == true)
        for _ in 0..<3 { #expect(try onThread { variable.wrappedValue?.name } == "Ann") }
        try onThread {
            guard let owner = variable.wrappedValue, let realm = owner.realm else { return }
            try realm.write { owner.name = "Bea" }
        }
        realm.refresh()
        #expect(variable.wrappedValue?.name == "Bea")
        @ThreadSafe var pets = owner.pets
        #expect(pets?.count == 1)
        try realm.write { realm.delete(owner) }
        #expect(variable.wrappedValue == nil && pets == nil)
        variable.wrappedValue = nil
        #expect(variable.wrappedValue == nil)
        #expect(mistakes { variable.wrappedValue = Owner() } == ["Only managed objects may be wrapped as thread safe."])
    }
}
