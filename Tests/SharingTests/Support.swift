import Platform

@testable import FreeholdEngine

/// A folder of a test's own, removed with it.
final class TemporaryFolder {
    let path: String

    init(_ root: String = "/tmp") throws {
        var random: UInt64 = 0
        withUnsafeMutableBytes(of: &random) { LinuxSystem.shared.fillRandom($0) }
        path = root + "/freehold-sharing-" + String(random, radix: 36)
        _ = try LinuxSystem.shared.makeDirectory(path, permissions: 0o755)
    }

    deinit { remove(path) }

    private func remove(_ path: String) {
        let system = LinuxSystem.shared
        for name in (try? system.listDirectory(path)) ?? [] {
            let inner = path + "/" + name
            if (try? system.status(of: inner))??.kind == .directory { remove(inner) } else { try? system.removeFile(inner) }
        }
        try? system.removeDirectory(path)
    }

    func callAsFunction(_ name: String = "x.freehold") -> String { path + "/" + name }
}
