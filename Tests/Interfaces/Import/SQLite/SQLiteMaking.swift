import Glibc
import TestKit
import Testing

@testable import FreeholdImport

/// Runs Python with the scripts of this folder; a machine that builds Freehold has it, with its sqlite3.
enum SQLiteMaking {
    /// Writes random databases with their dumps: `SEED.sqlite` and `SEED.dump`.
    static func databases(_ seeds: Range<Int>, in folder: TemporaryFolder) throws {
        try run("make_databases.py", [folder.path, "\(seeds.lowerBound)", "\(seeds.count)"])
    }

    /// Runs statements of Python that have `sqlite3` and a `connection` to a new database at `path`.
    /// - Parameter isKilled: whether the statements end with a signal.
    static func database(_ path: String, _ statements: String, isKilled: Bool = false) throws {
        let start = "import sqlite3, sys, os, struct\npath = sys.argv[1]\nconnection = sqlite3.connect(path, isolation_level=None)\n"
        try python(["-c", start + statements + "\n", path], end: isKilled ? .signalled(SIGKILL) : .exited(0))
    }

    /// The header of a database of pages of 4096 bytes, without its tables.
    static func header() -> [UInt8] {
        var bytes = SQLiteHeader.magic + [UInt8](repeating: 0, count: SQLiteHeader.count - SQLiteHeader.magic.count)
        (bytes[16], bytes[18], bytes[19], bytes[47], bytes[59]) = (16, 1, 1, 4, 1)
        return bytes
    }

    static func run(_ script: String, _ arguments: [String]) throws {
        let folder = #filePath.split(separator: "/").dropLast().joined(separator: "/")
        try python(["/\(folder)/\(script)"] + arguments)
    }

    private static func python(_ arguments: [String], end: SpawnedProcess.End = .exited(0)) throws {
        let process = try SpawnedProcess("/usr/bin/env", ["python3", "-B"] + arguments)
        try #require(process.wait() == end, "python3 failed: its standard error says why")
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
