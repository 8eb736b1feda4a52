@testable import FreeholdEngine
import TestKit

/// Derived indexes in a random history: they concern no object, so the model stays.
extension History {
    private static let derived: [(name: String, fields: [(link: String?, property: String)])] = [
        ("Everything", [(nil, "text"), (nil, "number"), ("next", "note")]), ("Named", [(nil, "rank"), ("owner", "text")]),
        ("Everything", [(nil, "when"), ("next", "real")]), ("Plain", [(nil, "any"), (nil, "price")]),
    ]

    /// Adds a derived index, drops one, or adds a slice to one that is being built, each in a commit of its own. Slices
    /// are of a few objects. For histories that drop and change no properties.
    public mutating func changeDerived(on database: Database, durability: Durability) throws {
        let schema = try database.snapshot().schema(), (name, fields) = Self.derived.randomElement(using: &random)!
        guard let stored = schema.find(name) else { return }
        try DerivedBudget.$standard.withValue(DerivedBudget(objects: 1 + random.below(30), bytes: 1 << 20)) {
            let snapshot = try database.snapshot()
            if random.oneIn(2), let slice = try DerivedSliceCommit(from: snapshot) {
                guard try slice.commit(database.beginWrite()) else { throw Unexpected("a slice was discarded, though nobody else writes") }
            } else if stored.derived.count > 1, let index = stored.derived.randomElement(using: &random) {
                try database.write(durability: durability) { try $0.derived.drop(index.number, from: name) }
            } else {
                let wanted = fields.map { DerivedSchema.Field(link: $0.link, property: $0.property) }
                try database.write(durability: durability) { try $0.derived.add(DerivedSchema(kind: 255, fields: wanted), to: name) }
            }
        }
    }
}
