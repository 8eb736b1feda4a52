import ArgumentParser
import FreeholdEngine
import FreeholdTools
import Glibc

/// A file with an encryption key: 64 bytes, or 128 hexadecimal digits and an optional line end. A key is never an
/// argument, because arguments are visible to all users of the machine.
///
/// Safe throughout: buffers are used within the calls that lend them.
struct KeyFile: ExpressibleByArgument {
    let path: String

    init?(argument: String) { path = argument }

    // Allowed: the argument parser asks for it.
    static var defaultCompletionKind: CompletionKind { .file() }

    /// Reads the key; prints a warning if other users have access to the file.
    func read() throws -> EncryptionKey {
        do { return try KeyReader.key(file: path, warn: Messages.note) } catch let mistake as KeyReader.Mistake {
            throw Failure(mistake.description)
        }
    }

    /// Creates the file with a new key, accessible to its owner only; never overwrites a file.
    func generate(hexadecimal: Bool) throws {
        let descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw refused() }
        defer { close(descriptor) }
        let isWritten = EncryptionKey.random().withBytes { key in
            guard hexadecimal else { return Self.write(key, to: descriptor) }
            return withUnsafeTemporaryAllocation(byteCount: 2 * key.count + 1, alignment: 8) { text in
                defer { wipe(text) }
                for (place, byte) in key.enumerated() {
                    text[2 * place] = Self.digit(byte >> 4)
                    text[2 * place + 1] = Self.digit(byte & 15)
                }
                text[2 * key.count] = 0x0A
                return Self.write(UnsafeRawBufferPointer(text), to: descriptor)
            }
        }
        if isWritten, fsync(descriptor) == 0 { return }
        let failure = refused()
        unlink(path)
        throw failure
    }

    private static func digit(_ value: UInt8) -> UInt8 { value < 10 ? 0x30 + value : 0x61 + value - 10 }

    private static func write(_ bytes: UnsafeRawBufferPointer, to descriptor: Int32) -> Bool {
        Glibc.write(descriptor, bytes.baseAddress, bytes.count) == bytes.count
    }

    private func refused() -> Failure { Failure("the key file \(path): \(String(cString: strerror(errno)))") }
}
