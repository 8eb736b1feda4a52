import Glibc

/// A file that appears under its name only when it is complete.
///
/// 1. Until then it has no name at all (`O_TMPFILE`), so a killed program leaves nothing. On a file system without
///    `O_TMPFILE` it is named `NAME.unfinished` and locked; the next output file for the same name takes over what a
///    killed program left.
/// 2. An existing name that is not a regular file (a pipe, a device) is written to directly and kept. A symbolic link
///    is kept too: the file it points to is replaced.
struct OutputFile {
    private enum Kind {
        /// Has no name yet.
        case unnamed
        /// Has its name followed by `.unfinished`.
        case unfinished
        /// Existed before and is not a regular file.
        case special
    }

    /// `O_TMPFILE`, a constant that Swift does not import.
    private static let withoutName: Int32 = 0o20000000 | O_DIRECTORY

    private let path: String
    private let descriptor: Int32
    private let kind: Kind
    /// The path of the file.
    let output: Output

    private var unfinishedPath: String { "\(path).unfinished" }

    /// Begins a file.
    /// - Parameter hasName: whether to give it a name from the beginning, even if the file system can do without.
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
        // Some file systems report a lack of space only now.
        guard close(descriptor) == 0 else { throw Self.refused(path, errno) }
    }

    /// Removes the incomplete file.
    func discard() {
        if kind == .unfinished { unlink(unfinishedPath) }
        close(descriptor)
    }

    /// Gives the unnamed file its name, replacing an existing file.
    private func nameUnnamed() throws(Failure) {
        let own = "/proc/self/fd/\(descriptor)"
        if linkat(AT_FDCWD, own, AT_FDCWD, path, AT_SYMLINK_FOLLOW) == 0 { return }
        guard errno == EEXIST else { throw Self.refused(path, errno) }
        // A link cannot replace a file, a rename can: it needs a name to rename.
        let lock = try Self.openUnfinished(unfinishedPath, for: path)
        defer { close(lock) }
        unlink(unfinishedPath)
        guard linkat(AT_FDCWD, own, AT_FDCWD, unfinishedPath, AT_SYMLINK_FOLLOW) == 0, rename(unfinishedPath, path) == 0 else {
            let failure = Self.refused(path, errno)
            unlink(unfinishedPath)
            throw failure
        }
    }

    /// Opens the file under its temporary name, locks it and truncates it.
    private static func openUnfinished(_ path: String, for name: String) throws(Failure) -> Int32 {
        while true {
            let descriptor = open(path, O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o666)
            guard descriptor >= 0 else { throw refused(name, errno) }
            var own = stat(), named = stat()
            let isLocked = flock(descriptor, LOCK_EX | LOCK_NB) == 0
            // Another process may just have renamed it; then the name is opened again.
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

    /// The path that a name resolves to through symbolic links.
    private static func resolved(_ name: String) -> String {
        guard let resolved = realpath(name, nil) else { return name }
        defer { free(resolved) }
        return String(cString: resolved)
    }

    private static func refused(_ path: String, _ code: Int32) -> Failure {
        Failure("\(path) cannot be written: \(String(cString: strerror(code)))")
    }
}
