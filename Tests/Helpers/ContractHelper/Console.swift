import Glibc

/// Lines to and from the test.
enum Console {
    static func say(_ line: String) {
        let bytes = Array((line + "\n").utf8)
        var sent = 0
        while sent < bytes.count {
            // Safe: the rest of an array that lives here.
            let count = bytes.withUnsafeBytes { Glibc.write(1, $0.baseAddress! + sent, bytes.count - sent) }
            if count < 0 && errno != EINTR { exit(3) }
            sent += max(count, 0)
        }
    }
}

/// Reads lines without waiting for longer than it is told.
struct LineReader {
    private var bytes: [UInt8] = []
    private(set) var isAtEnd = false

    /// The next line, or nil if none has come in time.
    mutating func next(waitMilliseconds: Int32) -> String? {
        while true {
            if let end = bytes.firstIndex(of: 10) {
                let line = String(decoding: bytes[..<end], as: UTF8.self)
                bytes.removeSubrange(...end)
                return line
            }
            if isAtEnd { return nil }
            var entry = pollfd(fd: 0, events: Int16(POLLIN), revents: 0)
            guard poll(&entry, 1, waitMilliseconds) > 0 else { return nil }
            var buffer = [UInt8](repeating: 0, count: 4096)
            let count = read(0, &buffer, buffer.count)
            if count <= 0 { isAtEnd = true } else { bytes += buffer[..<count] }
        }
    }
}
