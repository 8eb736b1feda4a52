/// Identifies a boot of a machine: 16 random bytes that the kernel chooses when it starts.
public struct BootIdentity: Sendable, Hashable {
    public var high: UInt64
    public var low: UInt64

    public init(high: UInt64, low: UInt64) {
        self.high = high
        self.low = low
    }
}

/// Identifies a process, for messages.
public struct ProcessIdentity: Sendable, Hashable {
    /// Its id within its pid namespace.
    public var id: Int32
    /// The name of its program, cut to 15 bytes by the kernel.
    public var name: String

    public init(id: Int32, name: String) {
        self.id = id
        self.name = name
    }
}
