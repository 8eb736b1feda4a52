import Glibc

/// A file that appears under its name only when it is complete.
///
/// 1. Until then it has no name at all (`O_TMPFILE`), so a killed program leaves nothing. Where the file system has no such files, it is called
///    `NAME.unfinished` and is locked; the next one for the same name takes over what a killed program left.
/// 2. A name that is there and is no regular file (a pipe, a device) is written to as it is, and stays. A symbolic link stays too: the file
///    it leads to is replaced.
struct OutputFile {
    private enum Kind {
        /// Has no name yet.
        case unnamed
        /// Has its name with `.unfinished` behind it.
        case unfinished
        /// Was there before and is no regular file.
        case special
    }

    /// `O_TMPFILE`, which is no constant that Swift sees.
    private static let withoutName: Int32 = 0o20000000 | O_DIRECTORY

    private let path: String
    private let descriptor: Int32
    private let kind: Kind
    /// Where to write.
    let output: Output

    private var unfinishedPath: String { "\(path).unfinished" }

    /// Begins a file.
    /// - Parameter hasName: whether it has a name from the beginning, even if it could do without.
    init(_ name: String, hasName: Bool = false) throws(Failure) {
        var status = stat()
        let isThere = stat(name, &status) == 0, format = status.st_mode & S_IFMT
        if isThere, format == S_IFDIR { throw Self.refused(name, EISDIR) }
        if isThere, format != S_IFREG {
            path = name
            (descriptor, kind) = (open(name, O_WRONLY | O_CLOEXEC), .special)
        } else {
            path = isThere ? Self.resolved(name) : name
            let unnamed = hasName ? -1 : open(Self.folder(of: path), Self.withoutName | O_WRONLY | O_CLOEXEC, 0o666)
            (descriptor, kind) = unnamed >= 0 ? (unnamed, .unnamed) : (try Self.openUnfinished("\(path).unfinished", for: name), .unfinished)
        }
        guard descriptor >= 0 else { throw Self.refused(name, errno) }
        output = Output(descriptor: descriptor, name: name)
    }

    /// Gives the complete file its name.
    func finish() throws {
        do {
            try output.flush()
            if kind == .unnamed { try nameUnnamed() }
        } catch {
            discard()
            throw error
        }
        if kind == .unfinished, rename(unfinishedPath, path) != 0 {
            let failure = Self.refused(path, errno)
            discard()
            throw failure
        }
        // Some file systems tell only now that they had no room.
        guard close(descriptor) == 0 else { throw Self.refused(path, errno) }
    }

    /// Takes the incomplete file away.
    func discard() {
        if kind == .unfinished { unlink(unfinishedPath) }
        close(descriptor)
    }

    /// Gives the unnamed file the name, in the place of a file that has it.
    private func nameUnnamed() throws(Failure) {
        let own = "/proc/self/fd/\(descriptor)"
        if linkat(AT_FDCWD, own, AT_FDCWD, path, AT_SYMLINK_FOLLOW) == 0 { return }
        guard errno == EEXIST else { throw Self.refused(path, errno) }
        // A link does not replace a file, a renaming does: it needs a name to come from.
        let lock = try Self.openUnfinished(unfinishedPath, for: path)
        defer { close(lock) }
        unlink(unfinishedPath)
        guard linkat(AT_FDCWD, own, AT_FDCWD, unfinishedPath, AT_SYMLINK_FOLLOW) == 0, rename(unfinishedPath, path) == 0 else {
            let failure = Self.refused(path, errno)
            unlink(unfinishedPath)
            throw failure
        }
    }

    /// Opens the file that is called by this name until it is complete, locks it and empties it.
    private static func openUnfinished(_ path: String, for name: String) throws(Failure) -> Int32 {
        while true {
            let descriptor = open(path, O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o666)
            guard descriptor >= 0 else { throw refused(name, errno) }
            var own = stat(), named = stat()
            let isLocked = flock(descriptor, LOCK_EX | LOCK_NB) == 0
            // Whoever had it may have renamed it just now; then the name is to be taken again.
            if isLocked, fstat(descriptor, &own) == 0, lstat(path, &named) == 0, own.st_ino == named.st_ino, own.st_dev == named.st_dev {
                if ftruncate(descriptor, 0) == 0 { return descriptor }
                let failure = refused(name, errno)
                close(descriptor)
                throw failure
            }
            close(descriptor)
            if !isLocked { throw Failure("\(name) cannot be written: another program is writing \(path)") }
        }
    }

    private static func folder(of path: String) -> String {
        guard let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")) else { return "." }
        return slash == path.startIndex ? "/" : String(path[..<slash])
    }

    /// Where a name leads to, by way of symbolic links.
    private static func resolved(_ name: String) -> String {
        guard let resolved = realpath(name, nil) else { return name }
        defer { free(resolved) }
        return String(cString: resolved)
    }

    private static func refused(_ path: String, _ code: Int32) -> Failure {
        Failure("\(path) cannot be written: \(String(cString: strerror(code)))")
    }
}
