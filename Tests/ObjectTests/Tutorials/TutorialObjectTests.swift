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
}
