import Foundation
import Testing

/// The lint runs with the tests, so that style is a test like any other.
@Suite struct LintTests {
    @Test func everyFileKeepsTheRulesOfTheLint() throws {
        let lint = try run(["python3", "tools/lint"])
        #expect(lint.status == 0, "\(lint.output)")
    }

    @Test func theLintCatchesWhatItsSamplesHold() throws {
        let lint = try run(["python3", "tools/lint", "--self-test"])
        #expect(lint.status == 0, "\(lint.output)")
        #expect(lint.output.contains("samples as expected, 0 not"))
    }

    @Test func contributingHasTheTableOfSuites() throws {
        let list = try run(["bash", "tools/test", "--list"])
        let page = try String(contentsOf: root.appending(path: "CONTRIBUTING.md"), encoding: .utf8)
        #expect(list.status == 0 && list.output.contains("| lint"))
        #expect(page.contains(list.output), "the output of tools/test --list is not in CONTRIBUTING.md as it stands")
    }

    private let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

    /// Runs a command of the repository with the repository as its folder.
    private func run(_ arguments: [String]) throws -> (status: Int32, output: String) {
        let process = Process()
        let pipe = Pipe()
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = arguments
        process.currentDirectoryURL = root
        process.standardOutput = pipe
        process.standardError = pipe
        try process.run()
        let output = String(decoding: try pipe.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self)
        process.waitUntilExit()
        return (process.terminationStatus, output)
    }
}
