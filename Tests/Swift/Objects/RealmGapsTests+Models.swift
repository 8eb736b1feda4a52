import Foundation
import Freehold
import Testing

class GapOnlyLinks: Object {
    @Persisted(originProperty: "to") var from: LinkingObjects<GapLinking>
}

class GapLinking: Object {
    @Persisted var to: GapOnlyLinks?
}

class GapBase: Object {
    @Persisted var name = ""
}

class GapKeyedHeir: GapBase {
    @Persisted(primaryKey: true) var id: Int
}

class GapMapped: Object {
    @Persisted var number = 0
    @Persisted var list: List<GapMapped>
    @Persisted var 👍 = 0
    override static func propertiesMapping() -> [String: String] { ["number": "stored_number", "list": "stored_list"] }
}

enum GapColor: Int, PersistableEnum { case red, green }

/// Stored as an embedded object.
struct GapWrapper: CustomPersistable {
    var v = 7
    init(v: Int) { self.v = v }
    init(persistedValue: GapInner) { v = persistedValue.v }
    var persistableValue: GapInner { GapInner(value: [v]) }
}

class GapWrapped: Object {
    @Persisted var one = GapWrapper(v: 1)
    @Persisted var maybe: GapWrapper?
    @Persisted var list: List<GapWrapper>
    @Persisted var map: Map<String, GapWrapper>
    @Persisted var maybes: Map<String, GapWrapper?>
    @Persisted var color = GapColor.red
}

/// What models may declare.
extension RealmGapsTests {
    @Test("a class may have linking objects only")
    func onlyLinks() throws {
        let realm = try Self.realm([GapOnlyLinks.self, GapLinking.self])
        try realm.write {
            let made = realm.create(GapOnlyLinks.self)
            realm.create(GapLinking.self, value: ["to": made])
        }
        #expect(realm.objects(GapOnlyLinks.self)[0].from.count == 1 && realm.objects(GapOnlyLinks.self).filter("from.@count == 1").count == 1)
    }

    @Test("a class that extends another one cannot have a primary key of its own, and is told where to declare it")
    func keyOfHeir() throws {
        let error = #expect(throws: Realm.Error.self) { try Self.realm([GapBase.self, GapKeyedHeir.self]) }
        #expect(error?.message.contains("class 'GapKeyedHeir' extends 'GapBase', and objects of both share one key; declare the primary key in 'GapBase', not in 'GapKeyedHeir'") == true)
    }

    @Test("untyped objects know their properties by the program's names and the file's")
    func mappedNames() throws {
        let realm = try Self.realm([GapMapped.self])
        try realm.write {
            let typed = realm.create(GapMapped.self, value: ["number": 1, "list": [["number": 2]]])
            let made = realm.dynamicCreate("GapMapped", value: ["number": 3, "list": [typed]])
            #expect(made["number"] as? Int == 3 && made["stored_number"] as? Int == 3 && made.number as? Int == 3)
            made["number"] = 4
            #expect(made.stored_number as? Int == 4 && made.dynamicList("list").count == 1 && made.dynamicList("stored_list")[0]["number"] as? Int == 1)
        }
        let all = realm.dynamicObjects("GapMapped")
        #expect(all.filter("number == 4").count == 1 && all.filter("stored_number > 1").count == 2 && all.filter("ANY list.number == 1").count == 1)
        #expect(all.sorted(byKeyPath: "number").map { $0["number"] as? Int } as [Int?] == [1, 2, 4])
        #expect(all[0].freeze()["number"] as? Int == 1)
    }

    @Test("queries take names that are pictograms")
    func pictograms() throws {
        let realm = try Self.realm([GapMapped.self])
        try realm.write { realm.create(GapMapped.self, value: ["👍": 5]) }
        let all = realm.objects(GapMapped.self)
        #expect(all.filter("👍 == 5").count == 1 && all.filter("%K > %@", "👍", 5).isEmpty && all.sorted(byKeyPath: "👍").count == 1)
        #expect(all.where { $0.👍 == 5 }.count == 1)
        #expect(mistakes { _ = all.filter("number ≤ 5") }.first?.contains("unexpected '≤'") == true)
    }

