import Foundation
@testable import Freehold
import FreeholdEngine
import Testing

enum Color: String, PersistableEnum { case red, green, blue }
enum Size: Int, PersistableEnum { case small = 1, large = 5 }

struct Percent: CustomPersistable, Equatable {
    var value: Double
    init(persistedValue: Double) { value = persistedValue }
    var persistableValue: Double { value }
}

struct Even: FailableCustomPersistable, Equatable {
    var number: Int
    init?(persistedValue: Int) {
        if persistedValue % 2 != 0 { return nil }
        number = persistedValue
    }
    var persistableValue: Int { number }
}

class Everything: Object {
    @Persisted(primaryKey: true) var id: ObjectId
    @Persisted var bool = false
    @Persisted var int8: Int8 = 0
    @Persisted var int16: Int16 = 0
    @Persisted var int32: Int32 = 0
    @Persisted var int64: Int64 = 0
    @Persisted var float: Float = 0
    @Persisted var double = 0.0
    @Persisted var string = ""
    @Persisted var data = Data()
    @Persisted var date = Date(timeIntervalSince1970: 0)
    @Persisted var decimal: Freehold.Decimal128
    @Persisted var uuid: UUID
    @Persisted var color = Color.green
    @Persisted var size: Size?
    @Persisted var share: Percent
    @Persisted var even: Even
    @Persisted var maybeEven: Even?
    @Persisted var maybeBool: Bool?
    @Persisted var maybeInt: Int?
    @Persisted var maybeDouble: Double?
    @Persisted var maybeDate: Date?
    @Persisted var maybeData: Data?
    @Persisted(name: "stored") var renamed = 1
}

@Suite("Types of properties")
struct TypeTests {
    @Test("a value of every type comes back, from the tail, from clusters, in and after the write")
    func values() throws {
        let folder = try Folder()
        let realm = try Realm(configuration: folder.configuration([Everything.self]))
        func fill(_ object: Everything, _ number: Int) {
            object.bool = number % 3 == 0
            object.int8 = Int8(number % 100)
            object.int16 = Int16(-number)
            object.int32 = .min + Int32(number)
            object.int64 = .max - Int64(number)
            object.float = Float(number) / 3
            object.double = Double(number) / 7
            object.string = "text \(number)"
            object.data = Data([1, 2, UInt8(number % 256)])
            object.date = Date(timeIntervalSince1970: Double(number) + 0.25)
            object.decimal = Freehold.Decimal128(Int64(number))
            object.color = Color.allCases[number % 3]
            object.size = number % 2 == 0 ? .large : nil
            object.share = Percent(persistedValue: Double(number))
            object.even = Even(persistedValue: number * 2)!
            object.maybeEven = number % 2 == 0 ? Even(persistedValue: number) : nil
            object.maybeBool = number % 3 == 0 ? nil : number % 3 == 1
            object.maybeInt = number % 4 == 0 ? nil : number
            object.maybeDouble = number % 5 == 0 ? nil : Double(number)
            object.maybeDate = number % 2 == 0 ? nil : Date(timeIntervalSince1970: Double(number))
            object.maybeData = number % 2 == 0 ? nil : Data([UInt8(number % 256)])
            object.renamed = number
        }
        func same(_ one: Everything, _ other: Everything) -> Bool {
            one.bool == other.bool && one.int8 == other.int8 && one.int16 == other.int16 && one.int32 == other.int32 && one.int64 == other.int64
                && one.float == other.float && one.double == other.double && one.string == other.string && one.data == other.data
                && one.date == other.date && one.decimal == other.decimal && one.uuid == other.uuid && one.color == other.color
                && one.size == other.size && one.share == other.share && one.even == other.even && one.maybeEven == other.maybeEven
                && one.maybeBool == other.maybeBool && one.maybeInt == other.maybeInt && one.maybeDouble == other.maybeDouble
                && one.maybeDate == other.maybeDate && one.maybeData == other.maybeData && one.renamed == other.renamed
        }
        for count in [3, 700] {
            let alone = (0..<count).map { _ in Everything() }
            for (number, object) in alone.enumerated() { fill(object, number) }
            let managed = alone.map { Everything(value: $0) }
            try realm.write {
                for object in managed { realm.add(object) }
                #expect(zip(alone, managed).allSatisfy { same($0, $1) })
            }
            // Twice: the second time by way of fields.
            for _ in 0..<2 { #expect(zip(alone, managed).allSatisfy { same($0, $1) }) }
            try realm.write { for (number, object) in zip(1..., managed) { fill(object, number) } }
            for (number, object) in zip(1..., alone) { fill(object, number) }
            for _ in 0..<2 { #expect(zip(alone, managed).allSatisfy { same($0, $1) }) }
            let found = alone.map { realm.object(ofType: Everything.self, forPrimaryKey: $0.id) }
            #expect(zip(alone, found).allSatisfy { one, other in other.map { same(one, $0) } ?? false })
        }
    }

    @Test("what another program wrote and this one cannot have is clamped, told, or nil")
    func foreign() throws {
        let folder = try Folder(), configuration = folder.configuration([Everything.self])
        let realm = try Realm(configuration: configuration), object = Everything()
        try realm.write { realm.add(object) }
        try Database.open(configuration.fileURL!.path).write { transaction in
            let table = try transaction.table("Everything"), key = try table.keys()[0]
            try transaction.set(key, in: table, table.column("int8"), to: .int(1000))
            try transaction.set(key, in: table, table.column("color"), to: .string("beige"))
            try transaction.set(key, in: table, table.column("size"), to: .int(2))
            try transaction.set(key, in: table, table.column("maybeEven"), to: .int(3))
            try transaction.set(key, in: table, table.column("even"), to: .int(3))
            try transaction.set(key, in: table, table.column("stored"), to: .int(77))
        }
        realm.refresh()
        #expect(object.int8 == 127)
        var color = Color.blue
        #expect(mistakes { color = object.color } == ["Failed to convert persisted value 'beige' to type 'Color' in a non-optional context."])
        #expect(color == .red)
        #expect(object.size == nil)
        #expect(object.maybeEven == nil)
        #expect(object.renamed == 77)
        var even: Even?
        #expect(mistakes { even = object.even } == ["Failed to convert persisted value '3' to type 'Even' in a non-optional context."])
        #expect(even?.number == 0)
    }
}
