/// The text of rows: stored after the slots, in the order it was set.
///
/// Safe throughout: rows here have the layout given, so slots lie within them. Slots of rows copied from a file may name any
/// place: they are compared with the row before they are used. Memory is reserved before it is written.
extension RowBuffer {
    /// Sets the text of a column that has none yet, in the row that is last in memory: the most frequent case of
    /// filling a new row. Returns false in any other case, which `setText` handles.
    @inline(__always) func appendText(_ index: Int, _ column: Int, slot: Int, _ bytes: UnsafeRawBufferPointer) -> Bool {
        let row = mutableRow(index)
        let length = RowView(start: UnsafeRawPointer(row)).length
        guard row + length == memory + used, let base = bytes.baseAddress,
              (row + slot).loadUnaligned(fromByteOffset: 4, as: UInt32.self) == 0,
              length + bytes.count <= RowLayout.maximumBytes else { return false }
        // Reserve first: it may move all rows.
        reserve(bytes.count)
        (memory + used).copyMemory(from: base, byteCount: bytes.count)
        extendLast(index, by: bytes.count)
        let place = mutableRow(index) + slot
        place.storeBytes(of: UInt32(truncatingIfNeeded: length), as: UInt32.self)
        place.storeBytes(of: UInt32(truncatingIfNeeded: bytes.count), toByteOffset: 4, as: UInt32.self)
        setNull(index, column, false)
        return true
    }

    /// Sets a string or data column. A text that does not fit in the previous one's room goes to the row's end; for
    /// that, the row moves to the end of the buffer if it is not there.
    func setText(_ index: Int, _ column: Int, _ layout: RowLayout, to bytes: UnsafeRawBufferPointer) {
        let before = slot(index, column, layout)
        var room = Int(before.loadUnaligned(fromByteOffset: 4, as: UInt32.self))
        var offset = Int(before.loadUnaligned(as: UInt32.self))
        // The room of a null text is not reserved: `dropText` may have reused it.
        if row(index).isNull(column) || offset < layout.fixedBytes || offset + room > row(index).length { room = 0 }
        if room == 0 || room < bytes.count {
            if room > 0 { dropText(index, column, layout) }
            _ = moveToEnd(index)
            offset = row(index).length
            reserve(bytes.count)
            extendLast(index, by: bytes.count)
        }
        if let base = bytes.baseAddress { (mutableRow(index) + offset).copyMemory(from: base, byteCount: bytes.count) }
        setSlot(index, column, layout, offset: offset, count: bytes.count)
        setNull(index, column, false)
    }

    private func setSlot(_ index: Int, _ column: Int, _ layout: RowLayout, offset: Int, count: Int) {
        let slot = slot(index, column, layout)
        slot.storeBytes(of: UInt32(offset), as: UInt32.self)
        slot.storeBytes(of: UInt32(count), toByteOffset: 4, as: UInt32.self)
    }

    /// Compacts the row's texts and drops that of `column`; otherwise a text that changes repeatedly would grow its row
    /// without bound.
    private func dropText(_ index: Int, _ column: Int, _ layout: RowLayout) {
        let length = row(index).length
        var texts: [(column: Int, offset: Int, count: Int)] = []
        for (other, type) in layout.types.enumerated() where type?.isBytes == true {
            let slot = slot(index, other, layout)
            let offset = Int(slot.loadUnaligned(as: UInt32.self))
            let count = Int(slot.loadUnaligned(fromByteOffset: 4, as: UInt32.self))
            if other == column || row(index).isNull(other) { continue }
            if count > 0 { texts.append((other, offset, count)) } else {
                // An empty text must lie within the row as well, which is about to become shorter.
                setSlot(index, other, layout, offset: layout.fixedBytes, count: 0)
            }
        }
        texts.sort { $0.offset < $1.offset }
        guard areApart(texts.map { $0.offset..<$0.offset + $0.count }, within: layout.fixedBytes..<length) else { return }
        // Each text moves towards the row's start, onto bytes that are already free.
        var end = layout.fixedBytes
        for text in texts {
            (mutableRow(index) + end).copyMemory(from: mutableRow(index) + text.offset, byteCount: text.count)
            setSlot(index, text.column, layout, offset: end, count: text.count)
            end += text.count
        }
        shrink(index, by: length - end)
    }

    private func areApart(_ ranges: [Range<Int>], within bounds: Range<Int>) -> Bool {
        var end = bounds.lowerBound
        for range in ranges {
            if range.lowerBound < end { return false }
            end = range.upperBound
        }
        return end <= bounds.upperBound
    }
}
