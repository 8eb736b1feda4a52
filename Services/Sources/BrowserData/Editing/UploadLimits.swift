/// What one tab may upload before a commit uses it.
public struct UploadLimits: Sendable {
    /// Bytes of all uploads together.
    public var bytes: Int
    public var number: Int
    /// How long an upload may wait for its next piece, or for a commit.
    public var idle: Duration

    public init(bytes: Int = 4 << 30, number: Int = 64, idle: Duration = .seconds(1800)) {
        self.bytes = bytes
        self.number = number
        self.idle = idle
    }
}
