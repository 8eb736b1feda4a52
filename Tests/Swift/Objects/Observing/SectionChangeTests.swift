import Foundation
@testable import Freehold
import Testing

/// Observed sections: which places are told, and when.
@Suite("Observing sections")
struct SectionChangeTests {
    private let watch: Watch
    private let told = Heard()
    private var realm: Realm { watch.realm }
    private var dogs: Results<Dog> { realm.objects(Dog.self) }

    /// Dogs of these names and ages.
    init() throws {
        watch = try Watch()
        try realm.write { for (name, age) in [("a", 1), ("b", 2), ("c", 2), ("d", 4)] { realm.dog(name, age) } }
    }

    private func change(_ body: () -> Void) throws -> [String] {
        try realm.write(body)
        watch.turn()
        return told.take()
    }

    @Test("first as they are; then places in the sections before, and in those behind")
    func places() throws {
        let sections = dogs.sectioned(by: \.age), token = sections.observe { told.add($0) }
        watch.turn()
        #expect(told.take() == ["initial 3"])
        #expect(try change { dogs[1].name = "B" } == ["-[] +[] ~[1.0] -[] +[]"])
        #expect(try change { realm.dog("e", 2) } == ["-[] +[1.2] ~[] -[] +[]"])
        // b goes from the second section to the first.
        #expect(try change { dogs[1].age = 1 } == ["-[1.0] +[0.1] ~[] -[] +[]"])
        #expect(sections.map { $0.map(\.name) } == [["a", "B"], ["c", "e"], ["d"]])
        #expect(try change { realm.create(Person.self, value: ["id": 1]) } == [])
        token.invalidate()
        #expect(try change { dogs[1].name = "b" } == [])
    }

    @Test("a section that goes or comes: what was in it goes with it, what comes with it is told, too")
    func whole() throws {
        let sections = dogs.sectioned(by: \.age), token = sections.observe { told.add($0) }
        watch.turn()
        _ = told.take()
        #expect(try change { realm.delete(dogs.filter("age == 2")) } == ["-[] +[] ~[] -[1] +[]"])
        #expect(try change { for name in ["x", "y"] { realm.dog(name, 3) } } == ["-[] +[1.0 1.1] ~[] -[] +[1]"])
        #expect(try change { dogs.filter("age == 1").setValue(9, forKey: "age") } == ["-[] +[2.0] ~[] -[0] +[2]"])
        #expect(try change { realm.delete(dogs) } == ["-[] +[] ~[] -[0, 1, 2] +[]"])
        token.invalidate()
    }

    @Test("a section that moves among the others is deleted and inserted, with all that is in it")
    func moved() throws {
        let sections = dogs.sectioned(by: { $0.age % 2 }, sortDescriptors: ["name"]), token = sections.observe { told.add($0) }
        watch.turn()
        _ = told.take()
        #expect(sections.allKeys == [1, 0])
        #expect(try change { dogs.filter("name == 'a'").first?.name = "z" } == ["-[] +[1.0] ~[] -[0] +[1]"])
        #expect(sections.map { $0.map(\.name) } == [["b", "c", "d"], ["z"]])
        token.invalidate()
    }

    @Test("a key that changes without a move: made of what is linked to, with key paths that say nothing of it")
    func keys() throws {
        try realm.write { dogs[0].owner = realm.create(Person.self, value: ["id": 1, "name": "Ann"]) }
        let sections = dogs.sectioned(by: { $0.owner?.name.count ?? 0 }, sortDescriptors: ["name"])
        let token = sections.observe(keyPaths: ["age"]) { told.add($0) }
        watch.turn()
        _ = told.take()
        #expect(try change { realm.objects(Person.self)[0].name = "Bob" } == [])
        #expect(try change { realm.objects(Person.self)[0].name = "" } == ["-[] +[0.0] ~[] -[0] +[]"])
        #expect(try change { realm.objects(Person.self)[0].name = "Ann" } == ["-[0.0] +[0.0] ~[] -[] +[0]"])
        #expect(try change { dogs[0].age = 7 } == ["-[] +[] ~[0.0] -[] +[]"])
        token.invalidate()
        let swift = sections.observe(keyPaths: [\Dog.age]) { told.add($0) }, section = sections[1].observe(keyPaths: [\Dog.name]) { told.add($0) }
        watch.turn()
        _ = told.take()
        #expect(try change { dogs[1].age = 9 } == ["-[] +[] ~[1.0] -[] +[]"])
        #expect(try change { dogs[3].name = "dd" } == ["-[] +[] ~[1.2] -[] +[]"])
        swift.invalidate()
        section.invalidate()
        #expect(mistakes { _ = sections.observe(keyPaths: ["ag"]) { _ in } }.first?.contains("ag") == true)
    }

