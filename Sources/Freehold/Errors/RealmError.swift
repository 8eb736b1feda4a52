import Foundation
import FreeholdEngine

/// Why a file could not be opened, written or copied: what `Realm.Error` names.
///
/// ```swift
/// do { _ = try Realm(configuration: configuration) }
/// catch let error as Realm.Error where error.code == .schemaMismatch { print(error.localizedDescription) }
/// ```
public struct RealmError: Error, LocalizedError, CustomNSError, Equatable, Sendable, CustomStringConvertible {
    /// The kinds of reasons; raw values are stable.
    public enum Code: Int, Sendable {
        /// None of the others; the message says what.
        case fail = 1
        /// Reading or writing failed, or the file was replaced.
        case fileAccess = 2
        /// No permission, or a medium that cannot be written.
        case filePermissionDenied = 3
        /// There is a file where one was to be made.
        case fileExists = 4
        /// There is no such file or folder.
        case fileNotFound = 5
        /// The file's format is older than this library reads.
        case fileFormatUpgradeRequired = 6
        /// The lock file is another library version's.
        case incompatibleLockFile = 8
        /// No memory or address space for the file.
        case addressSpaceExhausted = 9
        /// The classes of the file are others than the program's.
        case schemaMismatch = 10
        /// Somebody has the file open, or has it open otherwise.
        case alreadyOpen = 12
        /// A key, path or text that cannot be one.
        case invalidInput = 13
        /// The disk or the quota is full; nothing was changed.
        case outOfDiskSpace = 14
        /// The file needs a newer library.
        case unsupportedFileFormatVersion = 16
        /// The system refused in another way.
        case fileOperationFailed = 19
        /// No database, a damaged one, or one under another key.
        case invalidDatabase = 20
    }

    /// The kind of reason.
    public let code: Code
    /// What, where, and what to do.
    public let message: String
    /// The file concerned, if one is.
    public let fileURL: URL?
    /// What to do about it, where that is not part of the message.
    public let recoverySuggestion: String?
    /// The engine's own error behind it.
    public let underlying: FreeholdError?

    /// A reason with its message.
    public init(_ code: Code, _ message: String, fileURL: URL? = nil) { self.init(code, message, fileURL: fileURL, suggestion: nil) }

    /// A reason that the program gives itself, `Realm.Error(.fail)`; its message and its file by Foundation's names.
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

    /// What the engine says.
    public init(_ error: FreeholdError) {
        code = Self.code(error.code)
        // Who reads the message knows which file it is about.
        message = error.path.isEmpty || error.message.contains(error.path) ? error.message : "\(error.message) (\(error.path))"
        recoverySuggestion = nil
        fileURL = error.path.isEmpty ? nil : URL(fileURLWithPath: error.path)
        underlying = error
    }

    public var description: String { recoverySuggestion.map { "\(message)\n\($0)" } ?? message }
    public var errorDescription: String? { message }
    /// What tells these errors from those of others.
    public static var errorDomain: String { "org.freehold" }
    /// The code's number.
    public var errorCode: Int { code.rawValue }

    /// The message and the file, under Foundation's names.
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
