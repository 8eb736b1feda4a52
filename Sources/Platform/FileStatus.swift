/// The status of a path or an open file.
public struct FileStatus: Sendable, Equatable {
    /// Device and inode: the same for all names of one file.
    public var identity: FileIdentity
    /// Number of hard links; 0 once the last name is removed.
    public var linkCount: Int
    /// Length in bytes.
    public var length: Int
    /// Permission bits (the lowest twelve of the mode).
    public var permissions: UInt32
    /// Owner.
    public var userID: UInt32
    /// Owner group.
    public var groupID: UInt32
    /// The type of the file.
    public var kind: FileKind
    /// Bytes of storage of the file; less than `length` for a file with holes.
    public var storedLength: Int

    public init(
        identity: FileIdentity, linkCount: Int, length: Int, permissions: UInt32, userID: UInt32, groupID: UInt32,
        kind: FileKind, storedLength: Int
    ) {
        self.identity = identity
        self.linkCount = linkCount
        self.length = length
        self.permissions = permissions
        self.userID = userID
        self.groupID = groupID
        self.kind = kind
        self.storedLength = storedLength
    }
}

/// Whether an open file is still the same: its identity, its number of names, its length.
public struct FileStanding: Sendable, Equatable {
    /// Device and inode: the same for all names of one file.
    public var identity: FileIdentity
    /// Number of hard links; 0 once the last name is removed.
    public var linkCount: Int
    /// Length in bytes.
    public var length: Int

    public init(identity: FileIdentity, linkCount: Int, length: Int) {
        self.identity = identity
        self.linkCount = linkCount
        self.length = length
    }
}

/// The identity of a file, independent of its name.
public struct FileIdentity: Sendable, Hashable {
    public var device: UInt64
    public var inode: UInt64

    public init(device: UInt64, inode: UInt64) {
        self.device = device
        self.inode = inode
    }
}

/// The type of file that a name refers to.
public enum FileKind: Sendable, Equatable {
    case regular, directory, fifo, other
}

/// How a file is opened.
public enum OpenMode: Sendable, Equatable {
    /// An existing file, for reading.
    case readOnly
    /// An existing file, for reading and writing.
    case readWrite
    /// An existing file, for reading and writing; a symbolic link is an error (`ErrorNumber.isLink`).
    case readWriteUnlinked
    /// A new file, for reading and writing; an error (`ErrorNumber.exists`) if the name is taken. The permissions are
    /// reduced by the process's mask.
    case createExclusive(permissions: UInt32)
}

/// How a range of a file will be used.
public enum AccessAdvice: Sendable, Equatable {
    case sequential, random, willNeed, willNotNeed
}
