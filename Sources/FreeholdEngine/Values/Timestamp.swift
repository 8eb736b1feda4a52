/// A point in time: whole seconds since 1970-01-01 00:00 UTC and nanoseconds within that second (0..<1e9,
/// always counting forwards, also before 1970).
public struct Timestamp: Hashable, Comparable, Sendable {
    public var seconds: Int64
    public var nanoseconds: Int32
    public init(seconds: Int64, nanoseconds: Int32 = 0) {
        self.seconds = seconds
        self.nanoseconds = nanoseconds
    }
    public static func < (left: Timestamp, right: Timestamp) -> Bool {
        (left.seconds, left.nanoseconds) < (right.seconds, right.nanoseconds)
    }
}
