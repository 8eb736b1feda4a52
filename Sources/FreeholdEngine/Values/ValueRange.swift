/// The values an index is asked for: from one bound to another, each of which may belong to it, or be missing.
///
/// ```swift
/// let teens = try people.keys(age, in: ValueRange(from: .including(.int(13)), to: .excluding(.int(20))))
/// let names = try people.keys(name, in: .prefix("Ann"))
/// ```
public struct ValueRange: Sendable, Equatable {
    /// One end of a range.
    public enum Bound: Sendable, Equatable {
        /// The value itself belongs to the range.
        case including(Value)
        /// The range ends before (or begins behind) the value.
        case excluding(Value)
    }

    /// The lower end; nil for all from the first on, which is null where the property may be null.
    public var from: Bound?
    /// The upper end; nil for all to the last.
    public var to: Bound?
    /// What texts, or data, of the range begin with; the bounds are nil then.
    public var prefix: Value?

    public init(from: Bound? = nil, to: Bound? = nil) {
        self.from = from
        self.to = to
    }

    /// Every value.
    public static let all = ValueRange()

    /// Texts that begin with `text`, byte by byte; every text, but not null, begins with the empty one.
    public static func prefix(_ text: String) -> ValueRange {
        var range = ValueRange()
        range.prefix = .string(text)
        return range
    }
}
