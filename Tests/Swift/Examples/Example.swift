import Foundation
import TestKit

/// A program of Examples/swift, with a folder for its file.
struct Example {
    /// What it left behind.
    struct Outcome: Equatable {
        var status: Int32 = 0
        var output: [String] = []
        var errors: [String] = []
    }

    let name: String
    let folder: TemporaryFolder

    init(_ name: String) throws {
        self.name = name
        folder = try TemporaryFolder()
    }

    /// Runs it to its end; a minute at most, so that a hang is a failure with a code of its own (124).
    func run(_ arguments: String..., input: String = "") throws -> Outcome {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = ["timeout", "60", SpawnedProcess.path(of: name), "--file", folder.file("objects")] + arguments
        let files = try ["in", "out", "err"].map { kind in
            let file = URL(fileURLWithPath: folder.file(kind))
            try Data((kind == "in" ? input : "").utf8).write(to: file)
            return file
        }
        process.standardInput = try FileHandle(forReadingFrom: files[0])
        process.standardOutput = try FileHandle(forWritingTo: files[1])
        process.standardError = try FileHandle(forWritingTo: files[2])
        try process.run()
        process.waitUntilExit()
        return Outcome(status: process.terminationStatus, output: try lines(files[1]), errors: try lines(files[2]))
    }

    private func lines(_ file: URL) throws -> [String] {
        try String(contentsOf: file, encoding: .utf8).split(separator: "\n").map(String.init)
    }
}
