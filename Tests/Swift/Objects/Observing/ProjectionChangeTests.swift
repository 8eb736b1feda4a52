import Foundation
@testable import Freehold
import Testing

private class Card: Projection<Beast> {
    @Projected(\Beast.name) var title
    @Projected(\Beast.name.localizedUppercase) var loudName
    @Projected(\Beast.age) var years
    @Projected(\Beast.isOld) var isOld
    @Projected(\Beast.keeper) var keeper
    @Projected(\Beast.keeper?.name) var keeperName
    @Projected(\Beast.tags) var words
    @Projected(\Beast.houses.projectTo.city) var cities: ProjectedCollection<String>
}

/// Observed projections: what is told, by which names, with which values.
@Suite("Observing projections")
struct ProjectionChangeTests {
    private let watch: Watch
    private let told = Heard()
    private let rex: Beast
    private let ann: Keeper
    private var realm: Realm { watch.realm }
    private var card: Card { Card(projecting: rex) }

    init() throws {
        watch = try Watch(Zoo.types)
        let realm = watch.realm
        (rex, ann) = try realm.write {
            let ann = realm.create(Keeper.self, value: ["id": 1, "name": "Ann"])
            let rex = realm.create(Beast.self, value: ["name": "Rex", "age": 3, "keeper": ann, "tags": ["one"]])
            realm.create(Stable.self, value: ["city": "Oslo", "animals": [rex]])
            return (rex, ann)
        }
    }

    private func change(_ body: () -> Void) throws -> [String] {
        try realm.write(body)
        watch.turn()
        return told.take()
    }

    @Test("by the names of the projection, with what was shown and what is; what it does not show is not told")
    func properties() throws {
        let token = card.observe { told.add($0) }
        #expect(try change { rex.age = 4 } == ["years: 3 → 4, isOld: false → false"])
        #expect(try change { rex.name = "Max" } == ["title: Rex → Max, loudName: REX → MAX"])
        #expect(try change { rex.isTame = true } == [])
        #expect(try change { (rex.age, rex.isTame) = (12, false) } == ["years: 4 → 12, isOld: false → true"])
        try watch.elsewhere { $0.objects(Beast.self)[0].age = 13 }
        realm.refresh()
        #expect(told.take() == ["years: 12 → 13, isOld: true → true"])
        token.invalidate()
        #expect(try change { rex.age = 1 } == [])
    }

