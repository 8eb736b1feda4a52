import Foundation
import FreeholdEngine

/// What the answers of a server mean for its file.
enum ServerReply {
    /// A message for the file.
    case message([UInt8])
    /// Nothing is new.
    case nothing
    /// The batch belongs to another history: an answer comes first.
    case otherHistory
    /// The server refuses until something is changed. Asking again is of no use soon.
    case refused(Refusal)
    /// It may go better later.
    case later(Refusal, retryAfter: Double)

    /// Why a server refuses, as it says.
    struct Refusal: Equatable {
        var code: String
        var what: String
        var place = ""
        var advice = ""

        func issue(at date: Timestamp) -> SyncIssue { SyncIssue(date: date, code: code, what: what, place: place, advice: advice) }
    }

    init(_ reply: HTTPClient.Reply) {
        switch reply.status {
        case 200: self = .message(reply.body)
        case 204: self = .nothing
        case 409: self = .otherHistory
        case 401, 403, 404, 413, 422, 426: self = .refused(Self.refusal(reply))
        default: self = .later(Self.refusal(reply), retryAfter: reply.retryAfter)
        }
    }

    /// The four strings of the server's JSON; what a proxy between answers has none.
    private static func refusal(_ reply: HTTPClient.Reply) -> Refusal {
        let said = try? JSONSerialization.jsonObject(with: Data(reply.body.prefix(64 << 10))) as? [String: Any]
        let text = { (name: String) in (said?[name] as? String).map { String($0.prefix(2_000)) } }
        guard let code = text("code"), let what = text("what") else {
            return Refusal(code: "failed", what: "the server's address answers with status \(reply.status)",
                           advice: reply.status == 404 ? "check the address" : "see what answers there")
        }
        return Refusal(code: code, what: what, place: text("where") ?? "", advice: text("advice") ?? "")
    }
}
