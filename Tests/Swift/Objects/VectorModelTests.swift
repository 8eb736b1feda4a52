import Foundation
@testable import Freehold
@testable import FreeholdEngine
import Testing

class VectorBase: Object {
    @Persisted(primaryKey: true) var id = 0
    @Persisted(vector: 8, name: "embed") var embedding: [Float]
    @Persisted var plain: [Float]?

    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

class VectorItem: VectorBase {
    @Persisted(vector: 4, metric: .euclidean) var small: [Int8]?
    @Persisted(vector: 8, elements: .float16, metric: .dot) var half: Data?
    @Persisted var next: VectorItem?
}

class WrongVectors: Object {
    @Persisted(vector: 0) var none: [Float]
    @Persisted(vector: 65_536) var many: [Int8]
    @Persisted(vector: 65_535) var most: [Float]

    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

class InnerVectors: EmbeddedObject {
    @Persisted(vector: 3) var numbers: [Float]

    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

@Suite("Vectors that models declare")
struct VectorModelTests {
    private let types: [ObjectBase.Type] = [VectorBase.self, VectorItem.self]
    private let declared: [Freehold.VectorIndex] = [
        .init("embed", dimensions: 8), .init("small", dimensions: 4, elements: .int8, metric: .euclidean),
        .init("half", dimensions: 8, elements: .float16, metric: .dot),
    ]

    /// Points of one circle in eight dimensions.
    private func vector(_ number: Int) -> [Float] {
        (0..<8).map { place in place < 2 ? (place == 0 ? cos(Float(number) / 500) : sin(Float(number) / 500)) : 0 }
    }

    private func fill(_ realm: Realm, _ count: Int) throws {
        try realm.write {
            for number in 0..<count {
                let item = VectorItem()
                item.id = number
                item.embedding = vector(number)
                if number % 2 == 0 { item.small = [Int8(number % 100), 1, -2, -128] }
                item.half = Data(vector: vector(number).map { $0 * 2 }, as: .float16)
                item.plain = number % 3 == 0 ? nil : vector(number)
                realm.add(item)
            }
        }
    }

    @Test("properties that say so are indexes of the file, which is built when it is opened, and answers")
    func answers() throws {
        let folder = try Folder(), realm = try Realm(configuration: folder.configuration(types))
        try fill(realm, 2500)
        let database = try Database.open(folder.path), all = try database.snapshot().classes
        #expect(all.first { $0.name == "VectorBase" }?.vectorIndexes == [declared[0]])
        #expect(all.first { $0.name == "VectorItem" }?.vectorIndexes == Array(declared[1...]))
        realm.core.shared.indexes.waitUntilDone()
        realm.refresh()
        #expect(try database.snapshot().vectorIndexes().map(\.state).allSatisfy { $0 == .complete })
        let items = realm.objects(VectorItem.self), near = items.nearest(to: vector(40), count: 3, in: \.embedding)
        #expect(near.map(\.id).sorted() == [39, 40, 41] && near.first?.id == 40)
        #expect(near.explain().contains("an index of sign bits"), "\(near.explain())")
        let first = try #require(near.first)
        #expect(abs(near.score(of: first) - 1) < 1e-6 && near.score(of: near[1]) < near.score(of: first))
        let small = items.nearest(to: [7, 1, -2, -128], count: 2, in: \.small)
        #expect(small.map(\.id) == [6, 8] && small.score(of: small[0]) == -1)
        let half = items.where { $0.id < 100 }.nearest(to: vector(99), count: 1, in: \.half)
        #expect(half.count == 1 && half[0].id > 80 && abs(half.score(of: half[0]) - 2) < 1e-2)
        #expect(items.nearest(to: vector(1), count: 1, in: \.plain).map(\.id) == [1])
        #expect(try database.check().problems.isEmpty)
    }

    @Test("the property need not be named if the class declares one vector; results with it are live")
    func live() throws {
        let folder = try Folder(), realm = try Realm(configuration: folder.configuration([VectorBase.self]))
        try realm.write {
            for number in 0..<5 { realm.create(VectorBase.self, value: ["id": number, "embedding": vector(number * 10)]) }
        }
        let near = realm.objects(VectorBase.self).filter("id > 0").nearest(to: vector(0), count: 2)
        #expect(near.map(\.id) == [1, 2])
        try realm.write { realm.object(ofType: VectorBase.self, forPrimaryKey: 4)?.embedding = vector(1) }
        #expect(near.map(\.id) == [4, 1])
        // A vector of another length is stored, and not found.
        try realm.write { realm.object(ofType: VectorBase.self, forPrimaryKey: 4)?.embedding = [1, 0] }
        #expect(near.map(\.id) == [1, 2] && realm.object(ofType: VectorBase.self, forPrimaryKey: 4)?.embedding == [1, 0])
        let notes = Notes()
        Misuse.listen({ notes.add($0.message) }, while: {
            _ = realm.objects(VectorBase.self).nearest(to: [], count: 2)
            _ = realm.objects(VectorBase.self).nearest(to: vector(0), count: -1)
        })
        let told = notes.all
        #expect(told.count == 2 && told[0].contains("1 to 65535 numbers, not 0") && told[1].contains("cannot be negative: -1"), "\(told)")
    }

