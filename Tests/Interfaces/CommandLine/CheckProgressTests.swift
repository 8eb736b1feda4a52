import FreeholdEngine
import Testing

@Suite struct CheckProgressTests {
    @Test func `a check tells how far it is, part by part`() throws {
        var options = OpenOptions()
        options.inMemory = true
        let database = try Database.open("check-progress", options)
        defer { database.close() }
        try database.write { transaction in
            try transaction.createClass(ClassSchema("P", primaryKey: "id", [PropertySchema("id", .int)]))
            let table = try transaction.table("P")
            for id in 0..<20_000 { _ = try transaction.insert(into: table, values: [.int(Int64(id))]) }
        }
        var told: [CheckProgress] = []
        let report = try database.check { told.append($0) }
        #expect(report.isClean)
        #expect(Set(told.map(\.place)).contains("P"))
        #expect(told.allSatisfy { $0.done >= 0 && $0.done <= $0.total })
        for place in Set(told.map(\.place)) {
            let steps = told.filter { $0.place == place }.map(\.done)
            #expect(steps == steps.sorted(), "\(place)")
        }
        #expect(told.last { $0.place == "P" }.map { $0.done > 10_000 } == true)
    }
}