    @Test("a type of the program's own may be stored as an embedded object")
    func wrappedObjects() throws {
        let realm = try Self.realm([GapWrapped.self, GapInner.self]), added = GapWrapped()
        added.list.append(objectsIn: [GapWrapper(v: 2), GapWrapper(v: 3)])
        added.map["a"] = GapWrapper(v: 4)
        added.maybes["b"] = GapWrapper(v: 5)
        var made = added
        let told = try mistakes {
            try realm.write {
                realm.add(added)
                made = realm.create(GapWrapped.self, value: ["one": ["v": 6], "maybe": GapWrapper(v: 7), "list": [GapWrapper(v: 8), ["v": 9]], "map": ["k": ["v": 10]]])
                made.list.append(GapWrapper(v: 11))
                made.list[0] = GapWrapper(v: 12)
                made.map["l"] = GapWrapper(v: 13)
                added.one = GapWrapper(v: 14)
                added.maybe = nil
            }
        }
        #expect(told == [])
        #expect(added.one.v == 14 && added.maybe == nil && added.list.map(\.v) as [Int] == [2, 3] && added.map["a"]?.v == 4 && added.maybes["b"]??.v == 5)
        #expect(made.one.v == 6 && made.maybe?.v == 7 && made.list.map(\.v) as [Int] == [12, 9, 11] && made.map.values.map(\.v) == [10, 13])
        #expect(realm.objects(GapWrapped.self).filter("one.v == 14").count == 1)
        let all = realm.objects(GapWrapped.self)
        #expect(all.where { $0.one == GapWrapper(v: 14) }.count == 1 && all.where { $0.one != GapWrapper(v: 14) }.count == 1)
        #expect(all.where { $0.maybe == GapWrapper(v: 7) }.count == 1 && all.where { $0.maybe == nil }.count == 1)
        #expect(all.where { $0.one.in([GapWrapper(v: 6), GapWrapper(v: 1)]) }.count == 1 && all.where { $0.list.contains(GapWrapper(v: 3)) }.count == 1)
        #expect(all.where { $0.list.containsAny(in: [GapWrapper(v: 3), GapWrapper(v: 12)]) }.count == 2)
        #expect(all.where { $0.one.persistableValue.v == 6 }.count == 1)
    }

    @Test("untyped objects take enumerations and types of the program's own as values")
    func untypedOwnValues() throws {
        let realm = try Self.realm([GapWrapped.self, GapInner.self])
        var object = DynamicObject()
        let told = try mistakes {
            try realm.write {
                object = realm.dynamicCreate("GapWrapped", value: ["color": GapColor.green, "one": GapWrapper(v: 3), "list": [GapWrapper(v: 4)]])
            }
        }
        #expect(told == [] && object["color"] as? Int == 1 && realm.objects(GapWrapped.self)[0].color == .green)
        #expect(realm.objects(GapWrapped.self)[0].one.v == 3 && realm.objects(GapWrapped.self)[0].list[0].v == 4)
    }
}

/// Opens a realm while it is being made.
private actor GapStore {
    private(set) var failure: String?

    init(_ configuration: Realm.Configuration) async {
        do { _ = try await Realm.open(configuration: configuration).objects(GapBase.self).count } catch { failure = "\(error)" }
    }

    func open(_ configuration: Realm.Configuration) async throws -> Int { try await Realm.open(configuration: configuration).objects(GapBase.self).count }
}

extension RealmGapsTests {
    @Test("opening a realm in an actor's initialiser fails with what to do, or works")
    func actorInitialiser() async throws {
        let configuration = Realm.Configuration(inMemoryIdentifier: UUID().uuidString, objectTypes: [GapBase.self]), store = await GapStore(configuration)
        if let failure = await store.failure { #expect(failure.contains("not from its initialiser")) }
        #expect(try await store.open(configuration) == 0)
    }
}