    @Test("vectors are kept bit by bit, in objects of a realm and without one, and as bytes of other programs")
    func values() throws {
        let folder = try Folder(), realm = try Realm(configuration: folder.configuration(types))
        let odd: [Float] = [.infinity, -.infinity, -0.0, .leastNonzeroMagnitude, .greatestFiniteMagnitude, 1, 2, 3]
        let item = VectorItem(value: ["id": 1, "embedding": odd, "small": [1, -2, 3, 4], "plain": [0.5, 1]])
        #expect(item.embedding == odd && item.small == [1, -2, 3, 4] && item.plain == [0.5, 1] && item.half == nil)
        try realm.write {
            realm.add(item)
            realm.add(VectorItem(value: ["id": 2]))
        }
        #expect(item.embedding.map(\.bitPattern) == odd.map(\.bitPattern) && item.small == [1, -2, 3, 4] && item.plain == [0.5, 1])
        let empty = try #require(realm.object(ofType: VectorItem.self, forPrimaryKey: 2))
        #expect(empty.embedding == [] && empty.small == nil && empty.plain == nil)
        let database = try Database.open(folder.path), table = try database.snapshot().table("VectorItem")
        let key = ObjectKey(item._key), row = try #require(try table.row(key))
        #expect(try row.value(table.column("small")) == .data([1, 254, 3, 4]))
        #expect(try row.value(table.column("plain")) == .data([0, 0, 0, 63, 0, 0, 128, 63]))
        // What is no whole number of elements is no vector.
        try database.write { transaction in
            let table = try transaction.table("VectorItem")
            try transaction.set(key, in: table, table.column("embed"), to: .data([1, 2, 3]))
            try transaction.set(key, in: table, table.column("plain"), to: .data([1]))
        }
        realm.refresh()
        #expect(item.embedding == [] && item.plain == nil)
        #expect(Data(vector: [1, -2], as: .float16).vector(of: .float16) == [1, -2] && Data([1, 2, 3]).vector() == nil)
        #expect(realm.schema["VectorItem"]?.vectorIndexes.map(\.property) == ["embedding", "small", "half"])
        #expect(realm.storedSchema["VectorItem"]?.vectorIndexes == declared)
        #expect(realm.schema["VectorBase"]?.description.contains("\tvectors = embedding, 8 float32, cosine;\n") == true)
    }

    @Test("a missing index is added; other vectors need a higher schema version")
    func adopted() throws {
        let folder = try Folder()
        let older = try folder.file(version: 1, []) { transaction in
            var item = ClassSchema("VectorBase", primaryKey: "id", [
                PropertySchema("id", .int), PropertySchema("embed", .data), PropertySchema("plain", .data, isNullable: true),
            ])
            item.vectorIndexes = [Freehold.VectorIndex("embed", dimensions: 4), Freehold.VectorIndex("plain", dimensions: 2)]
            var creation = ClassCreation(in: transaction)
            try creation.create([item])
        }
        func indexes() throws -> [Freehold.VectorIndex] { try older.snapshot().table("VectorBase").schema.vectorIndexes }
        let error = try #require(refusal(folder.configuration([VectorBase.self], version: 1)))
        #expect(error.message.contains("Class 'VectorBase' has changed its index of vectors of 'embed' from '4 float32, cosine' to "
            + "'8 float32, cosine'."), "\(error.message)")
        #expect(try indexes().count == 2)
        do { _ = try Realm(configuration: folder.configuration([VectorBase.self], version: 2)) }
        #expect(try indexes() == [declared[0]])
    }

    @Test("wrong declarations are named")
    func mistakes() throws {
        let folder = try Folder(), error = try #require(refusal(folder.configuration([WrongVectors.self, InnerVectors.self])))
        for name in ["none", "many"] {
            #expect(error.message.contains("Property 'WrongVectors.\(name)' is declared as a vector of too few or too many numbers: it can "
                + "have 1 to 65535."), "\(error.message)")
        }
        #expect(error.message.contains("Embedded class 'InnerVectors' cannot have an index of vectors, as of 'numbers'"))
        #expect(!error.message.contains("most"))
    }
}
