import Foundation
import FreeholdEngine
import TestKit
import Testing

/// Models that `freehold schema --format …` prints: each is compiled as it stands, and opens the file without a difference.
@Suite(.serialized) struct PrintedModelTests {
    private static let root = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../..").standardized.path
    /// The folder of the library for C, beside the tests.
    private static let library = Workplace.program.deletingLastPathComponent().path
    private static let linking = "-L '\(library)' -lfreehold-c -Wl,-rpath,'\(library)'"

    private func place(_ classes: [ClassSchema]) throws -> Workplace {
        let place = try Workplace()
        let database = try Database.open(place.folder.appending(path: "d").path)
        try database.write { try ModelSchema.create(classes, in: $0) }
        database.close()
        return place
    }

    /// What a file says of itself that a model might change.
    private struct State: Equatable {
        let classes: [ClassSchema]
        let version: UInt64?

        init(_ place: Workplace) throws {
            let database = try Database.open(place.folder.appending(path: "d").path)
            defer { database.close() }
            let snapshot = try database.snapshot()
            classes = try snapshot.classes
            version = try snapshot.schemaVersion
        }
    }

    /// Prints the models, compiles them if need be, and lets a program open the file with them.
    private func open(
        _ place: Workplace, _ language: String, _ file: String, _ program: String, _ command: String, _ note: String = ""
    ) throws -> Outcome {
        let printed = try place.run("schema", "d", "--format", language)
        #expect(printed.status == 0, "\(note)\(printed.errors)")
        try place.file(file, printed.output)
        if !program.isEmpty { try place.file("main.\(language)", program) }
        let before = try State(place), run = try place.shell(command, seconds: 300)
        #expect(run.status == 0 && run.errors == "", "\(note)\(run.output)\(run.errors)")
        #expect(try State(place) == before, "\(note)the schema changed")
        return run
    }

    // MARK: C

    private static let c = """
        #include "models.h"
        #include <stdio.h>
        int main(void)
        {
            freehold_database_t *database;
            freehold_transaction_t *transaction;
            freehold_error_code_t code = freehold_database_open("d", FREEHOLD_TERMINATED, NULL, &database);
            if (code == FREEHOLD_OK) code = freehold_transaction_begin(database, FREEHOLD_DEFAULT_TIMEOUT, &transaction);
            if (code == FREEHOLD_OK) code = models_adopt(transaction);
            if (code == FREEHOLD_OK) code = freehold_transaction_commit(transaction, FREEHOLD_DURABILITY_FULL, NULL);
            freehold_error_t error = { .size = sizeof error };
            if (code != FREEHOLD_OK) freehold_last_error(&error), fprintf(stderr, "%s", error.message);
            if (code == FREEHOLD_OK) freehold_database_close(database);
            return code != FREEHOLD_OK;
        }
        """

    /// Adds look-ups of all classes to the program.
    private func c(_ header: String) -> String {
        let names = header.split(separator: "\n").compactMap { line in
            line.hasPrefix("} models_") ? String(line.dropFirst(2).dropLast(3)) : nil
        }
        let calls = names.map { name in
            "{ \(name)_t found; if (code == FREEHOLD_OK) code = \(name)_find(freehold_transaction_reader(transaction), &found); }"
        }
        return Self.c.replacing("models_adopt(transaction);", with: "models_adopt(transaction);\n" + calls.joined(separator: "\n"))
    }

    private func openInC(_ place: Workplace, _ note: String = "") throws {
        let program = c(try place.run("schema", "d", "--format", "c").output)
        let flags = "-std=c11 -Wall -Wextra -Werror -pedantic -I '\(Self.root)/include' main.c \(Self.linking)"
        _ = try open(place, "c", "models.h", program, "cc \(flags) -o program && ./program", note)
    }

    @Test("a header for C compiles without a warning, adopts its file and finds every number")
    func aHeaderForCCompiles() throws {
        try openInC(try place(ModelSchema.everything))
    }

