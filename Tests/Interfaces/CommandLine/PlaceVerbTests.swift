import Foundation
import FreeholdEngine
import TestKit
import Testing

/// Indexes of places and distances on the command line.
@Suite struct PlaceVerbTests {
    /// A database with a shop at each of three places, and one without a place.
    private func place() throws -> Workplace {
        let place = try Workplace(), database = try Database.open(place.folder.appending(path: "d").path)
        defer { database.close() }
        try database.write { transaction in
            var location = ClassSchema("Location", isEmbedded: true, [
                PropertySchema("type", .string), PropertySchema("coordinates", .double, collections: [.list]),
            ])
            location.placeIndexes = [PlaceIndex()]
            var shop = ClassSchema("Shop", primaryKey: "id", [
                PropertySchema("id", .int), PropertySchema("north", .double, isNullable: true), PropertySchema("east", .double),
                PropertySchema("location", linkTo: "Location"),
            ])
            shop.placeIndexes = ["location", PlaceIndex(latitude: "north", longitude: "east")]
            try transaction.createClasses([location, shop])
            for (id, north) in [(1, 0.0), (2, 2), (3, 1)] {
                try transaction.insert(into: "Shop", key: .int(Int64(id)), [("north", .double(north))])
            }
            try transaction.insert(into: "Shop", key: .int(4), [])
        }
        return place
    }

    @Test("query shows the distances of objects, in tables and in every format")
    func distances() throws {
        let place = try place(), nearest = "SORT(@distance(north, east, [0, 0]))"
        let table = try place.run("query", "d", "Shop", nearest, "--distance", "--columns", "id")
        let rows = table.output.split(separator: "\n").map { $0.split(separator: " ") }
        #expect(rows.dropFirst(2).map { $0.first } == ["1", "3", "2", "4"] && rows.first?.last == "@distance", "\(table)")
        let lines = try place.run("query", "d", "Shop", nearest, "--distance", "--columns", "id", "--format", "jsonl").output
        #expect(lines.hasPrefix(#"{"id":1,"@distance":0.0}"# + "\n" + #"{"id":3,"@distance":111318.8"#), "\(lines)")
        #expect(lines.hasSuffix(#"{"id":4,"@distance":null}"# + "\n"), "\(lines)")
        let near = "@distance(north, east, [0, -1]) / 1000 < 120"
        let csv = try place.run("query", "d", "Shop", near, "--distance", "--columns", "id", "--format", "csv")
        #expect(csv.output.hasPrefix("id,@distance\n1,111318.8") && csv.output.split(separator: "\n").count == 2, "\(csv)")
        let wrong = try place.run("query", "d", "Shop", "id > 1", "--distance")
        #expect(wrong.status == 1 && wrong.errors.contains("the query has no @distance"), "\(wrong)")
        #expect(try place.run("query", "d", "Shop", nearest, "--distance", "--count").status != 0)
        do {
            let database = try Database.open(place.folder.appending(path: "d").path)
            defer { database.close() }
            try database.write { try $0.addProperty(PropertySchema("@distance", .int), to: "Shop") }
        }
        let twice = try place.run("query", "d", "Shop", nearest, "--distance", "--format", "json")
        #expect(twice.status == 1 && twice.errors.contains("the class has a property of this name; leave that out"), "\(twice)")
        #expect(try place.run("query", "d", "Shop", nearest, "--distance", "--columns", "id", "--format", "json").status == 0)
        let groups = try place.run("query", "d", "Shop", "GROUP(id) SELECT(@count)", "--distance")
        #expect(groups.status == 1 && groups.errors.contains("the query has groups"), "\(groups)")
    }

    @Test("classes, schema and info list indexes of places, and printed models have them")
    func listed() throws {
        let place = try place()
        for verb in ["classes", "schema"] {
            #expect(try place.run(verb, "d").output.contains("\n  places (location)\n  places (north, east)\n"), "\(verb)")
            let json = try place.run(verb, "d", "--json").output
            #expect(json.contains(#""placeIndexes":[["location.type","location.coordinates"],["north","east"]]"#), "\(json)")
        }
        #expect(try place.run("schema", "d", "--dot").output.contains("places (north, east)"))
        let info = try place.run("info", "d").output, json = try place.run("info", "d", "--json").output
        #expect(info.contains("Shop: location: 0 objects\n") && info.contains("Location: type, coordinates: "), "\(info)")
        let own = #""placeIndexes":[{"class":"Location","fields":["type","coordinates"],"state":"complete","percent":100,"#
        #expect(json.contains(own), "\(json)")
        let swift = try place.run("schema", "d", "--format", "swift").output
        let wanted = #"override class func placeIndexes() -> [PlaceIndex] { ["location", .init(latitude: "north", longitude: "east")] }"#
        #expect(swift.contains(wanted), "\(swift)")
        #expect(swift.contains("// The file keeps an index, places (type, coordinates), which a model does not"), "\(swift)")
        for format in ["c", "cpp", "python"] {
            let printed = try place.run("schema", "d", "--format", format).output
            #expect(printed.contains("The file keeps an index, places (north, east), which a model does not declare."), "\(printed)")
        }
    }
}
