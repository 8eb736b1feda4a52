import Foundation
import Freehold
import Testing

class TextKeyed: Object {
    @Persisted(primaryKey: true) var key: String?
    @Persisted var number = 0
}

class NumberKeyed: Object {
    @Persisted(primaryKey: true) var key: Int?
    @Persisted var color: List<Color>
    @Persisted var shares: MutableSet<Percent>
    @Persisted var dates: Map<String, Date>
    @Persisted var maybe: List<UUID?>
    @Persisted var odd: Map<String, Int>
}

@Suite("Values at the edge")
struct ValueEdgeTests {
    @Test("a primary key may be nil, once")
    func nilKeys() throws {
        let folder = try Folder()
        let realm = try Realm(configuration: folder.configuration([TextKeyed.self, NumberKeyed.self]))
        try realm.write {
            realm.create(TextKeyed.self, value: ["number": 1])
            realm.create(TextKeyed.self, value: ["key": "", "number": 2])
            realm.create(NumberKeyed.self, value: ["key": NSNull()])
            realm.create(NumberKeyed.self, value: ["key": 0])
            realm.create(TextKeyed.self, value: ["key": NSNull(), "number": 3], update: .modified)
        }
        let error = #expect(throws: Realm.Error.self) { try realm.write { _ = realm.create(TextKeyed.self, value: ["key": NSNull()]) } }
        #expect(error?.message.hasPrefix("Attempting to create an object of type 'TextKeyed' with an existing primary key value 'nil'.") == true)
        #expect(realm.objects(TextKeyed.self).count == 2 && realm.objects(NumberKeyed.self).count == 2)
        #expect(realm.object(ofType: TextKeyed.self, forPrimaryKey: String?.none)?.number == 3)
        #expect(realm.object(ofType: TextKeyed.self, forPrimaryKey: "")?.number == 2)
        #expect(realm.object(ofType: NumberKeyed.self, forPrimaryKey: 0)?.key == 0)
    }

    @Test("collections hold enumerations, the program's own types, dates, and any text as a key")
    func elements() throws {
        let folder = try Folder()
        let realm = try Realm(configuration: folder.configuration([NumberKeyed.self])), object = NumberKeyed(value: ["key": 1, "color": ["red", "blue"]])
        let id = UUID(), day = Date(timeIntervalSinceReferenceDate: 0.125), keys = ["", ".", "$x", "a.b", "é", "\u{10FFFF}", String(repeating: "k", count: 5000)]
        object.shares.insert(objectsIn: [0.5, 0.25, 0.5].map { Percent(persistedValue: $0) })
        object.dates["day"] = day
        object.maybe.append(objectsIn: [id, nil])
        for (number, key) in keys.enumerated() { object.odd[key] = number }
        #expect(object.shares.count == 2)
        try realm.write { realm.add(object) }
        #expect(object.color == [.red, .blue] && object.shares.map(\.value) == [0.25, 0.5] && object.dates["day"] == day && object.maybe == [id, nil])
        #expect(keys.enumerated().allSatisfy { object.odd[$1] == $0 } && object.odd.keys == keys.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) })
        try realm.write { for key in keys { object.odd[key] = nil } }
        #expect(object.odd.isEmpty)
        #expect(mistakes { _ = NumberKeyed(value: ["color": ["red", "beige"]]) } == ["Invalid value 'beige' of type 'String' for 'array of string' property 'NumberKeyed.color'."])
    }

    @Test("decimal numbers are written, converted and counted with")
    func decimals() throws {
        let tenth: Freehold.Decimal128 = 0.1, text: Freehold.Decimal128 = "1E+3"
        #expect(tenth + 0.2 == "0.3" && text == 1000 && Freehold.Decimal128(string: "no").isNaN && tenth.magnitude == 0.1 && (-tenth).magnitude == 0.1)
        #expect(Freehold.Decimal128(number: NSNumber(value: 2.5)) == 2.5 && Freehold.Decimal128(exactly: UInt64.max) == "18446744073709551615")
        #expect(Freehold.Decimal128.max > 1e300 && Freehold.Decimal128.min < -1e300 && tenth.distance(to: 1) == 0.9 && tenth.advanced(by: 1) == 1.1)
        let made = [Freehold.Decimal128(value: "2.50"), Freehold.Decimal128(value: 3), Freehold.Decimal128(value: Decimal(string: "0.7")!)]
        #expect(made == [2.5, 3, "0.7"])
        #expect(Freehold.Decimal128(value: "x").isNaN)
        let told = mistakes { if !Freehold.Decimal128(value: Date(timeIntervalSince1970: 0)).isNaN { Issue.record("it is a number") } }
        #expect(told.first?.hasSuffix("of type 'Date' to decimal128") == true)
        #expect([tenth, 0.3, 0.2].max() == 0.3 && [tenth, 0.2].reduce(0, +) == 0.3 && !tenth.isSignaling)
        let decoded = try JSONDecoder().decode([Freehold.Decimal128].self, from: Data(#"["1.10", 2.5]"#.utf8))
        let encoded = String(decoding: try JSONEncoder().encode(decoded), as: UTF8.self)
        #expect(decoded == ["1.1", 2.5] && encoded == #"["1.10","2.5"]"#)
    }

    @Test("a list is not disturbed by what is done to it meanwhile")
    func whileGoingThrough() throws {
        let folder = try Folder()
        let realm = try Realm(configuration: folder.configuration([NumberKeyed.self])), object = NumberKeyed(value: ["key": 1, "color": ["red", "green", "blue"]])
        try realm.write {
            realm.add(object)
            for color in object.color where color == .red { object.color.append(color) }
            var seen = 0
            for _ in object.color {
                seen += 1
                if seen <= 2 { object.color.removeLast() }
            }
            #expect(seen == 4)
            object.color.append(objectsIn: object.color)
        }
        #expect(object.color == [.red, .green, .red, .green])
        let all = Array(object.color)
        try realm.write { realm.delete(object) }
        #expect(all.count == 4 && object.color.isInvalidated)
        #expect(mistakes { _ = object.color.count } == ["Object has been deleted or invalidated."])
    }
}
