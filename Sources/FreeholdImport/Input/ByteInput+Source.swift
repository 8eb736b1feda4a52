import Glibc

extension ByteInput {
    /// Opens a file, or standard input if the path is `-`.
    /// - Throws: a `.system` error that names the path.
    public static func open(_ path: String) throws(ImportError) -> ByteInput {
        if path == "-" { return ByteInput(descriptor: 0, length: nil) }
        let descriptor = Glibc.open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw .system(path, errno) }
        var status = stat()
        guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT != S_IFDIR else {
            let code = status.st_mode & S_IFMT == S_IFDIR ? EISDIR : errno
            Glibc.close(descriptor)
            throw .system(path, code)
        }
        posix_fadvise(descriptor, 0, 0, POSIX_FADV_SEQUENTIAL)
        let isRegular = status.st_mode & S_IFMT == S_IFREG
        return ByteInput(descriptor: descriptor, length: isRegular ? Int(status.st_size) : nil)
    }

    /// Reads from an array, `blockLength` bytes at a time.
    public init(_ array: [UInt8], blockLength: Int = 64 << 10) {
        var taken = 0
        self.init(blockLength: blockLength) { buffer in
            let count = min(buffer.count, array.count - taken)
            buffer.copyBytes(from: array[taken..<taken + count])
            taken += count
            return count
        }
    }

    /// Reads from a string's UTF-8, `blockLength` bytes at a time.
    public init(_ text: String, blockLength: Int = 64 << 10) {
        self.init(Array(text.utf8), blockLength: blockLength)
    }

    private init(descriptor: Int32, length: Int?) {
        let file = OpenDescriptor(descriptor)
        self.init(length: length) { buffer in
            while true {
                let count = Glibc.read(file.number, buffer.baseAddress, buffer.count)
                if count >= 0 { return count }
                if errno != EINTR { return -Int(errno) }
            }
        }
    }
}

/// Closes its descriptor when it is released; standard input stays open.
private final class OpenDescriptor {
    let number: Int32

    init(_ number: Int32) { self.number = number }

    deinit {
        if number != 0 { Glibc.close(number) }
    }
}

extension ImportError {
    /// The error for a system call that failed for a path.
    static func system(_ path: String, _ code: Int32) -> ImportError {
        ImportError(.system, "\(path) cannot be read: \(String(cString: strerror(code)))", systemCode: code)
    }
}
