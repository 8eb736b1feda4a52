import Dispatch
import Foundation
@testable import Freehold
import Testing

@Suite("Tutorials: objects")
struct TutorialObjectTests {
    private let folder: Folder
    private let configuration: Realm.Configuration
    private let realm: Realm

    init() throws {
        folder = try Folder()
        configuration = folder.configuration(Tutorial.types)
        realm = try Realm(configuration: configuration)
    }

    @Test("setting one side of two relations leaves the other; an inverse one follows")
    func relations() throws {
        let user = TUser(called: "Ann"), car = TCar(value: ["carName": "BMW"])
        try realm.write {
            realm.add(user)
            user.cars.append(car)
        }
        #expect(car.owner == nil && user.cars.count == 1 && user.name == "Ann" && user.session == "not kept")
        let dog = TDog(value: ["Rex", 1]), person = TPerson(value: ["name": "Bea", "dogs": [dog]])
        try realm.write { realm.add(person) }
        #expect(dog.owners.map(\.name) == ["Bea"])
        try realm.write { person.dogs.removeAll() }
        #expect(dog.owners.isEmpty)
    }

    @Test("three ways to make a car; unknown keys are ignored")
    func making() {
        let first = TCar()
        first.carName = "BMW"
        #expect([first, TCar(value: ["carName": "BMW", "wheels": 4]), TCar(value: ["BMW"])].map(\.carName) == ["BMW", "BMW", "BMW"])
        let person = TPerson(value: ["李四", 30, [["小黑", 5], ["旺财", 6]]])
        #expect(person.title == "李四, 30" && person.dogs.map(\.name) == ["小黑", "旺财"])
    }

    @Test("begin, add, commit; one, several and all are deleted")
    func writing() throws {
        realm.beginWrite()
        realm.add(TBook(value: ["id": 1, "title": "A"]))
        for id in 2...5 { realm.create(TBook.self, value: ["id": id]) }
        try realm.commitWrite()
        #expect(realm.objects(TBook.self).first?.cover == nil && realm.objects(TBook.self).first?.title == "A")
        try realm.write { realm.delete(realm.objects(TBook.self)[0]) }
        try realm.write { realm.delete(Array(realm.objects(TBook.self)[0..<2])) }
        #expect(realm.objects(TBook.self).map(\.id) == [4, 5])
        try realm.write { realm.delete(realm.objects(TBook.self)) }
        #expect(realm.objects(TBook.self).isEmpty)
        try realm.write {
            realm.create(TDog.self)
            realm.deleteAll()
        }
        #expect(realm.isEmpty)
    }

    @Test("a write in the background shows to others")
    func background() throws {
        let done = DispatchSemaphore(value: 0), configuration = configuration
        DispatchQueue.global().async {
            let told = Result { try Realm(configuration: configuration).write { try Realm(configuration: configuration).add(TDog(value: ["Rex", 2])) } }
            if case .failure(let error) = told { Issue.record(error) }
            done.signal()
        }
        done.wait()
        realm.refresh()
        #expect(realm.objects(TDog.self).map(\.name) == ["Rex"])
    }

