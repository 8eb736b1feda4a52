import Platform

/// Decides which file systems can hold a database that processes share.
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

    /// Reopens a file to be read, where necessary, so that its mapping shows what writers write.
    ///
    /// An overlay copies a file up when it is first opened for writing, and a mapping created before shows the old file
    /// for ever. So the file is opened for writing, though nothing is written. A process without that permission must
    /// not read beside writers (`mustReadAlone`).
    static func copiedUp(
        _ file: any File, _ path: String, _ system: any System
    ) throws(FreeholdError) -> (any File, mustReadAlone: Bool) {
        do {
            let status = try file.fileSystem()
            guard status.kind == .overlay, !status.isReadOnly else { return (file, false) }
            let copied: any File
            do { copied = try system.openFile(path, .readWrite) } catch {
                let isForbidden = [ErrorNumber.accessDenied, ErrorNumber.notPermitted, ErrorNumber.readOnlyFileSystem].contains(error.code)
                guard isForbidden else { throw error }
                return (file, true)
            }
            file.close()
            return (copied, false)
        } catch {
            file.close()
            throw FreeholdError(any: error, "open the database")
        }
    }

    private static func refusal(of kind: FileSystemKind) -> String? {
        switch kind {
        // An overlay's file is opened for writing before it is mapped (`copiedUp`).
        case .ext4, .xfs, .btrfs, .f2fs, .tmpfs, .overlay, .other: nil
        case .nfs: "NFS: machines do not see one another's memory, and locks may be lost"
        case .fuse: "FUSE: memory mappings of one file need not agree there"
        case .ninep: "9p: memory mappings of one file need not agree there"
        case .virtiofs: "virtiofs: the machines on both sides do not share memory"
        }
    }
}
