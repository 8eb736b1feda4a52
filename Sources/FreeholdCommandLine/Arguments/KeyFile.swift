import ArgumentParser
import FreeholdEngine
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
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw refused() }
        defer { close(descriptor) }
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { throw refused() }
        if status.st_mode & S_IFMT == S_IFREG, status.st_mode & 0o077 != 0 {
            Messages.note("warning: users other than the owner can read or write the key file \(path); run chmod 600 on it")
        }
        // One byte more than the maximum, to detect a longer file.
        return try withUnsafeTemporaryAllocation(byteCount: 2 * EncryptionKey.byteCount + 3, alignment: 8) { buffer in
            defer { wipe(buffer) }
            var count = 0
            while count < buffer.count {
                // Safe: the rest of the buffer.
                let read = Glibc.read(descriptor, buffer.baseAddress! + count, buffer.count - count)
                if read == 0 { break }
                if read < 0 && errno != EINTR { throw refused() }
                count += max(read, 0)
            }
            return try Self.key(UnsafeRawBufferPointer(rebasing: buffer[..<count]), path)
        }
    }

    private static func key(_ bytes: UnsafeRawBufferPointer, _ path: String) throws -> EncryptionKey {
        if bytes.count == EncryptionKey.byteCount { return try EncryptionKey(bytes) }
        var digits = bytes[...]
        while let last = digits.last, last == 0x0A || last == 0x0D { digits.removeLast() }
        guard digits.count == 2 * EncryptionKey.byteCount, let key = try key(hexadecimal: digits) else {
            throw Failure("\(path) is not a key file: a key is 64 bytes or 128 hexadecimal digits (`freehold key generate` creates one)")
        }
        return key
    }

    private static func key(hexadecimal digits: Slice<UnsafeRawBufferPointer>) throws -> EncryptionKey? {
        try withUnsafeTemporaryAllocation(byteCount: EncryptionKey.byteCount, alignment: 8) { bytes in
            defer { wipe(bytes) }
            for (place, digit) in digits.enumerated() {
                let value: UInt8
                switch digit {
                case 0x30...0x39: value = digit - 0x30
                case 0x41...0x46: value = digit - 0x41 + 10
                case 0x61...0x66: value = digit - 0x61 + 10
                default: return nil
                }
                bytes[place / 2] = place % 2 == 0 ? value << 4 : bytes[place / 2] | value
            }
            return try EncryptionKey(bytes)
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

/// Overwrites the secret bytes.
private func wipe(_ buffer: UnsafeMutableRawBufferPointer) {
    if let start = buffer.baseAddress { explicit_bzero(start, buffer.count) }
}
