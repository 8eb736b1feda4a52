import DatabaseKit
@testable import FreeholdEngine
import TestKit
import Testing

/// Each difference under each policy, and what using the file then does.
@Suite("Plans for a file's classes")
struct SchemaPlanTests {
    private func withDatabase(_ stored: [ClassSchema], objects: Int = 2, _ body: (Database) throws -> Void) throws {
        let machine = SimulatedSystem(seed: 1)
        defer { machine.discard() }
        let database = try Database.open("/planned.freehold", .simulated, on: machine.makeProcess())
        try database.write { transaction in
            try transaction.create(stored)
            guard let thing = stored.first(where: { $0.name == "Thing" }) else { return }
            for number in 0..<objects as Range<Int> {
                let key: Value? = thing.primaryKeys.isEmpty ? nil : .int(Int64(number))
                let own: [(String, Value)] = key == nil ? [("number", .int(Int64(number)))] : []
                try transaction.insert(into: "Thing", key: key, own + [("name", .string("\(number)"))])
            }
        }
        try body(database)
        #expect(try database.check().problems.isEmpty)
    }

    private func versions(_ isRaised: Bool, _ classes: [ClassSchema]) -> SchemaVersions {
        SchemaVersions(stored: 3, declared: isRaised ? 4 : 3, classes: classes)
    }

    @Test("there is a case of every kind of difference")
    func complete() {
        #expect(Set(SchemaCase.all.map(\.kind)) == Set(SchemaChange.Kind.allCases))
    }

