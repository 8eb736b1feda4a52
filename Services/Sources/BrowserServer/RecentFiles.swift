import Foundation

/// The files that were opened last, in a file of the user's state folder.
enum RecentFiles {
    private static let limit = 20

    private static var location: URL? {
        let environment = ProcessInfo.processInfo.environment
        let state = environment["XDG_STATE_HOME"].map { URL(fileURLWithPath: $0) }
            ?? environment["HOME"].map { URL(fileURLWithPath: $0).appendingPathComponent(".local/state") }
        return state?.appendingPathComponent("freehold/recent")
    }

    /// Those that still exist, the last one first.
    static var paths: [String] {
        guard let location, let text = try? String(contentsOf: location, encoding: .utf8) else { return [] }
        return text.split(separator: "\n").map(String.init).filter { FileManager.default.fileExists(atPath: $0) }
    }

    /// Remembers a file. Nothing depends on it, so what goes wrong is not told.
    static func note(_ path: String) {
        guard let location, !path.contains("\n") else { return }
        let lines = ([path] + paths.filter { $0 != path }).prefix(limit).joined(separator: "\n") + "\n"
        try? FileManager.default.createDirectory(at: location.deletingLastPathComponent(), withIntermediateDirectories: true)
        try? Data(lines.utf8).write(to: location, options: .atomic)
    }
}
