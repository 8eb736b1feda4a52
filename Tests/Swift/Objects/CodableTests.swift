import Foundation
import Freehold
import Testing

enum Mood: String, PersistableEnum, Codable { case calm, wild }

class Creature: Object, Codable {
    @Persisted(primaryKey: true) var id: ObjectId
    @Persisted var name: String
    @Persisted(indexed: true) var age = 0
    @Persisted var weight: Double?
    @Persisted var born: Date
    @Persisted var photo: Data?
    @Persisted var price: Freehold.Decimal128
    @Persisted var chip: UUID?
    @Persisted var mood = Mood.calm
    @Persisted var friend: Creature?
    @Persisted var cage: Cage?
    @Persisted var young: List<Creature>
    @Persisted var marks: List<Int?>
    @Persisted var tags: MutableSet<String>
    @Persisted var notes: Map<String, String?>
    @Persisted var groups: Map<String, List<Int>>
    @Persisted var any: AnyRealmValue
    @Persisted(originProperty: "young") var parents: LinkingObjects<Creature>
}

class Cage: EmbeddedObject, Codable {
    @Persisted var number = 0
}

class Named: Object, Codable {
    @Persisted var name = "n"
    @Persisted var size: Int?
    private enum CodingKeys: String, CodingKey { case name = "called", size }
}

/// Numbers of its own, so that instances are made by `init`.
class Tally: Object, Codable {
    @Persisted var name = ""
    var count = 3
}

@Suite("Objects as Codable")
struct CodableTests {
    private let types: [ObjectBase.Type] = [Creature.self, Cage.self, Named.self, Tally.self]

    private func animal() -> Creature {
        let animal = Creature(value: ["id": ObjectId("507f1f77bcf86cd799439011"), "name": "Rex", "age": 3, "weight": 1.5, "born": Date(timeIntervalSinceReferenceDate: 5.5),
                                    "photo": Data([1, 2]), "price": "19.90", "chip": UUID(uuidString: "6F9619FF-8B86-D011-B42D-00C04FC964FF")!, "mood": "wild",
                                    "cage": ["number": 4], "marks": [1, nil, 3] as [Int?], "tags": ["a", "b"], "notes": ["k": "v", "n": NSNull()],
                                    "groups": ["g": [1, 2]]])
        animal.any = ["list": [1, 2.5, true, nil, "t"]]
        animal.friend = Creature(value: ["name": "Fido"])
        animal.young.append(objectsIn: [Creature(value: ["name": "Bella"]), Creature(value: ["name": "Max"])])
        return animal
    }

    private func text(_ value: some Encodable) throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return String(decoding: try encoder.encode(value), as: UTF8.self)
    }

    @Test("what is encoded comes back, of objects by themselves and of managed ones alike")
    func roundTrip() throws {
        let folder = try Folder()
        let realm = try Realm(configuration: folder.configuration(types)), animal = animal()
        // Ids are made when they are first asked for.
        _ = ([animal.friend].compactMap { $0 } + Array(animal.young)).map(\.id)
        let alone = try text(animal), decoded = try JSONDecoder().decode(Creature.self, from: Data(alone.utf8))
        #expect(try text(decoded) == alone)
        #expect(decoded.realm == nil && decoded.id == animal.id && decoded.name == "Rex" && decoded.age == 3 && decoded.weight == 1.5)
        #expect(decoded.born == animal.born && decoded.photo == Data([1, 2]) && decoded.price == "19.9" && decoded.chip == animal.chip)
        #expect(decoded.mood == .wild && decoded.friend?.name == "Fido" && decoded.cage?.number == 4 && decoded.young.map(\.name) == ["Bella", "Max"])
        #expect(decoded.marks == [1, nil, 3] && decoded.tags == ["a", "b"] && decoded.notes == ["k": "v", "n": nil] && decoded.groups == ["g": [1, 2]])
        #expect(decoded.any == ["list": [1, 2.5, true, nil, "t"]])
        #expect(alone.contains(#""marks":[1,null,3]"#) && alone.contains(#""price":"19.90""#) && !alone.contains("parents"))
        try realm.write {
            realm.add(animal)
            let within = try text(animal)
            #expect(within == alone)
        }
        #expect(try text(animal) == alone)
        let found = try #require(realm.object(ofType: Creature.self, forPrimaryKey: animal.id))
        #expect(try text(found) == alone)
        try realm.write { realm.delete(realm.objects(Creature.self)) }
        try realm.write { realm.add(decoded) }
        #expect(try text(decoded) == alone)
        #expect(try text(realm.objects(Creature.self).filter { $0.name == "Rex" }) == "[\(alone)]")
    }

    @Test("many managed objects are encoded while one instance stands for all")
    func results() throws {
        let folder = try Folder()
        let realm = try Realm(configuration: folder.configuration(types))
        try realm.write { for number in 0..<600 { realm.create(Named.self, value: ["name": "n\(number)", "size": number]) } }
        let expected = "[" + (0..<600).map { #"{"called":"n\#($0)","size":\#($0)}"# }.joined(separator: ",") + "]"
        #expect(try text(realm.objects(Named.self)) == expected)
        let decoded = try JSONDecoder().decode([Named].self, from: Data(expected.utf8))
        #expect(decoded[599].name == "n599" && decoded[599].size == 599)
        try realm.write { realm.create(Tally.self, value: ["name": "c"]) }
        #expect(try text(realm.objects(Tally.self)) == #"[{"count":3,"name":"c"}]"#)
    }

    @Test("a missing key is nil where it may be, and else named by the error")
    func missing() throws {
        func decode<Model: Decodable>(_ type: Model.Type, _ text: String) throws -> Model { try JSONDecoder().decode(type, from: Data(text.utf8)) }
        #expect(try decode(Named.self, #"{"called": "x"}"#).size == nil)
        #expect(try decode(Named.self, #"{"called": "x", "size": null}"#).size == nil)
        #expect {
            _ = try decode(Named.self, #"{"size": 1}"#)
        } throws: { error in
            guard case DecodingError.keyNotFound(let key, _) = error else { return false }
            return key.stringValue == "called"
        }
        #expect(throws: DecodingError.self) { try decode(Named.self, #"{"called": 5}"#) }
        let least = #"{"id": "507f1f77bcf86cd799439011", "name": "x", "age": 1, "born": 0, "price": 1.5, "mood": "wild", "young": [], "marks": [], "tags": [], "notes": {}, "groups": {}}"#
        let animal = try decode(Creature.self, least)
        #expect(animal.weight == nil && animal.friend == nil && animal.any == .none && animal.parents.isEmpty && animal.price == "1.5")
        #expect(throws: DecodingError.self) { try decode(Creature.self, least.replacingOccurrences(of: "507f", with: "xxxx")) }
    }

    @Test("objects that link in a circle are refused, not followed for ever")
    func circle() throws {
        let one = animal(), folder = try Folder()
        let realm = try Realm(configuration: folder.configuration(types))
        one.friend = one
        #expect(throws: EncodingError.self) { try text(one) }
        one.friend = nil
        try realm.write {
            realm.add(one)
            one.young.append(one)
        }
        #expect(throws: EncodingError.self) { try text(one) }
    }
}
