public import FreeholdEngine
import Glibc

/// Reads encryption keys: 64 bytes, or 128 hexadecimal digits and an optional line end. The memory that held one is overwritten.
///
/// Safe throughout: buffers are used within the calls that lend them.
public enum KeyReader {
    /// Why no key was read: one sentence for the user.
    public struct Mistake: Error, CustomStringConvertible {
        public let description: String
    }

    /// The most bytes that are read: one more than the longest key file, to notice a longer one.
    private static let most = 2 * EncryptionKey.byteCount + 3

    /// The key in a file.
    /// - Parameter warn: Called with a sentence if other users have access to the file.
    /// - Throws: `Mistake` if the file cannot be read or is not a key.
    public static func key(file path: String, warn: (String) -> Void) throws -> EncryptionKey {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw refused(path) }
        defer { close(descriptor) }
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { throw refused(path) }
        if status.st_mode & S_IFMT == S_IFREG, status.st_mode & 0o077 != 0 {
            warn("warning: users other than the owner can read or write the key file \(path); run chmod 600 on it")
        }
        return try withUnsafeTemporaryAllocation(byteCount: most, alignment: 8) { buffer in
            defer { wipe(buffer) }
            var count = 0
            while count < buffer.count {
                // Safe: the rest of the buffer.
                let read = Glibc.read(descriptor, buffer.baseAddress! + count, buffer.count - count)
                if read == 0 { break }
                if read < 0 && errno != EINTR { throw refused(path) }
                count += max(read, 0)
            }
            guard let key = try key(UnsafeRawBufferPointer(rebasing: buffer[..<count])) else {
                let form = "a key is 64 bytes or 128 hexadecimal digits (`freehold key generate` creates one)"
                throw Mistake(description: "\(path) is not a key file: \(form)")
            }
            return key
        }
    }

    /// Asks on the program's terminal, which does not show what is typed: for a key in hexadecimal digits, or for the path of a key file.
    /// - Throws: `Mistake` if there is no terminal, nothing was typed, or it is neither.
    public static func key(askedFor what: String, warn: (String) -> Void) throws -> EncryptionKey {
        let terminal = open("/dev/tty", O_RDWR | O_CLOEXEC)
        guard terminal >= 0 else { throw Mistake(description: "there is no terminal to ask for the key") }
        defer { close(terminal) }
        // A line is a path or digits; a terminal's own lines are not longer.
        return try withUnsafeTemporaryAllocation(byteCount: 4096, alignment: 8) { line in
            defer { wipe(line) }
            let count = withoutEcho(terminal) {
                say("Key of \(what) (128 hexadecimal digits, not shown, or the path of its file): ", terminal)
                return readLine(terminal, line)
            }
            say("\n", terminal)
            guard let count, count > 0 else { throw Mistake(description: "no key was given") }
            let given = UnsafeRawBufferPointer(rebasing: line[..<count])
            // 64 letters may as well be a path: bytes cannot be typed.
            if count > EncryptionKey.byteCount, let key = try key(given) { return key }
            return try key(file: String(decoding: given, as: UTF8.self), warn: warn)
        }
    }

    // MARK: the terminal

    private static func say(_ text: String, _ terminal: Int32) {
        var text = text
        text.withUTF8 { _ = Glibc.write(terminal, $0.baseAddress, $0.count) }
    }

    /// Interrupted meanwhile, the terminal shows again what is typed: its signals wait until then.
    private static func withoutEcho<Result>(_ terminal: Int32, _ body: () -> Result) -> Result {
        var before = termios()
        guard tcgetattr(terminal, &before) == 0 else { return body() }
        var signals = sigset_t(), blocked = sigset_t()
        sigemptyset(&blocked)
        for signal in [SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGTSTP] { sigaddset(&blocked, signal) }
        var silent = before
        silent.c_lflag &= ~tcflag_t(ECHO)
        // Ctrl-C and Ctrl-\ are read as bytes, and end the line.
        silent.c_lflag &= ~tcflag_t(ISIG)
        withUnsafeMutableBytes(of: &silent.c_cc) { characters in
            // Safe: places of the array, as the system names them.
            characters[Int(VEOL)] = 0x03
            characters[Int(VEOL2)] = 0x1C
        }
        pthread_sigmask(SIG_BLOCK, &blocked, &signals)
        tcsetattr(terminal, TCSAFLUSH, &silent)
        defer {
            tcsetattr(terminal, TCSAFLUSH, &before)
            pthread_sigmask(SIG_SETMASK, &signals, nil)
        }
        return body()
    }

    /// - Returns: How many bytes the line has, without its end; nil if it is too long, or Ctrl-C or Ctrl-\ was typed.
    private static func readLine(_ terminal: Int32, _ line: UnsafeMutableRawBufferPointer) -> Int? {
        var count = 0
        while count < line.count {
            // Safe: the rest of the buffer.
            let read = Glibc.read(terminal, line.baseAddress! + count, line.count - count)
            if read < 0 && errno == EINTR { continue }
            if read <= 0 { return count }
            for place in count..<count + read {
                switch line[place] {
                case 0x0A, 0x0D: return place
                case 0x03, 0x1C: return nil
                default: break
                }
            }
            count += read
        }
        return nil
    }

    // MARK: bytes

    /// - Returns: nil for what is neither 64 bytes nor 128 digits.
    private static func key(_ bytes: UnsafeRawBufferPointer) throws -> EncryptionKey? {
        if bytes.count == EncryptionKey.byteCount { return try EncryptionKey(bytes) }
        var digits = bytes[...]
        while let last = digits.last, last == 0x0A || last == 0x0D { digits.removeLast() }
        guard digits.count == 2 * EncryptionKey.byteCount else { return nil }
        return try key(hexadecimal: digits)
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

    private static func refused(_ path: String) -> Mistake {
        Mistake(description: "the key file \(path): \(String(cString: strerror(errno)))")
    }
}

/// Overwrites secret bytes.
public func wipe(_ buffer: UnsafeMutableRawBufferPointer) {
    if let start = buffer.baseAddress { explicit_bzero(start, buffer.count) }
}
