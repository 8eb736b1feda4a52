import Foundation
@testable import Freehold
import FreeholdEngine
import Testing

private class Card: Projection<Beast> {
    @Projected(\Beast.name) var name
    @Projected(\Beast.age) var years
    @Projected(\Beast.name.localizedUppercase) var loudName
    @Projected(\Beast.keeper?.name) var keeperName
    @Projected(\Beast.keeper) var keeper
    @Projected(\Beast.tags) var words
    @Projected(\Beast.tags.count) var wordCount
    @Projected(\Beast.houses) var houses
    @Projected(\Beast.houses.projectTo.city) var cities: ProjectedCollection<String>
    @Projected(\Beast.size) var size
    @Projected(\Beast.nick) var nick

    var initial: String { String(name.prefix(1)) }
}

private final class WideCard: Card {
    @Projected(\Beast.price) var price
}

private final class StableCard: Projection<Stable> {
    @Projected(\Stable.animals.projectTo.name) var names: ProjectedCollection<String>
    @Projected(\Stable.animals.projectTo.isOld) var areOld: ProjectedCollection<Bool>
    @Projected(\Stable.favourites.projectTo.age) var ages: ProjectedCollection<Int>
    @Projected(\Stable.numbers) var numbers
    @Projected(\Stable.byName) var byName
}

private final class Unkept: Projection<Beast> {
    @Projected(\Beast.constant) var constant
}

private final class StreetCard: Projection<Address> {
    @Projected(\Address.street) var street
}

extension Beast {
    fileprivate var constant: Int { 5 }
}

@Suite("Projections of objects")
struct ProjectionTests {
    private let zoo: Zoo
    init() throws { zoo = try Zoo() }

    private var cards: Results<Card> { zoo.realm.objects(Card.self) }

    @Test("it shows what its key paths lead to: properties, computed ones, links, collections, linking objects")
    func reading() throws {
        let rex = zoo.animals[0], card = Card(projecting: rex)
        #expect(card.name == "Rex" && card.years == 3 && card.loudName == "REX" && card.keeperName == "Ann" && card.keeper?.id == 1)
        #expect(Array(card.words) == ["Rex", "all"] && card.wordCount == 2 && card.houses.count == 2 && Array(card.cities) == ["Oslo", "Oslo"])
        #expect(card.size == .small && card.nick == nil && card.rootObject === rex && card.realm == zoo.realm && !card.isFrozen)
        let beast = Beast(value: ["name": "by itself", "tags": ["one"]]), own = WideCard(projecting: beast)
        #expect(own.name == "by itself" && own.keeperName == nil && own.wordCount == 1 && own.realm == nil && own.price == nil && own.cities.isEmpty)
    }

    @Test("it sets what can be set, in the object; what cannot be is told")
    func writing() throws {
        let rex = zoo.animals[0], card = WideCard(projecting: rex)
        try zoo.realm.write {
            card.name = "Max"
            card.years += 1
            card.keeper = nil
            card.words.append("new")
            card.size = .large
            (card.price, card.nick) = (nil, "M")
        }
        #expect(rex.name == "Max" && rex.age == 4 && rex.keeper == nil && rex.tags.last == "new" && rex.size == .large && rex.price == nil && rex.nick == "M")
        #expect(mistakes { card.name = "Tim" } == ["Cannot modify managed objects outside of a write transaction."] && card.name == "Max")
        try zoo.realm.write {
            #expect(mistakes { card.loudName = "X" } == ["KeyPath is not writable"])
            #expect(mistakes { card.keeperName = "X" } == ["KeyPath is not writable"])
        }
        let own = Card(projecting: Beast())
        (own.name, own.years) = ("Tom", 9)
        #expect(own.rootObject.name == "Tom" && own.rootObject.age == 9)
    }

    @Test("all of a class: counted, indexed, gone through, found again")
    func results() {
        #expect(cards.count == 6 && cards[1].name == "Fido" && cards.first?.years == 3 && cards.last?.name == "Zack" && !cards.isEmpty)
        #expect(cards.map(\.name) == ["Rex", "Fido", "Élan", "ada", "Jolly", "Zack"] && cards[2..<4].map(\.years) == [12, 5])
        #expect(cards.index(of: Card(projecting: zoo.animals[3])) == 3 && cards.contains(Card(projecting: zoo.animals[3])))
        #expect(cards[4].rootObject is Horse && zoo.realm.objects(StableCard.self)[0].numbers.count == 4)
        var kept: [Card] = []
        for card in cards { kept.append(card) }
        #expect(kept.map(\.name) == cards.map(\.name) && Set(kept).count == 6)
        func all<Shown: RealmFetchable>(_ type: Shown.Type) -> [Shown] { Array(zoo.realm.objects(type)) }
        #expect(all(Card.self).count == 6 && all(Beast.self)[1].name == "Fido" && Card.className() == "Beast")
    }

