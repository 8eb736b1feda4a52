import Foundation

/// What a header of HTTP says of compression (RFC 9110, 8.4 and 12.5.3).
public enum ContentCoding: Sendable {
    case identity, gzip

    /// What `Content-Encoding` names; nil if it is something else.
    public init?(named name: String?) {
        switch name.map({ Self.word($0) }) {
        case nil, "", "identity": self = .identity
        case "gzip", "x-gzip": self = .gzip
        default: return nil
        }
    }

    /// What an answer has for somebody who sends `Accept-Encoding`.
    public init(accepted: String?) {
        self = .identity
        for offer in (accepted ?? "").split(separator: ",") {
            let parts = offer.split(separator: ";").map { Self.word($0) }
            guard let name = parts.first, name == "gzip" || name == "x-gzip" || name == "*" else { continue }
            let weight = parts.dropFirst().first { $0.hasPrefix("q=") }.map { Double($0.dropFirst(2)) ?? 0 } ?? 1
            if name == "*" {
                if weight > 0 { self = .gzip }
                continue
            }
            // What names it counts before a star.
            self = weight > 0 ? .gzip : .identity
            return
        }
    }

    private static func word(_ text: some StringProtocol) -> String { text.trimmingCharacters(in: .whitespaces).lowercased() }
}
