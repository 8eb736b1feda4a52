/// A range of values for an index look-up: from one bound to another. Each bound may be inclusive, exclusive or absent.
///
/// ```swift
/// let teens = try people.keys(age, in: ValueRange(from: .including(.int(13)), to: .excluding(.int(20))))
/// let names = try people.keys(name, in: .prefix("Ann"))
/// ```
public struct ValueRange: Sendable, Equatable {
    /// One end of a range.
    public enum Bound: Sendable, Equatable {
        /// The bound itself belongs to the range.
        case including(Value)
        /// The range ends before the bound (or begins after it).
        case excluding(Value)
    }

    /// The lower bound; nil for none: the range starts at the first value, which is null where the property may be
    /// null.
    public var from: Bound?
    /// The upper bound; nil for none.
    public var to: Bound?
    /// The prefix of all strings, or data, in the range; the bounds are nil then.
    public var prefix: Value?

    public init(from: Bound? = nil, to: Bound? = nil) {
        self.from = from
        self.to = to
    }

    /// Every value.
    public static let all = ValueRange()

    /// Strings that begin with `text`, byte by byte; every string, but not null, begins with the empty prefix.
    public static func prefix(_ text: String) -> ValueRange {
        var range = ValueRange()
        range.prefix = .string(text)
        return range
    }
}
