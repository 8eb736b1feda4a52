import Foundation
@testable import Freehold
import Testing

/// Values by the names of their properties.
extension RealmGapsTests {
    @Test("a declared mixed value's list and dictionary are changed in place")
    func declaredMixed() throws {
        let realm = try Self.realm(), old = GapOld()
        old.any.value = .fromArray([.int(1)])
        try realm.write {
            realm.add(old)
            old.any.value.listValue?.append(.int(2))
            old.any.value.listValue?[0] = .double(1.5)
        }
        #expect(old.any.value.listValue.map { Array($0) } == [.double(1.5), .int(2)])
        try realm.write {
            old.any.value = .fromDictionary(["a": .int(1)])
            old.any.value.dictionaryValue?["b"] = .fromArray([])
            old.any.value.dictionaryValue?["b"]?.listValue?.append(.string("deep"))
        }
        #expect(old.any.value.dictionaryValue?["b"]?.listValue?.first == .string("deep") && old.any.value.dictionaryValue?.count == 2)
        #expect(realm.objects(GapOld.self)[0].any.value.dictionaryValue?["a"] == .int(1))
        let copy = try realm.write { realm.create(GapOld.self, value: old) }
        #expect(copy.any.value.dictionaryValue?.count == 2)
    }

    @Test("a declared value is reached by name as itself, and nil is nil")
    func declaredByName() throws {
        let alone = GapOld()
        #expect(alone["number"] == nil && alone.value(forKey: "number") == nil && alone["any"] == nil && alone["mixed"] == nil)
        alone["number"] = 5
        alone["text"] = "t"
        #expect(alone["number"] as? Int == 5 && alone.value(forKeyPath: "text") as? String == "t" && alone.number.value == 5)
        let realm = try Self.realm()
        try realm.write {
            realm.add(alone)
            realm.create(GapOld.self, value: ["mixed": 7])
        }
        #expect(alone["number"] as? Int == 5 && alone["any"] == nil && alone["mixed"] == nil)
        #expect(realm.objects(GapOld.self).value(forKey: "number") as? [Int?] == [5, nil])
        #expect(realm.objects(GapOld.self)[1]["mixed"] as? AnyRealmValue == .int(7))
        let untyped = realm.dynamicObjects("GapOld")[1]
        #expect(untyped["mixed"] as? Int == 7 && untyped["any"] == nil)
        try realm.write {
            alone["number"] = nil
            untyped["mixed"] = "x"
        }
        #expect(alone.number.value == nil && realm.objects(GapOld.self)[1].mixed == .string("x"))
        let copy = GapOld(value: realm.objects(GapOld.self)[1])
        #expect(copy.mixed == .string("x") && copy.number.value == nil)
    }

    @Test("an observer is told a declared property's old and new value")
    func declaredChanges() throws {
        let watch = try Watch([GapOld.self]), realm = watch.realm, old = try realm.write { realm.create(GapOld.self) }
        watch.turn()
        var changes: [PropertyChange] = []
        let token = old.observe { if case .change(_, let properties) = $0 { changes += properties } }
        try realm.write { old.number.value = 2 }
        watch.turn()
        try realm.write {
            old.number.value = 3
            old.text.value = "t"
        }
        watch.turn()
        #expect(changes.map(\.name) == ["number", "number", "text"])
        #expect(changes.map { $0.newValue as? Int } == [2, 3, nil] && changes.map { $0.oldValue as? Int } == [nil, 2, nil])
        #expect(changes[0].oldValue == nil && changes[2].newValue as? String == "t")
        token.invalidate()
    }

    @Test("a class's properties are those that files keep; linking objects are found by name")
    func schemaProperties() throws {
        let schema = GapDog().objectSchema
        #expect(!schema.properties.contains { $0.type == .linkingObjects } && schema["fans"]?.type == .linkingObjects)
        let values = schema.properties.map { _ in NSNull() as Any }
        let told = mistakes { _ = GapDog(value: values) }
        #expect(!told.contains { $0.contains("more values") })
        #expect(schema.properties.count == 11)
        let realm = try Self.realm()
        #expect(realm.schema["GapDog"]?.properties == schema.properties)
    }
}
