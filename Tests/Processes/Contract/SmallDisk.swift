import Glibc
import TestKit

/// A file system in memory with room for little, mounted for as long as the value lives.
final class SmallDisk {
    static let isPermitted: Bool = {
        guard let folder = try? TemporaryFolder(), let disk = try? SmallDisk(folder.file("disk"), kilobytes: 64) else { return false }
        return withExtendedLifetime(disk) { true }
    }()

    private let path: String

    /// nil where mounting is not permitted.
    init?(_ path: String, kilobytes: Int) throws {
        self.path = path
        guard mkdir(path, 0o755) == 0, mount("", "tmpfs", kilobytes) else { return nil }
    }

    deinit {
        umount2(path, Int32(MNT_DETACH))
        rmdir(path)
    }

    func file(_ name: String) -> String { "\(path)/\(name)" }

    func resize(kilobytes: Int) -> Bool { mount("remount,", "tmpfs", kilobytes) }

    private func mount(_ option: String, _ type: String, _ kilobytes: Int) -> Bool {
        let arguments = ["-t", type, "-o", "\(option)size=\(kilobytes)k", "none", path]
        return (try? SpawnedProcess("/bin/mount", arguments).wait()) == .exited(0)
    }
}
