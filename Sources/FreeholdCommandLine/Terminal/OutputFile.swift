import Glibc

/// A file that appears under its name only when it is complete.
///
/// Until then it has a name of its own, `people.csv.partial-1f2e3d4c`, and is locked. So one that nobody has locked was left by a run that
/// was killed, and the next run that writes the same file removes it.
struct OutputFile {
    private let path: String
    private let partialPath: String
    private let descriptor: Int32
    /// Where to write.
    let output: Output

    /// Begins a file beside its final place.
    init(_ path: String) throws {
        self.path = path
        Self.removeLeftovers(of: path)
        while true {
            let digits = String(UInt32.random(in: .min ... .max), radix: 16)
            let partial = path + Self.suffix + String(repeating: "0", count: Self.digits - digits.utf8.count) + digits
            let descriptor = open(partial, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o666)
            if descriptor < 0 {
                if errno == EEXIST { continue }
                throw Failure("\(path) cannot be written: \(String(cString: strerror(errno)))")
            }
            // Another run may have taken it for a leftover before it was locked.
            if Self.isOwn(descriptor, partial) {
                (partialPath, self.descriptor) = (partial, descriptor)
                break
            }
            close(descriptor)
        }
        output = Output(descriptor: descriptor, name: path)
    }

    /// Gives the complete file its name.
    func finish() throws {
        do {
            try output.flush()
        } catch {
            discard()
            throw error
        }
        guard rename(partialPath, path) == 0 else {
            let reason = String(cString: strerror(errno))
            discard()
            throw Failure("\(path) cannot be written: \(reason)")
        }
        close(descriptor)
    }

    /// Takes the incomplete file away.
    func discard() {
        unlink(partialPath)
        close(descriptor)
    }

    private static let suffix = ".partial-"
    private static let digits = 8

    /// Locks the file and tells whether it still has its name. Where files cannot be locked, it is taken for locked.
    private static func isOwn(_ descriptor: Int32, _ path: String) -> Bool {
        if flock(descriptor, LOCK_EX | LOCK_NB) != 0, errno == EWOULDBLOCK { return false }
        var opened = stat(), named = stat()
        return fstat(descriptor, &opened) == 0 && lstat(path, &named) == 0
            && opened.st_ino == named.st_ino && opened.st_dev == named.st_dev
    }

    private static func removeLeftovers(of path: String) {
        let slash = path.lastIndex(of: "/")
        let name = slash.map { String(path[path.index(after: $0)...]) } ?? path
        let folder = slash.map { String(path[...$0]) } ?? ""
        guard let directory = opendir(folder.isEmpty ? "." : folder) else { return }
        defer { closedir(directory) }
        let prefix = name + suffix
        while let entry = readdir(directory) {
            // Safe: d_name is ended by a zero, and lives until the next readdir.
            let found = withUnsafeBytes(of: &entry.pointee.d_name) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
            if found.hasPrefix(prefix), found.utf8.count == prefix.utf8.count + digits { removeLeftover(folder + found) }
        }
    }

    private static func removeLeftover(_ path: String) {
        let descriptor = open(path, O_WRONLY | O_NOFOLLOW | O_CLOEXEC)
        guard descriptor >= 0 else { return }
        defer { close(descriptor) }
        guard flock(descriptor, LOCK_EX | LOCK_NB) == 0, isOwn(descriptor, path) else { return }
        unlink(path)
    }
}
