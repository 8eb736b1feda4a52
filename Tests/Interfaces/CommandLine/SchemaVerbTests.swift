import Foundation
import FreeholdEngine
import TestKit
import Testing

@Suite struct SchemaVerbTests {
    private static let library = [
        ClassSchema("Person", primaryKey: "id", [
            PropertySchema("id", .uuid), PropertySchema("name", .string, isIndexed: true), PropertySchema("born", .date, isNullable: true),
            PropertySchema("mentor", linkTo: "Person"),
        ]),
        ClassSchema("Note", isEmbedded: true, [PropertySchema("text", .string)]),
        ClassSchema("Book", [
            PropertySchema("authors", linkTo: "Person", deleteRule: .deny, collections: [.list]),
            PropertySchema("notes", linkTo: "Note", collections: [.list]),
            PropertySchema("names", .string, isNullable: true, collections: [.map, .list]),
        ]),
    ]

    private func place(_ classes: [ClassSchema]) throws -> Workplace {
        let place = try Workplace()
        let database = try Database.open(place.folder.appending(path: "d").path)
        try database.write { transaction in
            for schema in classes { try transaction.createClass(schema) }
        }
        return place
    }

    @Test func theSchemaIsToldAsText() throws {
        let run = try place(Self.library).run("schema", "d")
        #expect(run.status == 0 && run.errors == "", "\(run)")
        #expect(run.output == """
            class Person
              id      uuid            primary key
              name    string          indexed
              born    date?
              mentor  link to Person

            class Note (embedded)
              text  string

            class Book
              authors  list of link to Person  delete rule deny
              notes    list of link to Note
              names    map of list of string?

            relations
              Person.mentor  → 0..1  Person
              Book.authors   → 0..*  Person
              Book.notes     → 0..*  Note

            """)
    }

    @Test func theSchemaIsToldAsJSON() throws {
        let run = try place(Self.library).run("schema", "d", "--json")
        let object = try #require(try JSONSerialization.jsonObject(with: Data(run.output.utf8)) as? [String: Any])
        let classes = try #require(object["classes"] as? [[String: Any]])
        #expect(classes.map { $0["name"] as? String } == ["Person", "Note", "Book"])
        #expect(classes.map { $0["embedded"] as? Bool } == [false, true, false])
        #expect(classes[0]["primaryKey"] as? [String] == ["id"])
        let properties = try #require(classes[2]["properties"] as? [[String: Any]])
        #expect(properties[0]["deleteRule"] as? String == "deny" && properties[0]["target"] as? String == "Person")
        #expect(properties[2]["collections"] as? [String] == ["map", "list"] && properties[2]["nullable"] as? Bool == true)
        let relations = try #require(object["relations"] as? [[String: Any]])
        #expect(relations.map { $0["to"] as? String } == ["Person", "Person", "Note"])
        #expect(relations.map { $0["cardinality"] as? String } == ["0..1", "0..*", "0..*"])
    }

    @Test func theGraphHasANodeForEachClassAndAnEdgeForEachRelation() throws {
        let run = try place(Self.library).run("schema", "d", "--dot")
        #expect(run.output.hasPrefix("digraph schema {\n") && run.output.hasSuffix("}\n"))
        for edge in ["c0:p3 -> c0:head", "c2:p0 -> c0:head", "c2:p1 -> c1:head"] { #expect(run.output.contains(edge), "\(edge)") }
        #expect(run.output.contains("<b>Note</b> <i>embedded</i>"))
        #expect(run.output.count { $0 == "{" } == run.output.count { $0 == "}" })
    }

    @Test func theSchemaOfAnEncryptedOrEmptyDatabaseIsToldAsWell() throws {
        let place = try Workplace()
        try place.run("key", "generate", "key")
        try place.run("import", "d", try place.file("p.csv", "v\nx\n"), "--into", "P", "--encryption-key-file", "key")
        #expect(try place.run("schema", "d").errors.contains("encrypted"))
        #expect(try place.run("schema", "d", "--encryption-key-file", "key").output == "class P\n  v  string\n")
        let empty = try self.place([])
        #expect(try empty.run("schema", "d").errors.contains("no class yet"))
        #expect(Drawing(try empty.run("schema", "d", "--svg").output).boxes.isEmpty)
        #expect(try empty.run("schema", "d", "--svg", "--dot").status == 64)
    }

    @Test func namesThatMeanSomethingToXMLAreDrawnAsTheyAre() throws {
        let name = "<A & \"B\">\u{1}]]>"
        let run = try place([ClassSchema(name, [PropertySchema("a<b", .int), PropertySchema(String(repeating: "long", count: 30), .int)])])
            .run("schema", "d", "--svg")
        #expect(run.output.contains("&lt;A &amp; &quot;B&quot;&gt;\\u{1}]]&gt;"))
        #expect(!run.output.contains(String(repeating: "long", count: 20)))
        let drawing = Drawing(run.output)
        #expect(drawing.boxes.count == 1)
        drawing.expectSound("one class")
    }

    @Test(arguments: [1, 2, 3, 5, 8, 13, 21, 34, 50]) func noBoxLiesUponAnotherAndTextsFit(count: Int) throws {
        for seed in 0..<3 as Range<UInt64> {
            var random = SeededRandom(seed: UInt64(count) &* 7919 &+ seed)
            let classes = Self.classes(count, &random)
            let run = try place(classes).run("schema", "d", "--svg")
            #expect(run.status == 0, "\(run.errors)")
            let drawing = Drawing(run.output)
            #expect(drawing.boxes.count == count)
            #expect(drawing.arrows == classes.reduce(0) { $0 + $1.properties.count { $0.type == .link } })
            drawing.expectSound("\(count) classes, seed \(seed)")
        }
    }

    /// Classes with links to themselves and to those before: to any, to the last few, to a hub, or none.
    private static func classes(_ count: Int, _ random: inout SeededRandom) -> [ClassSchema] {
        let kind = random.below(4)
        return (0..<count).map { number in
            var properties = (0..<random.below(9)).map { place in
                PropertySchema("property\(place)" + String(repeating: "x", count: random.below(12)), .string, isNullable: true)
            }
            for link in 0..<(kind == 3 ? random.below(2) : random.below(4)) {
                let target = kind == 0 ? random.below(number + 1) : kind == 1 ? max(0, number - random.below(4)) : 0
                if kind == 3, number % 3 != 0 { continue }
                properties.append(PropertySchema("link\(link)", linkTo: "Class\(target)", collections: random.below(3) == 0 ? [.list] : []))
            }
            return ClassSchema("Class\(number)", properties)
        }
    }
}

/// What an SVG picture of a schema shows.
private struct Drawing {
    struct Box {
        let left: Double, top: Double, right: Double, bottom: Double
        /// Each with the sides of its letters.
        var texts: [(text: String, left: Double, right: Double, line: Double)] = []
    }

    var boxes: [Box] = []
    var arrows = 0
    private let size: (width: Double, height: Double)

    init(_ text: String) {
        func number(_ name: String, _ line: Substring) -> Double {
            line.firstRange(of: " \(name)=\"").map { Double(line[$0.upperBound...].prefix { $0 != "\"" }) ?? .nan } ?? .nan
        }
        let lines = text.split(separator: "\n")
        size = (number("width", lines[0]), number("height", lines[0]))
        for line in lines {
            if line.hasPrefix("<g class=\"relation\"") { arrows += 1 }
            if line.hasPrefix("<rect x=") {
                let x = number("x", line), y = number("y", line)
                boxes.append(Box(left: x, top: y, right: x + number("width", line), bottom: y + number("height", line)))
            } else if line.hasPrefix("<text x=") {
                let x = number("x", line)
                boxes[boxes.count - 1].texts.append((String(line), x, x + number("textLength", line), number("y", line)))
            }
        }
    }

    func expectSound(_ what: String) {
        for (place, box) in boxes.enumerated() {
            #expect(box.left >= 0 && box.top >= 0 && box.right <= size.width && box.bottom <= size.height, "\(what)")
            for other in boxes[..<place] {
                let isApart = box.right < other.left || other.right < box.left || box.bottom < other.top || other.bottom < box.top
                #expect(isApart, "\(what): boxes overlap")
            }
            for (number, text) in box.texts.enumerated() {
                #expect(text.left > box.left && text.right < box.right && text.line > box.top && text.line < box.bottom, "\(what): \(text)")
                for other in box.texts[..<number] where abs(other.line - text.line) < 12 {
                    #expect(other.right < text.left || text.right < other.left, "\(what): \(other) upon \(text)")
                }
            }
        }
    }
}
