import Foundation
import FreeholdEngine
import FreeholdTools
import TestKit
import Testing

/// Programs that `QueryProgram` prints: each is compiled and run as it stands.
@Suite(.serialized) struct QueryProgramTests {
    private static let root = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../..").standardized.path
    private static let library = Workplace.program.deletingLastPathComponent().path
    private static let linking = "-L '\(library)' -lfreehold-c -Wl,-rpath,'\(library)'"

    /// The object files that a program with models is linked from; a build of these tests alone leaves them out.
    private static let objects = "\(library)/ModelHelper.product/Objects.LinkFileList"

    private static let classes = [
        ClassSchema("Dog", [PropertySchema("name", .string)]),
        ClassSchema("Puppy", superclass: "Dog", [PropertySchema("weeks", .int)]),
        ClassSchema("Person", primaryKey: "name", [
            PropertySchema("name", .string), PropertySchema("age", .int, isNullable: true), PropertySchema("height", .float),
            PropertySchema("born", .date, isNullable: true), PropertySchema("price", .decimal), PropertySchema("code", .uuid),
            PropertySchema("boss", linkTo: "Person"), PropertySchema("dogs", linkTo: "Dog", collections: [.list]),
            PropertySchema("any", .mixed),
        ]),
        ClassSchema("odd \"class\"\\?", [PropertySchema("a-b\n", .string), PropertySchema("class", .int)]),
        ClassSchema("Other", [PropertySchema("x", .int)]),
    ]

    /// Names whose query texts need escapes in every language.
    private static let names = [
        "Ada", "back\\slash", "both \"quotes\" and '", "two\nlines", "Zoë 日本 🐕", "??/ %s %@ \\(x) ${y} {z}", "nul\0l",
    ]

    /// A name as the query language writes it.
    private static func literal(_ name: String) -> String {
        "'" + name.replacing("\\", with: "\\\\").replacing("'", with: "\\'").replacing("\0", with: "\\0") + "'"
    }

    private static let path = "d \"file\" é.freehold"

    private func place() throws -> Workplace {
        let place = try Workplace()
        let database = try Database.open(place.folder.appending(path: Self.path).path)
        try database.write { transaction in
            for schema in Self.classes { try transaction.createClass(schema) }
            try transaction.setSchemaVersion(3)
            let people = try transaction.table("Person"), puppies = try transaction.table("Puppy")
            let odd = try transaction.table(Self.classes[3].name)
            let dog = try transaction.insert(into: puppies, values: [.string("Rex"), .int(4)])
            var boss = Value.null
            for (place, name) in Self.names.enumerated() {
                let key = try transaction.insert(into: people, values: [
                    .string(name), place == 0 ? .null : .int(Int64(place)), .float(1.5), .null, .decimal(Decimal128(19)),
                    .uuid(UniqueIdentifier(high: 0, low: 0)), boss, .list([.link(dog)]), .int(1),
                ])
                boss = .link(key)
            }
            try transaction.insert(into: odd, values: [.string("here"), .int(1)])
        }
        database.close()
        return place
    }

    private func program(_ language: ProgrammingLanguage, _ className: String, _ query: String) throws -> String {
        try QueryProgram(Self.classes, className, query, path: Self.path, schemaVersion: 3).text(language)
    }

    /// The file and the command that builds and runs it, as `./program`.
    private static func build(_ language: ProgrammingLanguage, _ file: String, _ program: String) -> String {
        let include = "-I '\(root)/include' -Wall -Wextra -Werror"
        return switch language {
        case .c: "cc -std=c11 -pedantic \(include) \(file) \(linking) -o \(program)"
        case .cpp: "c++ -std=c++17 \(include) -I '\(root)/bindings/cpp/include' \(file) \(linking) -o \(program)"
        case .python: """
            printf '#!/bin/sh\\nPYTHONDONTWRITEBYTECODE=1 PYTHONPATH=%s FREEHOLD_LIBRARY=%s exec python3 \(file)\\n' \
            '\(root)/bindings/python/src' '\(library)/libfreehold-c.so' > \(program); chmod +x \(program)
            """
        case .swift: ""
        }
    }

    private static let all = "name IN {\(names.map(literal).joined(separator: ", "))} SORT(age ASC)"
    private static let groups = """
        name != 'Ada' SORT(age DESC) GROUP(height) SELECT(@count, age.@max, age.@avg, height.@sum, price.@sum, code.@max) LIMIT(3) OFFSET(0)
        """
    private static let odd = "`a-b\n` == 'here' AND #class = 1"

