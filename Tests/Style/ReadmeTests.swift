import Foundation
import Freehold
import Testing

// README's classes
class Dog: Object {
    @Persisted var name = ""
    @Persisted var age = 0
}

class Person: Object {
    @Persisted(primaryKey: true) var id: Int
    @Persisted(indexed: true) var name = ""
    @Persisted var dogs: List<Dog>
}
// end

/// The README's first code is this code: it compiles, runs and says what it says there.
@Suite struct ReadmeTests {
    @Test func theExampleOfTheReadmeRuns() throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        #expect(try Self.example(folder.appending(path: "people.freehold").path) == 1)
    }

    @Test func theReadmeShowsTheExampleThatRuns() throws {
        let file = URL(filePath: #filePath).resolvingSymlinksInPath()
        let root = file.deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        let readme = try String(contentsOf: root.appending(path: "README.md"), encoding: .utf8)
        let source = try String(contentsOf: file, encoding: .utf8)
        let shown = try lines(of: readme, from: "```swift", to: "```").dropFirst(2) // the import and an empty line
        let classes = try lines(of: source, from: "// README's classes", to: "// end")
        let run = try lines(of: source, from: "        // README", to: "        // end").map { String($0.dropFirst(8)) }
        #expect(Array(shown) == classes + [""] + run)
    }

    @Test func theCCodeOfTheReadmeCompiles() throws {
        let root = URL(filePath: #filePath).resolvingSymlinksInPath().deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        let readme = try String(contentsOf: root.appending(path: "README.md"), encoding: .utf8)
        let code = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString + ".c")
        try lines(of: readme, from: "```c", to: "```").joined(separator: "\n").appending("\n").write(to: code, atomically: true, encoding: .utf8)
        defer { try? FileManager.default.removeItem(at: code) }
        let compiler = Process()
        compiler.executableURL = URL(filePath: "/usr/bin/env")
        compiler.arguments = ["cc", "-std=c11", "-Wall", "-Wextra", "-Werror", "-fsyntax-only", "-I", root.appending(path: "include").path, code.path]
        try compiler.run()
        compiler.waitUntilExit()
        #expect(compiler.terminationStatus == 0)
    }

    private static func example(_ path: String) throws -> Int {
        // README
        var configuration = Realm.Configuration(path: path)
        configuration.objectTypes = [Person.self, Dog.self] // all classes of the program, unless some are named
        let realm = try Realm(configuration: configuration)
        try realm.write {
            realm.create(Person.self, value: ["id": 1, "name": "Ada", "dogs": [["name": "Fido", "age": 1]]])
        }
        for person in realm.objects(Person.self).where({ $0.name.starts(with: "A") }).sorted(byKeyPath: "name") {
            print("\(person.name) has \(person.dogs.count) dog, \(person.dogs[0].name)")
        }
        // end
        return realm.objects(Person.self).filter { $0.name == "Ada" }.count
    }

    /// The lines between two marks.
    private func lines(of text: String, from start: String, to end: String) throws -> [String] {
        let all = text.components(separatedBy: "\n")
        let first = try #require(all.firstIndex(of: start))
        let last = try #require(all[(first + 1)...].firstIndex(of: end))
        return Array(all[(first + 1)..<last])
    }
}
