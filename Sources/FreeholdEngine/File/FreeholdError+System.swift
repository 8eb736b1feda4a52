import Platform

extension FreeholdError {
    /// The engine's error for a refused system call: `action` completes "could not …".
    init(_ error: SystemError, _ action: String) {
        self.init(
            Self.code(for: error.code),
            "could not \(action): \(error.reason) (\(error.call))\(Self.advice(for: error.code))", path: error.path,
            systemCode: error.code)
    }

    /// Advice on a refused system call, as the end of a sentence.
    private static func advice(for number: Int32) -> String {
        switch code(for: number) {
        case .notFound: "; check the path"
        case .permissionDenied: "; grant read and write permission for the file and its folder"
        case .diskFull: "; nothing was changed: free some space and try again"
        case .readOnly: "; open it for reading only"
        case .notADatabase: "; the path names a folder; give the path of a file"
        case .io: "; check the disk"
        case .leaseLost:
            "; the program closed a descriptor of the database (closefrom, or close of a wrong number); open the database again"
        case .outOfMemory: "; raise the process's limits (ulimit -v)"
        default: ""
        }
    }

    /// The engine's error for a block that throws both kinds of errors: the engine's own errors pass unchanged.
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
        case ErrorNumber.isADirectory: .notADatabase
        case ErrorNumber.readOnlyFileSystem: .readOnly
        case ErrorNumber.inputOutput: .io
        case ErrorNumber.badDescriptor: .leaseLost
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
