import Foundation
import FreeholdEngine

/// Claims of a token as JSON: strings, numbers, truth values, and lists of these. What is another thing is left out.
public enum ClaimText {
    /// The claims of a token's payload.
    public static func claims(_ object: [String: Claim]) -> TextMap<Value> {
        var made = TextMap<Value>()
        for (name, claim) in object { made[name] = claim.value }
        return made
    }

    /// The claims in an object of JSON; none if it is no such object.
    public static func claims(_ json: String) -> TextMap<Value> {
        (try? JSONDecoder().decode([String: Claim].self, from: Data(json.utf8))).map(claims) ?? [:]
    }

    /// Some of the claims, in the order of their names.
    public static func json(_ claims: TextMap<Value>, of names: Set<ExactText>) -> String {
        let parts = names.map(\.text).sorted().compactMap { name in
            claims[name].flatMap(json).map { "\(quoted(name)):\($0)" }
        }
        return "{\(parts.joined(separator: ","))}"
    }

    private static func json(_ value: Value) -> String? {
        switch value {
        case .bool(let truth): truth ? "true" : "false"
        case .int(let number): String(number)
        case .double(let number): number.isFinite ? String(number) : nil
        case .string(let text): quoted(text)
        case .list(let values): "[\(values.compactMap(json).joined(separator: ","))]"
        default: nil
        }
    }

    private static func quoted(_ text: String) -> String {
        var made = "\""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"", "\\": made += "\\\(scalar)"
            case _ where scalar.value < 0x20: made += "\\u00" + (scalar.value < 16 ? "0" : "") + String(scalar.value, radix: 16)
            default: made.unicodeScalars.append(scalar)
            }
        }
        return made + "\""
    }

    /// A claim of JSON.
    public struct Claim: Decodable {
        /// Nil for what rules cannot compare: objects, null, texts with a NUL, which PostgreSQL does not have.
        let value: Value?

        public init(from decoder: any Decoder) throws {
            guard let container = try? decoder.singleValueContainer() else {
                value = nil
                return
            }
            if let truth = try? container.decode(Bool.self) {
                value = .bool(truth)
            } else if let number = try? container.decode(Int64.self) {
                value = .int(number)
            } else if let number = try? container.decode(Double.self) {
                value = .double(number)
            } else if let text = try? container.decode(String.self) {
                value = text.utf8.contains(0) ? nil : .string(text)
            } else if let list = try? container.decode([Claim].self) {
                let values = list.compactMap(\.value)
                value = .list(values.filter { if case .list = $0 { false } else { true } })
            } else {
                value = nil
            }
        }
    }
}