    @Test("one section: only of its own elements, wherever it stands; it may go and come again")
    func section() throws {
        let sections = dogs.sectioned(by: \.age), token = sections[1].observe { told.add($0) }
        watch.turn()
        #expect(told.take() == ["initial 2"])
        #expect(try change { realm.delete(dogs.filter("age == 1")) } == [])
        #expect(try change { realm.dog("e", 2) } == ["-[] +[0.2] ~[] -[] +[]"])
        #expect(try change { dogs[0].name = "B" } == ["-[] +[] ~[0.0] -[] +[]"])
        #expect(try change { realm.delete(dogs.filter("age == 2")) } == ["-[] +[] ~[] -[0] +[]"])
        #expect(try change { realm.dog("f", 5) } == [])
        #expect(try change { realm.dog("g", 2) } == ["-[] +[0.0] ~[] -[] +[0]"])
        token.invalidate()
    }

    @Test("values in sections")
    func values() throws {
        let kennel = try realm.write { realm.create(Kennel.self, value: ["name": "k", "scores": [3, 1, 2]]) }
        let sections = kennel.scores.sectioned(by: { $0 % 2 == 0 }), token = sections.observe { told.add($0) }
        watch.turn()
        #expect(told.take() == ["initial 2"] && sections.allKeys == [false, true])
        #expect(try change { kennel.scores.append(5) } == ["-[] +[0.2] ~[] -[] +[]"])
        #expect(try change { kennel.scores.remove(at: 2) } == ["-[] +[] ~[] -[1] +[]"])
        #expect(mistakes { _ = sections.observe(keyPaths: ["x"]) { _ in } }.count == 1)
        token.invalidate()
    }

    @Test("only what came or changed is asked for its key; what is observed shows what is followed")
    func effort() throws {
        try realm.write { for number in 0..<500 { realm.dog("n\(number)", number % 10) } }
        var asked = 0
        let sections = dogs.sectioned(by: { dog -> Int in
            asked += 1
            return dog.age
        }, sortDescriptors: ["age"])
        let token = sections.observe { told.add($0) }
        watch.turn()
        #expect(told.take() == ["initial 10"] && asked == 504 && sections.count == 10 && sections[3].count == 50 && asked == 504)
        #expect(try change { dogs[20].age = 11 }.count == 1)
        #expect(asked == 505 && sections.count == 11 && sections.allKeys == Array(0...9) + [11] && asked == 505)
        #expect(sections[10].first?.name == "n16" && sections[6].count == 49)
        token.invalidate()
        #expect(sections.count == 11 && asked == 505)
        try realm.write { dogs[20].age = 6 }
        #expect(sections.count == 10 && asked == 505 + 504)
    }

