import FreeholdEngine
import TestKit

/// Schemas that models are printed for.
enum ModelSchema {
    static let types: [PropertyType] = [.bool, .int, .float, .double, .string, .data, .date, .uuid, .objectId, .decimal]

    /// Every type, collection, link, key and rule, and names that mean something elsewhere.
    static let everything = [
        ClassSchema("Address", isEmbedded: true, [
            PropertySchema("street", .string), PropertySchema("zip", .string, isNullable: true, isIndexed: true, isUnique: true),
        ]),
        ClassSchema("HomeAddress", superclass: "Address", isEmbedded: true, [PropertySchema("floor", .int)]),
        ClassSchema("Animal", primaryKey: "id", indexes: [IndexSchema(["name", "born"], isUnique: true)], [
            PropertySchema("id", .uuid), PropertySchema("name", .string, isIndexed: true), PropertySchema("born", .date, isNullable: true),
        ]),
        ClassSchema("Dog", superclass: "Animal", [PropertySchema("owner", linkTo: "Everything"),
            PropertySchema("weight", .float, isIndexed: true)]),
        ClassSchema("Puppy", superclass: "Dog", indexes: [IndexSchema(["name", "weight"])],
            [PropertySchema("tricks", .string, collections: [.list])]),
        ClassSchema("Seat", primaryKey: ["row", "hall"], [
            PropertySchema("hall", .string), PropertySchema("price", .decimal), PropertySchema("row", .int),
        ]),
        ClassSchema("Nothing", []),
        everyProperty, vectors, collations,
    ] + keyed + odd

    /// Vectors of each kind, and such that a declaration in Swift cannot state.
    private static let vectors: ClassSchema = {
        var schema = ClassSchema("Embedding", primaryKey: "id", [
            PropertySchema("id", .int), PropertySchema("floats", .data), PropertySchema("bytes", .data, isNullable: true),
            PropertySchema("halves", .data), PropertySchema("once", .data, isUnique: true), PropertySchema("plain", .data),
        ])
        schema.vectorIndexes = [
            VectorIndex("floats", dimensions: 384), VectorIndex("bytes", dimensions: 9, elements: .int8, metric: .dot),
            VectorIndex("halves", dimensions: 65_535, elements: .float16, metric: .euclidean), VectorIndex("once", dimensions: 3),
        ]
        return schema
    }()

    /// Indexes in a collation: of a key, and of several kinds of declaration.
    private static let collations: ClassSchema = {
        var schema = ClassSchema("Song", primaryKey: "code", [
            PropertySchema("code", .string), PropertySchema("a b", .string, isNullable: true, isIndexed: true),
            PropertySchema("title", .string, isUnique: true), PropertySchema("plain", .string),
        ])
        schema.collationIndexes = [
            CollationIndex("code", collation: "de"), CollationIndex("a b", collation: "sv"),
            CollationIndex("title", collation: "de-u-co-phonebk-kn"), CollationIndex("title", collation: "und"),
        ]
        return schema
    }()

