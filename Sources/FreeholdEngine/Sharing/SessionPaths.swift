import Platform

/// The names of one database's files.
struct SessionPaths: Equatable, Sendable {
    let data: String
    var lock: String { data + ".lock" }
    /// The folder of the notify pipes and of the sidecar of sync: `x.freehold` has `x.freehold.management`.
    var management: String { data + ".management" }

    private static let slash = UInt8(ascii: "/")

    // Paths are compared by bytes: a slash with a combining mark after it is one character, and canonically equivalent
    // names are two files.

    /// The folder that contains a path.
    static func folder(of path: String) -> String {
        guard let slash = path.utf8.lastIndex(of: slash) else { return "." }
        return slash == path.startIndex ? "/" : String(path[..<slash])
    }

    /// The last component of a path.
    static func name(of path: String) -> String {
        path.utf8.lastIndex(of: slash).map { String(path[path.utf8.index(after: $0)...]) } ?? path
    }

    /// Maximum number of symbolic links to follow, the same as the kernel's.
    private static let mostLinks = 40

    /// The paths beside the real file, after all symbolic links are followed. A name that does not exist yet is
    /// resolved by its folder, and a symbolic link to one by that name's folder, which must exist.
    static func resolve(_ path: String, _ system: any System) throws(FreeholdError) -> SessionPaths {
        guard !path.isEmpty, !path.utf8.contains(0) else {
            throw FreeholdError(.invalidArgument, "a database's path must not be empty or hold a zero byte", path: path)
        }
        var path = path
        for _ in 0...mostLinks {
            do { return SessionPaths(data: try system.resolvePath(path)) } catch {
                guard error.code == ErrorNumber.notFound else { throw FreeholdError(error, "find the file") }
            }
            let folder = folder(of: path), name = name(of: path)
            let resolved = try translating("find the folder") { () throws(SystemError) in try system.resolvePath(folder) }
            let found = resolved == "/" ? "/" + name : resolved + "/" + name
            let target = try translating("follow the symbolic link") { () throws(SystemError) in try system.linkTarget(of: found) }
            guard let target else { return SessionPaths(data: found) }
            path = target.utf8.first == slash ? target : resolved + "/" + target
        }
        throw FreeholdError(.notFound, "more than \(mostLinks) symbolic links lead to the file", path: path)
    }
}
