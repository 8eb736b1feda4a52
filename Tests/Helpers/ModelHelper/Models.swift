// Models of the classes in a Freehold database, as `freehold schema --format swift` prints them.
import Foundation
import Freehold

class Address: EmbeddedObject {
    @Persisted var street: String
    @Persisted(indexed: true, unique: true) var zip: String?
}

class HomeAddress: Address {
    @Persisted var floor: Int
}

class Animal: Object {
    @Persisted(primaryKey: true) var id: UUID
    @Persisted(indexed: true) var name: String
    @Persisted var born: Date?
    // The file keeps an index (name, born), unique, which a model cannot declare.
}

class Dog: Animal {
    @Persisted(indexed: true) var weight: Float
    @Persisted var owner: Everything?
}

class Puppy: Dog {
    @Persisted var tricks: List<String>
    // The file keeps an index (name, weight), which a model cannot declare.
}

class Everything: Object {
    @Persisted(primaryKey: true) var id: Int
    @Persisted(indexed: true) var bool: Bool
    @Persisted var boolOrNull: Bool?
    @Persisted var bools: List<Bool>
    @Persisted var boolSet: MutableSet<Bool>
    @Persisted var boolMap: Map<String, Bool?>
    @Persisted(indexed: true) var int: Int
    @Persisted(unique: true) var intOrNull: Int?
    @Persisted var ints: List<Int>
    @Persisted var intSet: MutableSet<Int>
    @Persisted var intMap: Map<String, Int?>
    @Persisted(indexed: true) var float: Float
    @Persisted(unique: true) var floatOrNull: Float?
    @Persisted var floats: List<Float>
    @Persisted var floatSet: MutableSet<Float>
    @Persisted var floatMap: Map<String, Float?>
    @Persisted(indexed: true) var double: Double
    @Persisted(unique: true) var doubleOrNull: Double?
    @Persisted var doubles: List<Double>
    @Persisted var doubleSet: MutableSet<Double>
    @Persisted var doubleMap: Map<String, Double?>
    @Persisted(indexed: true) var string: String
    @Persisted(unique: true) var stringOrNull: String?
    @Persisted var strings: List<String>
    @Persisted var stringSet: MutableSet<String>
    @Persisted var stringMap: Map<String, String?>
    @Persisted var data: Data
    @Persisted var dataOrNull: Data?
    @Persisted var datas: List<Data>
    @Persisted var dataSet: MutableSet<Data>
    @Persisted var dataMap: Map<String, Data?>
    @Persisted(indexed: true) var date: Date
    @Persisted(unique: true) var dateOrNull: Date?
    @Persisted var dates: List<Date>
    @Persisted var dateSet: MutableSet<Date>
    @Persisted var dateMap: Map<String, Date?>
    @Persisted(indexed: true) var uuid: UUID
    @Persisted(unique: true) var uuidOrNull: UUID?
    @Persisted var uuids: List<UUID>
    @Persisted var uuidSet: MutableSet<UUID>
    @Persisted var uuidMap: Map<String, UUID?>
    @Persisted(indexed: true) var objectId: ObjectId
    @Persisted(unique: true) var objectIdOrNull: ObjectId?
    @Persisted var objectIds: List<ObjectId>
    @Persisted var objectIdSet: MutableSet<ObjectId>
    @Persisted var objectIdMap: Map<String, ObjectId?>
    @Persisted(indexed: true) var decimal: Decimal128
    @Persisted(unique: true) var decimalOrNull: Decimal128?
    @Persisted var decimals: List<Decimal128>
    @Persisted var decimalSet: MutableSet<Decimal128>
    @Persisted var decimalMap: Map<String, Decimal128?>
    @Persisted(indexed: true) var any: AnyRealmValue
    @Persisted var anys: List<AnyRealmValue>
    @Persisted var anySet: MutableSet<AnyRealmValue>
    @Persisted var anyMap: Map<String, List<AnyRealmValue>>
    @Persisted var texts: Map<String, List<String?>>
    @Persisted var deep: List<List<Map<String, MutableSet<Int>>>>
    @Persisted(unique: true, deleteRule: .cascade) var self1: Everything?
    @Persisted(deleteRule: .deny) var friends: Map<String, Everything?>
    @Persisted var animals: List<Animal>
    @Persisted var animalSet: MutableSet<Dog>
    @Persisted var herds: Map<String, List<Animal>>
    @Persisted var home: Address?
    @Persisted var homes: List<Address>
    @Persisted var homeMap: Map<String, HomeAddress?>
    // Property 'seat' (link to Seat) is left out with its class. It stays until schemaVersion is raised.
    // Property 'nothing' (list of link to Nothing) is left out with its class. It stays until schemaVersion is raised.
    // The file keeps an index (int, string), which a model cannot declare.
}

