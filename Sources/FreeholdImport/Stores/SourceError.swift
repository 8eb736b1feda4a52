import Glibc

/// What keeps a source from being read.
public struct SourceError: Error, Sendable, Equatable {
    /// Who can do something about it.
    public enum Kind: Sendable, Equatable {
        /// The file is not of this format.
        case notThisFormat
        /// The file is of this format, in a version or with a feature that is not read; the message says what to do.
        case unsupported
        /// The key is missing, or is not that of the file.
        case wrongKey
        /// The file is damaged.
        case damaged
        /// The file changed while it was being read, or another program has to finish its work on it first.
        case changed
        /// The system failed: `systemCode` is the `errno`.
        case system
        /// The program asked to stop.
        case cancelled
        /// An option names what the source does not have.
        case invalidOption
    }

    public let kind: Kind
    /// What is wrong, without the position: one sentence, without a full stop.
    public let message: String
    /// The offset in the file, in bytes; nil if there is none.
    public let offset: UInt64?
    /// The `errno` of a `.system` error; 0 if there is none.
    public let systemCode: Int32
    /// What a damaged file still gives; empty if that is not known.
    public let readable: [ReadableClass]

    public init(_ kind: Kind, _ message: String, offset: UInt64? = nil, systemCode: Int32 = 0, readable: [ReadableClass] = []) {
        self.kind = kind
        self.message = message
        self.offset = offset
        self.systemCode = systemCode
        self.readable = readable
    }
}

extension SourceError: CustomStringConvertible {
    /// `byte 4096: a list refers to itself`
    public var description: String { offset.map { "byte \($0): \(message)" } ?? message }
}

extension SourceError {
    /// The error with what can be read all the same.
    func with(readable: [ReadableClass]) -> SourceError {
        SourceError(kind, message, offset: offset, systemCode: systemCode, readable: readable)
    }

    /// The error for a system call that failed for a path.
    static func system(_ path: String, _ code: Int32) -> SourceError {
        SourceError(.system, "\(path) cannot be read: \(String(cString: strerror(code)))", systemCode: code)
    }
}