    @Test("the header makes the same classes in a new file")
    func theHeaderMakesTheSame() throws {
        // All but a cycle of links over a class that extends another, which the C function refuses.
        let classes = ModelSchema.everything.filter { !["Dog", "Puppy", "Everything"].contains($0.name) }
        let place = try place(classes), before = try State(place)
        try openInC(place)
        #expect(try place.shell("rm -r d d.*; ./program").status == 0)
        let plain = before.classes.map { schema in
            var schema = schema
            schema.indexes = []
            schema.vectorIndexes = []
            schema.collationIndexes = []
            let properties = schema.properties, keys = schema.primaryKeys
            schema.properties = keys.compactMap { key in properties.first { $0.name.isSame(as: key) } }
            schema.properties += properties.filter { !keys.has($0.name) }
            return schema
        }
        #expect(try State(place).classes.sorted { $0.name.precedes($1.name) } == plain.sorted { $0.name.precedes($1.name) })
    }

    // MARK: C++

    @Test("a header for C++ compiles without a warning, and its structures are stored and loaded")
    func aHeaderForCPlusPlusCompiles() throws {
        let place = try place(ModelSchema.everything)
        let printed = try place.run("schema", "d", "--format", "cpp").output
        let names = printed.split(separator: "\n").compactMap { line in
            line.hasPrefix("struct ") ? String(line.dropFirst(7).dropLast(2)) : nil
        }
        #expect(names.count == ModelSchema.everything.count)
        let stored = ["Everything", "Puppy", "Seat", "Keyed_string", "Perhaps_date"]
        let kept = stored.map { name in
            """
            {
                const freehold::Object object = transaction.add(models::\(name){});
                (void)object.load<models::\(name)>();
            }
            """
        }
        let defined = names.map { "count += freehold::definition<models::\($0)>().properties.size();" }
        _ = try open(place, "cpp", "models.hpp", """
            #include "models.hpp"
            #include <iostream>
            int main()
            {
                try {
                    const freehold::Database database("d");
                    freehold::Transaction transaction = database.write();
                    transaction.adopt(models::classes());
                    std::size_t count = 0;
                    \(defined.joined(separator: "\n"))
                    \(kept.joined(separator: "\n"))
                    transaction.commit();
                    return count == 0;
                } catch (const freehold::Error &error) {
                    std::cerr << error.what();
                    return 1;
                }
            }
            """, """
            c++ -std=c++17 -Wall -Wextra -Werror -I '\(Self.root)/include' -I '\(Self.root)/bindings/cpp/include' main.cpp \
            \(Self.linking) -o program && ./program
            """)
    }

    // MARK: Python

    private func openInPython(_ place: Workplace, _ note: String = "") throws {
        let run = try open(place, "python", "models.py", """
            import models, freehold
            with freehold.open("d", models.MODELS, must_exist=True) as database:
                with database.write() as transaction:
                    for model in models.MODELS:
                        transaction.create_models(model)
                with database.read() as snapshot:
                    print(len(models.MODELS), sum(len(snapshot.objects(model)) for model in models.MODELS))
            """, """
            PYTHONDONTWRITEBYTECODE=1 PYTHONPATH='\(Self.root)/bindings/python/src' FREEHOLD_LIBRARY='\(Self.library)/libfreehold-c.so' \
            python3 main.python
            """, note)
        #expect(run.output.hasSuffix(" 0\n"), "\(note)\(run.output)")
    }

    @Test("a module for Python is imported and opens its file")
    func aModuleForPythonIs() throws {
        let place = try place(ModelSchema.everything)
        try openInPython(place)
        let text = try place.text("models.py")
        #expect(text.contains("class Puppy:\n    # Extends 'Dog' in the file"))
        #expect(text.contains("    floatOrNull: freehold.Float32 | None"))
        #expect(text.contains("# 'a-b' (int?) cannot be a field; read it as row[\"a-b\"]."))
    }

    // MARK: Random schemas

    @Test("models of random schemas compile in C and Python and open their files")
    func modelsOfRandomSchemasCompile() throws {
        for seed in TestScale.seeds(6) {
            let place = try place(ModelSchema.random(seed: seed))
            try openInC(place, "seed \(seed): ")
            try openInPython(place, "seed \(seed): ")
        }
    }

