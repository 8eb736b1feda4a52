import Foundation
import Freehold
import Testing

class ImportedPart: EmbeddedObject {
    @Persisted var label = ""
    @Persisted var shelf: ImportedShelf?
}

class ImportedShelf: Object {
    @Persisted(primaryKey: true) var id: Int
    @Persisted var price: Decimal128
    @Persisted var nick: String?
    @Persisted var numbers: List<Int>
    @Persisted var parts: List<ImportedPart>
    @Persisted(originProperty: "shelf") var labelled: LinkingObjects<ImportedPart>
}

/// A realm in memory of its own.
func importedRealm() throws -> Realm {
    try Realm(configuration: Realm.Configuration(inMemoryIdentifier: UUID().uuidString, objectTypes: [ImportedShelf.self, ImportedPart.self]))
}

/// What compiles without the names of the engine.
@Suite("A program that imports Freehold alone")
struct ImportOnlyTests {
    @Test("decimal numbers have all four operations")
    func decimals() {
        var number: Decimal128 = 7
        number = (number + 1) * 2 - 4
        #expect(number / 8 == 1.5 && number.doubleValue == 12 && Decimal128() == 0)
        number /= 5
        #expect(number == 2.4 && -number < 0 && number.magnitude == "2.4" && number != Decimal128(value: "2.5"))
        number += 1
        number -= 0.4
        number *= 2
        #expect(number == 6 && Decimal128(value: 3) / 2 == Decimal128(value: "1.5") && Decimal128(string: "x").isNaN)
    }

    @Test("closures of one expression compile, whatever they give")
    func writing() throws {
        let realm = try importedRealm()
        try realm.write { realm.create(ImportedShelf.self, value: ["id": 1]) }
        let shelf = try realm.write { realm.create(ImportedShelf.self, value: ["id": 2]) }
        try realm.write { shelf.numbers.append(5) }
        try realm.write { given(3) }
        try realm.write { shelf.nick = "x" }
        try realm.write { shelf.numbers.removeLast() }
        let later: () throws -> Void = { try realm.write { realm.create(ImportedShelf.self, value: ["id": 3]) } }
        try later()
        let done: Void = try realm.write { realm.create(ImportedShelf.self, value: ["id": 4]) }
        #expect(done == () && realm.objects(ImportedShelf.self).count == 4 && shelf.numbers.isEmpty)
        #expect(try realm.write { shelf.id } == 2)
        #expect(throws: Realm.Error.self) { try realm.write { throw Realm.Error(.fail) } }
    }

    private func given(_ number: Int) -> Int { number }

    @Test("blocks of autorelease pools run as they stand")
    func pools() throws {
        let realm = try importedRealm()
        let count = try autoreleasepool {
            try realm.write { realm.create(ImportedShelf.self, value: ["id": 1]) }
            return realm.objects(ImportedShelf.self).count
        }
        #expect(count == 1)
        autoreleasepool { #expect(realm.isInWriteTransaction == false) }
    }

    @Test("queries with options, delete rules and errors need no other name")
    func names() throws {
        let realm = try importedRealm()
        try realm.write { realm.create(ImportedShelf.self, value: ["id": 1, "nick": "Élan", "price": 2.5, "numbers": [1, 2]]) }
        let shelves = realm.objects(ImportedShelf.self)
        #expect(shelves.where { $0.nick.contains("ELAN", options: [.caseInsensitive, .diacriticInsensitive]) && $0.numbers == 2 }.count == 1)
        #expect(shelves.sum(of: \.price) / 2 == 1.25)
        do {
            _ = try shelves.filter(parsing: "price >")
            Issue.record("it was read")
        } catch { #expect("\(error)".contains("column 8: expected a property")) }
    }

    @Test("embedded objects are found that link to an object")
    func linking() throws {
        let realm = try importedRealm()
        try realm.write {
            let one = realm.create(ImportedShelf.self, value: ["id": 1]), other = realm.create(ImportedShelf.self, value: ["id": 2])
            one.parts.append(ImportedPart(value: ["label": "a", "shelf": other]))
            one.parts.append(ImportedPart(value: ["label": "b", "shelf": other]))
            other.parts.append(ImportedPart(value: ["label": "c", "shelf": one]))
        }
        let other = try #require(realm.object(ofType: ImportedShelf.self, forPrimaryKey: 2))
        #expect(other.labelled.map(\.label) == ["a", "b"] && other.labelled.filter("label == 'b'").count == 1)
        #expect(realm.objects(ImportedShelf.self).where { $0.labelled.label == "c" }.map(\.id) == [1])
        #expect(other.labelled[0].isSameObject(as: realm.objects(ImportedShelf.self)[0].parts[0]) && other.labelled.freeze().count == 2)
        try realm.write { realm.delete(realm.objects(ImportedShelf.self)[0]) }
        #expect(other.labelled.isEmpty)
    }
}
