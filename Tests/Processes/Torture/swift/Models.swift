import Foundation
import Freehold

/// What a torture's slots own: every type of value and collection, and a derived index of every kind.
class Thing: Object {
    @Persisted(primaryKey: true) var id = 0
    @Persisted(indexed: true) var slot = 0
    @Persisted var flag = false
    @Persisted(indexed: true) var number: Int?
    @Persisted var real = 0.0
    @Persisted var single: Float = 0
    @Persisted var north = 0.0
    @Persisted var east = 0.0
    @Persisted(indexed: true, fullText: true) var text = ""
    @Persisted(collation: "de") var note: String?
    @Persisted(vector: 8, elements: .int8) var bytes = Data()
    @Persisted var moment: Date?
    @Persisted var mark: UUID?
    @Persisted var oid: ObjectId?
    @Persisted var amount: Decimal128?
    @Persisted var any: AnyRealmValue
    @Persisted var next: Thing?
    @Persisted var ints: List<Int>
    @Persisted var words: List<String>
    @Persisted var maybe: List<Double?>
    @Persisted var things: List<Thing>
    @Persisted var tags: MutableSet<String>
    @Persisted var marks: MutableSet<Int>
    @Persisted var table: Map<String, Int>
    @Persisted var names: Map<String, String>
    @Persisted var lists: Map<String, List<String>>
    @Persisted var inner: Box?
    @Persisted var boxes: List<Box>

    override class func placeIndexes() -> [PlaceIndex] { [.init(latitude: "north", longitude: "east")] }
}

/// A thing of a class that extends another.
class Special: Thing {
    @Persisted var extra = ""
    @Persisted(indexed: true) var weight: Int?
}

class Box: EmbeddedObject {
    @Persisted var label = ""
    @Persisted var size = 0
}

class Account: Object {
    @Persisted(primaryKey: true) var id = 0
    @Persisted var balance = 1000
}

class Counter: Object {
    @Persisted(primaryKey: true) var name = ""
    @Persisted var count = 0
}

class Move: Object {
    @Persisted(indexed: true) var by = ""
    @Persisted var amount = 0
    @Persisted var source = 0
    @Persisted var target = 0
}
