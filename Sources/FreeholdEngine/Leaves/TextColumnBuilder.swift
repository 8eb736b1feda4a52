/// Builds leaves of strings or data in the forms short and ends; dictionary codes go through `IntegerColumnBuilder`.
///
/// 1. Values are concatenated in `heap`; rows hold their extents. Changing or removing a row leaves its old bytes
/// there, unused, until the builder is emptied.
/// 2. `liveBytes` is the length of the blob to be written.
///
/// Safe throughout: rows point into the heap at bytes appended before them, and the heap is only emptied with the rows;
/// leaves read from are validated and asked for their own rows only.
final class TextColumnBuilder: ColumnBuilder {
    struct Extent: BitwiseCopyable {
        var start: UInt32
        var length: UInt32
    }

    let isText: Bool
    @exclusivity(unchecked) private var extents = RowArray<Extent>()
    @exclusivity(unchecked) private var nulls = RowBits()
    @exclusivity(unchecked) private var externals = RowBits()
    @exclusivity(unchecked) private(set) var liveBytes = 0
    private let heap = ByteBuffer(capacity: 8192)

    init(isText: Bool) { self.isText = isText }

    @inline(__always) var count: Int { extents.count }
    var nullCount: Int { nulls.population }

    @inline(__always) func append(_ value: UnsafeRawBufferPointer) {
        extents.append(store(value))
        liveBytes += value.count
    }

    func appendNull() {
        nulls.insert(extents.count)
        extents.append(Extent(start: 0, length: 0))
    }

    /// Appends a row whose bytes are in the blocks that one of the block's references leads to.
    func appendExternal(length: UInt64, reference: Int) {
        appendNull()
        setExternal(length: length, reference: reference, at: count - 1)
    }

    /// Appends rows of a leaf that is not in the form codes. External rows keep the reference number they had.
    func append(_ leaf: TextLeaf, rows: Range<Int>) {
        precondition(rows.lowerBound >= 0 && rows.upperBound <= leaf.count && !leaf.isCodes, "rows of this leaf")
        if rows.isEmpty { return }
        let first = count
        let start = leaf.extent(rows.lowerBound).offset
        let end = rows.upperBound == leaf.count ? leaf.blobLength : leaf.extent(rows.upperBound).offset
        // The values are contiguous: one copy, and an extent for each.
        var place = UInt32(truncatingIfNeeded: heap.count)
        heap.append(leaf.blob + start, count: end - start)
        let places = extents.extend(by: rows.count)
        for row in rows {
            let length = UInt32(truncatingIfNeeded: leaf.length(row))
            places[row - rows.lowerBound] = Extent(start: place, length: length)
            place += length
        }
        liveBytes += end - start
        if leaf.hasNulls { for row in rows where leaf.isNull(row) { nulls.insert(first + row - rows.lowerBound) } }
        if leaf.hasExternal { for row in rows where leaf.isExternal(row) { externals.insert(first + row - rows.lowerBound) } }
    }

    /// A row's bytes, valid until the builder is changed; for an external row, its entry.
    subscript(row: Int) -> UnsafeRawBufferPointer {
        let extent = extents[row]
        return UnsafeRawBufferPointer(rebasing: heap.bytes[Int(extent.start)..<Int(extent.start + extent.length)])
    }

    func isNull(_ row: Int) -> Bool { nulls.contains(row) }
    func isExternal(_ row: Int) -> Bool { externals.contains(row) }

    /// The length and the reference number of an external row's value.
    func external(_ row: Int) -> (length: UInt64, reference: Int) {
        precondition(isExternal(row), "an external row")
        let entry = heap.start + Int(extents[row].start)
        return (entry.little(0), Int(entry.little(8, as: UInt16.self)))
    }

    func set(_ value: UnsafeRawBufferPointer, at row: Int) {
        clear(row)
        nulls.remove(row)
        extents[row] = store(value)
        liveBytes += value.count
    }

    func setExternal(length: UInt64, reference: Int, at row: Int) {
        clear(row)
        nulls.remove(row)
        externals.insert(row)
        extents[row] = Extent(start: UInt32(heap.count), length: UInt32(TextLeaf.externalEntryLength))
        heap.append(little: length)
        heap.append(little: UInt16(reference))
        liveBytes += TextLeaf.externalEntryLength
    }

    func setNull(_ row: Int) {
        clear(row)
        nulls.insert(row)
    }

    func removeAll() {
        extents.removeAll()
        nulls.removeAll()
        externals.removeAll()
        heap.removeAll()
        liveBytes = 0
    }

    func keep(_ mask: UnsafePointer<UInt64>) {
        nulls.keep(mask, rows: count)
        externals.keep(mask, rows: count)
        extents.keep(mask)
        liveBytes = extents.buffer.reduce(0) { $0 + Int($1.length) }
    }

    func openGaps(_ positions: UnsafeBufferPointer<Int>) {
        nulls.openGaps(positions, rows: count)
        externals.openGaps(positions, rows: count)
        extents.openGaps(positions, filler: Extent(start: 0, length: 0))
        for position in positions { nulls.insert(position) }
    }

    func encodedLength() -> Int { layout().length }

    @discardableResult
    func encode(into start: UnsafeMutableRawPointer) -> Int {
        let layout = layout()
        TextLeafWriter(start: start, layout: layout, isText: isText)
            .write(extents.buffer, heap: heap.bytes, nulls: nulls.bitmap(rows: count), nullCount: nulls.population,
                   externals: externals.bitmap(rows: count))
        return layout.length
    }

    private func layout() -> TextLeafLayout {
        var longest: UInt32 = 0
        for extent in extents.buffer { longest = max(longest, extent.length) }
        return TextLeafLayout(count: count, longest: Int(longest), blobLength: liveBytes,
                              hasNulls: nulls.population > 0, hasExternal: externals.population > 0)
    }

    @inline(__always) private func store(_ value: UnsafeRawBufferPointer) -> Extent {
        let extent = Extent(start: UInt32(heap.count), length: UInt32(value.count))
        heap.append(value)
        return extent
    }

    private func clear(_ row: Int) {
        liveBytes -= Int(extents[row].length)
        externals.remove(row)
        extents[row] = Extent(start: 0, length: 0)
    }
}
