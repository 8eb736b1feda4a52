@testable import FreeholdEngine
import TestKit

/// Derived indexes in a random history: they concern no object, so the model stays.
extension History {
    private typealias Wanted = (kind: UInt8, name: String, fields: [(link: String?, property: String)])

    private static let derived: [Wanted] = [
        (255, "Everything", [(nil, "text"), (nil, "number"), ("next", "note")]), (255, "Named", [(nil, "rank"), ("owner", "text")]),
        (255, "Everything", [(nil, "when"), ("next", "real")]), (255, "Plain", [(nil, "any"), (nil, "price")]),
        (FullTextKind.number, "Everything", [(nil, "text"), ("next", "note")]),
        (FullTextKind.number, "Spot", [(nil, "sign"), ("beside", "sign")]),
        (PlacesKind.number, "Spot", [(nil, "latitude"), (nil, "longitude")]),
        (PlacesKind.number, "Spot", [("beside", "latitude"), ("beside", "longitude")]),
        (VectorsKind.number, "Spot", [(nil, "bearing")]),
        (CollationKind.number, "Spot", [(nil, "sign")]), (CollationKind.number, "Everything", [(nil, "text")]),
    ]

    /// The vectors of `spot`.
    static let bearing = VectorShape(dimensions: 6, elements: .int8)

    /// A class with places, words and vectors, of which a history with it begins with enough objects to be sealed.
    public static let spot = ClassSchema("Spot", [
        PropertySchema("latitude", .double, isNullable: true), PropertySchema("longitude", .double), PropertySchema("sign", .string),
        PropertySchema("beside", linkTo: "Spot"), PropertySchema("bearing", .data, isNullable: true),
    ])

    /// Inserts the first objects of `spot`, if it is one of the classes.
    mutating func insertSpots(_ transaction: WriteTransaction, _ draft: inout NaiveDatabase) throws {
        guard let stored = draft.classes["Spot"] else { return }
        for _ in 0..<320 {
            let values = stored.schema.properties.map { value($0, draft) }
            let key = try transaction.insert(into: transaction.table("Spot"), values: values)
            guard key.rawValue == draft.insert("Spot", values) else { throw Unexpected("insert gave key \(key)") }
        }
    }

    /// Declares an index of each kind of `spot`, begun with a few objects, in a commit of its own.
    public func declareDerived(on database: Database, durability: Durability) throws {
        try DerivedBudget.$standard.withValue(DerivedBudget(objects: 150, bytes: 1 << 20)) {
            try database.write(durability: durability) { transaction in
                for wanted in Self.derived where wanted.name == "Spot" { try Self.add(wanted, transaction) }
            }
        }
    }

    private static func add(_ wanted: Wanted, _ transaction: WriteTransaction) throws {
        let fields = wanted.fields.map { DerivedSchema.Field(link: $0.link, property: $0.property) }
        let options = switch (wanted.kind, wanted.name) {
        case (VectorsKind.number, _): bearing.options
        case (FullTextKind.number, "Spot"): FullTextIndexOptions(language: "english").bytes
        case (CollationKind.number, _): Array("de-u-kn".utf8)
        default: [UInt8]()
        }
        try transaction.derived.add(DerivedSchema(kind: wanted.kind, fields: fields, options: options), to: wanted.name)
    }

    /// Adds a derived index, drops one, or adds a slice to one that is being built, each in a commit of its own. Slices
    /// are of a few objects. For histories that drop and change no properties.
    public mutating func changeDerived(on database: Database, durability: Durability) throws {
        let schema = try database.snapshot().schema(), wanted = Self.derived.randomElement(using: &random)!, name = wanted.name
        guard let stored = schema.find(name) else { return }
        try DerivedBudget.$standard.withValue(DerivedBudget(objects: 1 + random.below(30), bytes: 1 << 20)) {
            let snapshot = try database.snapshot()
            if random.oneIn(2), let slice = try DerivedSliceCommit(from: snapshot) {
                guard try slice.commit(database.beginWrite()) else { throw Unexpected("a slice was discarded, though nobody else writes") }
            } else if stored.derived.count > (name == "Spot" ? 5 : 1), let index = stored.derived.randomElement(using: &random) {
                try database.write(durability: durability) { try $0.derived.drop(index.number, from: name) }
            } else {
                try database.write(durability: durability) { try Self.add(wanted, $0) }
            }
        }
    }
}
