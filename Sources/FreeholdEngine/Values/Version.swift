/// The number of a committed state of the whole database; each commit creates the next higher one.
public struct Version: Hashable, Comparable, Sendable, CustomStringConvertible {
    public var rawValue: UInt64
    public init(_ rawValue: UInt64) { self.rawValue = rawValue }
    public static func < (left: Version, right: Version) -> Bool { left.rawValue < right.rawValue }
    /// The version before every commit.
    public static let zero = Version(0)
    /// The version that follows this one.
    public var next: Version { Version(rawValue + 1) }
    public var description: String { String(rawValue) }
}
