import Foundation
@testable import Freehold
import Testing

/// `MigratedZoo.swift` is what tools/migrate-source makes of models written for RealmSwift: they compile, and work.
@Suite("Models rewritten by tools/migrate-source")
struct MigratedModelTests {
    private let types: [ObjectBase.Type] = [ZooAnimal.self, ZooLion.self, ZooKeeper.self, ZooAddress.self]

    @Test("values, links, embedded objects and observers are kept as before")
    func use() throws {
        let folder = try Folder(), configuration = folder.configuration(types)
        let lion = ZooLion(value: ["id": "1", "name": "Leo", "legs": 4, "pride": "north"])
        lion.weight = -3
        lion.cache = ["kept by the instance alone"]
        #expect(lion.weight == 0 && lion.label == "Leo, 4 legs")
        let ann = ZooKeeper(named: "Ann")
        ann.shift = .night
        ann.home = ZooAddress(value: ["street": "High Street"])
        ann.animals.append(lion)
        do {
            let realm = try Realm(configuration: configuration)
            try realm.write { realm.add(ann) }
            #expect(lion.legs.value == 4 && ann.days.value == nil)
            try realm.write {
                lion.legs.value = 3
                ann.days.value = 5
            }
            #expect(mistakes { ann.days.value = 6 } == ["Cannot modify managed objects outside of a write transaction."])
        }
        let realm = try Realm(configuration: configuration)
        let found = try #require(realm.object(ofType: ZooAnimal.self, forPrimaryKey: "1") as? ZooLion)
        #expect(found.legs.value == 3 && found.pride == "north" && found.cache.isEmpty)
        #expect(found.keepers.map(\.name) == ["Ann"])
        #expect(found.keepers[0].days.value == 5 && found.keepers[0].shift == .night && found.keepers[0].home?.street == "High Street")
        #expect(try ModelClass.of(ZooLion.self).properties.map(\.name) == ["id", "name", "weight", "picture", "legs", "keepers", "pride"])
        try realm.write { realm.delete(found) }
        #expect(mistakes { _ = found.legs.value } == ["Object has been deleted or invalidated."])
    }

    @Test("a value in a property of before is created and cleared as any other")
    func properties() throws {
        let folder = try Folder()
        let realm = try Realm(configuration: folder.configuration(types))
        try realm.write {
            realm.create(ZooAnimal.self, value: ["id": "1", "legs": 4])
            realm.create(ZooAnimal.self, value: ["id": "2", "legs": NSNull()])
            #expect(mistakes { realm.create(ZooAnimal.self, value: ["id": "3", "legs": "four"]) }
                == ["Invalid value 'four' of type 'String' for 'int?' property 'ZooAnimal.legs'."])
        }
        #expect(realm.objects(ZooAnimal.self).map(\.legs.value) == [4, nil])
        let first = try #require(realm.objects(ZooAnimal.self).first)
        try realm.write { first.legs.value = nil }
        #expect(first.legs.value == nil && "\(first.legs)" == "nil")
    }

    @Test("a property both kept and ignored is told")
    func ignored() {
        let folder = try? Folder()
        #expect { _ = try Realm(configuration: #require(folder).configuration([Undecided.self])) } throws: {
            "\($0)".contains("Property 'Undecided.second' is marked with '@Persisted' and listed by ignoredProperties()")
        }
    }
}

class Undecided: Object {
    @Persisted var first = 0
    @Persisted var second = 0

    override class func ignoredProperties() -> [String] { ["second"] }

    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}
