import Foundation
import FreeholdEngine
import Testing

/// The README's first code is this code: it compiles, runs and says what it says there.
@Suite struct ReadmeTests {
    @Test func theExampleOfTheReadmeRuns() throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        #expect(try Self.example(folder.appending(path: "people.freehold").path) == 1)
    }

    @Test func theReadmeShowsTheExampleThatRuns() throws {
        let file = URL(filePath: #filePath)
        let root = file.deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        let readme = try String(contentsOf: root.appending(path: "README.md"), encoding: .utf8)
        let source = try String(contentsOf: file, encoding: .utf8)
        let shown = try lines(of: readme, from: "```swift", to: "```").dropFirst(2) // the import and an empty line
        let run = try lines(of: source, from: "        // README", to: "        // end").map { String($0.dropFirst(8)) }
        #expect(Array(shown) == run)
    }

    @Test func theCCodeOfTheReadmeCompiles() throws {
        let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
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
        let database = try Database.open(path)
        try database.write { transaction in
            try transaction.createClass(ClassSchema("Person", primaryKey: "id", [
                PropertySchema("id", .int),
                PropertySchema("name", .string, isIndexed: true),
            ]))
            try transaction.insert(into: "Person", key: .int(1), [("name", .string("Ada"))])
        }
        let people = try database.snapshot().table("Person")
        let found = try people.keys(people.column("name"), equals: .string("Ada"))
        print("\(people.count) person, \(found.count) of them called Ada")
        // end
        return found.count
    }

    /// The lines between two marks.
    private func lines(of text: String, from start: String, to end: String) throws -> [String] {
        let all = text.components(separatedBy: "\n")
        let first = try #require(all.firstIndex(of: start))
        let last = try #require(all[(first + 1)...].firstIndex(of: end))
        return Array(all[(first + 1)..<last])
    }
}
