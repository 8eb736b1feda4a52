import Glibc

/// Another program of Freehold, in the folder of this one or in one of the folders of PATH.
struct SiblingProgram {
    let path: String

    /// Finds the program; nil if there is none.
    init?(_ name: String) {
        let folders = [Self.ownFolder].compactMap { $0 } + Self.searchFolders
        guard let found = folders.lazy.map({ "\($0)/\(name)" }).first(where: Self.isProgram) else { return nil }
        path = found
    }

    /// Runs the program in place of this one, which keeps the process and its terminal. Returns only if that fails.
    func replaceThisProcess(_ arguments: [String]) -> Failure {
        // A signal that is ignored stays ignored in the next program, which expects the usual effect.
        signal(SIGPIPE, SIG_DFL)
        let words = ([path] + arguments).map { strdup($0) } + [nil]
        defer { words.forEach { free($0) } }
        execv(path, words)
        let code = errno
        signal(SIGPIPE, SIG_IGN)
        return Failure("\(path) cannot be started: \(String(cString: strerror(code)))")
    }

    private static var ownFolder: String? {
        guard let path = realpath("/proc/self/exe", nil) else { return nil }
        defer { free(path) }
        return String(cString: path).split(separator: "/", omittingEmptySubsequences: false).dropLast().joined(separator: "/")
    }

    /// The folders of PATH; an empty one, which would be the current folder, is left out.
    private static var searchFolders: [String] {
        getenv("PATH").map { String(cString: $0).split(separator: ":").map(String.init) } ?? []
    }

    private static func isProgram(_ path: String) -> Bool {
        var status = stat()
        return stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFREG && access(path, X_OK) == 0
    }
}
