import FreeholdEngine

/// Primary keys as people and programs read them.
public enum KeyText {
    /// The text of a key: a UUID with its hyphens, an ObjectId as 24 hexadecimal digits.
    public static func text(_ key: Value) -> String {
        switch key {
        case .string(let text): return text
        case .int(let number): return "\(number)"
        case .uuid(let uuid):
            let digits = Array(hexadecimal(uuid.high, 16) + hexadecimal(uuid.low, 16))
            return [0..<8, 8..<12, 12..<16, 16..<20, 20..<32].map { String(digits[$0]) }.joined(separator: "-")
        case .objectId(let identity): return hexadecimal(identity.high, 16) + hexadecimal(UInt64(identity.low), 8)
        default: return "\(key)"
        }
    }

    private static func hexadecimal(_ number: UInt64, _ width: Int) -> String {
        let text = String(number, radix: 16)
        return String(repeating: "0", count: width - text.count) + text
    }
}
