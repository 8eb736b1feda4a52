extension FreeholdError {
    /// A reason, by number. The thousands digit is the band.
    public struct Code: RawRepresentable, Hashable, Sendable {
        public let rawValue: Int32
        public init(rawValue: Int32) { self.rawValue = rawValue }
    }

    /// The kinds of reasons: what a caller can do differs by band.
    public enum Band: Int32, Sendable {
        /// The file or the system around it refused.
        case file = 1
        /// Bytes are not what was written.
        case damaged = 2
        /// The call came at the wrong moment.
        case state = 3
        /// The call's arguments are wrong.
        case argument = 4
        /// A limit was met.
        case limit = 5
    }
}

extension FreeholdError.Code {
    /// The band this code belongs to.
    public var band: FreeholdError.Band { FreeholdError.Band(rawValue: rawValue / 1000) ?? .state }

    /// Reading, writing or flushing failed.
    public static let io = Self(rawValue: 1001)
    /// The disk or the quota is full; nothing was changed.
    public static let diskFull = Self(rawValue: 1002)
    /// No such file or folder.
    public static let notFound = Self(rawValue: 1003)
    /// The system does not let this user do that.
    public static let permissionDenied = Self(rawValue: 1004)
    /// The file is not a Freehold database.
    public static let notADatabase = Self(rawValue: 1005)
    /// The file needs a newer Freehold.
    public static let unsupportedFormat = Self(rawValue: 1006)
    /// The encryption key does not fit the file.
    public static let wrongKey = Self(rawValue: 1007)
    /// The file system cannot share a database safely.
    public static let unsupportedFileSystem = Self(rawValue: 1008)
    /// The file was removed or replaced behind the engine's back.
    public static let fileReplaced = Self(rawValue: 1009)
    /// Another process uses the file in a way that forbids this.
    public static let inUse = Self(rawValue: 1010)
    /// The file already exists.
    public static let alreadyExists = Self(rawValue: 1011)
    /// The database or its medium is read-only.
    public static let readOnly = Self(rawValue: 1012)
    /// The operating system refused for another reason.
    public static let system = Self(rawValue: 1013)

    /// The file is encrypted and no key was given.
    public static let keyMissing = Self(rawValue: 1014)
    /// A key was given and the file is not encrypted.
    public static let notEncrypted = Self(rawValue: 1015)
    /// The library that encrypts is not installed.
    public static let encryptionUnavailable = Self(rawValue: 1016)

    /// A block, root or header does not match its checksum or structure.
    public static let corrupt = Self(rawValue: 2001)
    /// The file is shorter than its root says.
    public static let truncated = Self(rawValue: 2002)
    /// The file was copied while it was open.
    public static let copiedWhileOpen = Self(rawValue: 2003)

    /// Another writer held the lock until the timeout.
    public static let busy = Self(rawValue: 3001)
    /// The handle is closed.
    public static let closed = Self(rawValue: 3002)
    /// The handle was inherited over a fork.
    public static let forked = Self(rawValue: 3003)
    /// A write needs a write transaction.
    public static let notInWrite = Self(rawValue: 3004)
    /// A write transaction is already open.
    public static let alreadyInWrite = Self(rawValue: 3005)
    /// The kernel freed this process's liveness lock (a descriptor was closed); reopen.
    public static let leaseLost = Self(rawValue: 3006)
    /// The commit is applied but was not flushed before the timeout.
    public static let notYetDurable = Self(rawValue: 3007)
    /// The object was deleted.
    public static let objectDeleted = Self(rawValue: 3008)
    /// A parked snapshot's version was taken away; refresh it.
    public static let revoked = Self(rawValue: 3009)
    /// An import was stopped by the program; opening the database again continues it.
    public static let importStopped = Self(rawValue: 3010)

    /// A value's type does not fit the property.
    public static let typeMismatch = Self(rawValue: 4001)
    /// Null for a required property.
    public static let notNullable = Self(rawValue: 4002)
    /// No such property.
    public static let unknownProperty = Self(rawValue: 4003)
    /// No such class.
    public static let unknownClass = Self(rawValue: 4004)
    /// An object with this key, or a unique value, exists.
    public static let duplicateKey = Self(rawValue: 4005)
    /// No object with this key.
    public static let noSuchObject = Self(rawValue: 4006)
    /// A name, size or option is not acceptable.
    public static let invalidArgument = Self(rawValue: 4007)
    /// The schema asked for contradicts the file's.
    public static let schemaMismatch = Self(rawValue: 4008)
    /// Text given to an importer or parser is malformed.
    public static let malformedInput = Self(rawValue: 4009)
    /// A property's delete rule forbids it: the object still links to another.
    public static let deleteDenied = Self(rawValue: 4010)

    /// A value is larger than the format can hold.
    public static let valueTooLarge = Self(rawValue: 5001)
    /// Memory or address space for a mapping was not available.
    public static let outOfMemory = Self(rawValue: 5002)
}
