import Platform

/// Which file systems can hold a database that processes share.
enum FileSystemPolicy {
    static func check(
        _ status: FileSystemStatus, _ path: String, isWritable: Bool
    ) throws(FreeholdError) {
        if let reason = refusal(of: status.kind) {
            throw FreeholdError(
                .unsupportedFileSystem, "a database cannot be shared on \(reason); put it on a local disk (ext4, xfs, "
                    + "btrfs, f2fs) or on tmpfs", path: path)
        }
        if isWritable && status.isReadOnly {
            throw FreeholdError(
                .readOnly, "the file system is mounted read-only; open the database for reading only", path: path)
        }
    }

    private static func refusal(of kind: FileSystemKind) -> String? {
        switch kind {
        // An overlay's file is opened for writing before it is mapped, so the mapping shows the copy that is written.
        case .ext4, .xfs, .btrfs, .f2fs, .tmpfs, .overlay, .other: nil
        case .nfs: "NFS: machines do not see one another's memory, and locks may be lost"
        case .fuse: "FUSE: memory mappings of one file need not agree there"
        case .ninep: "9p: memory mappings of one file need not agree there"
        case .virtiofs: "virtiofs: the machines on both sides do not share memory"
        }
    }
}