    @Test("queries: texts by the names of the object's class, key paths and where by those of the projection")
    func queries() {
        #expect(cards.filter("age > %@ AND keeper.name == 'Ann'", 4).map(\.loudName) == ["ÉLAN"])
        #expect(cards.filter(NSPredicate(format: "age == 5")).map(\.name) == ["Fido", "ada"])
        #expect(cards.where { $0.years > 4 && $0.keeperName == "Ann" }.map(\.name) == ["Élan"])
        #expect(cards.where { $0.keeper.name == "Bob" || $0.size == .large }.map(\.name) == ["Fido", "Jolly", "Zack"])
        #expect(cards.where { $0.words.contains("Rex") }.count == 1 && cards.where { $0.houses.city == "Oslo" }.map(\.name) == ["Rex", "ada", "Jolly"])
        #expect(cards.sorted(by: \.years, ascending: false).map(\.years) == [20, 12, 5, 5, 3, 1] && cards.sorted(byKeyPath: "name").first?.name == "Fido")
        #expect(cards.sorted(by: [Freehold.SortDescriptor(keyPath: \Card.keeperName), "age"]).map(\.name) == ["Rex", "Élan", "Fido", "Zack", "ada", "Jolly"])
        #expect(cards.distinct(by: [\.years]).count == 5 && cards.sorted(by: \.years).limit(2).map(\.name) == ["Zack", "Rex"])
        #expect(cards.index(matching: "age == 12") == 2 && cards.index(matching: { $0.name == "ada" }) == 3 && cards.sorted(by: \.name).index(matching: "age == 1") == 3)
        #expect(cards.max(of: \.years) == 20 && cards.filter("age < 6").sum(ofProperty: "age") as Int == 14 && cards.average(of: \.years) == 46 / 6.0)
        #expect(cards.filter("age > 4").value(forKey: "name") as? [String] == ["Fido", "Élan", "ada", "Jolly"])
        #expect(AnyRealmCollection(cards).filter("age > 15").map(\.name) == ["Jolly"])
        #expect(mistakes { _ = cards.filter("years > 5 AND loudName == 'x'").count }.first?.contains("property 'loudName' not found in Beast") == true)
        #expect(mistakes { _ = cards.sorted(by: \.wordCount).count }.isEmpty == false)
    }

    @Test("sections and groups of projections")
    func sections() {
        #expect(cards.sectioned(by: \.years).allKeys == [1, 3, 5, 12, 20] && cards.sectioned(by: \.initial).allKeys == ["F", "J", "R", "Z", "a", "É"])
        #expect(cards.sectioned(by: { $0.loudName.count }, sortDescriptors: ["age"])[0].map(\.name) == ["Zack", "Fido", "Élan"])
        #expect(cards.grouped(by: \.size, select: .count, .max(of: \.years)).map(\.figures) == [[.int(2), .int(20)], [.int(4), .int(12)]])
    }

    @Test("results of projections are live; what is done to one shows in the others")
    func live() throws {
        let old = cards.filter("age > 10").sorted(by: \.name)
        try zoo.realm.write {
            cards[0].years = 50
            #expect(old.map(\.name) == ["Jolly", "Rex", "Élan"])
            for card in old { card.years += 1 }
        }
        #expect(old.map(\.years) == [21, 51, 13])
        try zoo.realm.write { old.setValue(11, forKey: "age") }
        #expect(cards.filter("age == 11").count == 3)
    }

    @Test("projections of one object are equal, whatever instance they stand for")
    func equality() throws {
        let one = Card(projecting: zoo.animals[0]), other = cards[0]
        #expect(one == other && one.hashValue == other.hashValue && one !== other && one != cards[1] && Set([one, other, cards[1]]).count == 2)
        let beast = Beast(), own = Card(projecting: beast)
        #expect(own == Card(projecting: beast) && own != Card(projecting: Beast()) && Set([own, Card(projecting: beast)]).count == 1)
        #expect(one != one.freeze() && one.freeze() == other.freeze())
    }