class Embedding: Object {
    @Persisted(primaryKey: true) var id: Int
    @Persisted(vector: 384) var floats: [Float]
    @Persisted(vector: 9, metric: .dot) var bytes: [Int8]?
    @Persisted(vector: 65535, elements: .float16, metric: .euclidean) var halves: Data
    @Persisted(unique: true) var once: Data
    @Persisted var plain: Data
    // The file keeps an index, vectors (once, 3 float32, cosine), which a model does not declare.
}

class Song: Object {
    @Persisted(primaryKey: true, collation: "de") var code: String
    @Persisted(indexed: true, collation: "sv", name: "a b") var a_b: String?
    @Persisted(unique: true, collation: ["de-u-co-phonebk-kn", "und"]) var title: String
    @Persisted var plain: String
}

class Keyed_int: Object {
    @Persisted(primaryKey: true) var key: Int
    @Persisted var next: Keyed_int?
}

class Perhaps_int: Object {
    @Persisted(primaryKey: true) var key: Int?
    @Persisted var next: Perhaps_int?
}

class Keyed_string: Object {
    @Persisted(primaryKey: true) var key: String
    @Persisted var next: Keyed_string?
}

class Perhaps_string: Object {
    @Persisted(primaryKey: true) var key: String?
    @Persisted var next: Perhaps_string?
}

class Keyed_date: Object {
    @Persisted(primaryKey: true) var key: Date
    @Persisted var next: Keyed_date?
}

class Perhaps_date: Object {
    @Persisted(primaryKey: true) var key: Date?
    @Persisted var next: Perhaps_date?
}

class Keyed_uuid: Object {
    @Persisted(primaryKey: true) var key: UUID
    @Persisted var next: Keyed_uuid?
}

class Perhaps_uuid: Object {
    @Persisted(primaryKey: true) var key: UUID?
    @Persisted var next: Perhaps_uuid?
}

class Keyed_objectId: Object {
    @Persisted(primaryKey: true) var key: ObjectId
    @Persisted var next: Keyed_objectId?
}

class Perhaps_objectId: Object {
    @Persisted(primaryKey: true) var key: ObjectId?
    @Persisted var next: Perhaps_objectId?
}

class Object_: Object {
    override class func className() -> String { "Object" }
    @Persisted(name: "realm") var realm_: String
}

