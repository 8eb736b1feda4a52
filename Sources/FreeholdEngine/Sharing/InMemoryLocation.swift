import Platform

/// The location of an in-memory database: its files lie in the machine's memory, in a folder of the user's own.
enum InMemoryLocation {
    static let root = "/dev/shm"

    static func paths(of identifier: String, _ system: any System) throws(FreeholdError) -> SessionPaths {
        guard !identifier.isEmpty, identifier.utf8.count <= 200,
            identifier.utf8.allSatisfy({ $0 > 0x20 && $0 != 0x2F && $0 != 0x7F }), !identifier.hasPrefix(".")
        else {
            throw FreeholdError(
                .invalidArgument, "an in-memory identifier has 1 to 200 bytes, no slash, space or control character, and "
                    + "does not begin with a dot", path: identifier)
        }
        return SessionPaths(data: try folder(system) + "/" + identifier + ".freehold")
    }

    /// The user's folder, created if necessary. Another user's folder under that name is refused.
    private static func folder(_ system: any System) throws(FreeholdError) -> String {
        do {
            let user = try system.status(of: "/proc/self")?.userID ?? 0
            let path = root + "/freehold-\(user)"
            _ = try system.makeDirectory(path, permissions: 0o700)
            guard let status = try system.status(of: path), status.kind == .directory, status.userID == user,
                status.permissions & 0o077 == 0, try system.resolvePath(path) == path
            else {
                throw FreeholdError(
                    .permissionDenied, "the folder of in-memory databases must be yours alone; remove it", path: path)
            }
            return path
        } catch { throw FreeholdError(any: error, "make the folder of in-memory databases") }
    }
}
