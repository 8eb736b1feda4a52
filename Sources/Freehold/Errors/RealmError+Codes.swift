/// The codes by their short names: `catch Realm.Error.fileNotFound { … }`.
extension RealmError {
    /// See `Code.fail`.
    public static var fail: Code { .fail }
    /// See `Code.fileAccess`.
    public static var fileAccess: Code { .fileAccess }
    /// See `Code.filePermissionDenied`.
    public static var filePermissionDenied: Code { .filePermissionDenied }
    /// See `Code.fileExists`.
    public static var fileExists: Code { .fileExists }
    /// See `Code.fileNotFound`.
    public static var fileNotFound: Code { .fileNotFound }
    /// See `Code.fileFormatUpgradeRequired`.
    public static var fileFormatUpgradeRequired: Code { .fileFormatUpgradeRequired }
    /// See `Code.incompatibleLockFile`.
    public static var incompatibleLockFile: Code { .incompatibleLockFile }
    /// See `Code.addressSpaceExhausted`.
    public static var addressSpaceExhausted: Code { .addressSpaceExhausted }
    /// See `Code.schemaMismatch`.
    public static var schemaMismatch: Code { .schemaMismatch }
    /// See `Code.alreadyOpen`.
    public static var alreadyOpen: Code { .alreadyOpen }
    /// See `Code.invalidInput`.
    public static var invalidInput: Code { .invalidInput }
    /// See `Code.outOfDiskSpace`.
    public static var outOfDiskSpace: Code { .outOfDiskSpace }
    /// See `Code.unsupportedFileFormatVersion`.
    public static var unsupportedFileFormatVersion: Code { .unsupportedFileFormatVersion }
    /// See `Code.fileOperationFailed`.
    public static var fileOperationFailed: Code { .fileOperationFailed }
    /// See `Code.invalidDatabase`.
    public static var invalidDatabase: Code { .invalidDatabase }

    /// An error for programs that have none of their own.
    public static let callFailed = RealmError(.fail, "The call failed.")
    /// The message and the file, under Foundation's names.
    public var userInfo: [String: Any] { errorUserInfo }
}

extension RealmError.Code {
    /// A code matches every error that has it.
    public static func ~= (code: Self, error: any Error) -> Bool { (error as? RealmError)?.code == code }
}
