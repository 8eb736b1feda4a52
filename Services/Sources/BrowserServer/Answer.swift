import BrowserData
import FreeholdEngine
import HTTPTypes
import Hummingbird
import NIOCore

/// Responses in the forms of `Services/API.md`.
enum Answer {
    static func json(_ bytes: [UInt8], status: HTTPResponse.Status = .ok) -> Response {
        Response(status: status, headers: [.contentType: "application/json"], body: ResponseBody(byteBuffer: ByteBuffer(bytes: bytes)))
    }

    static let empty = Response(status: .noContent)

    /// An error as an answer.
    static func failure(_ error: any Error) -> Response {
        switch error {
        case let refusal as Refusal:
            failure(refusal.status, refusal.code.rawValue, refusal.message)
        case let error as BrowserError:
            failure(status(of: error.code), error.code.rawValue, error.message)
        case let error as FreeholdError:
            failure(status(of: error), error.code.name, error.message, column(of: error))
        case let error as JSONError:
            failure(.badRequest, "malformedInput", "the request is not understood: \(error)")
        case let error as HTTPError:
            failure(error.status, error.status == .notFound ? "notFound" : "malformedInput", error.body ?? "\(error.status)")
        default:
            failure(.internalServerError, "unknown", "\(error)")
        }
    }

    private static func failure(_ status: HTTPResponse.Status, _ code: String, _ message: String, _ column: Int? = nil) -> Response {
        json(JSONOutput.object { output in
            output.object("error") { output in
                output.field("code", code)
                output.field("message", message)
                if let column { output.field("column", column) }
            }
        }, status: status)
    }

    private static func status(of code: BrowserError.Code) -> HTTPResponse.Status {
        switch code {
        case .unauthorized: .unauthorized
        case .forbidden: .forbidden
        case .notFound: .notFound
        case .conflict, .schemaChanged: .conflict
        case .busy: .serviceUnavailable
        case .tooLarge: .contentTooLarge
        case .malformedInput: .badRequest
        }
    }

    private static func status(of error: FreeholdError) -> HTTPResponse.Status {
        switch error.code {
        case .notFound, .unknownClass, .objectDeleted: .notFound
        case .readOnly, .permissionDenied: .forbidden
        default: error.code.band == .damaged ? .internalServerError : .badRequest
        }
    }

    /// The column that the message of a query's mistake names.
    private static func column(of error: FreeholdError) -> Int? {
        let start = "query, column "
        guard error.message.hasPrefix(start) else { return nil }
        return Int(error.message.dropFirst(start.count).prefix { $0.isNumber })
    }
}
