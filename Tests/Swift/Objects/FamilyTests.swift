import Freehold
import FreeholdEngine
import Testing

private class Relative: Object {
    @Persisted(primaryKey: true) var id: Int
    @Persisted var name = ""
    @Persisted(deleteRule: .cascade) var child: Relative?
}

private class Cousin: Relative {
    @Persisted var extra = 0
}

private class Numbered: Object {
    @Persisted(primaryKey: true, autoincrement: true) var id: Int
}

private class Heir: Numbered {
    @Persisted var extra = 0
}

private class Household: Object {
    @Persisted var members: List<Relative>
    @Persisted var guests: MutableSet<Relative>
}

/// Classes that extend one another share their objects' keys, whichever of them an object is asked for by.
@Suite("Objects of classes that extend one another")
struct FamilyTests {
    private let types: [ObjectBase.Type] = [Relative.self, Cousin.self, Household.self]

    @Test("one object is equal to itself by whichever class it was got")
    func equality() throws {
        let folder = try Folder(), realm = try Realm(configuration: folder.configuration(types))
        try realm.write {
            realm.create(Cousin.self, value: ["id": 7])
            realm.create(Relative.self, value: ["id": 8])
            let adopted = realm.create(Relative.self, value: ["id": 7, "name": "Ada"], update: .modified)
            let known = try #require(realm.object(ofType: Cousin.self, forPrimaryKey: 7))
            let other = try #require(realm.object(ofType: Relative.self, forPrimaryKey: 8))
            #expect(adopted == known && adopted.isSameObject(as: known) && Set([adopted, known, other]).count == 2)
            #expect(known != other && !other.isSameObject(as: known))
            let household = realm.create(Household.self, value: ["members": [known, other], "guests": [adopted]])
            #expect(household.members.index(of: adopted) == 0 && household.members.contains(known) && household.guests.contains(known))
        }
    }

    @Test("numbers of a class and of those that extend it are of one sequence, also where keys are not numbers of objects")
    func numbers() throws {
        let folder = try Folder()
        try folder.file(version: 0, [ClassSchema("Numbered", [PropertySchema("id", .int)])]) { transaction in
            for id in 1...3 as ClosedRange<Int64> { try transaction.insert(into: "Numbered", [("id", .int(id))]) }
        }.close()
        let realm = try Realm(configuration: folder.configuration([Numbered.self, Heir.self], version: 1))
        try realm.write {
            let heir = Heir(), another = Numbered(), third = Heir()
            realm.add([heir, another, third])
            #expect([heir.id, another.id, third.id] == [4, 5, 6])
            #expect(realm.dynamicCreate("Heir")["id"] as? Int == 7)
            let last = Numbered()
            realm.add(last)
            #expect(last.id == 8)
        }
        #expect(realm.objects(Numbered.self).map(\.id) == Array(1...8))
    }

    @Test("an object of a class that the program lacks is one of the nearest class that it has")
    func strangers() throws {
        let folder = try Folder()
        let classes = [
            ClassSchema("Relative", primaryKey: "id", [PropertySchema("id", .int), PropertySchema("name", .string), PropertySchema("child", linkTo: "Relative", deleteRule: .cascade)]),
            ClassSchema("Cousin", superclass: "Relative", [PropertySchema("extra", .int)]), ClassSchema("Nephew", superclass: "Cousin", [PropertySchema("age", .int)]),
            ClassSchema("Youngest", superclass: "Nephew", []), ClassSchema("Uncle", superclass: "Relative", []),
        ]
        try folder.file([]) { transaction in
            for one in classes { try transaction.createClass(one) }
            for id in 0..<600 as Range<Int64> {
                try transaction.insert(into: ["Relative", "Cousin", "Nephew", "Youngest", "Uncle"][Int(id) % 5], key: .int(id), [("name", .string("relative \(id)"))])
            }
        }.close()
        let realm = try Realm(configuration: folder.configuration(types))
        for _ in 0..<2 {
            #expect(realm.objects(Relative.self).map { $0 is Cousin } == (0..<600).map { 1...3 ~= $0 % 5 })
            #expect(realm.objects(Cousin.self).count == 360 && realm.objects(Cousin.self).allSatisfy { $0.extra == 0 && $0.name == "relative \($0.id)" })
            let nephew = try #require(realm.object(ofType: Relative.self, forPrimaryKey: 2) as? Cousin)
            #expect(nephew == realm.object(ofType: Cousin.self, forPrimaryKey: 2))
            try realm.write { nephew.extra = 0 }
        }
    }

    @Test("what a delete rule takes along is not deleted a second time, nor complained of")
    func rules() throws {
        let folder = try Folder(), realm = try Realm(configuration: folder.configuration(types))
        func make() throws {
            try realm.write {
                var child: Relative?
                for id in 0..<600 {
                    let one = id % 2 == 0 ? Cousin() : Relative()
                    (one.id, one.child) = (id, id % 10 == 0 ? nil : child)
                    realm.add(one)
                    child = one
                }
            }
        }
        try make()
        let held = realm.objects(Relative.self)[5]
        try realm.write {
            #expect(mistakes { realm.delete(realm.objects(Relative.self).sorted(byKeyPath: "id", ascending: false)) }.isEmpty)
            #expect(realm.objects(Relative.self).isEmpty && held.isInvalidated)
            #expect(mistakes { realm.delete(held) } == ["Object has been deleted or invalidated."])
        }
        try make()
        try realm.write { #expect(mistakes { realm.delete(realm.objects(Cousin.self)) }.isEmpty && realm.objects(Cousin.self).isEmpty) }
        try realm.write { realm.deleteAll() }
        try make()
        try realm.write { #expect(mistakes { realm.deleteAll() }.isEmpty && realm.objects(Relative.self).isEmpty) }
    }
}
