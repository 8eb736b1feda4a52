/// One version of the database: what a commit publishes and a reader pins. A plain value, copied freely.
struct Root: Equatable, Sendable {
    /// This version's number.
    var version: UInt64
    /// The newest version at or below this one that was committed with full durability.
    var lastFull: UInt64
    /// Bytes of the file that are initialised and belong to this version.
    var length: UInt64
    /// The top block.
    var top: BlockReference
    /// Feature bits a reader must know.
    var readFeatures: UInt64
    /// Feature bits a writer must know.
    var writeFeatures: UInt64

    static let byteCount = 72
}
