/// The number that identifies an object within its class; an integer primary key *is* the object key.
public struct ObjectKey: Hashable, Comparable, Sendable, CustomStringConvertible {
    public var rawValue: Int64
    @inline(__always) public init(_ rawValue: Int64) { self.rawValue = rawValue }
    public static func < (left: ObjectKey, right: ObjectKey) -> Bool { left.rawValue < right.rawValue }
    public var description: String { String(rawValue) }
}
