import Foundation
@testable import Freehold
import Testing

class TStepCounter: Object {
    @Persisted var steps = 0
}

@Suite("Tutorials: notifications")
struct TutorialNotificationTests {
    private let watch: Watch

    init() throws { watch = try Watch(Tutorial.types + [TStepCounter.self]) }

    @Test("a database notification after every commit, until the token is invalidated")
    func database() throws {
        let realm = watch.realm
        var count = 0
        let token = realm.observe { notification, realm in
            #expect(notification == .didChange)
            count += 1
        }
        try realm.write { realm.add(TDog(value: ["Rex", 1])) }
        try watch.elsewhere { $0.add(TDog(value: ["Fido", 2])) }
        while count < 2 { watch.wait() }
        token.invalidate()
        try realm.write { realm.add(TDog()) }
        watch.turn()
        #expect(count == 2)
    }

    @Test("a collection notification of those older than 5: first all, then index sets")
    func collection() throws {
        let realm = watch.realm
        try realm.write { realm.add([TPerson(value: ["name": "Ann", "age": 7]), TPerson(value: ["name": "Bo", "age": 3]), TPerson(value: ["name": "Cy", "age": 9])]) }
        let results = realm.objects(TPerson.self).filter("age > 5")
        var rows: [String] = [], calls: [String] = []
        let token = results.observe { changes in
            switch changes {
            case .initial:
                calls.append("initial")
                rows = results.map(\.name)
            case .update(_, let deletions, let insertions, let modifications):
                calls.append("\(deletions) \(insertions) \(modifications)")
                for row in modifications { rows[row] = "" }
                for row in deletions.reversed() { rows.remove(at: row) }
                for row in insertions { rows.insert(results[row].name, at: row) }
            case .error(let error): Issue.record(error)
            }
        }
        watch.turn()
        #expect(rows == ["Ann", "Cy"])
        try realm.write {
            realm.objects(TPerson.self)[1].age = 6
            results[0].age = 8
            realm.delete(realm.objects(TPerson.self)[2])
        }
        watch.turn()
        #expect(calls == ["initial", "[1] [1] [0]"] && rows == ["", "Bo"])
        token.invalidate()
    }

    @Test("a step counter: congratulations beyond 1000, and its end; the token goes within the block")
    func stepCounter() throws {
        let realm = watch.realm, counter = try realm.write { realm.create(TStepCounter.self) }
        var token: NotificationToken?
        var said: [String] = []
        token = counter.observe { change in
            switch change {
            case .change(_, let properties):
                for property in properties where property.name == "steps" && property.newValue as? Int ?? 0 > 1000 {
                    said.append("Congratulations, you've exceeded 1000 steps.")
                }
            case .error(let error): Issue.record(error)
            case .deleted:
                said.append("The object was deleted.")
                token = nil
            }
        }
        watch.turn()
        try realm.write { counter.steps = 900 }
        watch.turn()
        try realm.write { counter.steps = 1001 }
        watch.turn()
        try realm.write { realm.delete(counter) }
        watch.turn()
        #expect(said == ["Congratulations, you've exceeded 1000 steps.", "The object was deleted."] && token == nil)
    }
}