    @Test("over links, with what was there then; a link is an object, as it is now")
    func links() throws {
        let token = card.observe { change in
            guard case .change(_, let properties) = change else { return told.add(change) }
            told.add(properties.map { property in
                func text(_ value: Any?) -> String { (value as? Keeper).map { "keeper \($0.name)" } ?? value.map { "\($0)" } ?? "nil" }
                return "\(property.name): \(text(property.oldValue)) → \(text(property.newValue))"
            }.joined(separator: ", "))
        }
        #expect(try change { ann.name = "Anna" } == ["keeperName: Ann → Anna"])
        #expect(try change { rex.keeper = realm.create(Keeper.self, value: ["id": 2, "name": "Bob"]) }
            == ["keeper: keeper Anna → keeper Bob, keeperName: Anna → Bob"])
        #expect(try change { ann.name = "other" } == [])
        #expect(try change { rex.keeper.map { realm.delete($0) } } == ["keeper: nil → nil, keeperName: Bob → nil"])
        token.invalidate()
    }

    @Test("collections, and what their objects have: live ones as new values, none as old")
    func collections() throws {
        let observed = card, token = observed.observe { change in
            guard case .change(let shown, let properties) = change else { return }
            #expect(shown === observed)
            for property in properties {
                let words = property.newValue as? List<String>, cities = property.newValue as? ProjectedCollection<String>
                told.add("\(property.name) \(property.oldValue == nil) \(words.map { Array($0) } ?? cities.map { Array($0) } ?? [])")
            }
        }
        #expect(try change { rex.tags.append("two") } == ["words true [\"one\", \"two\"]"])
        #expect(try change { realm.objects(Stable.self)[0].city = "Bergen" } == ["cities true [\"Bergen\"]"])
        #expect(try change { realm.create(Stable.self, value: ["city": "Rome", "animals": [rex]]) } == ["cities true [\"Bergen\", \"Rome\"]"])
        #expect(try change { realm.objects(Stable.self)[0].numbers.append(1) } == [])
        token.invalidate()
    }

    @Test("key paths: of the projection, as names and as Swift's; of the object, if the projection shows them")
    func keyPaths() throws {
        func heard(_ token: NotificationToken, _ body: () -> Void) throws -> [String] {
            defer { token.invalidate() }
            return try change(body)
        }
        func renamed() {
            rex.name += "x"
            rex.age += 1
            ann.name += "y"
        }
        #expect(try heard(card.observe(keyPaths: ["title"]) { told.add($0) }, renamed) == ["title: Rex → Rexx"])
        #expect(try heard(card.observe(keyPaths: ["name"]) { told.add($0) }, renamed) == ["title: Rexx → Rexxx, loudName: REXX → REXXX"])
        #expect(try heard(card.observe(keyPaths: [\.title]) { told.add($0) }, renamed) == ["title: Rexxx → Rexxxx"])
        #expect(try heard(card.observe(keyPaths: [\.loudName, \.years]) { told.add($0) }, renamed) == ["loudName: REXXXX → REXXXXX, years: 6 → 7"])
        #expect(try heard(card.observe(keyPaths: ["keeper.name"]) { told.add($0) }, renamed).first?.hasPrefix("keeper: ") == true)
        #expect(try heard(card.observe(keyPaths: [\.keeper?.name]) { told.add($0) }, renamed).first?.hasPrefix("keeper: ") == true)
        #expect(try heard(card.observe(keyPaths: [\.keeper]) { told.add($0) }, renamed) == [])
        #expect(try heard(card.observe(keyPaths: ["*"]) { told.add($0) }) { rex.tags.append("z") }.count == 1)
        #expect(try heard(card.observe(keyPaths: [\.cities]) { told.add($0) }) { realm.objects(Stable.self)[0].city = "Turin" }.count == 1)
        #expect(try heard(card.observe(keyPaths: [\.cities]) { told.add($0) }, renamed) == [])
        #expect(mistakes { _ = card.observe(keyPaths: ["yeers"]) { _ in } }.first?.contains("property 'yeers' not found in Card; did you mean 'years'?") == true)
        #expect(mistakes { _ = card.observe(keyPaths: ["isTame"]) { _ in } }.first?.contains("property 'isTame' not found in Card") == true)
        #expect(mistakes { _ = card.observe(keyPaths: [\.rootObject.isTame]) { _ in } }.first?.contains("is not a property of the projection") == true)
    }

    @Test("its end, and no more")
    func deleted() throws {
        let token = card.observe { told.add($0) }, filtered = card.observe(keyPaths: [\.years]) { told.add($0) }
        #expect(try change { realm.delete(realm.objects(Beast.self)) } == ["deleted", "deleted"])
        #expect(try change { realm.create(Beast.self, value: ["name": "new"]) } == [])
        token.invalidate()
        filtered.invalidate()
    }

    @Test("what the objects of a collection have: by places, only what is shown, or what key paths say")
    func projectedCollections() throws {
        let house = realm.objects(Stable.self)[0], names = house.animals.projectTo.name
        let token = names.observe { told.add($0) }, ages = names.observe(keyPaths: ["age"]) { told.add($0) }
        watch.turn()
        #expect(told.take() == ["initial 1", "initial 1"])
        #expect(try change { rex.name = "Max" } == ["-[] +[] ~[0]"])
        #expect(try change { rex.age = 9 } == ["-[] +[] ~[0]"])
        ages.invalidate()
        #expect(try change { rex.age = 10 } == [])
        #expect(try change { house.animals.insert(realm.create(Beast.self, value: ["name": "new"]), at: 0) } == ["-[] +[0] ~[]"])
        #expect(try change { house.animals.remove(at: 1) } == ["-[1] +[] ~[]"])
        #expect(try change { realm.delete(house) } == ["-[0] +[] ~[]"])
        let sorted = realm.objects(Beast.self).sorted(by: \.age).projectTo.isOld, whole = sorted.observe { told.add($0) }
        watch.turn()
        #expect(told.take() == ["initial 2"] && Array(sorted) == [false, false])
        #expect(try change { rex.age = 20 } == ["-[] +[] ~[1]"])
        token.invalidate()
        whole.invalidate()
    }

    @Test("results and sections of projections, by key paths of theirs")
    func results() throws {
        let cards = realm.objects(Card.self).where { $0.years > 2 }
        let tokens = [cards.observe { told.add($0) }, cards.observe(keyPaths: [\.keeperName]) { told.add($0) },
                      cards.sectioned(by: \.years).observe(keyPaths: [\.loudName]) { told.add($0) },
                      cards.sectioned(by: { $0.loudName.prefix(1) }, sortDescriptors: ["name"])[0].observe(keyPaths: [\.years]) { told.add($0) }]
        watch.turn()
        #expect(told.take() == ["initial 1", "initial 1", "initial 1", "initial 1"])
        #expect(try change { rex.age = 5 } == ["-[] +[] ~[0]", "-[] +[0.0] ~[] -[0] +[0]", "-[] +[] ~[0.0] -[] +[]"])
        #expect(try change { ann.name = "Eve" } == ["-[] +[] ~[0]", "-[] +[] ~[0]"])
        #expect(try change { rex.name = "Roy" } == ["-[] +[] ~[0]", "-[] +[] ~[0.0] -[] +[]"])
        #expect(try change { rex.name = "roy" } == ["-[] +[] ~[0]", "-[] +[] ~[0.0] -[] +[]"])
        let more = try change { realm.create(Beast.self, value: ["name": "Zed", "age": 7]) }
        #expect(more == ["-[] +[1] ~[]", "-[] +[1] ~[]", "-[] +[1.0] ~[] -[] +[1]"])
        #expect(mistakes { _ = cards.observe(keyPaths: [\.rootObject]) { _ in } }.isEmpty == false)
        tokens.forEach { $0.invalidate() }
    }

    @Test("on a queue")
    func onQueue() throws {
        let queue = DispatchQueue(label: "cards"), notes = Notes()
        let token = card.observe(keyPaths: [\.years], on: queue) { change in
            if case .change(let card, let properties) = change { notes.add("\(properties[0].name) \(card.years)") }
        }
        let cities = card.cities.observe(on: queue) { change in if case .initial(let cities) = change { notes.add(Array(cities).joined()) } }
        notes.wait(for: 1)
        try realm.write { (rex.age, rex.name) = (4, "Max") }
        notes.wait(for: 2)
        #expect(notes.all == ["Oslo", "years 4"])
        token.invalidate()
        cities.invalidate()
    }

    @Test("within an actor, by a block and as sequences", .timeLimit(.minutes(30)))
    func actors() async throws {
        let configuration = watch.configuration, clerk = Clerk()
        try await clerk.open(configuration)
        try await clerk.work()
        #expect(await clerk.told == ["years: 3 → 4", "initial 1", "title: Rex → Max", "-[] +[] ~[0]"])
    }

    @Test("what cannot be observed: by itself, frozen, deleted, within a write, on the wrong thread")
    func misuse() throws {
        let own = Card(projecting: Beast()), frozen = ["Frozen Realms do not change and do not have change notifications."]
        #expect(mistakes { _ = own.observe { _ in } } == ["Only objects which are managed by a Realm support change notifications"])
        #expect(mistakes { _ = own.cities.observe { _ in } } == ["Change notifications are only supported on managed collections."])
        #expect(mistakes { _ = card.freeze().observe { _ in } } == frozen)
        #expect(mistakes { _ = card.cities.freeze().observe { _ in } } == frozen)
        #expect(mistakes { _ = realm.objects(Card.self).freeze().observe { _ in } } == frozen)
        let wrong = Smuggled(card), cities = Smuggled(card.cities)
        #expect(try onThread { mistakes { _ = wrong.value.observe { _ in } } } == ["Realm accessed from incorrect thread."])
        #expect(try onThread { mistakes { _ = cities.value.observe { _ in } } } == ["Realm accessed from incorrect thread."])
        let shown = card
        try realm.write {
            rex.age = 9
            let words = ["Cannot create asynchronous query after making changes in a write transaction."]
            #expect(mistakes { _ = shown.observe { _ in } } == words)
            #expect(mistakes { _ = shown.cities.observe { _ in } } == words)
            realm.delete(realm.objects(Beast.self))
        }
        #expect(mistakes { _ = shown.observe { _ in } } == ["Object has been deleted or invalidated."])
    }
}

/// Somebody in an actor who looks at a card.
private actor Clerk {
    var told: [String] = []
    private var realm: Realm?

    func open(_ configuration: Realm.Configuration) async throws { realm = try await Realm.open(configuration: configuration) }

    func work() async throws {
        guard let realm, let rex = realm.objects(Beast.self).first else { return }
        let card = Card(projecting: rex)
        let token = await card.observe(keyPaths: [\.years], on: self) { clerk, change in clerk.note { $0.add(change) } }
        try await realm.asyncWrite { rex.age = 4 }
        while told.isEmpty { await Task.yield() }
        token.invalidate()
        var names = card.changes(keyPaths: ["title"]).makeAsyncIterator(), animals = realm.objects(Stable.self)[0].animals.projectTo.name.changes.makeAsyncIterator()
        if let change = await animals.next(isolation: self) { note { $0.add(change) } }
        try await realm.asyncWrite { rex.name = "Max" }
        if let change = await names.next(isolation: self) { note { $0.add(change) } }
        if let change = await animals.next(isolation: self) { note { $0.add(change) } }
    }

    private func note(_ body: (Heard) -> Void) {
        let heard = Heard()
        body(heard)
        told += heard.texts
    }
}
