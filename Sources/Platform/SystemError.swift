/// A failed system call, for a reason outside the program.
public struct SystemError: Error, Sendable, Equatable, CustomStringConvertible {
    /// The error number; `ErrorNumber` names those that callers distinguish.
    public let code: Int32
    /// The call that failed.
    public let call: StaticString
    /// The path of the call.
    public let path: String

    public init(code: Int32, call: StaticString, path: String) {
        self.code = code
        self.call = call
        self.path = path
    }

    public static func == (left: SystemError, right: SystemError) -> Bool {
        left.code == right.code && left.path == right.path && left.call.description == right.call.description
    }

    /// The reason in the system's words.
    public var reason: String { ErrorNumber.text(code) }

    public var description: String { "\(call) \(path): \(reason) (\(code))" }
}
