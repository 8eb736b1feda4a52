import BrowserData
import FreeholdEngine
import Hummingbird

/// A request's parameters, with the errors that name them.
struct Parameters: Sendable {
    private let values: [(name: String, value: String)]

    init(_ request: Request) {
        values = (request.uri.query ?? "").split(separator: "&").map { pair in
            let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            return (Self.decoded(parts[0]), parts.count > 1 ? Self.decoded(parts[1]) : "")
        }
    }

    /// A text as forms and scripts encode it: `%20` and `+` are both a blank.
    static func decoded(_ text: Substring) -> String {
        var bytes: [UInt8] = [], rest = text.utf8[...]
        while let byte = rest.popFirst() {
            if byte == UInt8(ascii: "%"), let high = rest.first.flatMap(digit), let low = rest.dropFirst().first.flatMap(digit) {
                bytes.append(high << 4 | low)
                rest = rest.dropFirst(2)
            } else {
                bytes.append(byte == UInt8(ascii: "+") ? UInt8(ascii: " ") : byte)
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    private static func digit(_ byte: UInt8) -> UInt8? {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - UInt8(ascii: "a") + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): byte - UInt8(ascii: "A") + 10
        default: nil
        }
    }

    func optional(_ name: String) -> String? { values.first { $0.name == name }?.value }

    func text(_ name: String) throws(BrowserError) -> String {
        guard let value = optional(name) else { throw BrowserError(.malformedInput, "the parameter '\(name)' is missing") }
        return value
    }

    func number(_ name: String, default standard: Int) throws(BrowserError) -> Int {
        guard let text = optional(name) else { return standard }
        guard let number = Int(text), number >= 0 else { throw BrowserError(.malformedInput, "'\(name)' must be a number, not '\(text)'") }
        return number
    }

    func key(_ name: String = "key") throws(BrowserError) -> ObjectKey {
        let text = try text(name)
        guard let number = Int64(text) else { throw BrowserError(.malformedInput, "'\(name)' must be an object's key, not '\(text)'") }
        return ObjectKey(number)
    }

    /// The way to an inner collection.
    func path() throws -> [CollectionStep] {
        guard let text = optional("path"), !text.isEmpty else { return [] }
        guard let steps = try JSON(parsing: text).elements else { throw BrowserError(.malformedInput, "'path' must be an array") }
        return try steps.map { step in
            if let position = step.integer, let place = Int(exactly: position) { return .position(place) }
            if let key = step.string { return .key(key) }
            throw BrowserError(.malformedInput, "a step of 'path' must be a position or a key")
        }
    }
}
