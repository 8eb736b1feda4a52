import FreeholdEngine

/// Why a request fails. A server answers with a status and a JSON of four strings.
public struct SyncFailure: Error, Sendable, Hashable {
    /// The kind of the failure.
    public enum Code: String, Sendable, CaseIterable {
        /// The message is none that a program writes, or contradicts itself.
        case malformed
        /// There is no token, or it is not valid.
        case unauthorized
        /// The caller may not do it.
        case forbidden
        /// A class or property is declared in another way than at the server.
        case otherClass
        /// There is nothing at this address.
        case notFound
        /// The batch belongs to another history.
        case otherHistory
        /// The message is larger than the server's limit.
        case tooLarge
        /// The program writes or reads another version of the messages.
        case tooOld
        /// The caller asks too much at once.
        case busy
        /// The server cannot work at present.
        case unavailable
        /// Something that should not happen.
        case failed
    }

    public var code: Code
    /// What happened.
    public var what: String
    /// Where: the part of the request, the class, the byte.
    public var place: String
    /// What to do.
    public var advice: String
    /// Seconds after which the caller may ask again.
    public var retryAfter: Int?
    /// What the server's log has of it, and the caller is not told.
    public var cause = ""

    public init(_ code: Code, what: String, place: String = "", advice: String = "", retryAfter: Int? = nil) {
        (self.code, self.what, self.place, self.advice, self.retryAfter) = (code, what, place, advice, retryAfter)
    }

    /// The failure that an error of the merge, of a message or of the store is.
    public init(_ error: FreeholdError, in place: String) {
        switch error.code {
        case .malformedInput:
            self.init(.malformed, what: error.message, place: place,
                      advice: "do not send it again as it is; if a Freehold program wrote it, report this as a defect")
        case .schemaMismatch:
            self.init(.otherClass, what: error.message, place: place, advice: "")
        case .valueTooLarge:
            self.init(.tooLarge, what: error.message, place: place, advice: "use shorter ones, in a new file")
        case .unsupportedFormat:
            self.init(.tooOld, what: error.message, place: place, advice: "update the program, or the server if the program is newer")
        case .busy:
            self.init(.busy, what: error.message, place: place, advice: "send the same again", retryAfter: 1)
        case .invalidArgument:
            self.init(.forbidden, what: error.message, place: place, advice: "ask who runs the server")
        case .io:
            self.init(.unavailable, what: "the server cannot reach its database, or that refuses a statement", place: "",
                      advice: "send the same again later; the server's log has the reason", retryAfter: 5)
        default:
            self.init(.failed, what: "the server has failed (\(error.code.name))", place: "",
                      advice: "send the same again later; the server's log has the reason", retryAfter: 60)
        }
        // What the database says is not for a client.
        cause = error.message
    }
}
