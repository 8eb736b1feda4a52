import DatabaseKit
@testable import FreeholdEngine
import TestKit
import Testing

/// `TEXT`, the full-text search of the query language.
@Suite struct SearchTests {
    private func withArticles(_ body: (Table) throws -> Void) throws {
        let machine = SimulatedSystem(seed: 11)
        defer { machine.discard() }
        let database = try Database.open("/articles.freehold", OpenOptions.simulated, on: machine.makeProcess())
        defer { database.close() }
        try database.write { transaction in
            try transaction.createClass(ClassSchema("Author", [PropertySchema("name", .string)]))
            try transaction.createClass(ClassSchema("Article", [
                PropertySchema("title", .string), PropertySchema("body", .string, isNullable: true),
                PropertySchema("tags", .string, collections: [.list]),
                PropertySchema("any", .mixed), PropertySchema("size", .int), PropertySchema("author", linkTo: "Author"),
            ]))
            let author = try transaction.insert(into: transaction.table("Author"), values: [.string("Zoë Müller-Lüdenscheidt")])
            let articles = try transaction.table("Article"), tags = Value.list([.string("tea"), .string("travel")]), none = Value.list([])
            let tea = Value.string("A pot of green tea costs 500 yen, without milk.")
            try transaction.insert(into: articles, values: [.string("Green tea in Kyōto"), tea, tags, .null, .int(1), .link(author)])
            let weather = Value.string("weather in Tokyo")
            try transaction.insert(into: articles, values: [.string("東京都の天気"), .null, none, weather, .int(2), .null])
            let coffee = Value.string("Tea is green; coffee with milk is not. Wi-Fi: Große Straße 1.")
            try transaction.insert(into: articles, values: [.string("Coffee"), coffee, none, .int(5), .int(3), .null])
        }
        try body(database.snapshot().table("Article"))
    }

    @Test("a search finds the objects whose strings have the words", arguments: [
        ("title TEXT 'TEA'", [1]), ("title, body TEXT 'tea'", [1, 3]), ("body TEXT 'tea milk'", [1, 3]),
        ("body TEXT '\"green tea\"'", [1]),
        ("title, body TEXT 'tea -coffee'", [1]), ("title, body TEXT 'kyoto OR coffee'", [1, 3]), ("title TEXT '京'", [2]),
        ("title TEXT '東京'", [2]),
        ("title TEXT '京東'", []), ("#any TEXT 'weather'", [2]), ("`any`, title TEXT 'tokyo 東京'", [2]), ("tags TEXT 'travel tea'", [1]),
        ("tags TEXT '\"tea travel\"'", []),
        ("author.name TEXT 'zoe muller*'", [1]), ("author.name TEXT 'Ludenscheidt~1'", [1]), ("title, body TEXT 'pot NEAR/2 tea'", [1]),
        ("body TEXT 'strasse'", [3]), ("body TEXT 'wi-fi'", [3]), ("body TEXT 'wi -fi'", []), ("body TEXT '\"fi wi\"'", []),
        ("NOT title, body TEXT 'tea'", [2]), ("size > 1 AND title, body TEXT 'tea'", [3]),
        ("body TEXT 'milk' SORT(size DESC) LIMIT(1)", [3]),
        ("title TEXT ''", []), ("title TEXT ' -* '", []), ("body TEXT '(tea OR wine) -(pot OR cup)'", [3]),
    ] as [(String, [Int64])])
    func find(text: String, sizes: [Int64]) throws {
        try withArticles { table in
            let size = try table.column("size")
            let found = try table.prepare(ObjectQuery(text)).keys().map { try table.value($0, size) }
            #expect(found == sizes.map { .int($0) })
            #expect(try table.prepare(ObjectQuery(text)).count() == sizes.count)
        }
    }

    @Test("a mistake is an error that says where", arguments: [
        ("size TEXT 'tea'", FreeholdError.Code.typeMismatch, "query, column 1: TEXT searches strings; 'size' is of type int"),
        ("author TEXT 'tea'", .typeMismatch, "TEXT searches strings; 'author' is of type"),
        ("tags.@count TEXT 'x'", .typeMismatch, "'tags.@count' is a number"),
        ("title, nam TEXT 'tea'", .unknownProperty, "query, column 8: property 'nam' not found"),
        ("title TEXT 5", .typeMismatch, "TEXT takes a string; '5' is none"),
        ("title TEXT body", .typeMismatch, "TEXT takes a string; 'body' is none"),
        ("title TEXT NULL", .typeMismatch, "TEXT takes a string"),
        ("title TEXT '\"green'", .malformedInput, "query, column 1: TEXT: search, column 1: "),
        ("title TEXT '-milk'", .malformedInput, "this only excludes"),
        ("title TEXT '(tea'", .malformedInput, "this '(' is not closed"),
    ])
    func mistakes(text: String, code: FreeholdError.Code, message: String) throws {
        try withArticles { table in
            let error = #expect(throws: FreeholdError.self) { try table.prepare(ObjectQuery(text)) }
            #expect(error?.code == code && error?.message.contains(message) == true, "\(String(describing: error))")
        }
    }

    @Test("a search that was not written as text has a property, no quantifier and no options")
    func unwritten() throws {
        try withArticles { table in
            let title = QueryExpression.path(PropertyPath("title")), tea = QueryExpression.value(.string("tea"))
            let searches = [
                QueryComparison(.list([]), .text, tea), QueryComparison(.list([.list([title])]), .text, tea),
                QueryComparison(title, .text, tea, quantifier: .any), QueryComparison(title, .text, tea, options: .caseInsensitive),
            ]
            for search in searches {
                #expect(throws: FreeholdError.self) { try table.prepare(ObjectQuery(.comparison(search))) }
            }
        }
    }

    @Test("the explanation has the search")
    func explanation() throws {
        try withArticles { table in
            let explanation = try table.prepare(ObjectQuery("size > 1 AND title, body TEXT 'tea -milk'")).explanation(running: true)
            #expect(explanation.contains("title, body TEXT \"tea -milk\"  (object by object)"), "\(explanation)")
        }
    }
}
