@testable import FreeholdEngine
import Platform

/// The lock file beside a database as whoever may write it can change it.
struct LockFileWords {
    let file: any File

    init(_ path: String) throws { file = try LinuxSystem.shared.openFile(path + ".lock", .readWrite) }

    func store(_ value: UInt64, at offset: Int) throws {
        try withUnsafeBytes(of: value.littleEndian) { try file.write($0, at: offset) }
    }

    func load(_ offset: Int) throws -> UInt64 {
        var value: UInt64 = 0
        _ = try withUnsafeMutableBytes(of: &value) { try file.read(into: $0, at: offset) }
        return UInt64(littleEndian: value)
    }

    /// Where a word of the current copy of a root stands.
    func place(ofWord word: Int, inRootAt offset: Int) throws -> Int {
        offset + SharedRoot.firstCopy + Int(try load(offset) & 1) * SharedRoot.copyStride + word * 8
    }
}
