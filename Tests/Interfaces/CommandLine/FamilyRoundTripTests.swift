import Foundation
import FreeholdEngine
import Testing

/// Classes that extend others, as `export` writes and `import` reads them.
@Suite struct FamilyRoundTripTests {
    private static let classes = [
        ClassSchema("Animal", primaryKey: "id", [
            PropertySchema("id", .int), PropertySchema("name", .string), PropertySchema("friend", linkTo: "Animal"), PropertySchema("any", .mixed),
        ]),
        ClassSchema("Dog", superclass: "Animal", [PropertySchema("tricks", .string, collections: [.list])]),
        ClassSchema("Puppy", superclass: "Dog", [PropertySchema("weeks", .int, isNullable: true)]),
        ClassSchema("Cat", superclass: "Animal", [PropertySchema("lives", .int), PropertySchema("prey", linkTo: "Puppy", collections: [.list])]),
    ]
    private static let parts = [
        ClassSchema("Part", isEmbedded: true, [PropertySchema("name", .string)]),
        ClassSchema("Wheel", superclass: "Part", isEmbedded: true, [PropertySchema("size", .double), PropertySchema("hub", linkTo: "Part")]),
        ClassSchema("Car", primaryKey: "id", [
            PropertySchema("id", .int), PropertySchema("spare", linkTo: "Part"), PropertySchema("parts", linkTo: "Part", collections: [.list]),
            PropertySchema("named", linkTo: "Part", collections: [.map]),
        ]),
    ]

    private static let text = #"""
        [
        {"$class":"Animal","id":1,"name":"ant","friend":4,"any":{"$link":{"class":"Animal","key":3}}},
        {"$class":"Cat","id":2,"name":"Tom","friend":null,"any":[1,null],"lives":9,"prey":[4,4]},
        {"$class":"Dog","id":3,"name":"Rex","friend":3,"any":null,"tricks":["sit","roll"]},
        {"$class":"Puppy","id":4,"name":"Bo","friend":1,"any":"text","tricks":[],"weeks":null},
        {"$class":"Puppy","id":5,"name":"Li","friend":2,"any":null,"tricks":["bite"],"weeks":7}
        ]

        """#

    private func make(_ name: String, _ classes: [ClassSchema], in place: Workplace) throws {
        let database = try Database.open(place.folder.appending(path: name).path)
        try database.write { transaction in for schema in classes { try transaction.createClass(schema) } }
        database.close()
    }

    @Test(arguments: ["json", "jsonl"])
    func eachObjectComesBackAsOneOfItsClass(format: String) throws {
        let place = try Workplace()
        for name in ["a", "b"] { try make(name, Self.classes, in: place) }
        let first = try place.run("import", "a", try place.file("a.json", Self.text), "--into", "Animal")
        #expect(first.status == 0, "\(first.errors)")
        #expect(try place.run("export", "a", "Animal").output == Self.text)
        #expect(try place.run("export", "a", "Animal", "--output", "b.\(format)").status == 0)
        let second = try place.run("import", "b", "b.\(format)", "--into", "Animal")
        #expect(second.status == 0, "\(second.errors)")
        #expect(try place.run("export", "b", "Animal").output == Self.text)
        #expect(try place.run("export", "b", "Dog").output.contains(#"{"$class":"Dog","id":3,"#))
        // A class that nobody extends says nothing of classes.
        #expect(try place.run("export", "b", "Cat").output.contains(#"[\#n{"id":2,"name":"Tom","friend":null,"any":[1,null],"lives":9,"prey":[4,4]}\#n]"#))
        #expect(try place.run("export", "b", "Animal", "--columns", "id").output.contains(#"{"id":5}"#))
        for (name, count) in [("Animal", "5"), ("Dog", "3"), ("Puppy", "2")] { #expect(try place.run("count", "b", name).output == count + "\n") }
        #expect(try place.run("check", "b").status == 0)
    }

    @Test(arguments: ["csv", "tsv"])
    func rowsHaveTheColumnsOfAllClasses(format: String) throws {
        let place = try Workplace()
        let plain = [
            ClassSchema("Animal", primaryKey: "id", [PropertySchema("id", .int), PropertySchema("name", .string)]),
            ClassSchema("Dog", superclass: "Animal", [PropertySchema("weeks", .int, isNullable: true)]),
            ClassSchema("Cat", superclass: "Animal", [PropertySchema("lives", .int)]),
        ]
        for name in ["a", "b"] { try make(name, plain, in: place) }
        let rows = "$class,id,name,weeks,lives\nAnimal,1,ant,,\nDog,2,Rex,7,\nCat,3,\"\",,9\nDog,4,Bo,,\n"
        try place.file("a.csv", rows)
        let first = try place.run("import", "a", "a.csv", "--into", "Animal")
        #expect(first.status == 0, "\(first.errors)")
        #expect(try place.run("export", "a", "Animal", "--format", "csv").output == rows)
        #expect(try place.run("export", "a", "Animal", "--output", "b.\(format)").status == 0)
        for name in ["b", "new"] {
            let second = try place.run("import", name, "b.\(format)", "--into", "Animal", "--primary-key", "id")
            #expect(second.status == 0, "\(second.errors)")
            #expect(try place.run("export", name, "Animal", "--format", "csv").output == rows)
            #expect(try place.run("check", name).status == 0)
        }
    }

    @Test func aNewFileGetsTheClassesThatObjectsName() throws {
        let place = try Workplace()
        let text = #"""
            [
            {"$class":"Dog","id":1,"name":"Rex","tricks":["sit"],"next":3},
            {"$class":"Cat","id":2,"name":"Tom","lives":9,"next":null},
            {"$class":"Cat","id":3,"name":"Kit","lives":8,"next":1}
            ]

