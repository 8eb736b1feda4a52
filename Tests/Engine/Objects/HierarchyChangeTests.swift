import DatabaseKit
@testable import FreeholdEngine
import TestKit
import Testing

/// Changes of classes that extend others: of their schema, of their objects as the change feed tells them, of whole columns.
@Suite struct HierarchyChangeTests {
    @Test("the schema of a populated hierarchy changes: classes and properties come, change and go", arguments: [20, 1500])
    func schemaChanges(count: Int) throws {
        let machine = SimulatedSystem(seed: 9)
        defer { machine.discard() }
        let database = try Database.open("/grown.freehold", OpenOptions.simulated, on: machine.makeProcess())
        try database.write { transaction in
            try transaction.createClass(ClassSchema("Base", [PropertySchema("v", .int, isIndexed: true), PropertySchema("next", linkTo: "Base")]))
            let table = try transaction.table("Base")
            for number in 0..<count { try transaction.insert(into: table, values: [.int(Int64(number)), .null]) }
        }
        func check(_ what: String) throws {
            let report = try database.check()
            #expect(report.isClean, "\(what): \(report.problems.prefix(3))")
        }
        try database.write { try $0.createClass(ClassSchema("Sub", superclass: "Base", [PropertySchema("a", .string, isIndexed: true)])) }
        try check("added")
        try database.write { transaction in
            for number in 0..<count {
                try transaction.insert(into: "Sub", [("v", .int(Int64(number))), ("a", .string("\(number % 9)")), ("next", .link(ObjectKey(Int64(number))))])
            }
            try transaction.set(ObjectKey(0), in: transaction.table("Base"), transaction.table("Base").column("next"), to: .link(ObjectKey(Int64(count))))
        }
        try database.write { transaction in
            try transaction.addProperty(PropertySchema("b", .int, isIndexed: true), to: "Sub")
            try transaction.addProperty(PropertySchema("c", .int), to: "Base")
            let subs = try transaction.table("Sub")
            #expect(try subs.count(subs.column("b"), equals: .int(0)) == count)
            #expect(subs.schema.properties.map(\.name) == ["v", "next", "c", "a", "b"])
        }
        try check("properties added")
        try database.write { transaction in
            try transaction.changeType(of: "a", in: "Sub", to: .int)
            try transaction.renameProperty("a", to: "number", in: "Sub")
            try transaction.setNullable(true, "b", in: "Sub")
            try transaction.renameClass("Sub", to: "Heir")
        }
        try check("retyped")
        try database.write { transaction in
            let heirs = try transaction.table("Heir"), number = try heirs.column("number"), b = try heirs.column("b")
            #expect(try heirs.count(number, equals: .int(4)) == (0..<count).count { $0 % 9 == 4 })
            #expect(try transaction.table("Base").row(ObjectKey(Int64(count)))?.className == "Heir")
            try transaction.set(ObjectKey(Int64(count)), in: heirs, b, to: .null)
            #expect(try heirs.keys(b, equals: .null) == [ObjectKey(Int64(count))])
            try transaction.setNullable(false, "b", in: "Heir", replacingNullsBy: .int(7))
            #expect(try heirs.keys(heirs.column("b"), equals: .int(7)) == [ObjectKey(Int64(count))])
            try transaction.addIndex(IndexSchema(["v", "number"]), to: "Heir")
            #expect(try heirs.count(index: ["v", "number"], equals: [.int(4)]) == 1)
        }
        try check("indexed")
        try database.write { try $0.dropProperty("b", from: "Heir") }
        try check("dropped a property")
        try database.write { transaction in
            let savepoint = try transaction.savepoint()
            try transaction.dropClass("Heir")
            #expect(try transaction.table("Base").count == count)
            try transaction.rollback(to: savepoint)
            #expect(try transaction.table("Heir").count == count)
            try transaction.release(savepoint)
            try transaction.dropClass("Heir")
        }
        try check("dropped the class")
        let base = try database.snapshot().table("Base")
        #expect(base.count == count)
        #expect(try base.value(ObjectKey(0), base.column("next")) == .null)
        #expect(base.state.stored.family == nil && !base.state.stored.properties.contains(where: \.isClass))
    }

    @Test("objects change class only by being another object, and the change feed tells each under its own class", arguments: [8, 900])
    func changes(count: Int) throws {
        try HierarchyTests.withZoo { database in
            var keys: [ObjectKey] = []
            try database.write { keys = try HierarchyTests.fill($0, count) }
            let before = try database.snapshot()
            try database.write { transaction in
                let animals = try transaction.table("Animal"), dogs = try transaction.table("Dog")
                try transaction.set(keys[2], in: animals, animals.column("age"), to: .int(99))
                try transaction.set(keys[1], in: dogs, dogs.column("tricks"), to: .int(98))
                try transaction.delete(keys[3], from: animals)
                try transaction.insert(into: "Cat", [])
            }
            let now = try database.snapshot(), changes = try now.changes(since: before)
            var found: [String] = []
            for changed in changes.classes {
                try changed.forEach { change in
                    let names = changed.after.map { after in try? now.table(after.name) }??.schema.properties.map(\.name) ?? []
                    let columns = change.changedColumns.compactMap { column in changed.columns.firstIndex(of: column).map { names[$0] } }
                    found.append("\(changed.name) \(change.kind) \(change.key) \(columns.joined(separator: ","))")
                    return true
                }
            }
            #expect(found.sorted() == [
                "Cat deleted \(keys[3]) ", "Cat inserted \(ObjectKey(Int64(count))) ", "Dog changed \(keys[1]) tricks", "Puppy changed \(keys[2]) age",
            ])
            #expect(try changes["Cat"]?.counts() == ChangeCounts(inserted: 1, deleted: 1))
            #expect(try changes["Animal"]?.counts() == ChangeCounts())
            #expect(try changes["Puppy"]?.counts(properties: ["weeks"]) == ChangeCounts())
        }
    }

    @Test("whole columns make objects of a subclass, with all of its properties")
    func columns() throws {
        try HierarchyTests.withZoo { database in
            try database.write { transaction in
                let puppies = try transaction.table("Puppy"), cats = try transaction.table("Cat")
                let name = try puppies.column("name"), tricks = try puppies.column("tricks"), weeks = try puppies.column("weeks")
                try transaction.insert(into: puppies, columns: [
                    ColumnValues(name, .strings((0..<500).map { "n\($0)" })), ColumnValues(weeks, .doubles((0..<500).map { Double($0) })),
                ])
                #expect { try transaction.insert(into: cats, columns: [ColumnValues(tricks, .ints([1]))]) } throws: {
                    ($0 as? FreeholdError)?.code == .invalidArgument
                }
                #expect(try puppies.count == 500 && puppies.count(tricks, equals: .int(0)) == 500)
                #expect(try transaction.table("Dog").sum(weeks) == .double(124_750))
            }
        }
    }
}
