import DatabaseKit
@testable import FreeholdEngine
import TestKit
import Testing

/// Random classes of a file, and random ones of a program.
@Suite("Random classes adopted by a file with others")
struct SchemaRandomTests {
    private static let types: [PropertyType] = [.int, .string, .double, .date, .mixed, .decimal]

    private func property(_ name: String, _ random: inout SeededRandom) -> PropertySchema {
        let type = Self.types.randomElement(using: &random) ?? .int
        switch Int.random(in: 0..<5, using: &random) {
        case 0: return PropertySchema(name, linkTo: "A", deleteRule: random.oneIn(2) ? .nullify : .cascade)
        case 1: return PropertySchema(name, linkTo: "B", collections: [.list])
        case 2: return PropertySchema(name, type, isNullable: random.oneIn(2), collections: random.oneIn(2) ? [.list] : [.map])
        default:
            let canBeUnique = type != .mixed && type != .decimal
            return PropertySchema(name, type, isNullable: random.oneIn(2), isIndexed: random.oneIn(2),
                                  isUnique: canBeUnique && random.oneIn(3))
        }
    }

    private func classes(_ random: inout SeededRandom) -> [ClassSchema] {
        var classes: [ClassSchema] = []
        for name in ["A", "B", "C"] {
            let names = (0..<4).map { "\(name)\($0)" }.filter { _ in !random.oneIn(4) }
            var made = ClassSchema(name, superclass: name == "C" ? "A" : nil, names.map { property($0, &random) })
            if name == "A", random.oneIn(2) {
                made.properties.insert(PropertySchema("id", random.oneIn(2) ? .int : .string), at: 0)
                if random.oneIn(2) { made.primaryKeys = ["id"] }
            }
            classes.append(made)
        }
        return classes
    }

    /// Objects with values that differ where they have to.
    private func fill(_ database: Database, _ classes: [ClassSchema]) throws {
        try database.write { transaction in
            for wanted in classes {
                let table = try transaction.table(wanted.name), schema = table.schema
                let plain = schema.properties.filter { $0.collections.isEmpty && $0.type != .link && !schema.primaryKeys.has($0.name) }
                let keyType = schema.properties.first { schema.primaryKeys.has($0.name) }?.type
                for number in 0..<3 as Range<Int64> {
                    let own = Value.int(number * 10 + (wanted.superclass == nil ? 0 : 5))
                    let values = plain.map { ($0.name, own.converted(to: $0.type) ?? .null) }
                    try transaction.insert(into: wanted.name, key: keyType.flatMap { own.converted(to: $0) }, values)
                }
            }
        }
    }

    @Test("what is adopted leaves nothing to apply and every object; what is refused leaves the file as it was",
          arguments: TestScale.seeds(12))
    func random(seed: UInt64) throws {
        var random = SeededRandom(seed: seed), adopted = 0
        for round in 0..<4 {
            let stored = classes(&random), declared = random.oneIn(2) ? classes(&random) : mutated(stored, &random)
            for name in SchemaCase.PolicyName.allCases {
                for version in [0, 1] as [UInt64] {
                    if try adopt(declared, stored, name, version, "seed \(seed), round \(round), \(name) \(version)") { adopted += 1 }
                }
            }
        }
        #expect(adopted > 0)
    }

    /// The classes with one property changed, so that not nearly all are refused.
    private func mutated(_ classes: [ClassSchema], _ random: inout SeededRandom) -> [ClassSchema] {
        var classes = classes
        guard let place = classes.indices.filter({ !classes[$0].properties.isEmpty }).randomElement(using: &random) else { return classes }
        let at = Int.random(in: 0..<classes[place].properties.count, using: &random)
        let name = classes[place].properties[at].name
        if name != "id" { classes[place].properties[at] = property(name, &random) }
        return classes
    }

    /// Adopts classes; returns whether that was possible.
    private func adopt(
        _ declared: [ClassSchema], _ stored: [ClassSchema], _ name: SchemaCase.PolicyName, _ version: UInt64, _ place: String
    ) throws -> Bool {
        let machine = SimulatedSystem(seed: 1)
        defer { machine.discard() }
        let database = try Database.open("/random.freehold", .simulated, on: machine.makeProcess())
        try database.write { try $0.create(stored) }
        try fill(database, stored)
        let before = try database.snapshot(), transaction = try database.beginWrite()
        let adoption = SchemaAdoption(declared, version: version, in: transaction, by: name.policy), refusal = adoption.plan.refusal
        var isAdopted = true
        do {
            try transaction.nested {
                if name == .models, version == 1 { try adoption.migrate() } else { try adoption.apply() }
            }
            #expect(refusal == nil && adoption.plan.changes(.apply).isEmpty && adoption.plan.refusal == nil, "\(place)")
            if name == .models, version == 1 { #expect(adoption.plan.changes.isEmpty, "\(place)") }
        } catch {
            isAdopted = false
            let isFailure = (error as? SchemaFailure)?.cause.code == .duplicateKey
            #expect(isFailure || refusal != nil && (error as? FreeholdError)?.message == refusal, "\(place): \(error)")
            #expect(try transaction.classes == before.classes, "\(place)")
        }
        for wanted in stored { #expect(try transaction.table(wanted.name).count == before.table(wanted.name).count, "\(place)") }
        try transaction.commit()
        let problems = try database.check().problems
        #expect(problems.isEmpty, "\(place): \(problems)")
        return isAdopted
    }
}

extension SchemaAdoption {
    /// All steps of a migration without a block.
    func migrate() throws {
        try prepare()
        try dropRemoved()
        try settle()
        try requireComplete()
    }
}
