import BrowserData
import Glibc

/// The room on the disk of a file. An upload must not take the last of it: other programs could not even open the file then.
enum DiskRoom {
    /// What is to be left, of a large disk.
    private static let margin = 64 << 20

    /// Throws `.tooLarge` if so many more bytes would leave too little.
    static func require(_ count: Int, beside path: String) throws(BrowserError) {
        var status = statvfs()
        guard statvfs(path, &status) == 0 else { return }
        let unit = UInt64(status.f_frsize), free = UInt64(status.f_bavail) * unit, whole = UInt64(status.f_blocks) * unit
        let left = min(UInt64(margin), whole / 8)
        guard free >= UInt64(count) + left else {
            throw BrowserError(.tooLarge, "the disk has \(free >> 20) MiB left, too little for this upload; nothing was changed")
        }
    }
}