    private static let everyProperty = ClassSchema("Everything", primaryKey: "id", indexes: [IndexSchema(["int", "string"])], [
        PropertySchema("id", .int),
    ] + types.flatMap { type in [
        PropertySchema(type.name, type, isIndexed: type != .data),
        PropertySchema("\(type.name)OrNull", type, isNullable: true, isUnique: ![.bool, .data].contains(type)),
        PropertySchema("\(type.name)s", type, collections: [.list]), PropertySchema("\(type.name)Set", type, collections: [.set]),
        PropertySchema("\(type.name)Map", type, isNullable: true, collections: [.map]),
    ] } + [
        PropertySchema("any", .mixed, isIndexed: true), PropertySchema("anys", .mixed, collections: [.list]),
        PropertySchema("anySet", .mixed, collections: [.set]), PropertySchema("anyMap", .mixed, collections: [.map, .list]),
        PropertySchema("texts", .string, isNullable: true, collections: [.map, .list]),
        PropertySchema("deep", .int, collections: [.list, .list, .map, .set]),
        PropertySchema("self1", linkTo: "Everything", isUnique: true, deleteRule: .cascade),
        PropertySchema("friends", linkTo: "Everything", deleteRule: .deny, collections: [.map]),
        PropertySchema("animals", linkTo: "Animal", collections: [.list]), PropertySchema("animalSet", linkTo: "Dog", collections: [.set]),
        PropertySchema("herds", linkTo: "Animal", collections: [.map, .list]),
        PropertySchema("home", linkTo: "Address"), PropertySchema("homes", linkTo: "Address", collections: [.list]),
        PropertySchema("homeMap", linkTo: "HomeAddress", collections: [.map]),
        PropertySchema("seat", linkTo: "Seat"), PropertySchema("nothing", linkTo: "Nothing", collections: [.list]),
    ])

    /// A class for each type of a primary key, required and nullable.
    private static let keyed = [PropertyType.int, .string, .date, .uuid, .objectId].flatMap { type in
        [false, true].map { isNullable in
            ClassSchema("\(isNullable ? "Perhaps" : "Keyed")_\(type.name)", primaryKey: "key", [
                PropertySchema("key", type, isNullable: isNullable),
                PropertySchema("next", linkTo: "\(isNullable ? "Perhaps" : "Keyed")_\(type.name)"),
            ])
        }
    }

    /// Names of classes and properties that languages use themselves, that are no identifiers, or that differ in little.
    private static let odd = [
        ClassSchema("Object", [PropertySchema("realm", .string)]),
        ClassSchema("Object_", superclass: "Object", words.map { PropertySchema($0, .int, isNullable: true) }),
        ClassSchema("class", primaryKey: "class", [PropertySchema("class", .string)]),
        ClassSchema("gr\u{F6}\u{DF}e 1", primaryKey: "a b", [PropertySchema("a b", .string),
            PropertySchema("link", linkTo: "class", collections: [.list])]),
        ClassSchema("*/ \"quote\" \\ ??/", [PropertySchema("what??/\\", .string),
            PropertySchema("line\n\u{202E}\u{0}", linkTo: "gr\u{F6}\u{DF}e 1")]),
        ClassSchema("1", [PropertySchema("1", .int)]), ClassSchema("_1", [PropertySchema("1", .int), PropertySchema("m_1_", .int)]),
        ClassSchema("size", [PropertySchema("size", .int)]), ClassSchema("freehold", [PropertySchema("freehold", linkTo: "size")]),
        ClassSchema("datetime", [PropertySchema("Any", .date), PropertySchema("datetime", .mixed)]),
        ClassSchema("list", [PropertySchema("list", .int, collections: [.list])]),
        ClassSchema("std", [PropertySchema("std", .string)]),
        ClassSchema("String", [PropertySchema("String", .string, collections: [.map])]),
        ClassSchema("Persisted", [PropertySchema("Persisted", .int)]),
        ClassSchema("\u{1F3E1}", [PropertySchema("\u{1F3E1}", linkTo: "\u{1F3E1}")]),
        ClassSchema("e\u{301}", [PropertySchema("e\u{301}", .int), PropertySchema("\u{E9}", .int)]),
        ClassSchema("\u{E9}", [PropertySchema("x", .int)]),
    ]

    private static let words = """
        description hash hashValue value self init Type Protocol Self class deinit enum func import let var case \
        default if in is nil true false try throw where while Any as await observe changes isFrozen freeze \
        objectSchema x _x __x int float double bool char long template this operator new delete namespace std \
        freehold models String Data Date List name members object_class code NULL EOF errno linux list dict None \
        True lambda def pass field __init__ __dunder None_ property type found reader Int id key owner _ __ $x a-b \
        a_b 1st \u{FC}ber debugDescription className primaryKey
        """.split(separator: " ").map(String.init)

