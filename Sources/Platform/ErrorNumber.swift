import CShims

/// The error numbers that callers distinguish.
public enum ErrorNumber {
    public static let notPermitted = Int32(FREEHOLD_SHIM_EPERM)
    public static let notFound = Int32(FREEHOLD_SHIM_ENOENT)
    public static let inputOutput = Int32(FREEHOLD_SHIM_EIO)
    /// The program closed a descriptor of the library, or its number belongs to another file by now.
    public static let badDescriptor = Int32(FREEHOLD_SHIM_EBADF)
    public static let outOfMemory = Int32(FREEHOLD_SHIM_ENOMEM)
    public static let accessDenied = Int32(FREEHOLD_SHIM_EACCES)
    public static let isLink = Int32(FREEHOLD_SHIM_ELOOP)
    public static let exists = Int32(FREEHOLD_SHIM_EEXIST)
    public static let notADirectory = Int32(FREEHOLD_SHIM_ENOTDIR)
    public static let isADirectory = Int32(FREEHOLD_SHIM_EISDIR)
    // Allowed: the simulated system of the tests fails with it.
    public static let notEmpty = Int32(FREEHOLD_SHIM_ENOTEMPTY)
    // Allowed: the simulated system of the tests fails with it.
    public static let tooManyFiles = Int32(FREEHOLD_SHIM_EMFILE)
    public static let fileTooLarge = Int32(FREEHOLD_SHIM_EFBIG)
    public static let noSpace = Int32(FREEHOLD_SHIM_ENOSPC)
    public static let readOnlyFileSystem = Int32(FREEHOLD_SHIM_EROFS)
    // Allowed: the simulated system of the tests fails with it.
    public static let noLocks = Int32(FREEHOLD_SHIM_ENOLCK)
    // Allowed: the simulated system of the tests fails with it.
    public static let notSupported = Int32(FREEHOLD_SHIM_EOPNOTSUPP)
    public static let quotaExceeded = Int32(FREEHOLD_SHIM_EDQUOT)

    /// The system's message for an error number.
    public static func text(_ code: Int32) -> String {
        withUnsafeTemporaryAllocation(of: CChar.self, capacity: 128) { buffer in
            guard let start = buffer.baseAddress else { return "error \(code)" }
            freehold_shim_error_text(code, start, buffer.count)
            // Safe: the shim always ends the text with a zero within the buffer.
            return String(cString: start)
        }
    }
}
