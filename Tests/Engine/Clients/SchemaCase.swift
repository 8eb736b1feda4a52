@testable import FreeholdEngine
import Testing

/// One difference between a file's classes and a program's, and what is to happen about it.
struct SchemaCase: CustomTestStringConvertible {
    typealias Rule = SchemaPolicy.Rule

    let kind: SchemaChange.Kind
    /// Its sentence.
    let sentence: String
    let stored: [ClassSchema]
    let declared: [ClassSchema]
    /// The rules for models and for definitions, while the version is the file's and once it is raised.
    let models: (same: Rule, raised: Rule)
    let definitions: (same: Rule, raised: Rule)

    var testDescription: String { sentence }

    func rule(_ policy: PolicyName, isRaised: Bool) -> Rule {
        let rules = policy == .models ? models : definitions
        return isRaised ? rules.raised : rules.same
    }

    enum PolicyName: CaseIterable {
        case models, definitions
        var policy: SchemaPolicy { self == .models ? .models : .definitions }
    }
}

extension SchemaCase {
    /// A class that one thing changes of.
    private static func thing(_ change: (inout ClassSchema) -> Void = { _ in }) -> ClassSchema {
        var thing = ClassSchema("Thing", [
            PropertySchema("number", .int), PropertySchema("name", .string), PropertySchema("next", linkTo: "Thing"),
            PropertySchema("parts", linkTo: "Thing", collections: [.list]),
        ])
        change(&thing)
        return thing
    }

    /// The class with places, of which a program declares indexes.
    private static func placed(_ indexes: PlaceIndex...) -> ClassSchema {
        thing { thing in
            thing.properties += [PropertySchema("north", .double), PropertySchema("east", .double)]
            thing.placeIndexes = indexes
        }
    }

    private static let spot = PlaceIndex(latitude: "north", longitude: "next.east")
    private static let turned = PlaceIndex(latitude: "east", longitude: "north")

    /// The class with vectors, of which a program declares indexes.
    private static func embedded(_ indexes: VectorIndex...) -> ClassSchema {
        thing { thing in
            thing.properties += [PropertySchema("embedding", .data), PropertySchema("picture", .data)]
            thing.vectorIndexes = indexes
        }
    }

    private static let picture = VectorIndex("picture", dimensions: 3, elements: .int8)

    /// A class with a key that devices can give alike.
    private static func keyed(_ rules: SyncRules? = nil) -> ClassSchema {
        thing {
            $0.properties.append(PropertySchema("count", .int))
            ($0.primaryKey, $0.syncRules) = ("number", rules)
        }
    }

    private static func number(_ change: (inout PropertySchema) -> Void) -> ClassSchema { thing { change(&$0.properties[0]) } }

    private static let animal = ClassSchema("Animal", [PropertySchema("legs", .int)])

    private static func with(_ kind: SchemaChange.Kind, _ sentence: String, _ stored: [ClassSchema], _ declared: [ClassSchema],
                             models: (Rule, Rule), definitions: (Rule, Rule)) -> SchemaCase {
        SchemaCase(kind: kind, sentence: sentence, stored: stored, declared: declared, models: models, definitions: definitions)
    }

    static let added: [SchemaCase] = [
        with(.newClass, "Class 'Animal' has been added.", [thing()], [thing(), animal],
             models: (.apply, .apply), definitions: (.apply, .apply)),
        with(.newProperty, "Property 'Thing.size' has been added.", [thing()],
             [thing { $0.properties.append(PropertySchema("size", .double)) }],
             models: (.apply, .apply), definitions: (.apply, .apply)),
        with(.newIndex, "Property 'Thing.number' has been made indexed.", [thing()], [number { $0.isIndexed = true }],
             models: (.apply, .apply), definitions: (.apply, .apply)),
        with(.unique, "Property 'Thing.number' has been made unique.", [thing()], [number { $0.isUnique = true }],
             models: (.refuse, .apply), definitions: (.apply, .apply)),
        with(.newFullText, "Class 'Thing' has got a full-text index of 'name, next.name'.", [thing()],
             [thing { $0.fullTextIndexes = [["name", "next.name"]] }], models: (.apply, .apply), definitions: (.apply, .apply)),
        with(.fullTextWeights, "Class 'Thing' has other weights, or another language, in its full-text index of 'next.name, name'.",
             [thing { $0.fullTextIndexes = [["name", "next.name"]] }],
             [thing { $0.fullTextIndexes = [["next.name", .init("name", weight: 2)]] }],
             models: (.apply, .apply), definitions: (.apply, .apply)),
        with(.newPlaces, "Class 'Thing' has got an index of places of 'north, next.east'.", [placed(turned)], [placed(turned, spot)],
             models: (.apply, .apply), definitions: (.apply, .apply)),
        with(.newVectors, "Class 'Thing' has got an index of vectors of 'embedding': 384 float16, dot.", [embedded(picture)],
             [embedded(picture, VectorIndex("embedding", dimensions: 384, elements: .float16, metric: .dot))],
             models: (.apply, .apply), definitions: (.apply, .apply)),
        with(.newCollation, "Class 'Thing' has got an index of 'name' in the collation \"de-u-kn\".", [thing()],
             [thing { $0.collationIndexes = [CollationIndex("name", collation: "de-u-kn-true")] }],
             models: (.apply, .apply), definitions: (.apply, .apply)),
        with(.newSync, "Class 'Thing' has been made a synced class: deletions win; counters count; merged name.", [keyed()],
             [keyed(SyncRules(counters: ["count"], merged: ["name"]))], models: (.apply, .apply), definitions: (.apply, .apply)),
    ]

