/// How much an editor keeps to undo commits.
public struct UndoLimits: Sendable {
    /// Objects of one commit.
    public var objects: Int
    /// Bytes of the values of one commit, before and after; and of all commits together.
    public var bytes: Int

    /// What an object takes besides its values.
    static let bytesPerObject = 64

    public init(objects: Int = 20_000, bytes: Int = 64 << 20) {
        self.objects = objects
        self.bytes = bytes
    }
}
