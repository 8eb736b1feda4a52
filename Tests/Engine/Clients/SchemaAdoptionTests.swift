import DatabaseKit
@testable import FreeholdEngine
import TestKit
import Testing

@Suite("Adopting a program's classes")
struct SchemaAdoptionTests {
    private func withTransaction(_ stored: [ClassSchema] = [], _ body: (WriteTransaction) throws -> Void) throws {
        let machine = SimulatedSystem(seed: 1)
        defer { machine.discard() }
        let database = try Database.open("/adopted.freehold", .simulated, on: machine.makeProcess())
        try database.write { try $0.create(stored) }
        try database.write(body)
        let problems = try database.check().problems
        #expect(problems.isEmpty, "\(problems)")
    }

    private func adopt(
        _ declared: [ClassSchema], _ transaction: WriteTransaction, version: UInt64? = nil, uniqueLater: Bool = false
    ) throws {
        let adoption = SchemaAdoption(declared, version: version, in: transaction, by: .definitions)
        try adoption.apply(uniqueLater: uniqueLater)
    }

    private func expect(_ code: FreeholdError.Code, _ body: () throws -> Void) {
        #expect { try body() } throws: { ($0 as? FreeholdError ?? ($0 as? SchemaFailure)?.cause)?.code == code }
    }

    private static let circle = [
        ClassSchema("Dog", superclass: "Animal", indexes: [IndexSchema(["owner", "rank"])], [
            PropertySchema("owner", linkTo: "Keeper"), PropertySchema("rank", .int),
        ]),
        ClassSchema("Keeper", [
            PropertySchema("name", .string), PropertySchema("pets", linkTo: "Dog", collections: [.list]),
            PropertySchema("home", linkTo: "House"),
        ]),
        ClassSchema("House", [PropertySchema("keeper", linkTo: "Keeper")]),
        ClassSchema("Animal", [PropertySchema("friend", linkTo: "Animal")]),
        ClassSchema("Puppy", superclass: "Dog", indexes: [IndexSchema(["enemy", "size"])], [
            PropertySchema("enemy", linkTo: "Kitten"), PropertySchema("size", .int),
        ]),
        ClassSchema("Kitten", superclass: "Animal", indexes: [IndexSchema(["rival", "weight"], isUnique: true)], [
            PropertySchema("rival", linkTo: "Puppy"), PropertySchema("weight", .int),
        ]),
    ]

    @Test("classes that link to and extend one another in circles are created in whatever order they are given")
    func circles() throws {
        for turn in Self.circle.indices {
            try withTransaction { transaction in
                try transaction.create(Array(Self.circle[turn...] + Self.circle[..<turn]))
                #expect(transaction.classes.count == Self.circle.count)
                for wanted in Self.circle {
                    let made = try #require(transaction.classes.first { $0.name == wanted.name })
                    #expect(made.superclass == wanted.superclass && made.indexes == wanted.indexes)
                    #expect(made.properties.map(\.name).sorted() == wanted.properties.map(\.name).sorted())
                }
                try adopt(Self.circle, transaction)
                try transaction.create(Self.circle)
                var other = Self.circle
                other[1].properties[0].isIndexed = true
                expect(.schemaMismatch) { try transaction.create(other) }
            }
        }
    }

    @Test("classes that need no one that comes later keep the order of their properties; identical ones may exist")
    func order() throws {
        try withTransaction { transaction in
            let plain = Array(Self.circle[1...3]).map { wanted in
                var wanted = wanted
                wanted.properties.removeAll { $0.linkTarget == "Dog" }
                return wanted
            }
            for _ in 0..<2 {
                try transaction.create(plain)
                #expect(transaction.classes == plain)
            }
        }
    }

    @Test("a class that is missing is named")
    func missing() throws {
        try withTransaction { transaction in
            func refused(_ code: FreeholdError.Code, _ classes: [ClassSchema]) {
                expect(code) { try transaction.nested { try transaction.create(classes) } }
            }
            refused(.unknownClass, [ClassSchema("A", [PropertySchema("b", linkTo: "B")])])
            refused(.unknownClass, [ClassSchema("A", superclass: "B", [])])
            refused(.unknownClass, [ClassSchema("A", superclass: "B", []), ClassSchema("B", superclass: "A", [])])
            refused(.schemaMismatch, [ClassSchema("A", []), ClassSchema("A", [])])
            #expect(transaction.classes.isEmpty)
        }
    }

