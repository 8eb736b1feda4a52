import Freehold
import Testing

private class Ancestor: Object {
    @Persisted(primaryKey: true) var id: Int
    @Persisted var age = 0
    @Persisted var tags: List<String>
}

private class Descendant: Ancestor {
    @Persisted var extra = 0
}

private final class Youngest: Descendant {}

private class Knot: Object {
    @Persisted(primaryKey: true) var id: Int
    @Persisted var text = ""
    @Persisted var others: MutableSet<Knot>
    @Persisted var row: List<Knot>
}

/// Objects are read the short way, and iterators step from one to the next without asking: as long as what they stand in is what it was.
@Suite("Iterators, and objects read the short way, over changes")
struct IteratingTests {
    private let family: [ObjectBase.Type] = [Ancestor.self, Descendant.self, Youngest.self]

    @Test("an iterator goes on after a commit in its body, though the object is read again behind that", arguments: [nil, 1, 2])
    func commits(again: Int?) throws {
        let folder = try Folder(), realm = try Realm(configuration: folder.configuration([Person.self, Dog.self]))
        try realm.write { for id in 0..<700 { realm.create(Person.self, value: ["id": id, "age": id]) } }
        var seen: [Int] = []
        for person in realm.objects(Person.self) {
            let age = person.age
            if age == 100 || age == 400 {
                for _ in 0..<(again ?? 1) {
                    try realm.write { realm.delete(realm.objects(Person.self).where { $0.id == age + 1 }) }
                    try realm.write { realm.create(Person.self, value: ["id": age - 50, "age": -1], update: .modified) }
                    if again != nil { #expect((0..<3).allSatisfy { _ in person.age == age && person.id == age }) }
                }
            }
            seen.append(age)
            #expect(person.id == age)
        }
        #expect(seen == (0..<700).filter { $0 != 101 && $0 != 401 })
    }

    @Test("an iterator goes on within a write that its body begins and leaves open")
    func openWrites() throws {
        let folder = try Folder(), realm = try Realm(configuration: folder.configuration([Person.self, Dog.self]))
        try realm.write { for id in 0..<700 { realm.create(Person.self, value: ["id": id, "age": id]) } }
        var seen: [Int] = []
        for person in realm.objects(Person.self) {
            seen.append(person.age)
            if person.id == 50 {
                realm.beginWrite()
                #expect((0..<3).allSatisfy { _ in person.age == 50 })
                realm.delete(realm.objects(Person.self).where { $0.id > 60 && $0.id < 100 })
            }
            if person.id == 300 {
                try realm.commitWrite()
                #expect((0..<3).allSatisfy { _ in person.age == 300 })
            }
        }
        #expect(seen == (0..<700).filter { $0 <= 60 || $0 >= 100 })
    }

    @Test("objects of classes that extend one another come as what they are, however many stand side by side")
    func classes() throws {
        let folder = try Folder(), realm = try Realm(configuration: folder.configuration(family))
        try realm.write {
            for id in 0..<900 {
                let own: Ancestor = id % 3 == 0 ? Youngest() : id % 3 == 1 ? Descendant() : Ancestor()
                (own.id, own.age) = (id, id)
                realm.add(own)
            }
        }
        func kind(_ object: Ancestor) -> Int { object is Youngest ? 0 : object is Descendant ? 1 : 2 }
        for _ in 0..<2 {
            var seen: [Int] = [], below: [Int] = [], names: [String] = []
            for object in realm.objects(Ancestor.self) {
                #expect(kind(object) == object.id % 3 && object.age == object.id)
                seen.append(object.id)
            }
            for object in realm.objects(Descendant.self) {
                #expect(kind(object) == object.id % 3)
                below.append(object.id)
            }
            for object in realm.dynamicObjects("Ancestor") { names.append(object.objectSchema.className) }
            #expect(seen == Array(0..<900))
            #expect(below == (0..<900).filter { $0 % 3 < 2 })
            #expect(names == seen.map { ["Youngest", "Descendant", "Ancestor"][$0 % 3] })
            #expect(realm.freeze().objects(Ancestor.self).allSatisfy { kind($0) == $0.id % 3 })
            var sum = 0
            for object in realm.objects(Ancestor.self) { sum += kind(object) }
            #expect(sum == 900)
        }
    }

    @Test("what is changed by way of a superclass shows in objects of the class, and the other way round")
    func superclasses() throws {
        let folder = try Folder(), realm = try Realm(configuration: folder.configuration(family))
        try realm.write { for id in 0..<300 { realm.create(Youngest.self, value: ["id": id, "age": 1]) } }
        let known = try #require(realm.object(ofType: Youngest.self, forPrimaryKey: 7))
        #expect((0..<3).allSatisfy { _ in known.age == 1 })
        try realm.write {
            #expect((0..<3).allSatisfy { _ in known.age == 1 } && known.tags.isEmpty)
            realm.create(Ancestor.self, value: ["id": 7, "age": 2, "tags": ["a"]], update: .modified)
            #expect(known.age == 2 && Array(known.tags) == ["a"])
            let adopted = Ancestor()
            (adopted.id, adopted.age) = (7, 3)
            realm.add(adopted, update: .modified)
            #expect(known.age == 3 && adopted.age == 3)
            known.age = 4
            known.tags.append("b")
            #expect(adopted.age == 4 && adopted.tags.last == "b")
        }
        #expect(known.age == 4)
        let adopted = try #require(realm.object(ofType: Ancestor.self, forPrimaryKey: 7))
        #expect((0..<3).allSatisfy { _ in adopted.age == 4 })
        try realm.write {
            #expect((0..<3).allSatisfy { _ in adopted.age == 4 && adopted.tags.count == known.tags.count })
            known.age = 5
            known.tags.removeAll()
            #expect(adopted.age == 5 && adopted.tags.isEmpty)
        }
    }

    @Test("results that give a collection its elements are asked anew behind that, and so are rows")
    func elements() throws {
        let folder = try Folder(), realm = try Realm(configuration: folder.configuration([Knot.self]))
        try realm.write {
            for id in 0..<2000 { realm.create(Knot.self, value: ["id": id, "text": String(repeating: "x", count: 10_000)]) }
            let all = realm.objects(Knot.self), first = all[0], second = all[1], last = all[1999]
            let lonely = all.filter("others.@count == 0 AND id < 3"), rowless = all.filter("row.@count == 0 AND id < 3")
            first.others.insert(objectsIn: lonely)
            #expect(lonely.map(\.id) == [1, 2])
            second.row.insert(contentsOf: rowless, at: 0)
            #expect(rowless.map(\.id) == [0, 2])
            first.others.insert(objectsIn: all.filter("id >= 1000"))
            #expect(last.text.utf8.count == 10_000)
            second.row.insert(contentsOf: all.filter("id >= 1000"), at: 1)
            #expect(last.text.utf8.count == 10_000 && second.row.count == 1003 && first.others.count == 1003)
        }
        #expect(realm.objects(Knot.self).filter("others.@count == 0").count == 1999)
    }
}