    /// Builds and runs a program.
    private func run(_ place: Workplace, _ language: ProgrammingLanguage, _ className: String, _ query: String) throws -> String {
        let text = try program(language, className, query), name = try place.file("main.\(language)", text)
        let run = try place.shell("\(Self.build(language, name, "program")) && ./program", seconds: 300)
        #expect(run.status == 0 && run.errors == "", "\(query): \(run.errors)\n\(text)")
        return run.output
    }

    @Test("programs in C, C++ and Python print the objects of a query as query does", arguments: [ProgrammingLanguage.c, .cpp, .python])
    func programsPrintObjects(language: ProgrammingLanguage) throws {
        let place = try place()
        for (className, query) in [("Person", Self.all), ("Dog", ""), (Self.classes[3].name, Self.odd)] {
            let wanted = try place.run("query", Self.path, className, query, "--format", "jsonl")
            let output = try run(place, language, className, query)
            // Objects of a class with subclasses are written with their own class, as `export` does.
            let puppy = #"{"$class":"Puppy","name":"Rex","weeks":4}"# + "\n"
            #expect(wanted.status == 0 && output == (className == "Dog" ? puppy : wanted.output))
        }
    }

    @Test("programs in C, C++ and Python print groups", arguments: [
        (ProgrammingLanguage.c, "1.5\t6\t6\t3.5\t9\t114.0\t00000000000000000000000000000000\t\n"),
        (.cpp, "1.5\t6\t6\t3.5\t9\t114.0\t00000000000000000000000000000000\t\n"), (.python, "{'height': 1.5, 'count': 6, 'age_max': 6"),
    ])
    func programsPrintGroups(language: ProgrammingLanguage, wanted: String) throws {
        let place = try place()
        let output = try run(place, language, "Person", Self.groups)
        #expect(output.hasPrefix(wanted), "\(output)")
    }

    // MARK: Swift

    @Test("programs in Swift print objects and groups, with models where these have the file's names",
          .enabled(if: FileManager.default.fileExists(atPath: objects)))
    func programsInSwift() throws {
        let place = try place()
        let objects = try program(.swift, "Person", Self.all), groups = try program(.swift, "Person", Self.groups)
        let odd = try program(.swift, Self.classes[3].name, Self.odd), total = try program(.swift, "Dog", "GROUP() SELECT(@count)")
        #expect(objects.contains("class Person: Object") && objects.contains("class Puppy: Dog") && !objects.contains("Other"))
        #expect(odd.contains("realm.dynamicObjects(\"odd \\\"class\\\"\\\\?\")"), "\(odd)")
        for (name, text) in [("objects", objects), ("groups", groups), ("odd", odd), ("total", total)] {
            #expect(try place.shell("mkdir \(name)").status == 0)
            try place.file("\(name)/main.swift", text)
        }
        // ModelHelper is linked from the library's objects and its own.
        let run = try place.shell("""
            grep -v ModelHelper.build '\(Self.objects)' > linked
            for name in objects groups odd total; do
                swiftc -Onone -swift-version 6 -warnings-as-errors -I '\(Self.library)/Modules' -module-cache-path modules \
                    -Xcc -fmodule-map-file='\(Self.library)/CShims.build/module.modulemap' -module-name program \
                    $name/main.swift @linked -o program && ./program > $name.txt || exit 1
            done
            """, seconds: 300)
        #expect(run.status == 0, "\(run.errors)")
        let printed = try place.text("objects.txt")
        for name in Self.names where !name.contains("\n") { #expect(printed.contains("name = \(name);"), "\(printed)") }
        let figures = try place.text("groups.txt")
        #expect(figures.contains("figures = [6, 6, 3.5, 9"), "\(figures)")
        #expect(try place.text("odd.txt").contains("here"))
        #expect(try place.text("total.txt").contains("figures = [1]"))
        #expect(try place.run("schema", Self.path, "--json").output == self.place().run("schema", Self.path, "--json").output)
    }

    @Test("errors of the query and the class are thrown")
    func errorsAreThrown() throws {
        for (className, query, code) in [("Person", "name ==", FreeholdError.Code.malformedInput), ("Persn", "", .unknownClass)] {
            #expect { try QueryProgram(Self.classes, className, query, path: "p") } throws: { ($0 as? FreeholdError)?.code == code }
        }
        let text = try QueryProgram(Self.classes, "Dog", "", path: "p", isEncrypted: true)
        for language in ProgrammingLanguage.allCases { #expect(text.text(language).contains("The file is encrypted")) }
    }
}