            """#
        let run = try place.run("import", "a", try place.file("a.json", text), "--into", "Animal", "--primary-key", "id", "--link", "next=Animal")
        #expect(run.status == 0, "\(run.errors)")
        let exported = try place.run("export", "a", "Animal").output
        #expect(exported.contains(#"{"$class":"Dog","id":1,"name":"Rex","next":3,"tricks":["sit"]}"#), "\(exported)")
        #expect(exported.contains(#"{"$class":"Cat","id":3,"name":"Kit","next":1,"lives":8}"#))
        let database = try Database.open(place.folder.appending(path: "a").path)
        let classes = try database.snapshot().classes
        #expect(classes.map(\.name) == ["Animal", "Dog", "Cat"] && classes.map(\.superclass) == [nil, "Animal", "Animal"])
        #expect(classes.map { $0.properties.map(\.name) } == [["id", "name", "next"], ["tricks"], ["lives"]])
        database.close()
        // More of them, with a property more, which is that class's own.
        let more = try place.run("import", "a", try place.file("b.json", #"[{"$class":"Cat","id":4,"name":"Mia","lives":1,"color":"red"}]"#), "--into", "Animal")
        #expect(more.status == 0, "\(more.errors)")
        #expect(try place.run("count", "a", "Cat").output == "3\n")
    }

    @Test func objectsWithinOthersKeepTheirClasses() throws {
        let place = try Workplace()
        let text = #"""
            [
            {"id":1,"spare":{"$class":"Wheel","hub":{"$class":"Part","name":"hub"},"name":"w","size":1.5},"parts":[{"$class":"Part","name":"p"},{"$class":"Wheel","hub":null,"name":"v","size":2.0}],"named":{"x":{"$class":"Wheel","hub":null,"name":"u","size":0.5}}}
            ]

            """#
        for name in ["a", "b"] { try make(name, Self.parts, in: place) }
        let first = try place.run("import", "a", try place.file("a.json", text), "--into", "Car")
        #expect(first.status == 0, "\(first.errors)")
        #expect(try place.run("export", "a", "Car", "--output", "b.json").status == 0)
        #expect(try place.text("b.json") == text)
        #expect(try place.run("import", "b", "b.json", "--into", "Car").status == 0)
        #expect(try place.run("export", "b", "Car").output == text)
        #expect(try place.run("check", "b").status == 0)
    }

    @Test func aClassThatDoesNotExtendIsABadRecord() throws {
        let place = try Workplace()
        try make("a", Self.classes, in: place)
        for (record, told) in [
            (#"{"$class":"Animal","id":7,"name":"x"}"#, "'Animal', which is not 'Dog' and does not extend it"), (#"{"$class":7,"id":7,"name":"x"}"#, "not the name of a class"),
            // What a class that extends it has cannot become a property of the class itself.
            (#"{"$class":"Dog","id":7,"name":"x","weeks":1}"#, "two properties named 'weeks'"),
        ] {
            let run = try place.run("import", "a", try place.file("bad.json", "[\(record)]"), "--into", "Dog")
            #expect(run.status == 1 && run.errors.contains(told), "\(run.errors)")
        }
        #expect(try place.run("count", "a", "Animal").output == "0\n")
        #expect(try place.run("check", "a").status == 0)
    }
}
