import Foundation
@testable import Freehold
import Testing

@Suite("Observing what cannot be")
struct ObservingMisuseTests {
    @Test("objects and collections by themselves")
    func unmanaged() {
        #expect(mistakes { _ = Dog().observe { _ in } } == ["Only objects which are managed by a Realm support change notifications"])
        let words = ["Change notifications are only supported on managed collections."]
        #expect(mistakes { _ = Owner().pets.observe { _ in } } == words)
        #expect(mistakes { _ = Owner().tags.observe { _ in } } == words)
        #expect(mistakes { _ = Owner().phones.observe { _ in } } == words)
        #expect(mistakes { _ = Pet().owners.observe { _ in } } == words)
    }

    @Test("what is frozen, and what is only read")
    func fixed() throws {
        let watch = try Watch([Dog.self, Person.self]), realm = watch.realm
        let dog = try realm.write { realm.dog("a") }
        let frozen = ["Frozen Realms do not change and do not have change notifications."]
        #expect(mistakes { _ = dog.freeze().observe { _ in } } == frozen)
        #expect(mistakes { _ = realm.freeze().objects(Dog.self).observe { _ in } } == frozen)
        #expect(mistakes { _ = realm.freeze().observe { _, _ in } } == frozen)
        let path = watch.folder.url.appendingPathComponent("copy.freehold")
        try realm.writeCopy(toFile: path)
        let copy = try Realm(configuration: Realm.Configuration(fileURL: path, readOnly: true, objectTypes: [Dog.self, Person.self]))
        let readOnly = ["Read-only Realms do not change and do not have change notifications."]
        #expect(mistakes { _ = copy.objects(Dog.self).observe { _ in } } == readOnly)
        #expect(mistakes { _ = copy.objects(Dog.self)[0].observe { _ in } } == readOnly)
        #expect(mistakes { _ = copy.observe { _, _ in } } == readOnly)
    }

    @Test("within a write, behind a change; before one it is right")
    func writing() throws {
        let watch = try Watch([Dog.self, Person.self]), realm = watch.realm, told = Heard()
        var token: NotificationToken?
        try realm.write {
            token = realm.objects(Dog.self).observe { told.add($0) }
            realm.dog("a")
            #expect(mistakes { _ = realm.objects(Dog.self).observe { _ in } } == ["Cannot create asynchronous query after making changes in a write transaction."])
        }
        watch.turn()
        #expect(told.take() == ["initial 1"])
        token?.invalidate()
    }

    @Test("on a thread without a run loop, or the wrong thread")
    func threads() throws {
        let folder = try Folder(), configuration = folder.configuration([Dog.self, Person.self])
        let withoutLoop = try onThread { () -> [String] in
            let realm = try Realm(configuration: configuration)
            return mistakes { _ = realm.objects(Dog.self).observe { _ in } }
        }
        #expect(withoutLoop == ["Can only add notification blocks from within runloops."])
        let realm = Smuggled(try Realm(configuration: configuration)), dogs = Smuggled(realm.value.objects(Dog.self))
        let wrong = try onThread { () -> [String] in
            mistakes { _ = dogs.value.observe { _ in } } + mistakes { _ = realm.value.observe { _, _ in } }
        }
        #expect(wrong == ["Realm accessed from incorrect thread.", "Realm accessed from incorrect thread."])
    }

    @Test("objects that are gone, paths that lead nowhere, key paths of values, and tokens of other realms")
    func others() throws {
        let watch = try Watch(), realm = watch.realm
        let dog = try realm.write { realm.dog("a") }, kennel = try realm.write { realm.create(Kennel.self, value: ["name": "k"]) }
        let same = try #require(realm.objects(Dog.self).first)
        try realm.write { realm.delete(dog) }
        #expect(mistakes { _ = same.observe { _ in } } == ["Object has been deleted or invalidated."])
        #expect(mistakes { _ = realm.objects(Dog.self).observe(keyPaths: ["owner.nme"]) { _ in } }.first?.contains("nme") == true)
        #expect(mistakes { _ = kennel.observe(keyPaths: ["dgs"]) { _ in } }.first?.contains("dgs") == true)
        #expect(mistakes { _ = kennel.scores.observe(keyPaths: ["x"]) { _ in } }.count == 1)
        let second = try Watch(), token = second.realm.objects(Dog.self).observe { _ in }
        realm.beginWrite()
        #expect(mistakes { try? realm.commitWrite(withoutNotifying: [token]) } == ["Incorrect Realm: only notifications for the Realm being modified can be skipped."])
        realm.cancelWrite()
        // A block does not run at all, and leaves no transaction behind.
        let ofOther = "Incorrect Realm: only notifications for the Realm being modified can be skipped."
        #expect(try mistakes { try realm.write(withoutNotifying: [token]) { Issue.record("the block ran") } } == [ofOther] && !realm.isInWriteTransaction)
        token.invalidate()
        try realm.write(withoutNotifying: [token]) {}
    }

    @Test("a realm whose thread has ended: the token can go anywhere")
    func ended() throws {
        let folder = try Folder(), configuration = folder.configuration([Dog.self, Person.self])
        let token = try onThread { () -> Smuggled<NotificationToken> in
            let realm = try Realm(configuration: configuration), loop = try HostLoop()
            realm.attach(to: loop)
            return Smuggled(realm.objects(Dog.self).observe { _ in })
        }
        token.value.invalidate()
    }
}