    @Test("nothing is kept that a program could not read or write with its classes")
    func needs() {
        let needed: [SchemaChange.Kind] = [.newClass, .newProperty, .type, .nullability, .primaryKey, .embedding, .superclass]
        for name in SchemaCase.PolicyName.allCases {
            for kind in needed { for isRaised in [false, true] { #expect(name.policy.rule(for: kind, isRaised: isRaised) != .keep) } }
        }
    }

    @Test("every difference is found alone, with its sentence and the rule for it",
          arguments: SchemaCase.all, SchemaCase.PolicyName.allCases)
    func rules(_ one: SchemaCase, _ name: SchemaCase.PolicyName) throws {
        try withDatabase(one.stored) { database in
            let stored = try database.snapshot().classes
            for isRaised in [false, true] {
                let plan = SchemaPlan(one.declared, over: stored, versions: versions(isRaised, stored), by: name.policy)
                #expect(plan.changes.map(\.description) == [one.sentence] && plan.changes.map(\.kind) == [one.kind])
                let expected = one.rule(name, isRaised: isRaised)
                for rule in SchemaPolicy.Rule.allCases { #expect(plan.changes(rule).count == (rule == expected ? 1 : 0)) }
                let refusal = "Migration is required due to the following errors:\n- \(one.sentence)"
                #expect(plan.refusal == (expected == .refuse ? refusal : nil))
                #expect(SchemaPlan(stored, over: stored, versions: versions(isRaised, stored), by: name.policy).changes.isEmpty)
            }
        }
    }

    @Test("what is applied is gone from the plan, what is kept or refused leaves the file as it is", arguments: SchemaCase.all)
    func applying(_ one: SchemaCase) throws {
        for name in SchemaCase.PolicyName.allCases {
            for isRaised in [false, true] {
                try withDatabase(one.stored) { database in
                    try database.write { try $0.setSchemaVersion(3) }
                    let before = try database.snapshot().classes, rule = one.rule(name, isRaised: isRaised)
                    let transaction = try database.beginWrite()
                    let adoption = SchemaAdoption(one.declared, version: isRaised ? 4 : 3, in: transaction, by: name.policy)
                    if rule == .refuse {
                        let refusal = adoption.plan.refusal
                        #expect { try adoption.apply() } throws: { ($0 as? FreeholdError)?.message == refusal }
                        return transaction.rollback()
                    }
                    if name == .models, isRaised { try adoption.migrate() } else { try adoption.apply() }
                    #expect(adoption.plan.changes.isEmpty == (rule == .apply))
                    try transaction.commit()
                    let after = try database.snapshot()
                    #expect(try (after.classes == before) == (rule == .keep))
                    if rule == .apply { try expect(after, one.declared) }
                    #expect(try after.table("Thing").count == 2)
                }
            }
        }
    }

    /// The file has the declared classes, their properties in any order.
    private func expect(_ snapshot: Snapshot, _ declared: [ClassSchema]) throws {
        for wanted in declared {
            var found = try #require(try snapshot.classes.first { $0.name == wanted.name })
            found.properties.sort { $0.name < $1.name }
            var sorted = wanted.plain
            sorted.properties.sort { $0.name < $1.name }
            // A unique property is indexed, too.
            for place in sorted.properties.indices where sorted.properties[place].isUnique {
                sorted.properties[place].isIndexed = found.properties[place].isIndexed
            }
            #expect(found == sorted)
        }
    }

    @Test("a lower version is refused first, a higher one of a file with classes is raised", arguments: [
        (nil, nil, false, false), (nil, 0, false, false), (nil, 1, true, false), (0, 0, false, false),
        (2, nil, false, false), (2, 1, false, true), (2, 2, false, false), (2, 3, true, false),
    ] as [(UInt64?, UInt64?, Bool, Bool)])
    func versions(stored: UInt64?, declared: UInt64?, isRaised: Bool, isLower: Bool) {
        let one = SchemaCase.refused[0], versions = SchemaVersions(stored: stored, declared: declared, classes: one.stored)
        #expect(versions.isRaised == isRaised && !versions.isNew)
        #expect(versions.refusal == (isLower ? "Provided schema version 1 is less than last set version 2." : nil))
        let plan = SchemaPlan(one.declared, over: one.stored, versions: versions, by: .definitions)
        #expect(plan.refusal?.hasPrefix(isLower ? "Provided" : "Migration is required") == true)
        let new = SchemaVersions(stored: stored, declared: declared, classes: [])
        #expect(new.isNew == (stored == nil) && new.isRaised == (stored != nil && isRaised))
    }

    @Test("a refusal names every difference, and classes that only the file has are named apart")
    func several() {
        let thing = ClassSchema("Thing", primaryKey: "a", [PropertySchema("a", .int), PropertySchema("b", .objectId)])
        let stored = [thing, ClassSchema("Other", [])]
        let declared = [ClassSchema("Thing", [
            PropertySchema("a", .int, isNullable: true), PropertySchema("b", .mixed, collections: [.set]),
        ])]
        let plan = SchemaPlan(declared, over: stored, versions: versions(false, stored), by: .models)
        #expect(plan.otherClasses == ["Other"])
        #expect(plan.refusal == """
            Migration is required due to the following errors:
            - Primary Key for class 'Thing' has been removed.
            - Property 'Thing.a' has been made optional.
            - Property 'Thing.b' has been changed from 'object id' to 'set<mixed>'.
            """)
    }

    @Test("links in maps that may be null are another thing to definitions, but not to models; what is implied is no difference")
    func implied() {
        func map(_ isNullable: Bool) -> [ClassSchema] {
            var property = PropertySchema("map", linkTo: "Thing", collections: [.map])
            property.isNullable = isNullable
            return [ClassSchema("Thing", [property])]
        }
        for isNullable in [false, true] {
            let versions = versions(false, map(isNullable))
            func kinds(_ policy: SchemaPolicy) -> [SchemaChange.Kind] {
                SchemaPlan(map(!isNullable), over: map(isNullable), versions: versions, by: policy).changes.map(\.kind)
            }
            #expect(kinds(.models).isEmpty && kinds(.definitions) == [.nullability])
        }
        let stored = [ClassSchema("Thing", primaryKey: "id", [
            PropertySchema("id", .string), PropertySchema("any", .mixed), PropertySchema("next", linkTo: "Thing"),
        ])]
        var declared = stored
        declared[0].properties[0].isUnique = true
        declared[0].properties[0].isIndexed = true
        declared[0].properties[1].isNullable = false
        declared[0].properties[2].isNullable = false
        for policy in [SchemaPolicy.models, .definitions] {
            #expect(SchemaPlan(declared, over: stored, versions: versions(false, stored), by: policy).changes.isEmpty)
        }
    }
}
