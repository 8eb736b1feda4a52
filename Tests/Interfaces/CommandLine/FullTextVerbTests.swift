import Foundation
@testable import FreeholdEngine
import TestKit
import Testing

/// Full-text indexes on the command line.
@Suite struct FullTextVerbTests {
    /// A database with 300 articles.
    private func place(_ options: String...) throws -> (Workplace, Outcome) {
        let place = try Workplace()
        let records = (1...300).map { #"{"id":\#($0),"title":"tea number \#($0)","body":"some \#($0 % 2 == 0 ? "milk" : "lemon")"}"# }
        try place.file("a.jsonl", records.joined(separator: "\n"))
        return (place, try place.shell("freehold import d a.jsonl --into Article --primary-key id \(options.joined(separator: " "))"))
    }

    @Test("import declares and builds indexes, classes, schema and info show them, and queries use them")
    func importing() throws {
        let (place, run) = try place("--full-text", "title,body", "--full-text", "body")
        #expect(run.status == 0, "\(run)")
        let query = try place.run("query", "d", "Article", "title, body TEXT '17 lemon'", "--explain")
        #expect((query.output + query.errors).contains("index for title, body TEXT"), "\(query)")
        #expect(try place.run("classes", "d").output.contains("\n  full text (title, body)\n  full text (body)\n"))
        #expect(try place.run("schema", "d").output.contains("\n  full text (title, body)\n"))
        for verb in ["classes", "schema"] {
            let json = try place.run(verb, "d", "--json").output
            #expect(json.contains(#""fullTextIndexes":[[{"path":"title","weight":1.0},{"path":"body","weight":1.0}],[{"#), "\(json)")
        }
        let swift = try place.run("schema", "d", "--format", "swift").output
        #expect(swift.contains(#"override class func fullTextIndexes() -> [FullTextIndex] { [["title", "body"], ["body"]] }"#), "\(swift)")
        #expect(try place.run("info", "d").output.contains("full text  Article: title, body: "))
        let info = try place.run("info", "d", "--json", "--sizes").output
        #expect(info.contains(#""fullTextIndexes":[{"class":"Article","fields":[{"path":"title","weight":1.0},"#), "\(info)")
        #expect(info.contains(#""state":"complete","percent":100,"documents":"#), "\(info)")
        #expect(info.contains(#""derivedIndexes":[{"kind":"full text","fields":["title","body"],"bytes":"#), "\(info)")
        #expect(try place.run("check", "d").status == 0)
    }

    @Test("an index over what is not there is refused before the import, which writes nothing")
    func refused() throws {
        let (place, run) = try place("--full-text", "title,text")
        #expect(run.status == 1 && run.errors.contains("--full-text: ") && run.errors.contains("Nothing was imported"), "\(run)")
        #expect(run.errors.contains("'text'") && !run.errors.contains("300"), "\(run)")
        #expect(!FileManager.default.fileExists(atPath: place.folder.appending(path: "d").path))
        let skipping = try place.shell("freehold import d a.jsonl --into Article --on-error skip --full-text titel")
        #expect(skipping.status == 1 && skipping.errors.contains("did you mean 'title'? Nothing was"), "\(skipping)")
        #expect(try place.shell("freehold import d a.jsonl --into Article --full-text title,").status == 64)
        let empty = try place.shell("freehold import e /dev/null --format jsonl --into Article --full-text title")
        #expect(empty.status == 1 && empty.errors.contains("there is no record, so class 'Article' was not created, and --full-text has"))
        #expect(!empty.errors.contains("imported, but"), "\(empty)")
    }

    @Test("an index gets a language by import or afterwards, which classes, schema and info show")
    func languages() throws {
        let (place, run) = try place("--full-text", "title,body:english")
        #expect(run.status == 0, "\(run)")
        #expect(try place.run("classes", "d").output.contains("\n  full text (title, body), english\n"))
        let swift = try place.run("schema", "d", "--format", "swift").output
        #expect(swift.contains(#"{ [.init(["title", "body"], language: "english")] }"#), "\(swift)")
        #expect(try place.run("info", "d").output.contains("full text  Article: title, body, english: "))
        #expect(try place.run("info", "d", "--json").output.contains(#","language":"english"}"#))
        for verb in ["classes", "schema"] {
            #expect(try place.run(verb, "d", "--json").output.contains(#""fullTextLanguages":["english"]"#), "\(verb)")
        }
        let found = try place.run("search", "d", "Article", "numbers 17")
        #expect(found.output.contains("tea number 17") || found.errors.contains("libstemmer0d"), "\(found)")
        for (list, shown) in [("title,body", "english"), ("body,title:german", "german"), ("title,body", "german")] {
            #expect(try place.run("index", "d", "Article", "--full-text", list).status == 0)
            #expect(try place.run("classes", "d").output.contains("\n  full text (title, body), \(shown)\n"))
        }
        let long = String(repeating: "x", count: 5000)
        for (list, message) in [
            ("title:klingon", "'klingon' is no language"), ("title:" + long, "xxx…' is no language of full-text indexes, which"),
            ("title:english,body:german", "one language, which follows the last of its properties, as in title,body:english"),
            ("title:,body", "one language, which"), ("title:", "'' is no language"), (":english", "with commas between them"),
            ("title,`body:german", "with commas between them"),
        ] {
            let wrong = try place.run("index", "d", "Article", "--full-text", list)
            #expect(wrong.status == 64 && wrong.errors.contains(message) && !wrong.errors.contains(long), "\(wrong)")
        }
        let unlike = try place.run("index", "d", "Article", "--full-text", "body,title:english", "--drop")
        let message = "the full-text index of title, body of class 'Article' is in german, not in english"
        #expect(unlike.status == 1 && unlike.errors.contains(message), "\(unlike)")
        let dropped = try place.run("index", "d", "Article", "--full-text", "body,title", "--drop")
        #expect(dropped.errors.contains("full-text index of title, body in german dropped"), "\(dropped)")
        #expect(try place.run("check", "d").status == 0)
    }

    @Test("a class gets indexes after its objects, and loses them again")
    func afterwards() throws {
        let (place, _) = try place()
        func index(_ arguments: String) throws -> Outcome { try place.shell("freehold index d Article \(arguments)") }
        let run = try index("--full-text title,body --full-text title")
        #expect(run.status == 0 && run.errors.contains("of title, body and full-text index of title built over 300 objects"), "\(run)")
        let query = try place.run("query", "d", "Article", "title, body TEXT '17 lemon'", "--explain").output
        #expect(query.contains("index for title, body TEXT"), "\(query)")
        #expect(try index("--full-text title,body").status == 0)
        #expect(try place.run("classes", "d").output.contains("\n  full text (title, body)\n  full text (title)\n"))
        let dropped = try index("--full-text body,title --drop")
        #expect(dropped.status == 0 && dropped.errors.contains("full-text index of title, body dropped"), "\(dropped)")
        #expect(try !place.run("classes", "d").output.contains("full text (title, body)"))
        for (arguments, status, words) in [
            ("", 64, "--full-text, --places, --vectors or --collation names the properties"),
            ("--full-text title,,body", 64, "with commas between them"),
            ("--places id,title,body", 64, "not 3 properties"), ("--full-text titel", 1, "did you mean 'title'?"),
            ("--places id,title", 1, "an index of places has a"),
            ("--places title", 1, "is not a to-one link; an index has properties of the class, and of objects that a to-one link"),
            ("--places a.b", 64, "a place is a latitude and a longitude"), ("--places here", 1, "as latitude,longitude, or one link"),
            ("--full-text title,title", 1, "an index names a property twice"),
            ("--full-text body --drop", 1, "has no full-text index of 'body'"),
        ] {
            let run = try index(arguments)
            #expect(run.status == status && run.errors.contains(words), "\(arguments): \(run)")
        }
        do {
            let database = try Database.open(place.folder.appending(path: "d").path)
            defer { database.close() }
            try database.write { transaction in
                for name in ["a, b", "a:b"] { try transaction.addProperty(PropertySchema(name, .string), to: "Article") }
            }
        }
        #expect(try index("--full-text '`a:b`,title'").errors.contains("full-text index of a:b, title built over 300 objects"))
        #expect(try index("--full-text 'title,`a:b`' --drop").errors.contains("full-text index of a:b, title dropped"))
        #expect(try index("--full-text '`a:b`:english' --drop").errors.contains("no full-text index of 'a:b'"))
        #expect(try index("--full-text '`a, b`,title'").errors.contains("full-text index of a, b, title built over 300 objects"))
        #expect(try place.run("classes", "d").output.contains("full text (a, b, title)"))
        #expect(try index("--full-text '`a, b'").status == 64)
        #expect(try place.run("index", "d", "Artikel", "--full-text", "title").errors.contains("'Artikel'"))
        #expect(try place.run("check", "d").status == 0)
    }

    @Test("indexes of places are declared, shown and dropped")
    func places() throws {
        let place = try Workplace()
        let shops = (1...300).map { number in
            let point = #"{"type":"Point","coordinates":[\#(number % 100).5,5.5]}"#
            return #"{"id":\#(number),"latitude":5.25,"longitude":\#(number % 100).5,"location":\#(point)}"#
        }
        try place.file("a.jsonl", shops.joined(separator: "\n"))
        #expect(try place.run("import", "d", "a.jsonl", "--into", "Shop", "--primary-key", "id").status == 0)
        let run = try place.run("index", "d", "Shop", "--places", "latitude,longitude", "--places", "location")
        #expect(run.status == 0, "\(run)")
        let lines = "\n  places (latitude, longitude)\n  places (location)\n"
        #expect(try place.run("classes", "d").output.contains(lines) && place.run("schema", "d").output.contains(lines))
        #expect(try place.run("schema", "d", "--dot").output.contains("places (latitude, longitude)"))
        #expect(try place.run("schema", "d", "--svg").output.contains("places (latitude, longitude)"))
        for verb in ["classes", "schema"] {
            let json = try place.run(verb, "d", "--json").output
            #expect(json.contains(#""placeIndexes":[["latitude","longitude"],["location.type","location.coordinates"]]"#), "\(json)")
        }
        let info = try place.run("info", "d").output
        #expect(info.contains("places   Shop: latitude, longitude: "), "\(info)")
        let json = try place.run("info", "d", "--json").output
        #expect(json.contains(#""placeIndexes":[{"class":"Shop","fields":["latitude","longitude"],"state":"complete","#), "\(json)")
        let near = "latitude, longitude GEOWITHIN geoBox([3, 5], [4, 6])"
        #expect(try place.run("query", "d", "Shop", near, "--explain").output.contains("index for latitude, longitude"))
        #expect(try place.run("index", "d", "Shop", "--places", "location", "--drop").status == 0)
        #expect(try !place.run("classes", "d").output.contains("coordinates, ") && place.run("check", "d").status == 0)
    }

    @Test("rebuild builds an index anew, also a damaged one, and continues one that is not complete")
    func rebuilding() throws {
        let (place, _) = try place("--full-text", "title")
        let path = place.folder.appending(path: "d").path
        func root() throws -> BlockReference {
            let database = try Database.open(path)
            defer { database.close() }
            let table = try database.snapshot().table("Article")
            return table.state.root.auxiliary(.derived, try #require(table.state.stored.derived.first).column)
        }
        let file = try FileHandle(forUpdating: place.folder.appending(path: "d"))
        try file.seek(toOffset: UInt64(root().byteOffset))
        try file.write(contentsOf: Data(repeating: 0xEE, count: 64))
        try file.close()
        #expect(try place.run("query", "d", "Article", "title TEXT '17'").status == 1)
        let run = try place.run("rebuild", "d", "Article", "--progress")
        #expect(run.status == 0 && run.errors.contains("1 full-text index of 300 objects built in "), "\(run)")
        let found = try place.run("query", "d", "Article", "title TEXT '17'")
        #expect(found.status == 0 && found.output.contains("tea number 17"), "\(found)")
        #expect(try place.run("rebuild", "d", "Article", "--continue").status == 0)
        #expect(try place.run("rebuild", "d", "Nothing").status == 1)
        try place.run("import", "d", try place.file("p.csv", "id\n1\n"), "--into", "P")
        let none = try place.run("rebuild", "d", "P")
        let message = "class 'P' declares no full-text index, and none of places, vectors or collations"
        #expect(none.status == 1 && none.errors.contains(message), "\(none)")
    }

    @Test("rebuild builds indexes of places anew, also damaged ones, of the class itself only")
    func rebuildingPlaces() throws {
        let (place, _) = try place("--full-text", "title")
        let path = place.folder.appending(path: "d").path
        var root = BlockReference.null
        do {
            let database = try Database.open(path)
            defer { database.close() }
            try database.write { transaction in
                try transaction.createClass(ClassSchema("Location", isEmbedded: true, [
                    PropertySchema("type", .string), PropertySchema("coordinates", .double, collections: [.list]),
                ]))
                try transaction.createClass(ClassSchema("Shop", [
                    PropertySchema("north", .double), PropertySchema("east", .double), PropertySchema("location", linkTo: "Location"),
                ]))
                for number in 0..<300 {
                    let degrees = [("north", Value.double(Double(number) / 10)), ("east", Value.double(Double(number) / 5))]
                    try transaction.insert(into: "Shop", degrees)
                }
                try transaction.places.add(latitude: "north", longitude: "east", to: "Shop")
                try transaction.places.add("location", to: "Shop")
            }
            let table = try database.snapshot().table("Shop")
            root = table.state.root.auxiliary(.derived, StoredDerived.firstColumn)
        }
        let file = try FileHandle(forUpdating: place.folder.appending(path: "d"))
        try file.seek(toOffset: UInt64(root.byteOffset))
        try file.write(contentsOf: Data(repeating: 0xEE, count: 64))
        try file.close()
        let near = ["query", "d", "Shop", "north, east GEOWITHIN geoBox([10, 0], [20, 90])", "--count"]
        let broken = try place.run(near[0], near[1], near[2], near[3], near[4])
        #expect(broken.status == 1 && broken.errors.contains("a derived index of class 'Shop' cannot be read: "), "\(broken)")
        #expect(try place.run("rebuild", "d", "Shop", "--continue").status == 1)
        let run = try place.run("rebuild", "d", "Shop", "--progress")
        #expect(run.status == 0 && run.errors.contains("2 indexes of places of 300 objects built in "), "\(run)")
        #expect(try place.run(near[0], near[1], near[2], near[3], near[4]).output == "51\n")
        #expect(try place.run("rebuild", "d", "Article").errors.contains("1 full-text index of 300 objects built in "))
    }

    @Test("rebuild builds indexes of vectors anew, as they were declared")
    func rebuildingVectors() throws {
        let place = try Workplace()
        try place.file("a.jsonl", (1...300).map { #"{"id":\#($0)}"# }.joined(separator: "\n"))
        #expect(try place.shell("freehold import d a.jsonl --into Item --primary-key id").status == 0)
        let path = place.folder.appending(path: "d").path
        var root = BlockReference.null
        func open() throws -> Database { try Database.open(path) }
        do {
            let database = try open()
            defer { database.close() }
            try database.write { transaction in
                try transaction.addProperty(PropertySchema("embedding", .data), to: "Item")
                try transaction.vectors.add("embedding", dimensions: 9, elements: .int8, metric: .dot, to: "Item")
            }
            root = try database.snapshot().table("Item").state.root.auxiliary(.derived, StoredDerived.firstColumn)
        }
        let file = try FileHandle(forUpdating: place.folder.appending(path: "d"))
        try file.seek(toOffset: UInt64(root.byteOffset))
        try file.write(contentsOf: Data(repeating: 0xEE, count: 64))
        try file.close()
        #expect(try place.run("check", "d").status != 0)
        let run = try place.run("rebuild", "d", "Item", "--progress")
        #expect(run.status == 0 && run.errors.contains("1 index of vectors of 300 objects built in "), "\(run)")
        let database = try open()
        defer { database.close() }
        let index = try #require(try database.snapshot().vectorIndexes().first)
        #expect(index.index.dimensions == 9 && index.index.elements == .int8 && index.index.metric == .dot && index.state == .complete)
    }

    @Test("indexes of vectors are declared, listed and dropped")
    func vectors() throws {
        let place = try Workplace(), path = place.folder.appending(path: "d").path
        do {
            let database = try Database.open(path)
            defer { database.close() }
            try database.write { transaction in
                try transaction.createClass(ClassSchema("Item", [PropertySchema("embedding", .data)]))
                for number in 0..<300 {
                    let vector = VectorElements.float32.bytes(of: [1, Float(number), 2])
                    try transaction.insert(into: "Item", [("embedding", .data(vector))])
                }
            }
        }
        let run = try place.run("index", "d", "Item", "--vectors", "embedding,3,dot")
        let again = try place.run("index", "d", "Item", "--vectors", "embedding,3,dot")
        #expect(again.status == 0)
        #expect(again.errors.contains("index of vectors of embedding, 3 float32, dot is there already, over 300 objects"))
        #expect(!again.errors.contains("built"), "\(again)")
        #expect(run.status == 0 && run.errors.contains("index of vectors of embedding, 3 float32, dot built over 300 objects"), "\(run)")
        #expect(try place.run("info", "d").output.contains("Item: embedding, 3 float32, dot: "))
        let json = try place.run("info", "d", "--json").output
        let own = #""vectorIndexes":[{"class":"Item","property":"embedding","dimensions":3,"elements":"float32","metric":"dot","#
        #expect(json.contains(own + #""state":"complete","#), "\(json)")
        for verb in ["classes", "schema"] {
            #expect(try place.run(verb, "d").output.contains("\n  vectors (embedding, 3 float32, dot)\n"), "\(verb)")
            let json = try place.run(verb, "d", "--json").output
            let own = #""vectorIndexes":[{"property":"embedding","dimensions":3,"elements":"float32","metric":"dot"}]"#
            #expect(json.contains(own), "\(json)")
        }
        for format in ["c", "cpp", "python"] {
            let printed = try place.run("schema", "d", "--format", format).output
            #expect(printed.contains("The file keeps an index, vectors (embedding, 3 float32, dot), which a model does not"), "\(printed)")
        }
        for (wrong, message) in [
            ("embedding", "needs the number of dimensions of 'embedding' too"), ("embedding,x", "'x' is no number of dimensions"),
            ("embedding,3,dot,cosine", "takes one of dot and cosine, not both"),
            ("embedding,3,int8,float16", "takes one of int8 and float16, not both"),
            ("embedding,3,manhattan", "'manhattan' is no option of --vectors; these are float32"),
            ("embedding,,3", "with commas between them"),
            ("embeding,3", "did you mean 'embedding'?"), ("embedding,4", "another index of vectors"),
        ] {
            let run = try place.run("index", "d", "Item", "--vectors", wrong)
            #expect(run.status != 0 && run.errors.contains(message), "\(run)")
        }
        for wrong in ["embedding,4", "embedding,3,int8", "embedding,3,cosine"] {
            let run = try place.run("index", "d", "Item", "--vectors", wrong, "--drop")
            let message = "the index of vectors of 'embedding' of class 'Item' is of 3 float32, dot, not of embedding, "
            #expect(run.status == 1 && run.errors.contains(message), "\(run)")
        }
        let dropped = try place.run("index", "d", "Item", "--vectors", "embedding,3", "--drop")
        #expect(dropped.status == 0 && dropped.errors.contains("index of vectors of embedding, 3 float32, dot dropped"), "\(dropped)")
        #expect(try place.run("info", "d", "--json").output.contains(#""vectorIndexes":[]"#))
    }

    @Test("info and explain say how far an index is that is being built")
    func building() throws {
        let (place, _) = try place()
        do {
            let database = try Database.open(place.folder.appending(path: "d").path)
            defer { database.close() }
            try DerivedBudget.$standard.withValue(DerivedBudget(objects: 30, bytes: 1 << 20)) {
                try database.write { try $0.fullText.add(["title"], to: "Article") }
            }
        }
        #expect(try place.run("info", "d").output.contains("Article: title: being built, "))
        let query = try place.run("query", "d", "Article", "title TEXT '17'", "--explain")
        let note = "note: the full-text index of 'title' is not used yet: it is being built, "
        #expect((query.output + query.errors).contains(note), "\(query)")
        #expect(try place.run("rebuild", "d", "Article", "--continue").status == 0)
        #expect(try place.run("info", "d", "--json").output.contains(#""state":"complete","percent":100"#))
    }
}