class Object_2: Object_ {
    override class func className() -> String { "Object_" }
    @Persisted(name: "description") var description_: Int?
    @Persisted var hash: Int?
    @Persisted(name: "hashValue") var hashValue_: Int?
    @Persisted var value: Int?
    @Persisted(name: "self") var self_: Int?
    @Persisted(name: "init") var init_: Int?
    @Persisted(name: "Type") var Type_: Int?
    @Persisted(name: "Protocol") var Protocol_: Int?
    @Persisted(name: "Self") var Self_: Int?
    @Persisted(name: "class") var class_: Int?
    @Persisted var `deinit`: Int?
    @Persisted var `enum`: Int?
    @Persisted var `func`: Int?
    @Persisted var `import`: Int?
    @Persisted var `let`: Int?
    @Persisted var `var`: Int?
    @Persisted var `case`: Int?
    @Persisted var `default`: Int?
    @Persisted var `if`: Int?
    @Persisted var `in`: Int?
    @Persisted var `is`: Int?
    @Persisted var `nil`: Int?
    @Persisted var `true`: Int?
    @Persisted var `false`: Int?
    @Persisted var `try`: Int?
    @Persisted var `throw`: Int?
    @Persisted var `where`: Int?
    @Persisted var `while`: Int?
    @Persisted(name: "Any") var Any_: Int?
    @Persisted var `as`: Int?
    @Persisted var `await`: Int?
    @Persisted var observe: Int?
    @Persisted(name: "changes") var changes_: Int?
    @Persisted(name: "isFrozen") var isFrozen_: Int?
    @Persisted(name: "freeze") var freeze_: Int?
    @Persisted(name: "objectSchema") var objectSchema_: Int?
    @Persisted var x: Int?
    @Persisted(name: "_x") var _x_: Int?
    @Persisted var __x: Int?
    @Persisted var int: Int?
    @Persisted var float: Int?
    @Persisted var double: Int?
    @Persisted var bool: Int?
    @Persisted var char: Int?
    @Persisted var long: Int?
    @Persisted var template: Int?
    @Persisted var this: Int?
    @Persisted var `operator`: Int?
    @Persisted var new: Int?
    @Persisted var delete: Int?
    @Persisted var namespace: Int?
    @Persisted(name: "std") var std_: Int?
    @Persisted(name: "freehold") var freehold_: Int?
    @Persisted var models: Int?
    @Persisted(name: "String") var String_2: Int?
    @Persisted(name: "Data") var Data_: Int?
    @Persisted(name: "Date") var Date_: Int?
    @Persisted(name: "List") var List_: Int?
    @Persisted var name: Int?
    @Persisted var members: Int?
    @Persisted var object_class: Int?
    @Persisted var code: Int?
    @Persisted var NULL: Int?
    @Persisted var EOF: Int?
    @Persisted var errno: Int?
    @Persisted var linux: Int?
    @Persisted(name: "list") var list_: Int?
    @Persisted var dict: Int?
    @Persisted var None: Int?
    @Persisted var True: Int?
    @Persisted var lambda: Int?
    @Persisted var def: Int?
    @Persisted var pass: Int?
    @Persisted var field: Int?
    @Persisted var __init__: Int?
    @Persisted var __dunder: Int?
    @Persisted var None_: Int?
    @Persisted var property: Int?
    @Persisted var type: Int?
    @Persisted var found: Int?
    @Persisted var reader: Int?
    @Persisted(name: "Int") var Int_: Int?
    @Persisted var id: Int?
    @Persisted var key: Int?
    @Persisted var owner: Int?
    @Persisted(name: "_") var unnamed_: Int?
    @Persisted(name: "__") var unnamed_2: Int?
    @Persisted(name: "$x") var _x_2: Int?
    @Persisted(name: "a-b") var a_b: Int?
    @Persisted(name: "a_b") var a_b_: Int?
    @Persisted(name: "1st") var _1st: Int?
    @Persisted var über: Int?
    @Persisted(name: "debugDescription") var debugDescription_: Int?
    @Persisted var className: Int?
    @Persisted var primaryKey: Int?
}

class `class`: Object {
    @Persisted(primaryKey: true, name: "class") var class_: String
}

class größe_1: Object {
    override class func className() -> String { "größe 1" }
    @Persisted(primaryKey: true, name: "a b") var a_b: String
    @Persisted var link: List<`class`>
}

class ____quote_______: Object {
    override class func className() -> String { "*/ \"quote\" \\ ??/" }
    @Persisted(name: "what??/\\") var what____: String
    @Persisted(name: "line\u{a}\u{202e}\u{0}") var line___: größe_1?
}

class _1: Object {
    override class func className() -> String { "1" }
    @Persisted(name: "1") var _1_2: Int
}

class _1_: Object {
    override class func className() -> String { "_1" }
    @Persisted(name: "1") var _1_2: Int
    @Persisted var m_1_: Int
}

class size: Object {
    @Persisted(name: "size") var size_: Int
}

class freehold: Object {
    @Persisted(name: "freehold") var freehold_: size?
}

class datetime: Object {
    @Persisted(name: "Any") var Any_: Date
    @Persisted(name: "datetime") var datetime_: AnyRealmValue
}

class list: Object {
    @Persisted(name: "list") var list_: List<Int>
}

class std: Object {
    @Persisted(name: "std") var std_: String
}

class String_: Object {
    override class func className() -> String { "String" }
    @Persisted(name: "String") var String_2: Map<String, String>
}

class Persisted_: Object {
    override class func className() -> String { "Persisted" }
    @Persisted(name: "Persisted") var Persisted_2: Int
}

class unnamed: Object {
    override class func className() -> String { "\u{1f3e1}" }
    @Persisted(name: "\u{1f3e1}") var unnamed_: unnamed?
}

class e_: Object {
    override class func className() -> String { "e\u{301}" }
    @Persisted(name: "e\u{301}") var e_2: Int
    @Persisted(name: "é") var é_: Int
}

class é: Object {
    @Persisted var x: Int
}

// Class 'Seat' is left out: its primary key has several properties, and a Swift class's has one.
// Its objects are reached by name: realm.dynamicObjects("Seat")

// Class 'Nothing' is left out: it has no property that a Swift class can declare.
// Its objects are reached by name: realm.dynamicObjects("Nothing")
