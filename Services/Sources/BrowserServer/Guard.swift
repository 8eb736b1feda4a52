import BrowserData
import HTTPTypes
import Hummingbird
import Synchronization

/// Refuses what does not come from the page itself.
///
/// | check | against |
/// |---|---|
/// | `Host` is this machine and this port | another name that was made to lead here (DNS rebinding) |
/// | `Origin`, if sent, and `Sec-Fetch-Site` are the page's own | another site's page that asks for this one |
/// | the cookie | whoever has no link: other users, other programs |
/// | a header of its own and the content type, for changes | forms of other sites, which can set neither |
struct Guard<Context: RequestContext>: RouterMiddleware {
    let access: Access
    let place: ServerPlace

    func handle(_ request: Request, context: Context, next: (Request, Context) async throws -> Response) async throws -> Response {
        var response: Response
        do {
            try check(request)
            response = try await next(request, context)
        } catch {
            response = Answer.failure(error)
        }
        if request.method == .head { response.body = ResponseBody() }
        for (name, value) in Self.headers where response.headers[name] == nil { response.headers[name] = value }
        return response
    }

    private func check(_ request: Request) throws {
        // An absolute target names a host of its own.
        guard place.isOwn(host: request.head.authority ?? ""), request.head.path?.first == "/" else {
            throw Refusal(.misdirectedRequest, .forbidden, "this server answers to \(place.names.joined(separator: " and ")) only")
        }
        guard [.get, .post, .delete].contains(request.method) else {
            throw Refusal(.methodNotAllowed, .forbidden, "only GET, POST and DELETE are known")
        }
        guard request.uri.string.utf8.count <= Self.targetLimit else {
            throw Refusal(.uriTooLong, .tooLarge, "the request's address is longer than \(Self.targetLimit) bytes")
        }
        if let origin = request.headers[.origin], !place.isOwn(origin: origin) {
            throw Refusal(.forbidden, .forbidden, "this comes from another site")
        }
        let isChange = request.method != .get
        if let site = request.headers[.secFetchSite], site != "same-origin", isChange || site != "none" {
            throw Refusal(.forbidden, .forbidden, "this comes from another site")
        }
        if isChange { try checkChange(request) }
        if try isOpen(request.uri.path) { return }
        guard let session = request.headers.cookie(place.cookie), access.admits(session) else {
            throw Refusal(.unauthorized, .unauthorized, "open the link that the program printed; it prints another one for each Enter")
        }
    }

    /// Whether whoever comes may ask for this: the page's files, which hold nothing, and the exchange of a token. Everything else
    /// needs the cookie, however it is written.
    private func isOpen(_ path: String) throws -> Bool {
        let parts = path.dropFirst().split(separator: "/", omittingEmptySubsequences: false)
        guard path == "/" || !parts.contains(where: \.isEmpty) else {
            throw Refusal(.notFound, .notFound, "there is no '\(path)' here")
        }
        return parts.count == 1 || parts == ["api", "login"]
    }

    private func checkChange(_ request: Request) throws {
        guard request.headers[.freehold] == "1" else {
            throw Refusal(.forbidden, .forbidden, "changes need the header X-Freehold")
        }
        let type = request.headers[.contentType]?.split(separator: ";", omittingEmptySubsequences: false).first.map { $0.lowercased() }
        guard type == "application/json" || type == "application/octet-stream" else {
            throw Refusal(.unsupportedMediaType, .forbidden, "changes need the content type application/json or application/octet-stream")
        }
    }

    private static var targetLimit: Int { 32 << 10 }

    /// Sent with every answer.
    private static var headers: [(HTTPField.Name, String)] {
        [
            (.contentSecurityPolicy, "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
                + "font-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"),
            (.xContentTypeOptions, "nosniff"),
            (.init("Referrer-Policy")!, "no-referrer"),
            (.init("X-Frame-Options")!, "DENY"),
            (.init("Cross-Origin-Opener-Policy")!, "same-origin"),
            (.init("Cross-Origin-Resource-Policy")!, "same-origin"),
            (.cacheControl, "no-store"),
        ]
    }
}

/// Where the server can be reached, and under which names.
struct ServerPlace: Sendable {
    /// Of 127.0.0.1; nil for a socket in the file system.
    let port: Int?

    var cookie: String { "freehold-\(port.map(String.init) ?? "socket")" }
    var names: [String] { port.map { ["127.0.0.1:\($0)", "localhost:\($0)"] } ?? ["127.0.0.1", "localhost"] }

    /// Behind a socket, the port is that of a tunnel, which only its maker knows.
    func isOwn(host: String) -> Bool {
        if port != nil { return names.contains(host.lowercased()) }
        let parts = host.lowercased().split(separator: ":", omittingEmptySubsequences: false)
        guard let name = parts.first, names.contains(String(name)), parts.count <= 2 else { return false }
        return parts.count == 1 || UInt16(parts[1]) != nil
    }

    func isOwn(origin: String) -> Bool {
        let start = "http://"
        return origin.hasPrefix(start) && isOwn(host: String(origin.dropFirst(start.count)))
    }
}

/// A request that is refused.
struct Refusal: Error {
    let status: HTTPResponse.Status
    let code: BrowserError.Code
    let message: String

    init(_ status: HTTPResponse.Status, _ code: BrowserError.Code, _ message: String) {
        (self.status, self.code, self.message) = (status, code, message)
    }
}

extension HTTPField.Name {
    static let freehold = HTTPField.Name("X-Freehold")!
    static let secFetchSite = HTTPField.Name("Sec-Fetch-Site")!
}

extension HTTPFields {
    /// The value of a cookie.
    func cookie(_ name: String) -> Substring? {
        for field in self[values: .cookie] {
            for pair in field.split(separator: ";") {
                let parts = pair.split(separator: "=", maxSplits: 1)
                if parts.count == 2, parts[0].drop(while: { $0 == " " }) == name { return parts[1] }
            }
        }
        return nil
    }
}