    @Test("others' commits, before a write, on a queue, and unless it was said not to tell")
    func delivery() throws {
        let sections = dogs.sectioned(by: \.age), token = sections.observe { told.add($0) }
        watch.turn()
        try watch.elsewhere { $0.dog("other", 1) }
        try realm.write { #expect(told.take() == ["initial 3", "-[] +[0.1] ~[] -[] +[]"]) }
        try realm.write(withoutNotifying: [token]) { _ = realm.dog("silent", 1) }
        try watch.elsewhere { $0.dog("more", 1) }
        realm.refresh()
        #expect(told.take() == ["-[] +[0.3] ~[] -[] +[]"])
        token.invalidate()
        let queue = DispatchQueue(label: "sections"), notes = Notes()
        let onQueue = sections.observe(on: queue) { change in
            if case .initial(let sections) = change { notes.add("initial \(sections.count)") }
            if case .update(let sections, _, let insertions, _, _, _) = change { notes.add("\(sections[insertions[0]].name)") }
        }
        notes.wait(for: 1)
        try realm.write { _ = realm.dog("last", 3) }
        notes.wait(for: 2)
        #expect(notes.all == ["initial 3", "last"])
        onQueue.invalidate()
    }

    @Test("within an actor: by a block and as a sequence", .timeLimit(.minutes(30)))
    func actors() async throws {
        let keeper = SectionKeeper(), configuration = watch.configuration
        try await keeper.open(configuration)
        try await keeper.observe()
        try await keeper.follow()
        #expect(await keeper.told == ["initial 3", "-[] +[3.0] ~[] -[] +[3]"])
        #expect(await keeper.found == ["initial 3", "-[] +[1.2] ~[] -[] +[]"])
    }

    @Test("what cannot be observed: sections of nothing, frozen ones, within a write, a section that was never there")
    func misuse() throws {
        let sections = dogs.sectioned(by: \.age)
        #expect(mistakes { _ = sections.freeze().observe { _ in } } == ["Frozen Realms do not change and do not have change notifications."])
        #expect(mistakes { _ = sections[0].freeze().observe { _ in } } == ["Frozen Realms do not change and do not have change notifications."])
        try realm.write {
            realm.dog("x")
            let words = ["Cannot create asynchronous query after making changes in a write transaction."]
            #expect(mistakes { _ = sections.observe { _ in } } == words)
            #expect(mistakes { _ = sections[0].observe { _ in } } == words)
        }
        let none = mistakes { _ = Kennel().dogs.sectioned(by: \.age).observe { _ in } }
        #expect(none.last == "Change notifications are only supported on managed collections.")
        var beyond = sections[0]
        _ = mistakes { beyond = sections[99] }
        #expect(mistakes { _ = beyond.observe { _ in } }.first?.contains("This ResultsSection is not in a valid state.") == true)
        let wrong = Smuggled(sections)
        #expect(try onThread { mistakes { _ = wrong.value.observe { _ in } } } == ["Realm accessed from incorrect thread."])
        let token = sections.observe { told.add($0) }
        realm.invalidate()
        try watch.elsewhere { $0.dog("other", 0) }
        watch.turn()
        #expect(told.take() == ["initial 4"])
        token.invalidate()
    }
}

/// Somebody in an actor who looks at dogs by their ages.
private actor SectionKeeper {
    var told: [String] = []
    var found: [String] = []
    private var realm: Realm?

    func open(_ configuration: Realm.Configuration) async throws { realm = try await Realm.open(configuration: configuration) }

    private var sections: SectionedResults<Int, Dog>? { realm?.objects(Dog.self).sectioned(by: \.age) }

    func observe() async throws {
        guard let sections else { return }
        let token = await sections.observe(on: self) { keeper, change in
            let heard = Heard()
            heard.add(change)
            keeper.told += heard.texts
        }
        while told.isEmpty { await Task.yield() }
        try await realm?.asyncWrite { _ = realm?.dog("new", 8) }
        while told.count < 2 { await Task.yield() }
        token.invalidate()
        try await realm?.asyncWrite { if let realm { realm.delete(realm.objects(Dog.self).filter("age == 8")) } }
    }

    func follow() async throws {
        guard let sections else { return }
        var changes = sections.changes.makeAsyncIterator()
        for _ in 0..<2 {
            let heard = Heard()
            if let change = await changes.next(isolation: self) { heard.add(change) }
            found += heard.texts
            if found.count == 1 { try await realm?.asyncWrite { _ = realm?.dog("more", 2) } }
        }
    }
}