    @Test("frozen projections stay, on every thread; thawed ones follow again")
    func frozen() throws {
        let card = cards[0], frozen = Frozen(card), all = Frozen(cards.filter("age < 4").sorted(by: \.years))
        try zoo.realm.write {
            card.name = "Max"
            zoo.animals.setValue(7, forKey: "age")
        }
        let seen = try onThread { (frozen.name, frozen.value.cities.count, all.value.map(\.name), frozen.value.isFrozen && all.value[0].isFrozen) }
        #expect(seen.0 == "Rex" && seen.1 == 2 && seen.2 == ["Zack", "Rex"] && seen.3)
        #expect(frozen.thaw()?.name == "Max" && all.thaw()?.count == 0 && frozen.thaw() == card)
        let reference = ThreadSafeReference(to: card), file = Smuggled(zoo.realm.configuration), smuggled = Smuggled(card)
        #expect(try onThread { try Realm(configuration: file.value).resolve(reference)?.name } == "Max")
        #expect(try onThread { mistakes { _ = smuggled.value.name } } == ["Realm accessed from incorrect thread."])
        #expect(mistakes { _ = Card(projecting: Beast()).freeze() } == ["Unmanaged objects cannot be frozen."])
    }

    @Test("a projection of what was deleted is invalid, and says so")
    func invalidated() throws {
        let card = cards[0], frozen = card.freeze()
        #expect(card.description.contains("Card<Beast> {\n\tname(\\.name) = Rex;\n\tyears(\\.age) = 3;\n\tloudName(\\.name) = REX;\n\tkeeperName(\\.keeper.name) = Ann;"))
        try zoo.realm.write { zoo.realm.delete(zoo.animals[0]) }
        #expect(card.isInvalidated && card.description == "[invalid object]" && frozen.name == "Rex" && frozen.thaw() == nil)
        #expect(mistakes { _ = card.name } == ["Object has been deleted or invalidated."])
        #expect(mistakes { _ = card.freeze() } == ["Object has been deleted or invalidated."])
    }

    @Test("what shows nothing that is kept is told once a class is used")
    func unkept() {
        let told = mistakes { _ = Unkept(projecting: zoo.animals[0]) }
        #expect(told.contains("@Projected property 'constant' must be a part of Realm object"))
    }

    @Test("embedded objects can be projected, too")
    func embedded() throws {
        let folder = try Folder(), realm = try Realm(configuration: folder.configuration([Kennel.self, Address.self, Dog.self, Person.self]))
        try realm.write { realm.create(Kennel.self, value: ["name": "north", "address": ["street": "High", "number": 4]]) }
        let card = StreetCard(projecting: try #require(realm.objects(Kennel.self)[0].address))
        try realm.write { card.street = "Low" }
        #expect(realm.objects(Kennel.self)[0].address?.street == "Low")
    }

    @Test("collections of what objects have: read, set, looked through, frozen")
    func projectedCollections() throws {
        let house = StableCard(projecting: zoo.house)
        #expect(Array(house.names) == ["ada", "Rex", "Jolly", "Rex"] && Array(house.areOld) == [false, false, true, false] && Set(house.ages) == [5, 12])
        #expect(house.names.index(of: "Jolly") == 2 && house.names.index(of: "none") == nil && house.names.index(matching: "age == 3") == 1)
        #expect(house.names.index(matching: NSPredicate(format: "age > %@", 10)) == 2 && house.names.first == "ada" && house.names.last == "Rex")
        #expect(house.names.description == "ProjectedCollection<String> {\n\t[0] ada\n\t[1] Rex\n\t[2] Jolly\n\t[3] Rex\n}")
        #expect(Array(zoo.animals.sorted(by: \.age).projectTo.age) == [1, 3, 5, 5, 12, 20] && house.byName.count == 4)
        let frozen = Frozen(house.names)
        try zoo.realm.write {
            house.names[0] = "Ida"
            #expect(mistakes { house.areOld[0] = true } == ["KeyPath is not writable"])
            house.rootObject.animals.removeLast()
        }
        #expect(Array(house.names) == ["Ida", "Rex", "Jolly"] && zoo.animals[3].name == "Ida" && house.names.realm == zoo.realm)
        #expect(try onThread { Array(frozen.value) } == ["ada", "Rex", "Jolly", "Rex"] && frozen.thaw().map { Array($0) } == ["Ida", "Rex", "Jolly"])
        #expect(mistakes { _ = house.names[3] } == ["Index 3 is out of bounds (must be less than 3)."])
        let names = house.names
        try zoo.realm.write { zoo.realm.delete(zoo.house) }
        #expect(names.isInvalidated && frozen.thaw() == nil && !frozen.value.isInvalidated)
        let own = StableCard(projecting: Stable(value: ["animals": [["name": "new"]]]))
        own.names[0] = "other"
        #expect(Array(own.names) == ["other"] && own.names.realm == nil)
    }
}