    private static let family = [
        ClassSchema("Animal", primaryKey: "id", [PropertySchema("id", .int), PropertySchema("name", .string)]),
        ClassSchema("Dog", superclass: "Animal", [PropertySchema("rank", .int)]),
    ]

    @Test("a subclass may repeat what it inherits; a difference is one of the class that declares it")
    func repeated() throws {
        try withTransaction(Self.family) { transaction in
            var dog = Self.family[1]
            dog.properties = Self.family[0].properties + dog.properties
            dog.primaryKeys = ["id"]
            try adopt([dog], transaction)
            #expect(transaction.classes == Self.family)
            // Of a class that is not declared itself, what the subclass lacks is added.
            dog.properties[1].isIndexed = true
            try adopt([dog], transaction)
            #expect(transaction.classes[0].properties[1].isIndexed && transaction.classes[1] == Self.family[1])
            // One that is declared has the last word about its indexes, and of a new property of both there is one.
            var animal = Self.family[0]
            animal.properties.append(PropertySchema("age", .int))
            dog.properties.append(PropertySchema("age", .int))
            try transaction.setSchemaVersion(1)
            try adopt([dog, animal], transaction, version: 2)
            #expect(!transaction.classes[0].properties[1].isIndexed)
            #expect(transaction.classes.map { $0.properties.map(\.name) } == [["id", "name", "age"], ["rank"]])
            dog.properties[1].type = .date
            let plan = SchemaAdoption([animal, dog], version: 2, in: transaction, by: .definitions).plan
            #expect(plan.changes.map(\.description) == ["Property 'Animal.name' has been changed from 'string' to 'date'."])
        }
    }

    @Test("a subclass is embedded as its superclass is; one that says otherwise is refused")
    func embeddedFamily() throws {
        var family = Self.family
        family[0].primaryKeys = []
        let plain = family
        for place in family.indices { family[place].isEmbedded = true }
        let versions = SchemaVersions(stored: 1, declared: 1, classes: plain)
        let both = SchemaPlan(family, over: plain, versions: versions, by: .models)
        #expect(both.changes.map(\.description) == ["Class 'Animal' has been changed from top-level to embedded."])
        for declared in [[family[1]], [plain[0], family[1]]] {
            let one = SchemaPlan(declared, over: plain, versions: versions, by: .definitions)
            #expect(one.changes(.refuse).map(\.description) == ["Class 'Dog' has been changed from top-level to embedded."])
        }
    }

    @Test("a new property is unique at once if objects allow it, or once a migration has filled it")
    func uniqueLater() throws {
        var thing = ClassSchema("Thing", [PropertySchema("name", .string)])
        try withTransaction([thing]) { transaction in
            for name in ["a", "b"] { try transaction.insert(into: "Thing", [("name", .string(name))]) }
            thing.properties.append(PropertySchema("code", .int, isUnique: true))
            #expect { try transaction.nested { try adopt([thing], transaction) } } throws: { error in
                guard let failure = error as? SchemaFailure, case .uniqueness(let property, "Thing") = failure.change else { return false }
                return property.name == "code" && failure.cause.code == .duplicateKey
            }
            try adopt([thing], transaction, uniqueLater: true)
            let table = try transaction.table("Thing"), code = try table.column("code")
            #expect(!transaction.classes[0].properties[1].isUnique)
            for (number, key) in try table.keys().enumerated() { try transaction.set(key, in: table, code, to: .int(Int64(number))) }
            try adopt([thing], transaction)
            #expect(transaction.classes[0].properties[1].isUnique)
            expect(.duplicateKey) { try transaction.insert(into: "Thing", [("code", .int(1))]) }
        }
    }

    @Test("a property that is no longer unique keeps an index only if one is declared", arguments: [false, true])
    func uniquenessEnds(isIndexed: Bool) throws {
        let unique = ClassSchema("Thing", [PropertySchema("code", .int, isUnique: true)])
        try withTransaction([unique]) { transaction in
            try transaction.setSchemaVersion(1)
            let plain = [ClassSchema("Thing", [PropertySchema("code", .int, isIndexed: isIndexed)])]
            try adopt(plain, transaction, version: 1)
            #expect(transaction.classes[0].properties[0].isUnique)
            try adopt(plain, transaction, version: 2)
            #expect(transaction.classes == plain)
            let later = SchemaAdoption(plain, version: 2, in: transaction, by: .models)
            #expect(later.plan.changes.isEmpty)
        }
    }
}

extension WriteTransaction {
    func create(_ classes: [ClassSchema]) throws {
        var creation = ClassCreation(in: self)
        try creation.create(classes)
    }
}
