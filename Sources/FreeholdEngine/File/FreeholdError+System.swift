import Platform

extension FreeholdError {
    /// The engine's error for a refused system call: `action` completes "could not …".
    init(_ error: SystemError, _ action: String) {
        self.init(
            Self.code(for: error.code), "could not \(action): \(error.reason) (\(error.call))", path: error.path,
            systemCode: error.code)
    }

    /// The same where a block throws both kinds of errors: the engine's own pass as they are.
    init(any error: any Error, _ action: String) {
        if let error = error as? FreeholdError {
            self = error
        } else if let error = error as? SystemError {
            self.init(error, action)
        } else {
            self.init(.system, "could not \(action): \(error)")
        }
    }

    private static func code(for number: Int32) -> Code {
        switch number {
        case ErrorNumber.notFound, ErrorNumber.notADirectory: .notFound
        case ErrorNumber.accessDenied, ErrorNumber.notPermitted: .permissionDenied
        case ErrorNumber.noSpace, ErrorNumber.quotaExceeded, ErrorNumber.fileTooLarge: .diskFull
        case ErrorNumber.readOnlyFileSystem: .readOnly
        case ErrorNumber.inputOutput: .io
        case ErrorNumber.exists: .alreadyExists
        case ErrorNumber.outOfMemory: .outOfMemory
        default: .system
        }
    }
}

/// Runs a call of the platform, turning its error into the engine's.
@inline(__always)
func translating<Result>(
    _ action: @autoclosure () -> String, _ body: () throws(SystemError) -> Result
) throws(FreeholdError) -> Result {
    do { return try body() } catch { throw FreeholdError(error, action()) }
}
