import FreeholdEngine
import FreeholdImport

/// Why a request is refused, other than by the database.
public struct BrowserError: Error, Sendable {
    public enum Code: String, Sendable {
        case unauthorized, forbidden, notFound, conflict, schemaChanged, busy, tooLarge, malformedInput
    }

    public let code: Code
    public let message: String

    public init(_ code: Code, _ message: String) { (self.code, self.message) = (code, message) }

    /// Any error as a sentence.
    public static func text(_ error: any Error) -> String {
        switch error {
        case let error as FreeholdError: error.message
        case let error as BrowserError: error.message
        case let error as ImportError: error.description
        case let error as JSONError: "the request is not understood: \(error)"
        default: "\(error)"
        }
    }
}
