import Platform

extension SpawnedProcess {
    /// Starts a program in a pid namespace of its own, as in a container. Killing the value kills it too, a moment later.
    /// - Returns: nil where this machine does not let the test make namespaces.
    public static func inNewProcessNamespace(
        _ program: String, _ arguments: [String] = [], environment: [String: String] = [:]
    ) throws -> SpawnedProcess? {
        guard let options = namespaceOptions else { return nil }
        return try SpawnedProcess(unshare, options + [path(of: program)] + arguments, environment: environment)
    }

    /// What `unshare` needs here; nil if nothing helps.
    private static let namespaceOptions: [String]? = {
        let plain = ["--pid", "--fork", "--kill-child"]
        return [plain, ["--user", "--map-root-user"] + plain].first { options in
            guard let attempt = try? SpawnedProcess(unshare, options + ["/bin/true"]) else { return false }
            return attempt.wait() == .exited(0)
        }
    }()

    /// Starts a program that sees one file in the place of another, as in a container.
    /// - Returns: nil where this machine does not let the test mount files.
    public static func withMountedOver(
        _ place: String, by file: String, _ program: String, _ arguments: [String] = []
    ) throws -> SpawnedProcess? {
        let mount = ["/bin/sh", "-c", "mount --bind \"$0\" \"$1\" && shift && exec \"$@\"", file, place]
        let options = [["--mount"], ["--user", "--map-root-user", "--mount"]].first { options in
            guard let attempt = try? SpawnedProcess(unshare, options + mount + ["/bin/true"]) else { return false }
            return attempt.wait() == .exited(0)
        }
        guard let options else { return nil }
        return try SpawnedProcess(unshare, options + mount + [path(of: program)] + arguments)
    }

    private static let unshare = "/usr/bin/unshare"
}
