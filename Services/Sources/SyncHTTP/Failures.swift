import Foundation
import HTTPTypes
import Hummingbird
import NIOCore
import SyncBackends

extension SyncFailure {
    var status: HTTPResponse.Status {
        switch code {
        case .malformed, .otherClass: .unprocessableContent
        case .unauthorized: .unauthorized
        case .forbidden: .forbidden
        case .notFound: .notFound
        case .otherHistory: .conflict
        case .tooLarge: .contentTooLarge
        case .tooOld: .init(code: 426, reasonPhrase: "Upgrade Required")
        case .busy: .tooManyRequests
        case .unavailable: .serviceUnavailable
        case .failed: .internalServerError
        }
    }

    /// The failure as an answer: `{"code": …, "what": …, "where": …, "advice": …}`.
    var response: Response {
        var headers: HTTPFields = [.contentType: "application/json"]
        if let retryAfter { headers[.retryAfter] = String(retryAfter) }
        if code == .unauthorized { headers[.wwwAuthenticate] = "Bearer" }
        let fields = ["code": code.rawValue, "what": what, "where": place, "advice": advice]
        // Strings can always be encoded.
        let body = (try? JSONSerialization.data(withJSONObject: fields, options: [.sortedKeys, .withoutEscapingSlashes])) ?? Data()
        return Response(status: status, headers: headers, body: .init(byteBuffer: ByteBuffer(bytes: body)))
    }
}

/// Gives every error the same form.
struct FailureMiddleware<Context: RequestContext>: RouterMiddleware {
    func handle(_ request: Request, context: Context, next: (Request, Context) async throws -> Response) async throws -> Response {
        do {
            return try await next(request, context)
        } catch let failure as SyncFailure {
            if failure.code == .failed { context.logger.error("\(request.method) \(request.uri.path): \(failure.what) \(failure.cause)") }
            return failure.response
        } catch let error as HTTPError {
            return Self.failure(error).response
        }
    }

    private static func failure(_ error: HTTPError) -> SyncFailure {
        switch error.status {
        case .notFound, .methodNotAllowed:
            SyncFailure(.notFound, what: "there is nothing here for this method", place: "the address",
                        advice: "see docs/sync-server.md for what can be asked")
        case .contentTooLarge: SyncFailure(.tooLarge, what: "the body is too large", place: "the request's body")
        default: SyncFailure(.malformed, what: "\(error)", place: "the request")
        }
    }
}
