import Glibc

/// A file that is open for reading, as long as the value exists.
final class SQLiteHandle: Sendable {
    let path: String
    private let descriptor: SourceDescriptor

    var number: Int32 { descriptor.number }

    /// - Returns: nil if there is no such file.
    init?(existing path: String) throws(SourceError) {
        self.path = path
        guard let descriptor = SourceDescriptor(path) else {
            if errno == ENOENT { return nil }
            throw .system(path, errno)
        }
        self.descriptor = descriptor
    }

    /// The path without symbolic links, or as it is if there is no such file.
    static func resolved(_ path: String) -> String {
        guard let resolved = realpath(path, nil) else { return path }
        defer { free(resolved) }
        return String(cString: resolved)
    }

    /// Reads bytes at an offset: as many as fit the buffer, fewer at the end of the file.
    func read(at offset: UInt64, into buffer: UnsafeMutableRawBufferPointer) throws(SourceError) -> Int {
        var done = 0
        while done < buffer.count {
            // Safe: `done` is below the buffer's count, which is what is left of it.
            let count = pread(number, buffer.baseAddress.map { $0 + done }, buffer.count - done, off_t(clamping: offset) + off_t(done))
            if count == 0 { break }
            if count < 0 {
                if errno == EINTR { continue }
                throw .system(path, errno)
            }
            done += count
        }
        return done
    }

    /// Up to `count` bytes at an offset, fewer at the end of the file.
    func bytes(at offset: UInt64, count: Int) throws(SourceError) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: count)
        var read: Result<Int, SourceError> = .success(0)
        // Safe: the buffer is that of the array, and is not kept.
        bytes.withUnsafeMutableBytes { buffer in
            do throws(SourceError) { read = .success(try self.read(at: offset, into: buffer)) } catch { read = .failure(error) }
        }
        let got = try read.get()
        bytes.removeLast(count - got)
        return bytes
    }
}

/// What tells a file, and a state of it, from another.
struct SQLiteStamp: Equatable {
    let device: UInt64
    let inode: UInt64
    let size: UInt64
    let seconds: Int64
    let nanoseconds: Int64
    let isRegular: Bool

    /// The stamp of the file of this path; nil if there is none.
    init?(path: String) throws(SourceError) {
        var status = stat()
        if fstatat(AT_FDCWD, path, &status, 0) != 0 {
            if errno == ENOENT { return nil }
            throw .system(path, errno)
        }
        self.init(status)
    }

    init(_ handle: SQLiteHandle) throws(SourceError) {
        var status = stat()
        guard fstat(handle.number, &status) == 0 else { throw .system(handle.path, errno) }
        self.init(status)
    }

    private init(_ status: stat) {
        device = UInt64(truncatingIfNeeded: status.st_dev)
        inode = UInt64(truncatingIfNeeded: status.st_ino)
        size = UInt64(clamping: status.st_size)
        seconds = Int64(status.st_mtim.tv_sec)
        nanoseconds = Int64(status.st_mtim.tv_nsec)
        isRegular = status.st_mode & S_IFMT == S_IFREG
    }
}
