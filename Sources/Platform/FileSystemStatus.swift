/// Types of file systems, as far as they matter for sharing a file and for the meaning of a flush.
public enum FileSystemKind: Sendable, Equatable {
    case ext4, xfs, btrfs, f2fs, tmpfs, overlay, nfs, fuse, ninep, virtiofs
    /// An unknown type, with the kernel's number for it.
    case other(UInt64)
}

/// A file system's type, and whether it is writable.
public struct FileSystemStatus: Sendable, Equatable {
    public var kind: FileSystemKind
    public var isReadOnly: Bool

    public init(kind: FileSystemKind, isReadOnly: Bool) {
        self.kind = kind
        self.isReadOnly = isReadOnly
    }
}
