import Foundation
@testable import Freehold
import Testing

@Suite("Tutorials: queries")
struct TutorialQueryTests {
    private let folder: Folder
    private let realm: Realm

    init() throws {
        folder = try Folder()
        realm = try Realm(configuration: folder.configuration(Tutorial.types))
        try realm.write {
            for (name, age) in [("大黄", 3), ("小黑", 5), ("大白", 1), ("旺财", 8)] { realm.create(TDog.self, value: [name, age]) }
            let dogs = realm.objects(TDog.self)
            for (name, age, dog) in [("Ann", 10, 1), ("Bea", 10, 0), ("Cy", 30, 2)] {
                realm.create(TPerson.self, value: ["name": name, "age": age, "dogs": [dogs[dog]]])
            }
        }
    }

    @Test("13: a filter by text and by predicate")
    func filters() {
        let byText = realm.objects(TDog.self).filter("age < %@ AND name BEGINSWITH %@", 5, "大")
        let byPredicate = realm.objects(TDog.self).filter(NSPredicate(format: "age < %@ AND name BEGINSWITH %@", 5, "大"))
        #expect(byText.map(\.name) == ["大黄", "大白"] && byPredicate.map(\.name) == byText.map(\.name))
    }

    @Test("14: sorted by name, and by what links lead to")
    func sorting() throws {
        #expect(realm.objects(TPerson.self).sorted(byKeyPath: "name", ascending: false).map(\.name) == ["Cy", "Bea", "Ann"])
        let ann = TUser(called: "Ann"), bea = TUser(called: "Bea")
        try realm.write { realm.add([TCar(value: ["carName": "A", "owner": bea]), TCar(value: ["carName": "B", "owner": ann])]) }
        #expect(realm.objects(TCar.self).sorted(byKeyPath: "owner.name").map(\.carName) == ["B", "A"])
    }

    @Test("13, 14: dogs by color and name, their owners by the dog's age, the last without one")
    func owners() throws {
        let folder = try Folder(), realm = try Realm(configuration: folder.configuration([THound.self, TOwner.self]))
        try realm.write {
            for (name, color, age) in [("大黄", "棕黄色", 3), ("小黑", "黑色", 5), ("大白", "白色", 1), ("大旺", "棕黄色", 8)] {
                realm.create(THound.self, value: [name, color, age])
            }
            for (name, dog) in [("Ann", 1), ("Bea", 0), ("Cy", 2)] { realm.create(TOwner.self, value: [name, realm.objects(THound.self)[dog]]) }
            realm.create(TOwner.self, value: ["Di"])
        }
        let dogs = realm.objects(THound.self)
        #expect(dogs.filter("color = %@ AND name BEGINSWITH %@", "棕黄色", "大").map(\.name) == ["大黄", "大旺"])
        #expect(dogs.filter(NSPredicate(format: "color = %@ AND name BEGINSWITH %@", "棕黄色", "大")).map(\.name) == ["大黄", "大旺"])
        #expect(realm.objects(TOwner.self).sorted(byKeyPath: "dog.age").map(\.name) == ["Cy", "Bea", "Ann", "Di"])
    }

    @Test("15: chained filters are joined by AND")
    func chains() {
        #expect(realm.objects(TDog.self).filter("name BEGINSWITH '大'").filter("age > 2").map(\.name) == ["大黄"])
    }

    @Test("16: a text without quotes is named, with the advice to quote it")
    func unquoted() {
        let told = mistakes { _ = realm.objects(TCar.self).filter("carName = blue").count }
        #expect(told.count == 1 && told[0].contains("'blue'") && told[0].contains("quotes"))
    }

    @Test("27, 31: puppies are counted as they come")
    func puppies() throws {
        let puppies = realm.objects(TDog.self).filter("age < 1")
        #expect(puppies.count == 0)
        try realm.write { realm.create(TDog.self, value: ["name": "Rex", "age": 0]) }
        #expect(puppies.count == 1 && realm.objects(TDog.self).filter("age > 5").map(\.name) == ["旺财"])
    }

    @Test("32: each person of ten is a year older, once")
    func birthdays() throws {
        try realm.write { for person in realm.objects(TPerson.self).filter("age == 10") { person.age += 1 } }
        #expect(realm.objects(TPerson.self).map(\.age) == [11, 11, 30])
    }
}

private class THound: Object {
    @Persisted var name = ""
    @Persisted var color = ""
    @Persisted var age = 0
}

private class TOwner: Object {
    @Persisted var name = ""
    @Persisted var dog: THound?
}
