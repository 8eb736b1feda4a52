/// What string comparisons ignore. The options cover all of Unicode, not only Latin letters.
public struct TextOptions: OptionSet, Hashable, Sendable {
    public let rawValue: UInt8
    public init(rawValue: UInt8) { self.rawValue = rawValue }

    /// Ignores case: `[c]`.
    public static let caseInsensitive = TextOptions(rawValue: 1)
    /// Ignores diacritics: `[d]`.
    public static let diacriticInsensitive = TextOptions(rawValue: 2)
}
