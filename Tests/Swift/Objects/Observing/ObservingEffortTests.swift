import Foundation
@testable import Freehold
import Testing

@Suite("What observers cost a commit")
struct ObservingEffortTests {
    @Test("of a thousand, only those are asked that a commit can touch")
    func touched() throws {
        let watch = try Watch(), realm = watch.realm
        try realm.write {
            for number in 0..<300 {
                realm.dog("d\(number)", number)
                realm.create(Owner.self, value: ["name": "o\(number)", "pets": [["name": "p"]], "phones": ["a": "b"]])
            }
        }
        let dogs = realm.objects(Dog.self), owners = realm.objects(Owner.self)
        var calls = 0, tokens: [NotificationToken] = []
        for number in 0..<300 {
            tokens.append(dogs[number].observe { _ in calls += 1 })
            tokens.append(owners[number].phones.observe { _ in calls += 1 })
        }
        for age in 0..<400 { tokens.append(realm.objects(Person.self).filter("age > %@", age).observe { _ in calls += 1 }) }
        watch.turn()
        #expect(calls == 700 && tokens.count == 1000)
        calls = 0
        func asked(_ body: () -> Void) throws -> Int? {
            try realm.write(body)
            watch.turn()
            return realm.core.observers?.lastAsked
        }
        #expect(try asked { dogs[7].age = 1000 } == 1)
        #expect(try asked { owners[3].phones["c"] = "d" } == 1)
        #expect(try asked { realm.create(Kennel.self, value: ["name": "k"]) } == 0)
        #expect(calls == 2)
        #expect(try asked { realm.create(Person.self, value: ["id": 1, "age": 3]) } == 400)
        #expect(calls == 5)
        tokens.forEach { $0.invalidate() }
        #expect(realm.core.observers == nil)
    }

    @Test("observed results are read from what is followed, and not asked anew")
    func followed() throws {
        let watch = try Watch(), realm = watch.realm
        try realm.write { for number in 0..<100 { realm.dog("d\(number)", number) } }
        let old = realm.objects(Dog.self).filter("age >= 50").sorted(byKeyPath: "age", ascending: false), source = try #require(old.source as? QuerySource)
        let token = old.observe { _ in }
        watch.turn()
        let query = try #require(source.followed?.query)
        try realm.write { old[0].age = 0 }
        watch.turn()
        #expect(query.effort == .followed(objects: 1) && old.count == 49 && old[0].age == 98 && old.first?.age == 98 && old.map(\.age) == (50...98).reversed())
        #expect(old.explain().hasSuffix("\nobserved: followed object by object; last: followed 1 object"))
        token.invalidate()
        #expect(source.followed == nil && old.count == 49)
        #expect(!old.explain().contains("observed"))
    }
}
