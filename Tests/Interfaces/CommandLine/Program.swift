import Foundation
import Testing

/// A folder of its own for a test, gone with it, and the program run in it.
final class Workplace {
    let folder: URL

    /// The program under test lies beside the test's own.
    static let program = URL(filePath: "/proc/self/exe").resolvingSymlinksInPath().deletingLastPathComponent()
        .appending(path: "freehold")

    init() throws {
        folder = FileManager.default.temporaryDirectory.appending(path: "freehold-test-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(at: folder) }

    /// Writes a file and gives its name.
    @discardableResult
    func file(_ name: String, _ text: String) throws -> String {
        try text.write(to: folder.appending(path: name), atomically: false, encoding: .utf8)
        return name
    }

    /// Reads a file.
    func text(_ name: String) throws -> String {
        try String(contentsOf: folder.appending(path: name), encoding: .utf8)
    }

    func exists(_ name: String) -> Bool {
        FileManager.default.fileExists(atPath: folder.appending(path: name).path)
    }

    /// The names in the folder, without the files that hold what programs say.
    func names() throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: folder.path).filter { !$0.hasPrefix(".") }.sorted()
    }

    /// Runs `freehold` with arguments; a minute at most, so that a hang is a failure with a code of its own (124).
    @discardableResult
    func run(_ arguments: String..., input: String? = nil) throws -> Outcome {
        try start(["/usr/bin/env", "timeout", "60", Self.program.path] + arguments, input: input).wait()
    }

    /// Runs a line of shell, in which `freehold` is the program.
    ///
    /// - Parameter seconds: the limit; compilers may need more than a minute on a busy machine.
    func shell(_ line: String, seconds: Int = 60) throws -> Outcome {
        let line = "freehold() { '\(Self.program.path)' \"$@\"; }; set -o pipefail; \(line)"
        return try start(["/usr/bin/env", "timeout", "\(seconds)", "bash", "-c", line], input: nil).wait()
    }

    /// Starts `freehold` without waiting for its end.
    func start(_ arguments: String...) throws -> Running {
        try start(["/usr/bin/env", "timeout", "60", Self.program.path] + arguments, input: nil)
    }

    /// Starts `freehold` itself, so that signals reach it.
    func startAlone(_ arguments: String...) throws -> Running { try start([Self.program.path] + arguments, input: nil) }

    private func start(_ command: [String], input: String?) throws -> Running {
        let process = Process()
        process.executableURL = URL(filePath: command[0])
        process.arguments = Array(command.dropFirst())
        process.currentDirectoryURL = folder
        let name = UUID().uuidString
        let files = try ["in", "out", "err"].map { kind in
            let file = folder.appending(path: ".\(name).\(kind)")
            try (kind == "in" ? input ?? "" : "").write(to: file, atomically: false, encoding: .utf8)
            return file
        }
        process.standardInput = try FileHandle(forReadingFrom: files[0])
        process.standardOutput = try FileHandle(forWritingTo: files[1])
        process.standardError = try FileHandle(forWritingTo: files[2])
        try process.run()
        return Running(process: process, output: files[1], errors: files[2])
    }
}

/// A program that was started.
struct Running {
    let process: Process
    let output: URL
    let errors: URL

    /// Waits for its end.
    func wait() throws -> Outcome {
        process.waitUntilExit()
        return Outcome(
            status: process.terminationReason == .exit ? process.terminationStatus : 128 + process.terminationStatus,
            output: try String(contentsOf: output, encoding: .utf8), errors: try String(contentsOf: errors, encoding: .utf8))
    }

    /// Waits until it has written so many lines.
    func waitForLines(_ count: Int) throws {
        while process.isRunning {
            if try String(contentsOf: output, encoding: .utf8).filter({ $0 == "\n" }).count >= count { return }
            sched_yield()
        }
    }

    /// Waits until it has said something on standard error.
    func waitForErrors(containing text: String) throws {
        while process.isRunning {
            if try String(contentsOf: errors, encoding: .utf8).contains(text) { return }
            sched_yield()
        }
        Issue.record("ended before it said '\(text)'")
    }
}

/// What a program left behind.
struct Outcome {
    let status: Int32
    let output: String
    let errors: String

    var lines: [String] { output.split(separator: "\n", omittingEmptySubsequences: false).dropLast().map(String.init) }
}
