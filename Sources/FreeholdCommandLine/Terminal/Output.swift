import FreeholdTools
import Glibc

/// Buffered output to standard output or a file, in large writes.
final class Output: ByteSink {
    private static let blockLength = 64 << 10

    /// Safe: the program has one thread that writes.
    nonisolated(unsafe) static let standard = Output(descriptor: STDOUT_FILENO, name: "standard output")

    private let descriptor: Int32
    private let name: String
    private var buffer: [UInt8] = []

    /// Whether the output is a terminal.
    let isTerminal: Bool

    init(descriptor: Int32, name: String) {
        self.descriptor = descriptor
        self.name = name
        isTerminal = isatty(descriptor) == 1
        buffer.reserveCapacity(Self.blockLength + 4096)
    }

    /// Appends text.
    func write(_ text: String) throws {
        buffer.append(contentsOf: text.utf8)
        if buffer.count >= Self.blockLength { try flush() }
    }

    /// Appends the bytes that `body` appends.
    func append(_ body: (inout [UInt8]) throws -> Void) throws {
        try body(&buffer)
        if buffer.count >= Self.blockLength { try flush() }
    }

    /// Appends bytes.
    func write(_ bytes: [UInt8]) throws {
        buffer.append(contentsOf: bytes)
        if buffer.count >= Self.blockLength { try flush() }
    }

    /// Writes the buffer.
    /// - Throws: `OutputClosed` if the reader has closed it, a `Failure` if it cannot be written.
    func flush() throws {
        defer { buffer.removeAll(keepingCapacity: true) }
        try buffer.withUnsafeBytes { bytes in
            var written = 0
            while written < bytes.count {
                // Safe: the range lies within the buffer, which is not empty here.
                let count = Glibc.write(descriptor, bytes.baseAddress! + written, bytes.count - written)
                if count >= 0 {
                    written += count
                } else if errno == EPIPE {
                    throw OutputClosed()
                } else if errno != EINTR {
                    throw Failure("\(name) cannot be written: \(String(cString: strerror(errno)))")
                }
            }
        }
    }
}
