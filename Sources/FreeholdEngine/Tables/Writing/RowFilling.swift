/// The rows that are being created: the keys they get, and how many of them are not filled yet.
///
/// 1. While a row is being filled, rows keep their positions in the buffer: none is sealed or removed but itself.
/// 2. Only keys below `firstNewKey` may have belonged to another object before the transaction.
struct RowFilling {
    /// The number of rows being filled, one within the other.
    private(set) var depth = 0
    /// The next key before the latest insertion, which a row gives back if its filling fails.
    var nextKeyBefore: Int64 = 0
    /// The next key when the transaction began.
    private(set) var firstNewKey: Int64

    init(nextKey: Int64) { firstNewKey = nextKey }

    @inline(__always) var isNone: Bool { depth == 0 }
    @inline(__always) mutating func begin() { depth += 1 }
    @inline(__always) mutating func end() { depth -= 1 }

    /// Begins a transaction on the table.
    mutating func beginTransaction(nextKey: Int64) { firstNewKey = nextKey }
}
