/// The rows of one column of a cluster being written: filled row by row or from leaves, editable, encoded as one leaf,
/// and emptied for the next cluster without releasing memory.
///
/// The common interface of all kinds of columns; values are added through the typed builders.
///
/// 1. `encode` writes exactly `encodedLength()` bytes, eight-byte aligned, all of them.
/// 2. A row that was opened is null until it is set.
protocol ColumnBuilder: AnyObject {
    var count: Int { get }
    var nullCount: Int { get }
    func isNull(_ row: Int) -> Bool
    func appendNull()
    func setNull(_ row: Int)
    func encodedLength() -> Int
    @discardableResult func encode(into start: UnsafeMutableRawPointer) -> Int
    /// Removes all rows; keeps the memory.
    func removeAll()
    /// Keeps the rows whose bit is set in `mask`, which has one bit a row.
    func keep(_ mask: UnsafePointer<UInt64>)
    /// Inserts null rows so that afterwards they are at `positions`, which ascend.
    func openGaps(_ positions: UnsafeBufferPointer<Int>)
}
