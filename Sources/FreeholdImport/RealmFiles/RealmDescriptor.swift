import Glibc

/// A file open for reading, and what tells its states apart.
///
/// Safe throughout: the descriptor belongs to the object, and buffers are as long as they say.
final class RealmDescriptor {
    let path: String
    private let descriptor: Int32

    init(path: String) throws(SourceError) {
        self.path = path
        descriptor = Glibc.open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else { throw .system(path, errno) }
    }

    deinit { Glibc.close(descriptor) }

    /// The file's present state.
    /// - Throws: `.system` if it is no regular file.
    func state() throws(SourceError) -> RealmFileState {
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { throw .system(path, errno) }
        guard status.st_mode & S_IFMT == S_IFREG else { throw .system(path, status.st_mode & S_IFMT == S_IFDIR ? EISDIR : EINVAL) }
        return RealmFileState(status, start: try bytes(at: 0, count: min(RealmFileState.startBytes, Int(status.st_size))))
    }

    /// Whether the path still names this file.
    func isNamed(like state: RealmFileState) -> Bool {
        var status = stat()
        return stat(path, &status) == 0 && UInt64(status.st_ino) == state.inode && UInt64(status.st_dev) == state.device
    }

    /// The bytes in a range.
    /// - Throws: `.changed` if the file ends before.
    func bytes(at offset: Int, count: Int) throws(SourceError) -> [UInt8] {
        // An empty array's storage is shared by all threads, and filling none of it would still write to it.
        if count == 0 { return [] }
        var failure: SourceError?
        let bytes = [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
            do throws(SourceError) {
                try read(into: UnsafeMutableRawBufferPointer(buffer), at: offset)
                filled = count
            } catch { failure = error }
        }
        if let failure { throw failure }
        return bytes
    }

    /// Fills the buffer.
    /// - Throws: `.changed` if the file ends before.
    func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int) throws(SourceError) {
        var done = 0
        while done < buffer.count {
            let count = pread(descriptor, buffer.baseAddress.map { $0 + done }, buffer.count - done, off_t(offset + done))
            if count < 0, errno == EINTR { continue }
            if count < 0 { throw .system(path, errno) }
            if count == 0 { throw .changed(path) }
            done += count
        }
    }
}

/// One state of a Realm file: equal states have the same content.
struct RealmFileState: Equatable {
    /// The bytes at the file's start that every commit changes: both top references, or, in an encrypted file, the vectors and codes of the
    /// page that has them.
    static let startBytes = 64

    let device, inode, length: UInt64
    let seconds, nanoseconds: Int64
    let start: [UInt8]

    init(_ status: stat, start: [UInt8]) {
        device = UInt64(status.st_dev)
        inode = UInt64(status.st_ino)
        length = UInt64(status.st_size)
        seconds = Int64(status.st_mtim.tv_sec)
        nanoseconds = Int64(status.st_mtim.tv_nsec)
        self.start = start
    }

    /// The state as bytes, for `SourceIdentity`.
    var bytes: [UInt8] {
        var bytes: [UInt8] = []
        for word in [device, inode, length, UInt64(bitPattern: seconds), UInt64(bitPattern: nanoseconds)] {
            withUnsafeBytes(of: word.littleEndian) { bytes.append(contentsOf: $0) }
        }
        return bytes + start
    }
}

extension SourceError {
    /// The error for a file that another program writes to.
    static func changed(_ path: String) -> SourceError {
        SourceError(.changed, "\(path) changed while it was being read; close the programs that use it and import again")
    }

    /// The error for bytes that a Realm file cannot have at an offset.
    static func damaged(_ message: String, _ offset: Int) -> SourceError {
        SourceError(.damaged, message, offset: UInt64(clamping: offset))
    }
}
