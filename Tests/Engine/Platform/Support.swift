import Platform
import Synchronization
import TestKit

/// A new file of a length, mapped writable.
func sharedFile(_ folder: TemporaryFolder, _ name: String = "shared", length: Int = 65_536) throws -> Mapping {
    let file = try LinuxSystem.shared.openFile(folder.file(name), .createExclusive(permissions: 0o600))
    try file.setLength(length)
    return try file.map(reserve: max(length, 65_536), minimum: 4096, writable: true, dontFork: true)
}

/// The word at an offset of a mapping.
///
/// Safe: mappings outlive the test's use of them, and the word is used as an atomic only.
func word(_ mapping: Mapping, _ offset: Int = 0) -> UnsafeMutablePointer<Atomic<UInt32>> {
    (mapping.base + offset).assumingMemoryBound(to: Atomic<UInt32>.self)
}

func plain(_ word: UnsafeMutablePointer<Atomic<UInt32>>) -> UnsafePointer<UInt32> {
    // Safe: an atomic has the representation of its value; only the futex looks at it so.
    UnsafeRawPointer(word).assumingMemoryBound(to: UInt32.self)
}

extension File {
    func write(_ bytes: [UInt8], at offset: Int) throws(SystemError) {
        let copy = UnsafeMutableRawBufferPointer.allocate(byteCount: bytes.count, alignment: 1)
        defer { copy.deallocate() }
        copy.copyBytes(from: bytes)
        try write(UnsafeRawBufferPointer(copy), at: offset)
    }

    func bytes(at offset: Int = 0, count: Int) throws(SystemError) -> [UInt8] {
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: count, alignment: 1)
        defer { buffer.deallocate() }
        let got = try read(into: buffer, at: offset)
        return Array(buffer[..<got])
    }
}

/// The error number a call fails with, or nil.
func code(_ call: () throws(SystemError) -> Void) -> Int32? {
    do { try call() } catch { return error.code }
    return nil
}
