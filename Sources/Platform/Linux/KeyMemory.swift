import CShims

/// The message with which a forked child is stopped if it uses keys that the fork has wiped. Every call of a database
/// refuses earlier.
let wipedKeys = "a forked child uses the keys of a database that its parent opened: open the database again in the child"

/// Memory for one key: its own pages between inaccessible ones, excluded from core dumps, locked in memory where the
/// limit allows it, and wiped when it is freed.
///
/// Not part of `System`: private memory is the same for every process, simulated or not.
///
/// Safe throughout: the bytes belong to this object from `init` to `deinit`.
public final class KeyMemory: @unchecked Sendable {
    /// Bytes of the longest key.
    public static let byteCount = Int(FREEHOLD_SHIM_SECRET_LENGTH)

    private let start: UnsafeMutablePointer<UInt8>
    private let count: Int
    private let isInherited: Bool
    private let forkGeneration: UInt32

    /// Allocates `count` zeros. A forked child shares them if they are `inherited`; otherwise it has zeros that it
    /// cannot use.
    public init(count: Int, inherited: Bool) {
        precondition(count <= Self.byteCount, "a key has at most \(Self.byteCount) bytes")
        guard let start = freehold_shim_secret_new(inherited ? 1 : 0) else { fatalError("out of memory for a key") }
        (self.start, self.count, isInherited) = (start, count, inherited)
        forkGeneration = freehold_shim_fork_generation()
    }

    deinit { freehold_shim_secret_free(start) }

    /// The bytes; stops a forked child in which they are wiped.
    public var bytes: UnsafeMutableRawBufferPointer {
        precondition(isInherited || forkGeneration == freehold_shim_fork_generation(), wipedKeys)
        return UnsafeMutableRawBufferPointer(start: start, count: count)
    }
}
