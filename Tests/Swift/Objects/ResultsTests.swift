import Foundation
@testable import Freehold
import FreeholdEngine
import Testing

@Suite("Results of queries")
struct ResultsTests {
    private let zoo: Zoo
    init() throws { zoo = try Zoo() }

    @Test("texts with arguments of every kind; classes that extend the one asked are there")
    func filters() throws {
        let animals = zoo.animals, ann = try #require(zoo.realm.object(ofType: Keeper.self, forPrimaryKey: 1))
        func names(_ results: Results<Beast>) -> [String] { results.map(\.name) }
        #expect(names(animals.filter("age > 4")) == ["Fido", "Élan", "ada", "Jolly"])
        #expect(names(animals.filter("age > %@ AND name BEGINSWITH[c] %@", 4, "A")) == ["ada"])
        #expect(names(animals.filter("age BETWEEN {%@, %d}", NSNumber(value: 3), 5)) == ["Rex", "Fido", "ada"])
        #expect(names(animals.filter("name IN %@", ["Rex", "ada", "none"])) == ["Rex", "ada"])
        #expect(names(animals.filter("name IN %@", zoo.house.byName.keys)) == ["Rex", "Fido", "Élan"])
        #expect(names(animals.filter("keeper == %@", ann)) == ["Rex", "Élan"])
        #expect(names(animals.filter("keeper == nil AND nick != %@", NSNull())) == ["Jolly"])
        #expect(names(animals.filter("nick == %@", String?.none as Any)).count == 5)
        #expect(names(animals.filter("keeper IN %@", zoo.realm.objects(Keeper.self).filter("name == 'Bob'"))) == ["Fido"])
        #expect(names(animals.filter("weight == %@ OR size == %@", Weight(grams: 300), Bulk.large)) == ["Rex", "Jolly", "Zack"])
        #expect(names(animals.filter("born < %@", Date(timeIntervalSince1970: 4))) == ["Rex", "Jolly", "Zack"])
        #expect(names(animals.filter("keeper.name == 'Ann' AND ANY tags == 'Rex'")) == ["Rex"])
        #expect(names(animals.filter("%K == %@ && isTame", "nick", "J")) == ["Jolly"])
        #expect(names(animals.filter("$0 == age || $1 = age", 1, 3)) == ["Rex", "Zack"])
        #expect(names(animals.filter("ANY houses.city == 'Oslo'")) == ["Rex", "ada", "Jolly"])
        #expect(names(animals.filter("houses.@count > 0 AND marks['a'] > 4")) == ["ada"])
        #expect(zoo.realm.objects(Keeper.self).filter("SUBQUERY(animals, $x, $x.age > 4 AND $x.keeper.name == 'Ann').@count == 1").map(\.name) == ["Ann"])
        #expect(names(animals.filter("age > 2 SORT(age DESC, name ASC) LIMIT(3)")) == ["Jolly", "Élan", "Fido"])
        #expect(zoo.realm.objects(Horse.self).filter("speed == 7 AND age == 20").map(\.name) == ["Jolly"])
        #expect(animals.filter("name == 'Jolly'").first is Horse)
        #expect(zoo.realm.dynamicObjects("Beast").filter("years > 10 AND kept_by.name == 'Ann'").map { $0["name"] as? String } == ["Élan"])
    }

