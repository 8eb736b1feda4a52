/// An error in imported text, with its position.
public struct ImportError: Error, Sendable, Equatable {
    /// The scope of an error.
    public enum Kind: Sendable, Equatable {
        /// One record is bad; the next call of the reader continues after it.
        case record
        /// The rest of the text cannot be parsed; the reader has ended.
        case text
        /// Reading the bytes failed; the reader has ended.
        case system
    }

    /// The scope of the error.
    public let kind: Kind
    /// What is wrong, without the position.
    public let message: String
    /// The line, from 1; 0 if the error has no position.
    public let line: Int
    /// The byte within the line, from 1; 0 if only the line is known.
    public let column: Int
    /// The `errno` of a `.system` error; 0 if there is none.
    public let systemCode: Int32

    /// Creates an error with its position.
    public init(_ kind: Kind, _ message: String, line: Int = 0, column: Int = 0, systemCode: Int32 = 0) {
        self.kind = kind
        self.message = message
        self.line = line
        self.column = column
        self.systemCode = systemCode
    }
}

extension ImportError: CustomStringConvertible {
    /// `line 7, column 12: a string is not closed`
    public var description: String {
        switch (line, column) {
        case (0, _): message
        case (_, 0): "line \(line): \(message)"
        default: "line \(line), column \(column): \(message)"
        }
    }
}
