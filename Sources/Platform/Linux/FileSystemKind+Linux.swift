import CShims
import Glibc

/// The type of an open file's file system.
func fileSystemStatus(_ descriptor: Int32, _ path: String) throws(SystemError) -> FileSystemStatus {
    var number: UInt64 = 0
    var readOnly: Int32 = 0
    let result = freehold_shim_file_system(descriptor, &number, &readOnly)
    if result < 0 { throw failure(-result, "fstatfs", path) }
    var kind = FileSystemKind(number: number)
    if kind == .fuse && mountedAsVirtiofs(descriptor) { kind = .virtiofs }
    return FileSystemStatus(kind: kind, isReadOnly: readOnly != 0)
}

extension FileSystemKind {
    /// From the kernel's number (`linux/magic.h`).
    init(number: UInt64) {
        switch number {
        case 0xEF53: self = .ext4
        case 0x5846_5342: self = .xfs
        case 0x9123_683E: self = .btrfs
        case 0xF2F5_2010: self = .f2fs
        case 0x0102_1994: self = .tmpfs
        case 0x794C_7630: self = .overlay
        case 0x6969: self = .nfs
        case 0x6573_5546: self = .fuse
        case 0x0102_1997: self = .ninep
        default: self = .other(number)
        }
    }
}

/// virtiofs has FUSE's number; only the list of mounts distinguishes them, by the file's device.
private func mountedAsVirtiofs(_ descriptor: Int32) -> Bool {
    var raw = stat()
    guard fstat(descriptor, &raw) == 0, let mounts = contents(of: "/proc/self/mountinfo") else { return false }
    let device = UInt64(raw.st_dev)
    let major = (device >> 8 & 0xFFF) | (device >> 32 & ~0xFFF)
    let minor = (device & 0xFF) | (device >> 12 & ~0xFF)
    return mounts.split(separator: "\n").contains { line in
        // id parent major:minor root where options [more…] - type source options
        let words = line.split(separator: " ")
        guard words.count > 6, words[2] == "\(major):\(minor)", let dash = words.firstIndex(of: "-") else {
            return false
        }
        return words.dropFirst(dash + 1).first == "virtiofs"
    }
}

/// Reads a small file of the kernel, which reports no length; nil if it cannot be read.
func contents(of path: String) -> String? {
    let descriptor = uninterrupted { open(path, O_RDONLY | O_CLOEXEC) }
    if descriptor < 0 { return nil }
    defer { Glibc.close(descriptor) }
    var bytes: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 4096)
    while true {
        let count = uninterrupted { read(descriptor, &buffer, buffer.count) }
        if count < 0 { return nil }
        if count == 0 { return String(decoding: bytes, as: UTF8.self) }
        bytes += buffer[..<count]
    }
}
