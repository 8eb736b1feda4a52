import Foundation
@testable import Freehold
import FreeholdEngine
import Testing

private final class DogCard: Projection<Dog> {
    @Projected(\Dog.name) var title
    @Projected(\Dog.age) var years
}

@Suite("When changes are told")
struct DeliveryTests {
    private func watch(_ count: Int = 1) throws -> Watch {
        let watch = try Watch()
        try watch.realm.write { for age in 0..<count { watch.realm.dog("d\(age)", age) } }
        return watch
    }

    @Test("before a write begins, with the write begun, and its own changes later")
    func beforeWriting() throws {
        let watch = try watch(), told = Heard(), realm = watch.realm, dogs = realm.objects(Dog.self)
        let token = dogs.observe { change in told.add("\(dogs.count) \(realm.isInWriteTransaction)") }
        watch.turn()
        #expect(told.take() == ["1 false"])
        try watch.elsewhere { $0.dog("other") }
        try realm.write {
            #expect(told.take() == ["2 true"])
            realm.dog("own")
        }
        #expect(told.take() == [])
        watch.turn()
        #expect(told.take() == ["3 false"])
        token.invalidate()
    }

    @Test("what a block changes before a write is part of that write")
    func partOfWrite() throws {
        let watch = try watch(), realm = watch.realm, dogs = realm.objects(Dog.self)
        var isFirst = true
        let token = dogs.observe { change in
            guard case .update = change, isFirst else { return }
            isFirst = false
            #expect(mistakes { try? realm.commitWrite() }.count == 1)
            #expect(mistakes { realm.cancelWrite() }.count == 1)
            realm.dog("of the block")
        }
        watch.turn()
        try watch.elsewhere { $0.dog("other") }
        try realm.write { #expect(dogs.count == 3) }
        watch.turn()
        let configuration = watch.configuration, stored = try onThread { try Realm(configuration: configuration).objects(Dog.self).count }
        #expect(stored == 3)
        token.invalidate()
    }

    @Test("a block that writes is told of it at a later turn")
    func writingBlock() throws {
        let watch = try watch(), told = Heard(), realm = watch.realm, dogs = realm.objects(Dog.self)
        let token = dogs.observe { change in
            told.add(change)
            if dogs.count < 4 { try? realm.write { _ = realm.dog("more") } }
            #expect(!realm.refresh())
        }
        for _ in 0..<6 { watch.turn() }
        #expect(told.take() == ["initial 1", "-[] +[1] ~[]", "-[] +[2] ~[]", "-[] +[3] ~[]"])
        token.invalidate()
    }

    @Test("a block that writes without being told of it")
    func silentBlock() throws {
        let watch = try watch(), told = Heard(), realm = watch.realm, dogs = realm.objects(Dog.self)
        var token: NotificationToken?
        token = dogs.observe { change in
            told.add(change)
            if case .update = change { try? realm.write(withoutNotifying: [token!]) { dogs[0].age += 1 } }
        }
        watch.turn()
        try watch.elsewhere { $0.dog("other") }
        realm.refresh()
        for _ in 0..<3 { watch.turn() }
        #expect(told.take() == ["initial 1", "-[] +[1] ~[]"])
        token?.invalidate()
    }

    @Test("refreshing tells, also the first call")
    func refresh() throws {
        let watch = try watch(), told = Heard(), token = watch.realm.objects(Dog.self).observe { told.add($0) }
        watch.realm.refresh()
        #expect(told.take() == ["initial 1"])
        try watch.elsewhere { $0.dog("other") }
        #expect(watch.realm.refresh())
        #expect(told.take() == ["-[] +[1] ~[]"])
        token.invalidate()
    }

    @Test("in the order of observing, those that nothing touched left out")
    func order() throws {
        let watch = try watch(), told = Heard(), realm = watch.realm
        let tokens = [
            realm.objects(Dog.self).observe { _ in told.add("dogs") },
            realm.objects(Person.self).observe { _ in told.add("people") },
            realm.objects(Dog.self).filter("age > 100").observe { _ in told.add("none") },
            realm.objects(Dog.self)[0].observe { _ in told.add("dog") },
            realm.objects(Dog.self).observe { _ in told.add("dogs again") },
        ]
        watch.turn()
        #expect(told.take() == ["dogs", "people", "none", "dogs again"])
        try realm.write { realm.objects(Dog.self)[0].age = 3 }
        watch.turn()
        #expect(told.take() == ["dogs", "dog", "dogs again"])
        tokens.forEach { $0.invalidate() }
    }

    @Test("not behind a cancelled write")
    func cancelled() throws {
        let watch = try watch(), told = Heard(), realm = watch.realm, token = realm.objects(Dog.self).observe { told.add($0) }
        watch.turn()
        realm.beginWrite()
        realm.dog("gone")
        realm.cancelWrite()
        watch.turn()
        #expect(told.take() == ["initial 1"])
        token.invalidate()
    }

    @Test("a realm that was invalidated is told of what came meanwhile")
    func invalidated() throws {
        let watch = try watch(), told = Heard(), realm = watch.realm, dogs = realm.objects(Dog.self), token = dogs.observe { told.add($0) }
        watch.turn()
        realm.invalidate()
        try watch.elsewhere { $0.dog("other") }
        #expect(dogs.count == 2)
        watch.turn()
        #expect(told.take() == ["initial 1", "-[] +[1] ~[]"])
        token.invalidate()
    }

    @Test("without telling some: whoever else commits in between is told of")
    func silently() throws {
        let watch = try watch(2), first = Heard(), second = Heard(), realm = watch.realm, dogs = realm.objects(Dog.self), dog = dogs[0]
        let silent = [dogs.observe { first.add($0) }, dog.observe { first.add($0) }], other = dogs.observe { second.add($0) }
        watch.turn()
        _ = (first.take(), second.take())
        try realm.write(withoutNotifying: silent) {
            realm.dog("own")
            dog.age = 9
        }
        try watch.elsewhere { $0.dog("other") }
        watch.turn()
        watch.realm.refresh()
        #expect(first.take() == ["-[] +[3] ~[]"])
        #expect(second.take() == ["-[] +[2, 3] ~[0]"])
        // The first call comes before the write, which is left out.
        let fresh = dogs.observe { first.add($0) }
        try realm.write(withoutNotifying: [fresh]) { dog.age = 10 }
        watch.turn()
        #expect(first.take() == ["initial 4", "-[] +[] ~[0]", "age: 9 → 10"])
        (silent + [other, fresh]).forEach { $0.invalidate() }
    }

    @Test("asynchronous writes tell before and behind, and skip those named")
    func asynchronous() throws {
        let watch = try watch(), told = Heard(), realm = watch.realm, dogs = realm.objects(Dog.self)
        let token = dogs.observe { told.add($0) }, other = dogs.observe { _ in told.add("other") }
        watch.turn()
        _ = told.take()
        realm.writeAsync(withoutNotifying: [token]) { realm.dog("silent") }
        while realm.isPerformingAsynchronousWriteOperations { watch.wait() }
        watch.turn()
        #expect(told.take() == ["other"])
        realm.beginAsyncWrite {
            realm.dog("told")
            realm.commitAsyncWrite()
        }
        while realm.isPerformingAsynchronousWriteOperations { watch.wait() }
        watch.turn()
        #expect(told.take() == ["-[] +[2] ~[]", "other"])
        token.invalidate()
        other.invalidate()
    }

    // MARK: Tokens

    @Test("a token that is invalidated or let go of ends it, also within its own block")
    func tokens() throws {
        let watch = try watch(), told = Heard(), realm = watch.realm, dogs = realm.objects(Dog.self)
        var inside: NotificationToken?, dropped: NotificationToken? = dogs.observe { _ in told.add("dropped") }
        inside = dogs.observe { _ in
            told.add("inside")
            inside = nil
        }
        let next = dogs.observe { _ in told.add("next") }
        var ended: NotificationToken?
        let ending = dogs.observe { _ in
            told.add("ending")
            ended?.invalidate()
        }
        ended = dogs.observe { _ in told.add("ended") }
        dropped = nil
        watch.turn()
        try realm.write { _ = realm.dog("new") }
        watch.turn()
        #expect(told.take() == ["inside", "next", "ending", "next", "ending"])
        #expect(dropped == nil && inside == nil)
        [next, ending].forEach { $0.invalidate() }
        next.invalidate()
    }

    @Test("a token keeps the realm open, and lets it go")
    func open() throws {
        let folder = try Folder(), configuration = folder.configuration([Dog.self, Person.self])
        do {
            let loop = try HostLoop()
            var token: NotificationToken?
            do {
                let realm = try Realm(configuration: configuration)
                realm.attach(to: loop)
                token = realm.objects(Dog.self).observe { _ in }
            }
            #expect(throws: Realm.Error.self) { try Realm.deleteFiles(for: configuration) }
            token = nil
            #expect(token == nil)
        }
        #expect(try Realm.deleteFiles(for: configuration))
    }

    @Test("one observed within a block is told first at a later turn")
    func within() throws {
        let watch = try watch(), told = Heard(), dogs = watch.realm.objects(Dog.self)
        var inner: NotificationToken?
        let outer = dogs.observe { _ in
            if inner == nil { inner = dogs.observe { told.add($0) } }
            told.add("outer")
        }
        watch.turn()
        watch.turn()
        #expect(told.take() == ["outer", "initial 1"])
        outer.invalidate()
        inner?.invalidate()
    }

    // MARK: Realms

    @Test("a realm's commits: within them, and within refreshes")
    func realms() throws {
        let watch = try watch(), told = Heard(), realm = watch.realm
        let token = realm.observe { notification, realm in told.add("\(notification) \(realm.objects(Dog.self).count)") }
        try realm.write { _ = realm.dog("own") }
        #expect(told.take() == ["didChange 2"])
        try watch.elsewhere { $0.dog("other") }
        realm.refresh()
        #expect(told.take() == ["didChange 3"])
        watch.turn()
        #expect(told.take() == [])
        // A write that finds others' commits tells of them with its own end.
        try watch.elsewhere { $0.dog("other") }
        realm.beginWrite()
        #expect(told.take() == [])
        realm.cancelWrite()
        #expect(told.take() == ["didChange 4"])
        token.invalidate()
        try realm.write { _ = realm.dog("own") }
        #expect(told.take() == [])
    }

    @Test("a realm that does not follow is told that it could be refreshed")
    func refreshRequired() throws {
        let watch = try watch(), told = Heard(), realm = watch.realm
        realm.autorefresh = false
        let token = realm.observe { notification, realm in told.add("\(notification) \(realm.objects(Dog.self).count)") }
        let dogs = realm.objects(Dog.self).observe { told.add($0) }
        watch.turn()
        _ = told.take()
        try watch.elsewhere { $0.dog("other") }
        while told.texts.isEmpty { watch.wait() }
        #expect(told.take() == ["refreshRequired 1"])
        realm.refresh()
        #expect(told.take() == ["didChange 2", "-[] +[1] ~[]"])
        // Its own commits are told all the same.
        try realm.write { _ = realm.dog("own") }
        watch.turn()
        #expect(told.take() == ["didChange 3", "-[] +[2] ~[]"])
        token.invalidate()
        dogs.invalidate()
    }

    @Test("an observer that sleeps lets its version be taken away, and begins anew")
    func sleeping() throws {
        let folder = try Folder(), loop = try HostLoop(), told = Heard()
        var configuration = folder.configuration([Dog.self, Person.self, Owner.self, Pet.self])
        configuration.sleepingObserverBytes = 0
        let realm = try Realm(configuration: configuration)
        realm.attach(to: loop)
        try realm.write {
            for age in 0..<100 { realm.dog("d\(age)", age) }
            realm.create(Owner.self, value: ["phones": ["a": "b"], "pets": [["name": "p"]]])
        }
        let dogs = realm.objects(Dog.self).filter("age >= 50"), owner = realm.objects(Owner.self)[0], dog = dogs[0]
        let sections = dogs.sectioned(by: \.age)
        let tokens = [dogs.observe { told.add($0) }, owner.pets.observe { told.add($0) }, owner.phones.observe { told.add($0) },
                      dog.observe { change in if case .change(_, let properties) = change { told.add("\(properties.count) properties") } },
                      sections.observe { told.add($0) }, owner.pets.projectTo.name.observe { told.add($0) }, DogCard(projecting: dog).observe { told.add($0) }]
        realm.core.follow()
        _ = told.take()
        for age in 0..<20 {
            try onThread { [configuration] in
                let realm = try Realm(configuration: configuration)
                try realm.write { for dog in realm.objects(Dog.self).filter("age < 50") { dog.age = age } }
            }
        }
        realm.core.follow()
        #expect(told.take() == ["initial 50", "initial 1", "initial 1", "3 properties", "initial 50", "initial 1", "title: nil → d50, years: nil → 50"])
        try realm.write { dogs[0].age = 51 }
        realm.core.follow()
        #expect(told.take() == ["-[] +[] ~[0]", "1 properties", "-[] +[0.0] ~[] -[0] +[]", "years: 50 → 51"])
        // What went meanwhile is told, too.
        for age in 0..<20 {
            try onThread { [configuration] in
                let realm = try Realm(configuration: configuration)
                try realm.write {
                    if age == 0 {
                        realm.delete(realm.objects(Owner.self))
                        realm.delete(realm.objects(Dog.self).filter("name == 'd50'"))
                    }
                    for dog in realm.objects(Dog.self).filter("age < 50") { dog.age = age }
                }
            }
        }
        realm.core.follow()
        #expect(told.take() == ["initial 49", "-[0] +[] ~[]", "-[] +[] ~[]", "initial 49", "-[0] +[] ~[]", "deleted"])
        try realm.write { dogs[0].age = 53 }
        realm.core.follow()
        #expect(told.take().count == 2)
        tokens.forEach { $0.invalidate() }
    }
}
