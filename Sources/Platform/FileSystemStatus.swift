/// Kinds of file systems, as far as they matter to sharing a file and to what a flush means.
public enum FileSystemKind: Sendable, Equatable {
    case ext4, xfs, btrfs, f2fs, tmpfs, overlay, nfs, fuse, ninep, virtiofs
    /// An unknown kind, with the kernel's number for it.
    case other(UInt64)
}

/// A file system's kind and whether it may be written to.
public struct FileSystemStatus: Sendable, Equatable {
    public var kind: FileSystemKind
    public var isReadOnly: Bool

    public init(kind: FileSystemKind, isReadOnly: Bool) {
        self.kind = kind
        self.isReadOnly = isReadOnly
    }
}
