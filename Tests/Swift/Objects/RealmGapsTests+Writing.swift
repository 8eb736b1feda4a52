import Foundation
import Freehold
import Testing

class GapKeyed: Object {
    let id = RealmProperty<Int?>()
    @Persisted var name = ""
    override static func primaryKey() -> String? { "id" }
}

/// Write transactions.
extension RealmGapsTests {
    @Test("a realm's observer is not told of a write that leaves it out")
    func silentRealmObserver() throws {
        let watch = try Watch([GapDog.self, GapInner.self]), realm = watch.realm
        var first = 0, second = 0
        let one = realm.observe { _, _ in first += 1 }, two = realm.observe { _, _ in second += 1 }
        try realm.write(withoutNotifying: [one]) { realm.create(GapDog.self) }
        #expect(first == 0 && second == 1)
        watch.turn()
        #expect(first == 0 && second == 1)
        try realm.write { realm.create(GapDog.self) }
        #expect(first == 1 && second == 2)
        try watch.elsewhere { $0.create(GapDog.self) }
        watch.turn()
        #expect(first == 2 && second == 3)
        try realm.write(withoutNotifying: [one, two]) { realm.deleteAll() }
        #expect(first == 2 && second == 3)
        [one, two].forEach { $0.invalidate() }
    }

    @Test("a write within a write is told and leaves the outer one as it is")
    func nested() throws {
        let realm = try Self.realm()
        var ran = false
        try realm.write {
            let told = mistakes { try! realm.write { ran = true } } // Safe: nothing that returns nothing throws
            #expect(told == ["The Realm is already in a write transaction"] && !ran && realm.isInWriteTransaction)
            #expect(throws: Misuse.self) { _ = try mistakes { _ = try realm.write { 5 } } }
            var object: GapDog? = GapDog()
            _ = try mistakes { object = try realm.write { realm.create(GapDog.self) as GapDog? } }
            #expect(object == nil)
            realm.create(GapDog.self)
        }
        #expect(realm.objects(GapDog.self).count == 1)
        let frozen = realm.freeze()
        #expect(mistakes { try! frozen.write { ran = true } } == ["Can't perform transactions on a frozen Realm"]) // Safe: as above
        #expect(!ran)
    }

    @Test("an embedded object is set where it is already")
    func embeddedToItself() throws {
        let realm = try Self.realm(), dog = try Self.dog(realm)
        try realm.write {
            dog.inner = GapInner(value: [1])
            dog.inners.append(objectsIn: [GapInner(value: [2]), GapInner(value: [3])])
            dog.innersByName["a"] = GapInner(value: [4])
        }
        let inner = dog.inner
        try realm.write {
            let told = mistakes {
                dog.inner = dog.inner
                dog["inner"] = dog.inner
                dog.inners[1] = dog.inners[1]
                dog.innersByName["a"] = dog.innersByName["a"]
                dog.inners = dog.inners
            }
            #expect(told == [])
            #expect(mistakes { dog.inners[0] = dog.inners[1] } == ["Can't set link to existing managed embedded object"])
            #expect(mistakes { dog.inner = dog.inners[0] } == ["Can't set link to existing managed embedded object"])
        }
        #expect(inner?.isInvalidated == false && dog.inner?.v == 1 && dog.inners.map(\.v) as [Int] == [2, 3] && dog.innersByName["a"]??.v == 4)
    }

    @Test("a declared primary key may be nil")
    func nilKey() throws {
        let realm = try Self.realm([GapKeyed.self])
        try realm.write {
            let told = mistakes {
                realm.create(GapKeyed.self, value: ["id": NSNull(), "name": "none"] as [String: Any])
                realm.create(GapKeyed.self, value: ["id": 1, "name": "one"] as [String: Any])
            }
            #expect(told == [])
        }
        let told = mistakes {
            #expect(realm.object(ofType: GapKeyed.self, forPrimaryKey: nil as Int?)?.name == "none")
            #expect(realm.object(ofType: GapKeyed.self, forPrimaryKey: NSNull())?.name == "none")
            #expect(realm.object(ofType: GapKeyed.self, forPrimaryKey: 1)?.name == "one")
            #expect(realm.object(ofType: GapKeyed.self, forPrimaryKey: 2) == nil)
        }
        #expect(told == [])
        try realm.write {
            #expect(mistakes { realm.create(GapKeyed.self, value: ["id": NSNull(), "name": "new"] as [String: Any], update: .modified) }.isEmpty)
        }
        #expect(refusalCode { try realm.write { _ = realm.create(GapKeyed.self, value: ["id": NSNull()] as [String: Any]) } } == .invalidInput)
        #expect(realm.objects(GapKeyed.self).count == 2 && realm.object(ofType: GapKeyed.self, forPrimaryKey: nil as Int?)?.name == "new")
    }

    @Test("a range of a list is replaced by one of another size")
    func listRange() throws {
        let realm = try Self.realm(), dog = try Self.dog(realm)
        let alone = List<Int>(), other = List<Int>()
        other.append(objectsIn: [8, 9])
        alone.append(objectsIn: [1, 2, 3, 4, 5])
        alone[1..<4] = other[0..<2]
        #expect(Array(alone) == [1, 8, 9, 5])
        try realm.write {
            let ints = dog.ints
            ints.append(objectsIn: [1, 2, 3, 4, 5])
            ints[1..<4] = other[0..<2]
            #expect(Array(ints) == [1, 8, 9, 5])
            ints[0..<1] = ints[0..<3]
            #expect(Array(ints) == [1, 8, 9, 8, 9, 5] && Array(ints[1..<3]) == [8, 9])
        }
    }

    @Test("a device is no database, and a pipe neither")
    func devices() throws {
        let folder = try Folder(), null = URL(fileURLWithPath: "/dev/null"), pipe = folder.url.appendingPathComponent("pipe")
        #expect(mkfifo(pipe.path, 0o600) == 0)
        for url in [null, pipe] {
            let version = #expect(throws: Realm.Error.self) { try schemaVersionAtURL(url) }
            let opening = #expect(throws: Realm.Error.self) { try Realm(configuration: Realm.Configuration(fileURL: url, objectTypes: [GapBase.self])) }
            #expect(version?.code == .invalidDatabase && opening?.code == .invalidDatabase && opening?.message.contains("a device, pipe or socket") == true)
        }
    }
}
