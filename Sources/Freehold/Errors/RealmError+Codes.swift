/// The error codes by short names: `catch Realm.Error.fileNotFound { … }`.
extension RealmError {
    /// Any other error; the message describes it (`Code.fail`).
    public static var fail: Code { .fail }
    /// Reading or writing failed, or the file was replaced (`Code.fileAccess`).
    public static var fileAccess: Code { .fileAccess }
    /// Permission is missing, or the medium is read-only (`Code.filePermissionDenied`).
    public static var filePermissionDenied: Code { .filePermissionDenied }
    /// A file to be created exists already (`Code.fileExists`).
    public static var fileExists: Code { .fileExists }
    /// The file or folder does not exist (`Code.fileNotFound`).
    public static var fileNotFound: Code { .fileNotFound }
    /// The file's format is older than this library reads (`Code.fileFormatUpgradeRequired`).
    public static var fileFormatUpgradeRequired: Code { .fileFormatUpgradeRequired }
    /// The lock file belongs to another library version (`Code.incompatibleLockFile`).
    public static var incompatibleLockFile: Code { .incompatibleLockFile }
    /// Memory or address space for the file is exhausted (`Code.addressSpaceExhausted`).
    public static var addressSpaceExhausted: Code { .addressSpaceExhausted }
    /// The file's classes differ from the program's (`Code.schemaMismatch`).
    public static var schemaMismatch: Code { .schemaMismatch }
    /// The file is open already, or open in another way (`Code.alreadyOpen`).
    public static var alreadyOpen: Code { .alreadyOpen }
    /// A key, path or string is invalid (`Code.invalidInput`).
    public static var invalidInput: Code { .invalidInput }
    /// The disk or the quota is full; nothing was changed (`Code.outOfDiskSpace`).
    public static var outOfDiskSpace: Code { .outOfDiskSpace }
    /// The file needs a newer library (`Code.unsupportedFileFormatVersion`).
    public static var unsupportedFileFormatVersion: Code { .unsupportedFileFormatVersion }
    /// The system refused the operation for another reason (`Code.fileOperationFailed`).
    public static var fileOperationFailed: Code { .fileOperationFailed }
    /// The file is not a database, is damaged, or has another key (`Code.invalidDatabase`).
    public static var invalidDatabase: Code { .invalidDatabase }

    /// A general error for programs that have none of their own.
    public static let callFailed = RealmError(.fail, "The call failed.")
    /// The message and the file, with Foundation's keys.
    public var userInfo: [String: Any] { errorUserInfo }
}

extension RealmError.Code {
    /// Whether an error has the code, so that a code matches in `catch`.
    public static func ~= (code: Self, error: any Error) -> Bool { (error as? RealmError)?.code == code }
}
