import CShims
import Glibc

extension LinuxSystem {
    public func openFile(_ path: String, _ mode: OpenMode) throws(SystemError) -> any File {
        try LinuxFile(path: path, mode: mode)
    }

    public func removeFile(_ path: String) throws(SystemError) {
        let result = uninterrupted { unlink(path) }
        if result < 0 { throw failure(-result, "unlink", path) }
    }

    public func removeDirectory(_ path: String) throws(SystemError) {
        let result = uninterrupted { rmdir(path) }
        if result < 0 { throw failure(-result, "rmdir", path) }
    }

    public func renameFile(_ source: String, to destination: String) throws(SystemError) {
        let result = uninterrupted { rename(source, destination) }
        if result < 0 { throw failure(-result, "rename", "\(source) -> \(destination)") }
    }

    public func renameFile(_ source: String, toNew destination: String) throws(SystemError) {
        let result = freehold_shim_rename_new(source, destination)
        if result < 0 { throw failure(-result, "renameat2", "\(source) -> \(destination)") }
    }

    public func status(of path: String) throws(SystemError) -> FileStatus? {
        var raw = stat()
        let result = uninterrupted { stat(path, &raw) }
        if result == -ENOENT || result == -ENOTDIR { return nil }
        if result < 0 { throw failure(-result, "stat", path) }
        return FileStatus(raw)
    }

    public func resolvePath(_ path: String) throws(SystemError) -> String {
        guard let resolved = realpath(path, nil) else { throw failure(errno, "realpath", path) }
        defer { free(resolved) }
        // Safe: realpath ends what it returns with a zero; it is ours until freed.
        return String(cString: resolved)
    }

    public func linkTarget(of path: String) throws(SystemError) -> String? {
        var target = [UInt8](repeating: 0, count: Int(PATH_MAX))
        // Safe: the call writes no more than the buffer's count.
        let count = uninterrupted {
            target.withUnsafeMutableBytes { readlink(path, $0.baseAddress.unsafelyUnwrapped.assumingMemoryBound(to: CChar.self), $0.count) }
        }
        if count == -Int(EINVAL) || count == -Int(ENOENT) { return nil }
        if count < 0 { throw failure(Int32(-count), "readlink", path) }
        return String(decoding: target[..<count], as: UTF8.self)
    }

    public func makeDirectory(_ path: String, permissions: UInt32) throws(SystemError) -> Bool {
        let result = uninterrupted { mkdir(path, mode_t(permissions)) }
        if result == -EEXIST {
            // A link to a directory is refused: names in it would be created or removed elsewhere.
            var raw = stat()
            let found = uninterrupted { lstat(path, &raw) }
            if found == 0 && raw.st_mode & S_IFMT == S_IFLNK { throw SystemError(code: ENOTDIR, call: "mkdir", path: path) }
            return false
        }
        if result < 0 { throw failure(-result, "mkdir", path) }
        return true
    }

    public func listDirectory(_ path: String) throws(SystemError) -> [String] {
        let descriptor = uninterrupted { open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC) }
        if descriptor < 0 { throw failure(-descriptor, "open", path) }
        guard let directory = fdopendir(descriptor) else {
            let code = errno
            Glibc.close(descriptor)
            throw failure(code, "fdopendir", path)
        }
        defer { closedir(directory) }
        var names: [String] = []
        while true {
            errno = 0
            guard let entry = readdir(directory) else {
                if errno != 0 { throw failure(errno, "readdir", path) }
                return names.sorted()
            }
            // Safe: d_name is ended by a zero, and lives until the next readdir.
            let name = withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
                String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
            }
            if name != "." && name != ".." { names.append(name) }
        }
    }

    public func synchronizeDirectory(_ path: String) throws(SystemError) {
        let descriptor = uninterrupted { open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC) }
        if descriptor < 0 { throw failure(-descriptor, "open", path) }
        defer { Glibc.close(descriptor) }
        let result = uninterrupted { fsync(descriptor) }
        // Some file systems cannot flush a directory, and keep its order on their own.
        if result < 0 && result != -EINVAL { throw failure(-result, "fsync", path) }
    }

    public func setPermissions(of path: String, like status: FileStatus) throws(SystemError) {
        let descriptor = uninterrupted { open(path, O_RDONLY | O_NONBLOCK | O_NOFOLLOW | O_NOCTTY | O_CLOEXEC) }
        if descriptor < 0 { throw failure(-descriptor, "open", path) }
        defer { Glibc.close(descriptor) }
        var raw = stat()
        let found = uninterrupted { fstat(descriptor, &raw) }
        if found < 0 { throw failure(-found, "fstat", path) }
        // The created file may have been replaced by another user's file, or by another name of one.
        guard raw.st_uid == geteuid(), raw.st_mode & S_IFMT == S_IFDIR || raw.st_nlink == 1 else {
            throw SystemError(code: EPERM, call: "fchmod", path: path)
        }
        try copyPermissions(of: status, to: descriptor) { failure($0, $1, path) }
    }

    public func fileSystem(of path: String) throws(SystemError) -> FileSystemStatus {
        let descriptor = uninterrupted { open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC) }
        if descriptor < 0 { throw failure(-descriptor, "open", path) }
        defer { Glibc.close(descriptor) }
        return try fileSystemStatus(descriptor, path)
    }
}

extension FileStatus {
    /// Converts the kernel's status.
    init(_ raw: stat) {
        let kind: FileKind =
            switch raw.st_mode & S_IFMT {
            case S_IFREG: .regular
            case S_IFDIR: .directory
            case S_IFIFO: .fifo
            default: .other
            }
        self.init(
            identity: FileIdentity(device: UInt64(raw.st_dev), inode: UInt64(raw.st_ino)),
            linkCount: Int(raw.st_nlink), length: Int(raw.st_size), permissions: UInt32(raw.st_mode & 0o7777),
            userID: UInt32(raw.st_uid), groupID: UInt32(raw.st_gid), kind: kind,
            storedLength: Int(raw.st_blocks) * 512)
    }
}

/// Gives an open file the group and permissions of another one. If the group cannot be set, so that the file keeps its
/// own, it gets only the permissions of others: no user may do more with it than with the original.
func copyPermissions(
    of status: FileStatus, to descriptor: Int32, _ error: (Int32, StaticString) -> SystemError
) throws(SystemError) {
    var permissions = status.permissions
    let owned = uninterrupted { fchown(descriptor, uid_t.max, gid_t(status.groupID)) }
    if owned < 0 && owned != -EPERM { throw error(-owned, "fchown") }
    if owned < 0 { permissions &= ~0o2070 | (permissions & 0o007) << 3 }
    let result = uninterrupted { fchmod(descriptor, mode_t(permissions)) }
    if result < 0 { throw error(-result, "fchmod") }
}