    static let removed: [SchemaCase] = [
        with(.removedSync, "Class 'Thing' has been made a class that is not synced.", [keyed(SyncRules())], [keyed()],
             models: (.keep, .keep), definitions: (.keep, .keep)),
        with(.removedVectors, "Class 'Thing' has lost its index of vectors of 'picture'.", [embedded(picture)], [embedded()],
             models: (.keep, .apply), definitions: (.keep, .keep)),
        with(.removedFullText, "Class 'Thing' has lost its full-text index of 'name'.",
             [thing { $0.fullTextIndexes = [["name"], ["next.name"]] }], [thing { $0.fullTextIndexes = [["next.name"]] }],
             models: (.keep, .apply), definitions: (.keep, .keep)),
        with(.removedPlaces, "Class 'Thing' has lost its index of places of 'east, north'.", [placed(spot, turned)], [placed(spot)],
             models: (.keep, .apply), definitions: (.keep, .keep)),
        with(.removedCollation, "Class 'Thing' has lost its index of 'name' in the collation \"de\".",
             [thing { $0.collationIndexes = [CollationIndex("name", collation: "sv"), CollationIndex("name", collation: "de")] }],
             [thing { $0.collationIndexes = [CollationIndex("name", collation: "sv")] }],
             models: (.keep, .apply), definitions: (.keep, .keep)),
        with(.removedIndex, "Property 'Thing.number' has been made unindexed.", [number { $0.isIndexed = true }], [thing()],
             models: (.keep, .apply), definitions: (.keep, .apply)),
        with(.removedProperty, "Property 'Thing.name' has been removed.", [thing()], [thing { $0.properties.remove(at: 1) }],
             models: (.keep, .apply), definitions: (.keep, .keep)),
        with(.notUnique, "Property 'Thing.number' has been made not unique.", [number { $0.isUnique = true }], [thing()],
             models: (.refuse, .apply), definitions: (.keep, .apply)),
        with(.deleteRule, "Property 'Thing.next' has changed its delete rule from 'deny' to 'cascade'.",
             [thing { $0.properties[2].deleteRule = .deny }], [thing { $0.properties[2].deleteRule = .cascade }],
             models: (.refuse, .apply), definitions: (.keep, .apply)),
    ]

    static let refused: [SchemaCase] = [
        with(.vectors, "Class 'Thing' has changed its index of vectors of 'picture' from '3 int8, cosine' to '3 int8, dot'.",
             [embedded(picture)], [embedded(VectorIndex("picture", dimensions: 3, elements: .int8, metric: .dot))],
             models: (.refuse, .apply), definitions: (.refuse, .refuse)),
        with(.type, "Property 'Thing.number' has been changed from 'int' to 'string'.", [thing()], [number { $0.type = .string }],
             models: (.refuse, .apply), definitions: (.refuse, .refuse)),
        with(.type, "Property 'Thing.parts' has been changed from 'array<Thing>' to 'dictionary<string, array<decimal128>>'.",
             [thing()], [thing { $0.properties[3] = PropertySchema("parts", .decimal, collections: [.map, .list]) }],
             models: (.refuse, .apply), definitions: (.refuse, .refuse)),
        with(.type, "Property 'Thing.next' has been changed from '<Thing>' to '<Animal>'.",
             [thing(), animal], [thing { $0.properties[2].linkTarget = "Animal" }, animal],
             models: (.refuse, .apply), definitions: (.refuse, .refuse)),
        with(.nullability, "Property 'Thing.number' has been made optional.", [thing()], [number { $0.isNullable = true }],
             models: (.refuse, .apply), definitions: (.refuse, .refuse)),
        with(.nullability, "Property 'Thing.number' has been made required.", [number { $0.isNullable = true }], [thing()],
             models: (.refuse, .apply), definitions: (.refuse, .refuse)),
        with(.primaryKey, "Primary Key for class 'Thing' has been added.", [thing()], [thing { $0.primaryKeys = ["number"] }],
             models: (.refuse, .apply), definitions: (.refuse, .refuse)),
        with(.primaryKey, "Primary Key for class 'Thing' has been removed.", [thing { $0.primaryKeys = ["number"] }], [thing()],
             models: (.refuse, .apply), definitions: (.refuse, .refuse)),
        with(.primaryKey, "Primary Key for class 'Thing' has changed from 'number' to 'name'.",
             [thing { $0.primaryKeys = ["number"] }], [thing { $0.primaryKeys = ["name"] }],
             models: (.refuse, .apply), definitions: (.refuse, .refuse)),
        with(.embedding, "Class 'Animal' has been changed from top-level to embedded.", [thing(), animal],
             [thing(), ClassSchema("Animal", isEmbedded: true, animal.properties)],
             models: (.refuse, .apply), definitions: (.refuse, .refuse)),
        with(.embedding, "Class 'Animal' has been changed from embedded to top-level.",
             [thing(), ClassSchema("Animal", isEmbedded: true, animal.properties)], [thing(), animal],
             models: (.refuse, .apply), definitions: (.refuse, .refuse)),
        with(.superclass, "Class 'Thing' has changed its superclass from 'Object' to 'Animal'.",
             [thing(), animal], [thing { $0.superclass = "Animal" }, animal],
             models: (.refuse, .refuse), definitions: (.refuse, .refuse)),
        with(.syncRules, "Class 'Thing' has changed its rules for sync from 'deletions win; merged name' to 'updates win'.",
             [keyed(SyncRules(merged: ["name"]))], [keyed(SyncRules(onConflict: .updateWins))],
             models: (.refuse, .apply), definitions: (.refuse, .apply)),
    ]

    static let all = added + removed + refused
}
