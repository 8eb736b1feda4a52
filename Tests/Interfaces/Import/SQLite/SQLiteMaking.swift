import Glibc
import TestKit
import Testing

/// Runs Python with the scripts of this folder; a machine that builds Freehold has it, with its sqlite3.
enum SQLiteMaking {
    /// Writes random databases with their dumps: `SEED.sqlite` and `SEED.dump`.
    static func databases(_ seeds: Range<Int>, in folder: TemporaryFolder) throws {
        try run("make_databases.py", [folder.path, "\(seeds.lowerBound)", "\(seeds.count)"])
    }

    /// Runs statements of Python that have `sqlite3` and a `connection` to a new database at `path`.
    static func database(_ path: String, _ statements: String) throws {
        let start = "import sqlite3, sys, os, struct\npath = sys.argv[1]\nconnection = sqlite3.connect(path, isolation_level=None)\n"
        try python(["-c", start + statements + "\n", path])
    }

    static func run(_ script: String, _ arguments: [String]) throws {
        let folder = #filePath.split(separator: "/").dropLast().joined(separator: "/")
        try python(["/\(folder)/\(script)"] + arguments)
    }

    private static func python(_ arguments: [String]) throws {
        let process = try SpawnedProcess("/usr/bin/env", ["python3", "-B"] + arguments)
        try #require(process.wait() == .exited(0), "python3 failed: its standard error says why")
    }
}

/// The lines of a file.
func linesOfFile(_ path: String) throws -> [String] {
    let file = try #require(fopen(path, "r"), "\(path) cannot be read")
    defer { fclose(file) }
    var bytes: [UInt8] = [], buffer = [UInt8](repeating: 0, count: 1 << 16)
    while case let count = fread(&buffer, 1, buffer.count, file), count > 0 { bytes += buffer[..<count] }
    return bytes.split(separator: 0x0A).map { String(decoding: $0, as: UTF8.self) }
}
