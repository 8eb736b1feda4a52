import Foundation
@testable import FreeholdEngine
import TestKit
import Testing

/// Indexes in a collation on the command line.
@Suite struct CollationVerbTests {
    private func place() throws -> Workplace {
        let place = try Workplace(), database = try Database.open(place.folder.appending(path: "d").path)
        defer { database.close() }
        try database.write { transaction in
            try transaction.createClass(ClassSchema("Person", primaryKey: "id", [
                PropertySchema("id", .int), PropertySchema("name", .string),
            ]))
            for id in 0..<300 {
                let name = ["Zoo", "ähre", "Apfel"][id % 3] + "\(id)"
                try transaction.insert(into: "Person", key: .int(Int64(id)), [("name", .string(name))])
            }
        }
        return place
    }

    @Test("index declares, builds and drops them, and classes, schema, info and printed models have them")
    func listed() throws {
        let place = try place()
        let run = try place.run("index", "d", "Person", "--collation", "name,DE-u-kn-true")
        #expect(run.status == 0 && run.errors.contains("index of name COLLATE \"de-u-kn\" built over 300 objects"), "\(run)")
        let query = try place.run("query", "d", "Person", "SORT(name COLLATE 'de-u-kn') LIMIT(2)", "--explain").output
        #expect(query.contains("in the order of the index of name in the collation \"de-u-kn\", until 2 are found"), "\(query)")
        for verb in ["classes", "schema"] {
            #expect(try place.run(verb, "d").output.contains("\n  order (name COLLATE \"de-u-kn\")\n"), "\(verb)")
            let json = try place.run(verb, "d", "--json").output
            #expect(json.contains(#""collationIndexes":[{"property":"name","collation":"de-u-kn"}]"#), "\(json)")
        }
        #expect(try place.run("info", "d").output.contains("Person: name COLLATE \"de-u-kn\": "))
        let own = #""collationIndexes":[{"class":"Person","property":"name","collation":"de-u-kn","state":"complete","percent":100,"#
        #expect(try place.run("info", "d", "--json").output.contains(own))
        let swift = try place.run("schema", "d", "--format", "swift").output
        #expect(swift.contains(#"@Persisted(collation: "de-u-kn") var name: String"#), "\(swift)")
        #expect(!swift.contains("collationIndexes()"), "\(swift)")
        for format in ["c", "cpp", "python"] {
            let printed = try place.run("schema", "d", "--format", format).output
            let remark = "The file keeps an index, order (name COLLATE \"de-u-kn\"), which a model does not declare."
            #expect(printed.contains(remark), "\(printed)")
        }
        let again = try place.run("rebuild", "d", "Person", "--progress")
        #expect(again.status == 0 && again.errors.contains("1 index in a collation of 300 objects built in "), "\(again)")
        #expect(try place.run("index", "d", "Person", "--collation", "name,de-u-kn", "--drop").status == 0)
        #expect(try place.run("info", "d", "--json").output.contains(#""collationIndexes":[]"#))
    }

    @Test("what is wrong with an index in a collation is said")
    func mistakes() throws {
        let place = try place()
        for (given, status, message) in [
            ("name", 64, "--collation takes a property and a language, as name,de, not 'name'"), ("name,de,sv", 64, "not 'name,de,sv'"),
            ("nam,de", 1, "did you mean 'name'?"), ("id,de", 1, "is over one property of type string"),
            ("name,de-u-kn-yes", 1, "has the value 'yes' of 'kn'"),
            ("name,de-u-kn-" + String(repeating: "y", count: 999), 1, "yyy…' of 'kn'"),
            ("name," + String(repeating: "x", count: 999), 1, "xxx…' "),
        ] {
            let run = try place.run("index", "d", "Person", "--collation", given)
            #expect(run.status == status && run.errors.contains(message), "\(given): \(run)")
        }
        let run = try place.run("index", "d", "Person", "--collation", "name,de", "--drop")
        #expect(run.status == 1 && run.errors.contains("class 'Person' has no index of 'name' in the collation \"de\""), "\(run)")
    }

    @Test("an index of a newer ICU is not called built")
    func unbuilt() throws {
        var options = SimulatedSystem.Options(seed: 1)
        options.collation = .invented(120)
        let machine = SimulatedSystem(options), place = try Workplace()
        defer { machine.discard() }
        let made = try Database.open("/d.freehold", OpenOptions(), on: machine.makeProcess())
        try made.write { transaction in
            try transaction.createClass(ClassSchema("Person", [PropertySchema("name", .string)]))
            for number in 0..<1000 { try transaction.insert(into: "Person", [("name", .string("Zoo\(number)"))]) }
            try transaction.collations.add("name", "de", to: "Person")
        }
        made.close()
        try #require(machine.withBytes(of: "/d.freehold") { Data($0) }).write(to: place.folder.appending(path: "d"))
        let message = "not built: Person: name COLLATE \"de\": of a newer version of ICU, not used by this program"
        for run in [
            try place.run("index", "d", "Person", "--collation", "name,de"), try place.run("rebuild", "d", "Person", "--continue"),
        ] {
            #expect(run.status == 1 && run.errors.contains(message) && !run.errors.contains("already"), "\(run)")
        }
        let sizes = try place.run("info", "d", "--sizes")
        #expect(sizes.output.contains("(collation: name in de)"), "\(sizes)")
        let anew = try place.run("rebuild", "d", "Person")
        #expect(anew.status == 0 && anew.errors.contains("1 index in a collation of 1,000 objects built"), "\(anew)")
    }
}
