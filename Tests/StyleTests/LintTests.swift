import Foundation
import Testing

/// The lint runs with the tests, so that style is a test like any other.
@Suite struct LintTests {
    @Test func everyFileKeepsTheRulesOfTheLint() throws {
        let lint = try run(["tools/lint"])
        #expect(lint.status == 0, "\(lint.output)")
    }

    @Test func theLintCatchesWhatItsSamplesHold() throws {
        let lint = try run(["tools/lint", "--self-test"])
        #expect(lint.status == 0, "\(lint.output)")
        #expect(lint.output.contains("samples as expected, 0 not"))
    }

    /// Runs a Python script of the repository with the repository as its folder.
    private func run(_ arguments: [String]) throws -> (status: Int32, output: String) {
        let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        let process = Process()
        let pipe = Pipe()
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = ["python3"] + arguments
        process.currentDirectoryURL = root
        process.standardOutput = pipe
        process.standardError = pipe
        try process.run()
        let output = String(decoding: try pipe.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self)
        process.waitUntilExit()
        return (process.terminationStatus, output)
    }
}
