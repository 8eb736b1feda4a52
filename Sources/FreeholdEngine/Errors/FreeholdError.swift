/// What went wrong, where, and what to do about it: the one error type of every Freehold language.
///
/// The numeric `code` is the same in Swift, C, C++ and Python, and its thousands digit is its band, so a
/// caller can match one reason or a whole band:
///
/// ```swift
/// do { _ = try Database.open("people.freehold") }
/// catch where error.code == .notFound { print("no such file") }
/// catch where error.code.band == .damaged { print("run freehold check: \(error)") }
/// ```
public struct FreeholdError: Error, Sendable, Equatable {
    /// The reason, stable across versions and languages.
    public let code: Code
    /// One sentence for a person: what, where, and what to do.
    public let message: String
    /// The file concerned, or an empty string.
    public let path: String
    /// The operating system's error number behind it, or 0.
    public let systemCode: Int32

    public init(_ code: Code, _ message: String, path: String = "", systemCode: Int32 = 0) {
        self.code = code
        self.message = message
        self.path = path
        self.systemCode = systemCode
    }
}

extension FreeholdError: CustomStringConvertible {
    /// `corrupt (2001): block at 40960 … [people.freehold]`
    public var description: String {
        let place = path.isEmpty ? "" : " [\(path)]"
        let system = systemCode == 0 ? "" : " (errno \(systemCode))"
        return "\(code.name) (\(code.rawValue)): \(message)\(system)\(place)"
    }
}