    @Test("names of the file stand for those of the class, on the way back, too")
    func storedNames() {
        #expect(zoo.animals.filter("age > 1 AND keeper.name == 'x' SORT(keeper.name DESC)").text
            == #"years > 1 AND kept_by.name == "x" SORT(kept_by.name DESC)"#)
        #expect(zoo.realm.objects(Keeper.self).filter("ANY animals.age == 3").text == "ANY @links.Beast.kept_by.years == 3")
        #expect(zoo.realm.objects(Keeper.self).filter("ANY @links.Beast.keeper.age == 3").map(\.name) == ["Ann"])
        #expect(zoo.animals.filter("years > 11").map(\.name) == ["Élan", "Jolly"])
        #expect(zoo.realm.objects(Stable.self).filter("SUBQUERY(animals, $x, $x.age > $x.keeper.id).@count > 0").text
            == "SUBQUERY(animals, $x, $x.years > $x.kept_by.id).@count > 0")
    }

    @Test("chained: conditions are joined, the last order is the first one; limits are asked beyond")
    func chains() {
        let animals = zoo.animals
        let chained = animals.filter("age > 2").sorted(byKeyPath: "name").filter("age < 15").sorted(by: \.age, ascending: false)
        #expect(chained.text == "years > 2 AND years < 15 SORT(name ASC) SORT(years DESC)")
        #expect(chained.map(\.name) == ["Élan", "Fido", "ada", "Rex"])
        #expect(animals.sorted(by: ["age", Freehold.SortDescriptor(keyPath: \Beast.name, ascending: false)]).map(\.name)
            == ["Zack", "Rex", "ada", "Fido", "Élan", "Jolly"])
        #expect(animals.sorted(byKeyPath: "keeper.name").map(\.name) == ["Rex", "Élan", "Fido", "ada", "Jolly", "Zack"])
        #expect(animals.sorted(by: \.keeper?.name, ascending: false).prefix(3).map(\.name) == ["ada", "Jolly", "Zack"])
        #expect(animals.distinct(by: ["age"]).map(\.name) == ["Rex", "Fido", "Élan", "Jolly", "Zack"])
        #expect(animals.sorted(byKeyPath: "name", ascending: false).distinct(by: [\.keeper?.name, \.size]).map(\.name) == ["Élan", "Fido"])
        let oldest = animals.sorted(byKeyPath: "age", ascending: false).limit(3)
        #expect(oldest.map(\.name) == ["Jolly", "Élan", "Fido"] && oldest.offset(1).map(\.name) == ["Élan", "Fido"])
        #expect(oldest.filter("age < 20").map(\.name) == ["Élan", "Fido"] && oldest.filter("age < 20").sorted(byKeyPath: "age").map(\.age) == [5, 12])
        #expect(animals.filter("").count == 6 && animals.filter("TRUEPREDICATE")[1..<3].map(\.name) == ["Fido", "Élan"])
        #expect(animals.filter("age > 100").first == nil && animals.filter("age > 100").last == nil && animals.filter("age > 100").isEmpty)
    }

    @Test("results follow what is written, within the transaction and after it")
    func live() throws {
        let old = zoo.animals.filter("age > 10"), sorted = old.sorted(byKeyPath: "name", ascending: false)
        #expect(old.count == 2 && sorted.first?.name == "Élan")
        try zoo.realm.write {
            #expect(old.count == 2)
            let rex = zoo.animals[0]
            rex.age = 30
            #expect(old.map(\.name) == ["Rex", "Élan", "Jolly"] && old.index(of: rex) == 0 && sorted.index(of: rex) == 1)
            zoo.realm.create(Beast.self, value: ["name": "Zoe", "age": 11])
            #expect(old.count == 4 && sorted.map(\.name) == ["Élan", "Zoe", "Rex", "Jolly"])
            zoo.realm.delete(rex)
            #expect(old.count == 3 && !old.isEmpty && zoo.animals.index(of: zoo.animals[1]) == 1)
        }
        #expect(old.map(\.name) == ["Élan", "Jolly", "Zoe"])
        zoo.realm.beginWrite()
        zoo.realm.delete(old)
        #expect(old.isEmpty && sorted.first == nil)
        zoo.realm.cancelWrite()
        #expect(old.count == 3 && sorted.last?.name == "Jolly")
        let frozen = sorted.freeze()
        try zoo.realm.write { zoo.realm.deleteAll() }
        #expect(sorted.isEmpty && frozen.map(\.name) == ["Élan", "Zoe", "Jolly"] && frozen.filter("age == 20").map(\.name) == ["Jolly"])
        #expect(frozen.thaw()?.count == 0)
    }

    @Test("a loop goes over what was there at its beginning, whatever it changes")
    func stability() throws {
        var visited: [String] = []
        try zoo.realm.write {
            for animal in zoo.animals.filter("age == 5") {
                visited.append(animal.name)
                animal.age += 1
            }
            for animal in zoo.animals.filter("age == 6").sorted(byKeyPath: "name") where animal.name == "Fido" { zoo.realm.delete(animal) }
            zoo.animals.filter("age == 6").setValue("six", forKey: "nick")
        }
        #expect(visited == ["Fido", "ada"] && zoo.animals.filter("age == 6").map(\.nick) == ["six"])
        try zoo.realm.write { for animal in zoo.animals.filter("age > 0") { zoo.realm.delete(zoo.animals.filter("name != %@", animal.name)) } }
        #expect(zoo.animals.map(\.name) == ["Rex"])
    }

    @Test("a loop over what was found makes one object, unless somebody keeps it")
    func reuse() throws {
        let young = zoo.animals.filter("age < 13 AND age > 2")
        var places: Set<UnsafeRawPointer> = [], names: [String] = [], kept: [Beast] = []
        for animal in young {
            places.insert(animal._address)
            names.append(animal.name + "\(animal.age)")
        }
        #expect(places.count == 1 && names == ["Rex3", "Fido5", "Élan12", "ada5"])
        for animal in young.sorted(by: \.name, ascending: false) { kept.append(animal) }
        #expect(kept.map(\.name) == ["Élan", "ada", "Rex", "Fido"] && Set(kept.map(\._address)).count == 4)
        weak var first: Beast?
        for animal in young {
            if animal.name == "Rex" { first = animal } else { #expect(first == nil) }
        }
        // Objects of another class on the way are objects of their own.
        #expect(zoo.animals.filter("age > 10").map { "\(type(of: $0)) \($0.name) \(($0 as? Horse)?.speed ?? 0)" } == ["Beast Élan 0", "Horse Jolly 7"])
        try zoo.realm.write { for animal in young { animal.age += 1 } }
        #expect(young.map(\.age) == [4, 6, 6])
    }

    @Test("map and filter with closures are lazy, unless an array is asked for")
    func lazy() throws {
        var looked = 0
        let ages = zoo.animals.map { animal -> Int in
            looked += 1
            return animal.age
        }
        #expect(looked == 0 && ages.first == 3 && looked == 1 && ages.count == 6)
        let old = zoo.animals.filter { $0.age > 10 }, names: [String] = old.map { $0.name }
        #expect(names == ["Élan", "Jolly"] && zoo.house.animals.filter { $0.age > 10 }.first?.name == "Jolly")
        try zoo.realm.write { for animal in old { animal.age = 1 } }
        #expect(Array(old).isEmpty && zoo.house.numbers.map { $0 * 2 }.last == 6 && zoo.animals[0].houses.filter { $0.city == "Rome" }.isEmpty)
        #expect(AnyRealmCollection(zoo.house.numbers).filter { $0 > 2 }.count == 2)
    }

    @Test("arguments by names")
    func named() {
        #expect(zoo.animals.filter("age BETWEEN {$least, $most} AND name != %@", "ada", named: ["least": 3, "most": 5]).map(\.name) == ["Rex", "Fido"])
        #expect(mistakes { _ = zoo.animals.filter("age > $leest", named: ["least": 3]) }.first?.contains("there is no argument named 'leest'") == true)
    }

    @Test("lists, sets, maps and linking objects are asked in their own order")
    func collections() throws {
        let house = zoo.house
        #expect(house.animals.filter("age < 10").map(\.name) == ["ada", "Rex", "Rex"])
        #expect(house.animals.sorted(byKeyPath: "age").map(\.name) == ["Rex", "Rex", "ada", "Jolly"])
        #expect(house.animals.distinct(by: ["name"]).map(\.name) == ["ada", "Rex", "Jolly"])
        #expect(house.favourites.filter("age > 10").map(\.name) == ["Élan"] && house.favourites.sorted(by: \.age).first?.name == "Fido")
        #expect(house.byName.filter("age > 3").map(\.name) == ["Fido", "Élan"] && house.byName.sorted(byKeyPath: "name").count == 3)
        let rex = zoo.animals[0]
        #expect(rex.houses.filter("city == 'Oslo'").count == 2 && rex.houses.filter("city == 'Rome'").isEmpty)
        #expect(AnyRealmCollection(house.animals).filter("age > 5").map(\.name) == ["Jolly"])
        #expect(house.animals.index(matching: "name == %@", "Rex") == 1 && house.animals.index(matching: "age > 99") == nil)
        #expect(zoo.animals.index(matching: "age == 20") == 4 && zoo.animals.sorted(by: \.age).index(matching: "name == 'Jolly'") == 5)
        let young = house.animals.filter("age < 10")
        try zoo.realm.write { house.animals.remove(at: 1) }
        #expect(young.map(\.name) == ["ada", "Rex"])
        let frozen = young.freeze()
        try zoo.realm.write { zoo.realm.delete(house) }
        #expect(young.isEmpty && frozen.map(\.name) == ["ada", "Rex"] && frozen.thaw() == nil)
    }

    @Test("collections of values are sorted, and lose what they have twice")
    func values() throws {
        let house = zoo.house
        #expect(Array(house.numbers.sorted(ascending: false)) == [3, 3, 2, 1] && Array(house.numbers.distinct()) == [3, 1, 2])
        #expect(Array(house.words.sorted(ascending: true)) == ["Z", "a", "b"])
        #expect(Array(house.notes.sorted(ascending: true)) == [nil, nil, "a", "x"] && Array(house.notes.distinct()) == ["x", nil, "a"])
        let sorted = house.numbers.distinct().sorted(ascending: true), frozen = sorted.freeze()
        try zoo.realm.write { house.numbers.append(0) }
        #expect(Array(sorted) == [0, 1, 2, 3] && Array(frozen) == [1, 2, 3] && sorted.index(of: 2) == 2 && sorted.first == 0 && sorted[3] == 3)
        #expect(mistakes { _ = house.numbers.filter("SELF > 1").count } == ["Querying is currently only implemented for arrays of Realm Objects"])
    }

    @Test("sums and extremes of results, by the engine where it can")
    func figures() {
        let animals = zoo.animals, old = animals.filter("age > 4")
        #expect(animals.sum(ofProperty: "age") as Int == 46 && old.sum(of: \.age) == 42 && animals.max(of: \.age) == 20)
        #expect(old.min(ofProperty: "age") as Int? == 5 && old.average(of: \.age) == 10.5 && old.average(ofProperty: "age") as Int? == 10)
        #expect(animals.sum(of: \.price) == 22 && old.max(of: \.price) == 6 && animals.filter("price == nil").min(of: \.price) == nil)
        #expect(animals.filter("age > 99").sum(ofProperty: "age") as Int == 0 && animals.filter("age > 99").average(of: \.age) == nil)
        #expect(zoo.house.animals.sum(of: \.age) == 31 && animals.max(of: \.born) == Date(timeIntervalSince1970: 12))
        #expect(animals.max(of: \.name.count) == 5 && zoo.realm.objects(Horse.self).max(ofProperty: "speed") as Int? == 7)
    }

    @Test("frozen results answer from their version, on every thread")
    func frozen() throws {
        let frozen = Frozen(zoo.animals.filter("age > 4").sorted(by: \.name))
        try zoo.realm.write { zoo.animals.setValue(0, forKey: "age") }
        let names = try onThread { frozen.value.map(\.name) + frozen.value.filter("age == 5").map(\.name) }
        #expect(names == ["Fido", "Jolly", "ada", "Élan", "Fido", "ada"] && zoo.animals.filter("age > 4").isEmpty)
    }

    @Test("how results are found is told")
    func explanation() {
        #expect(zoo.animals.filter("age > 4").sorted(byKeyPath: "name").explain()
            == "Beast: scan of every one of 6 objects\n  years > 4  (a cluster at a time)\nSORT(name ASC)")
    }
}
