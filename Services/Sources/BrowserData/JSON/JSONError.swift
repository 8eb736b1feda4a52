/// Why bytes are not the JSON that was expected.
public struct JSONError: Error, Equatable, CustomStringConvertible {
    /// What is wrong, and at which byte.
    public let message: String
    /// The position in the bytes, from 0.
    public let offset: Int

    public init(_ message: String, at offset: Int) {
        self.message = message
        self.offset = offset
    }

    public var description: String { "\(message), at byte \(offset)" }
}
