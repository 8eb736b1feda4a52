import Foundation
import FreeholdEngine

/// The error of opening, writing or copying a file, also named `Realm.Error`.
///
/// ```swift
/// do { _ = try Realm(configuration: configuration) }
/// catch let error as Realm.Error where error.code == .schemaMismatch { print(error.localizedDescription) }
/// ```
public struct RealmError: Error, LocalizedError, CustomNSError, Equatable, Sendable, CustomStringConvertible {
    /// The kinds of errors; raw values are stable.
    public enum Code: Int, Sendable {
        /// Any other error; the message describes it.
        case fail = 1
        /// Reading or writing failed, or the file was replaced.
        case fileAccess = 2
        /// Permission is missing, or the medium is read-only.
        case filePermissionDenied = 3
        /// A file to be created exists already.
        case fileExists = 4
        /// The file or folder does not exist.
        case fileNotFound = 5
        /// The file's format is older than this library reads.
        case fileFormatUpgradeRequired = 6
        /// The lock file belongs to another library version.
        case incompatibleLockFile = 8
        /// Memory or address space for the file is exhausted.
        case addressSpaceExhausted = 9
        /// The file's classes differ from the program's.
        case schemaMismatch = 10
        /// The file is open already, or open in another way.
        case alreadyOpen = 12
        /// A key, path or string is invalid.
        case invalidInput = 13
        /// The disk or the quota is full; nothing was changed.
        case outOfDiskSpace = 14
        /// The file needs a newer library.
        case unsupportedFileFormatVersion = 16
        /// The system refused the operation for another reason.
        case fileOperationFailed = 19
        /// The file is not a database, is damaged, or has another key.
        case invalidDatabase = 20
    }

    /// The kind of error.
    public let code: Code
    /// What happened, where, and what to do.
    public let message: String
    /// The file concerned, if there is one.
    public let fileURL: URL?
    /// What to do about the error, where the message does not say so.
    public let recoverySuggestion: String?
    /// The engine's error that caused this one.
    public let underlying: FreeholdError?

    /// Creates an error with a message.
    public init(_ code: Code, _ message: String, fileURL: URL? = nil) { self.init(code, message, fileURL: fileURL, suggestion: nil) }

    /// Creates an error of the program itself, `Realm.Error(.fail)`, with message and file under Foundation's keys.
    public init(_ code: Code, userInfo: [String: Any] = [:]) {
        let message = userInfo[NSLocalizedDescriptionKey] as? String, path = userInfo[NSFilePathErrorKey] as? String
        self.init(code, message ?? "The operation could not be completed (\(code)).", fileURL: path.map { URL(fileURLWithPath: $0) }, suggestion: nil)
    }

    init(_ code: Code, _ message: String, fileURL: URL? = nil, suggestion: String?) {
        self.code = code
        self.message = message
        recoverySuggestion = suggestion
        self.fileURL = fileURL
        underlying = nil
    }

    /// Converts an error of the engine.
    public init(_ error: FreeholdError) {
        code = Self.code(error.code)
        // A message that names the file already needs no path.
        message = error.path.isEmpty || error.message.contains(error.path) ? error.message : "\(error.message) (\(error.path))"
        recoverySuggestion = nil
        fileURL = error.path.isEmpty ? nil : URL(fileURLWithPath: error.path)
        underlying = error
    }

    public var description: String { recoverySuggestion.map { "\(message)\n\($0)" } ?? message }
    public var errorDescription: String? { message }
    /// The domain that distinguishes these errors from others.
    public static var errorDomain: String { "org.freehold" }
    /// The raw value of the code.
    public var errorCode: Int { code.rawValue }

    /// The message and the file, with Foundation's keys.
    public var errorUserInfo: [String: Any] {
        var information: [String: Any] = [NSLocalizedDescriptionKey: message]
        if let fileURL { information[NSFilePathErrorKey] = fileURL.path }
        return information
    }

    private static func code(_ code: FreeholdError.Code) -> Code {
        switch code {
        case .permissionDenied, .readOnly: .filePermissionDenied
        case .notFound: .fileNotFound
        case .alreadyExists: .fileExists
        case .inUse: .alreadyOpen
        case .diskFull: .outOfDiskSpace
        case .outOfMemory: .addressSpaceExhausted
        case .unsupportedFormat: .unsupportedFileFormatVersion
        case .notADatabase, .wrongKey, .keyMissing, .notEncrypted, .corrupt, .truncated, .copiedWhileOpen: .invalidDatabase
        case .schemaMismatch: .schemaMismatch
        case .io, .unsupportedFileSystem, .fileReplaced: .fileAccess
        case .system: .fileOperationFailed
        case _ where code.band == .argument: .invalidInput
        default: .fail
        }
    }
}
