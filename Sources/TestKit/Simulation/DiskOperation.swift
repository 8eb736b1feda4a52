import Platform

/// One thing that reached the simulated kernel and may, or may not yet, have reached the disk.
enum DiskOperation {
    case write(inode: Int, offset: Int, bytes: [UInt8])
    case setLength(inode: Int, length: Int)
    case punch(inode: Int, offset: Int, length: Int)
    /// A page found changed through a writable mapping.
    case mappedStore(inode: Int, offset: Int, bytes: [UInt8])
    /// Everything of the file logged before `upTo` is durable. (A flush takes time; what was written meanwhile is not.)
    case synchronize(inode: Int, upTo: Int)
    /// The flush failed: of everything logged before `upTo`, some reached the disk and the rest is forgotten, because
    /// the kernel holds the pages clean all the same.
    case synchronizeFailed(inode: Int, upTo: Int)
    case link(path: String, inode: Int)
    case unlink(path: String)
    case rename(source: String, destination: String)
    /// Changes of names in the directory are durable.
    case synchronizeNames(directory: String)

    /// The file whose bytes it changes, if it does.
    var changedInode: Int? {
        switch self {
        case .write(let inode, _, _), .setLength(let inode, _), .punch(let inode, _, _),
            .mappedStore(let inode, _, _):
            inode
        default: nil
        }
    }

    /// The directories whose names it changes.
    var changedDirectories: [String] {
        switch self {
        case .link(let path, _), .unlink(let path): [parentFolder(of: path)]
        case .rename(let source, let destination): [parentFolder(of: source), parentFolder(of: destination)]
        default: []
        }
    }
}

/// `/a` of `/a/b`; what has no folder lies in the root.
func parentFolder(of path: String) -> String {
    guard let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")), slash != path.startIndex else { return "/" }
    return String(path[..<slash])
}