    /// Creates classes, which may link to one another and extend one another in any order.
    static func create(_ classes: [ClassSchema], in transaction: WriteTransaction) throws {
        for schema in classes {
            var plain = schema
            plain.properties.removeAll { $0.type == .link }
            try transaction.createClass(plain)
        }
        for schema in classes {
            for property in schema.properties where property.type == .link { try transaction.addProperty(property, to: schema.name) }
        }
    }

    /// A few classes of random names and properties.
    static func random(seed: UInt64) -> [ClassSchema] {
        var random = SeededRandom(seed: seed)
        var used: Set<ExactText> = [], names: [String] = []
        while names.count < 2 + random.below(5) { if let name = name(&random, &used) { names.append(name) } }
        var classes: [ClassSchema] = []
        for (place, name) in names.enumerated() {
            let base = place > 1 && random.oneIn(3) ? classes[random.below(classes.count)] : nil
            let isEmbedded = base?.isEmbedded ?? random.oneIn(4)
            // The properties of a family have different names.
            var taken: Set<ExactText> = Set(exact: classes.flatMap(\.properties).map(\.name))
            var properties: [PropertySchema] = []
            for _ in 0..<random.below(7) {
                guard let property = self.name(&random, &taken) else { continue }
                properties.append(self.property(property, classes, &random))
            }
            var keys: [String] = []
            if base == nil, !isEmbedded, random.oneIn(2) {
                for _ in 0...random.below(2) {
                    guard let key = self.name(&random, &taken) else { continue }
                    properties.insert(PropertySchema(key, [.int, .string, .uuid, .date, .objectId][random.below(5)],
                        isNullable: random.oneIn(4)), at: random.below(properties.count + 1))
                    keys.insert(key, at: random.below(keys.count + 1))
                }
            }
            var schema = ClassSchema(name, superclass: base?.name, isEmbedded: isEmbedded, properties)
            schema.primaryKeys = keys
            classes.append(schema)
        }
        return classes
    }

    private static func name(_ random: inout SeededRandom, _ used: inout Set<ExactText>) -> String? {
        let name: String
        switch random.below(4) {
        case 0: name = words[random.below(words.count)]
        case 1: name = odd[random.below(odd.count)].name
        case 2:
            let scalars = (0...random.below(5)).compactMap { _ in Unicode.Scalar(UInt32(random.below(random.oneIn(4) ? 0x3000 : 0x80))) }
            name = String(String.UnicodeScalarView(scalars))
        default: name = "Name\(random.below(40))"
        }
        return !name.isEmpty && used.insert(ExactText(name)).inserted ? name : nil
    }

    private static func property(_ name: String, _ classes: [ClassSchema], _ random: inout SeededRandom) -> PropertySchema {
        var kinds = (0..<[0, 0, 0, 1, 1, 2, 3][random.below(7)]).map { _ in random.oneIn(2) ? CollectionKind.list : .map }
        if let target = classes.isEmpty || !random.oneIn(3) ? nil : classes[random.below(classes.count)] {
            if !kinds.isEmpty, !target.isEmbedded, random.oneIn(3) { kinds[kinds.count - 1] = .set }
            return PropertySchema(name, linkTo: target.name, deleteRule: target.isEmbedded ? .nullify : [.nullify, .cascade,
                .deny][random.below(3)], collections: kinds)
        }
        if !kinds.isEmpty, random.oneIn(3) { kinds[kinds.count - 1] = .set }
        let type = (types + [.mixed])[random.below(types.count + 1)], isIndexed = kinds.isEmpty && type != .data && random.oneIn(3)
        return PropertySchema(name, type, isNullable: random.oneIn(3), isIndexed: isIndexed,
                              isUnique: isIndexed && ![.bool, .mixed].contains(type) && random.oneIn(2), collections: kinds)
    }
}