    @Test("an update by key, of the whole and of a part")
    func updates() throws {
        try realm.write {
            realm.add(TBook(value: ["id": 1, "title": "Cheese", "price": 10.0]))
            realm.add(TBook(value: ["id": 1, "title": "Cheese recipes", "price": 20.0]), update: .all)
            realm.create(TBook.self, value: ["id": 1, "price": 9000.0], update: .modified)
        }
        #expect(realm.objects(TBook.self).map { "\($0.title) \($0.price)" } == ["Cheese recipes 9000.0"])
        let book = realm.objects(TBook.self)[0]
        try realm.write { #expect(mistakes { book.id = 2 } == ["Primary key can't be changed after an object is inserted."]) }
    }

    @Test("values by key, of one and of all")
    func keys() throws {
        try realm.write {
            for name in ["Ann", "Bea"] { realm.create(TPerson.self, value: ["name": name]) }
            let persons = realm.objects(TPerson.self)
            persons.first?.setValue(true, forKeyPath: "isFirst")
            persons.setValue("Earth", forKeyPath: "planet")
        }
        #expect(realm.objects(TPerson.self).map(\.isFirst) == [true, false])
        #expect(realm.objects(TPerson.self).map(\.planet) == ["Earth", "Earth"])
    }

    @Test("the first five, and what is beyond the last")
    func paging() throws {
        try realm.write { for age in 0..<5 { realm.create(TDog.self, value: ["age": age]) } }
        let dogs = realm.objects(TDog.self)
        #expect((0..<5).map { dogs[$0].age } == [0, 1, 2, 3, 4])
        #expect(mistakes { _ = dogs[5] } == ["Index 5 is out of bounds (must be less than 5)."])
        #expect(dogs.realm == realm && TDog().realm == nil)
    }

    @Test("a list takes results and one more; a deleted dog leaves its owner's list")
    func lists() throws {
        let person = TPerson()
        try realm.write {
            for age in 0..<3 { realm.create(TDog.self, value: ["age": age]) }
            realm.add(person)
            person.dogs.append(objectsIn: realm.objects(TDog.self))
            person.dogs.append(TDog(value: ["Rex", 9]))
        }
        #expect(person.dogs.map(\.age) == [0, 1, 2, 9])
        try realm.write { realm.delete(person.dogs[1]) }
        #expect(person.dogs.map(\.age) == [0, 2, 9])
        try realm.write { realm.delete(person.dogs) }
        #expect(person.dogs.isEmpty && realm.objects(TDog.self).isEmpty)
    }

    @Test("an edit outside a write is told; two objects of one row agree")
    func agreement() throws {
        try realm.write { realm.create(TBook.self, value: ["id": 1, "title": "A"]) }
        let one = try #require(realm.objects(TBook.self).first), other = try #require(realm.object(ofType: TBook.self, forPrimaryKey: 1))
        #expect(mistakes { one.title = "B" }.first?.contains("outside of a write transaction") == true)
        try realm.write { one.title = "B" }
        #expect(other.title == "B")
    }

    @Test("channels from JSON: a number for a key that is a text is refused by name, unknown keys are ignored")
    func channels() throws {
        let text = #"[{"channel_id": "1", "name": "Chinese", "seq": 3}, {"channel_id": 0, "name": "Private"}]"#
        let channels = try #require(JSONSerialization.jsonObject(with: Data(text.utf8)) as? [[String: Any]])
        try realm.write {
            let told = mistakes { for channel in channels { realm.create(TChannel.self, value: channel, update: .modified) } }
            #expect(told.count == 1 && told[0].contains("property 'TChannel.channel_id'"))
        }
        #expect(realm.objects(TChannel.self).map(\.name) == ["Chinese"])
    }

    @Test("a realm, and the first of its results, on the wrong thread")
    func wrongThread() throws {
        try realm.write { realm.create(TDog.self, value: ["Rex", 3]) }
        let results = Smuggled(realm.objects(TDog.self)), other = Smuggled(realm)
        let told = try onThread { mistakes { _ = results.value[0] } + mistakes { _ = other.value.objects(TDog.self).count } }
        #expect(told.contains("Realm accessed from incorrect thread.") && told.last == "Realm accessed from incorrect thread.")
        #expect(realm.objects(TDog.self)[0].age == 3)
    }

    @Test("Fido's age is changed by way of another instance")
    func fido() throws {
        let mine = TDog()
        mine.name = "Fido"
        mine.age = 1
        try realm.write { realm.add(mine) }
        let other = try #require(realm.objects(TDog.self).first { $0.age == 1 })
        #expect(other !== mine)
        try realm.write { other.age = 2 }
        #expect("age of my dog: \(mine.age)" == "age of my dog: 2")
    }

    @Test("what was bought, of arrays with objects within; a second run adds none")
    func consumption() throws {
        for run in 1...2 {
            let items = realm.objects(TConsumeItem.self)
            #expect(items.count == (run == 1 ? 0 : 3))
            guard items.isEmpty else { continue }
            let shopping = TConsumeType(), leisure = TConsumeType(value: ["name": "娱乐"])
            shopping.name = "购物"
            let film = TConsumeItem(value: ["看电影", 50.00, Date(timeIntervalSinceNow: -36_000), leisure])
            let computer = TConsumeItem()
            computer.name = "买一台电脑"
            computer.cost = 5999
            computer.type = shopping
            try realm.write { realm.add([computer, film, TConsumeItem(value: ["玩一局", 3, Date(), leisure] as [Any])]) }
        }
        #expect(realm.objects(TConsumeItem.self).map { $0.type?.name } == ["购物", "娱乐", "娱乐"])
        #expect(realm.objects(TConsumeType.self).count == 2)
        #expect(realm.objects(TConsumeItem.self).allSatisfy { abs($0.date.timeIntervalSinceNow) < 86_400 })
    }

    @Test("a helper that deletes arrays, lists, results and linking objects; one instance for all threads is told")
    func helper() throws {
        let helper = TRealmHelper(realm: realm)
        let rex = TDog(value: ["Rex", 1]), fox = TDog(value: ["Fox", 2])
        try helper.add([TPerson(value: ["name": "Ann", "dogs": [rex, fox]]), TPerson(value: ["name": "Bea", "dogs": [rex]])])
        try helper.delete(rex.owners)
        #expect(realm.objects(TPerson.self).isEmpty && realm.objects(TDog.self).count == 2)
        let cleo = TPerson(value: ["name": "Cleo", "dogs": [rex, fox]])
        try helper.add([cleo])
        try helper.delete(cleo.dogs)
        #expect(cleo.dogs.isEmpty && rex.isInvalidated)
        try helper.add([TDog(), TDog()])
        try helper.delete(Array(realm.objects(TDog.self).prefix(1)))
        try helper.delete(realm.objects(TDog.self))
        #expect(realm.objects(TDog.self).isEmpty)
        let shared = Smuggled(helper)
        let told = try onThread { try mistakes { try shared.value.delete(shared.value.realm.objects(TPerson.self)) } }
        #expect(told.first == "Realm accessed from incorrect thread.")
        #expect(realm.objects(TPerson.self).map(\.name) == ["Cleo"])
    }
}

/// The singleton that many programs wrap a realm in.
private struct TRealmHelper {
    let realm: Realm

    func add(_ objects: [Object]) throws { try realm.write { realm.add(objects) } }

    func delete<Objects: Sequence>(_ objects: Objects) throws where Objects.Element: Object {
        try realm.write { realm.delete(objects) }
    }
}
