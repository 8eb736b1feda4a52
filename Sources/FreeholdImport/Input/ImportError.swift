/// Why text could not be read, and where.
public struct ImportError: Error, Sendable, Equatable {
    /// How far the trouble reaches.
    public enum Kind: Sendable, Equatable {
        /// One record is bad; the reader's next call goes on behind it.
        case record
        /// The text cannot be followed any further; the reader has ended.
        case text
        /// The system could not give the bytes; the reader has ended.
        case system
    }

    /// How far the trouble reaches.
    public let kind: Kind
    /// What is wrong, without the place.
    public let message: String
    /// The line, from 1; 0 if the trouble has no place.
    public let line: Int
    /// The byte within the line, from 1; 0 if only the line is known.
    public let column: Int
    /// The system's number for a `.system` error; 0 if it has none.
    public let systemCode: Int32

    /// Names a fault and its place.
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