    @Test("models of random schemas compile in C++", arguments: TestScale.seeds(2))
    func modelsOfRandomSchemasCompileInCPlusPlus(seed: UInt64) throws {
        let place = try place(ModelSchema.random(seed: seed))
        #expect(try place.shell("freehold schema d --format cpp > models.hpp").status == 0)
        try place.file("main.cpp", "#include \"models.hpp\"\nint main() { return models::classes().empty(); }\n")
        let run = try place.shell("""
            c++ -std=c++17 -Wall -Wextra -Werror -fsyntax-only -I '\(Self.root)/include' -I '\(Self.root)/bindings/cpp/include' main.cpp
            """, seconds: 300)
        #expect(run.status == 0, "seed \(seed): \(run.errors)")
    }

    // MARK: Swift

    @Test("models for Swift are those that ModelHelper is compiled with")
    func modelsForSwiftAreThoseOfModelHelper() throws {
        let golden = "\(Self.root)/Tests/Helpers/ModelHelper/Models.swift"
        let printed = try place(ModelSchema.everything).run("schema", "d", "--format", "swift")
        #expect(printed.status == 0)
        // If a difference is meant, the new text takes the old one's place.
        if printed.output != (try? String(contentsOfFile: golden, encoding: .utf8)) {
            try printed.output.write(toFile: "\(golden).new", atomically: false, encoding: .utf8)
            Issue.record("the models differ from \(golden); what was printed is \(golden).new")
        }
    }

    @Test("ModelHelper opens the file with its models, and nothing in the schema changes",
          .enabled(if: Self.isBuilt("ModelHelper")))
    func modelHelperOpensTheFile() throws {
        let place = try place(ModelSchema.everything)
        let before = try State(place), run = try place.shell("'\(SpawnedProcess.path(of: "ModelHelper"))' d")
        #expect(run.status == 0, "\(run)")
        let kept = ["seat", "nothing"].map { name in
            "Property 'Everything.\(name)' has been removed. It is kept until the schema version is raised."
        } + ["Class 'Embedding' has lost its index of vectors of 'once'. It is kept until the schema version is raised."]
        #expect(run.lines == ["nothing \(kept) [\"Nothing\", \"Seat\"]", "2 2 Main [\"Rex\"] 1", "1 1 0"], "\(run)")
        #expect(try State(place) == before)
    }

    @Test("models of random schemas compile in Swift", .enabled(if: Self.isBuilt("Modules/Freehold.swiftmodule")),
          arguments: TestScale.seeds(4))
    func modelsOfRandomSchemasCompileInSwift(seed: UInt64) throws {
        let place = try place(ModelSchema.random(seed: seed))
        #expect(try place.shell("freehold schema d --format swift > models.swift").status == 0)
        let run = try place.shell("""
            swiftc -typecheck -swift-version 6 -warnings-as-errors -I '\(Self.library)/Modules' -module-cache-path modules \
            -Xcc -fmodule-map-file='\(Self.library)/CShims.build/module.modulemap' models.swift
            """, seconds: 300)
        #expect(run.status == 0, "seed \(seed): \(run.errors)")
    }

    /// Whether something lies beside the tests that a build of these tests alone leaves out.
    private static func isBuilt(_ name: String) -> Bool { FileManager.default.fileExists(atPath: "\(library)/\(name)") }

    // MARK: The option

    @Test("the formats are an option beside the flags")
    func theFormatsAreAnOption() throws {
        let place = try place([ClassSchema("P", [PropertySchema("v", .int)])])
        for form in ["json", "dot", "svg"] {
            #expect(try place.run("schema", "d", "--format", form).output == place.run("schema", "d", "--\(form)").output)
        }
        #expect(try place.run("schema", "d", "--format", "text").output == place.run("schema", "d").output)
        #expect(try place.run("schema", "d", "--format", "c", "--json").status == 64)
        #expect(try place.run("schema", "d", "--format", "cobol").status == 64)
        let empty = try self.place([])
        for language in ["swift", "c", "cpp", "python"] { #expect(try empty.run("schema", "d", "--format", language).status == 0) }
        try openInC(empty)
        try openInPython(empty)
    }
}
