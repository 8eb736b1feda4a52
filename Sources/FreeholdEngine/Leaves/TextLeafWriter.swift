/// The offsets of a text leaf's parts, computed before it is written.
struct TextLeafLayout {
    let count: Int
    let blobLength: Int
    let hasNulls: Bool
    let hasExternal: Bool
    let form: TextLeaf.Form

    init(count: Int, longest: Int, blobLength: Int, hasNulls: Bool, hasExternal: Bool) {
        self.count = count
        self.blobLength = blobLength
        self.hasNulls = hasNulls
        self.hasExternal = hasExternal
        form = longest <= 255 ? .short : .ends
    }

    var externalsOffset: Int { TextLeaf.headerLength + (hasNulls ? Bitmap.byteCount(count) : 0) }
    var tableOffset: Int { externalsOffset + (hasExternal ? Bitmap.byteCount(count) : 0) }
    var blobOffset: Int { tableOffset + TextLeaf.tableBytes(count, form: form.rawValue) }
    var length: Int { blobOffset + blobLength }
}

/// Writes one text leaf.
///
/// Safe throughout: `start` has `layout.length` bytes, and every part is written within its own place there; extents lie
/// within the heap.
struct TextLeafWriter {
    let start: UnsafeMutableRawPointer
    let layout: TextLeafLayout
    let isText: Bool

    func write(_ extents: UnsafeBufferPointer<TextColumnBuilder.Extent>, heap: UnsafeRawBufferPointer, nulls: NullBits?,
               nullCount: Int, externals: NullBits?) {
        precondition(layout.blobLength <= Int(UInt16.max) && layout.count <= LeafHead.maximumCount,
                     "a text leaf holds at most 65,535 rows and bytes; its maker splits before that")
        writeHeader(nullCount)
        if let nulls { PackedIntegers.copyNulls(nulls, rows: layout.count, to: start + TextLeaf.headerLength) }
        if let externals { PackedIntegers.copyNulls(externals, rows: layout.count, to: start + layout.externalsOffset) }
        if layout.form == .short { writeGroups(extents) } else { writeEnds(extents) }
        writeBlob(extents, heap)
    }

    private func writeHeader(_ nullCount: Int) {
        var flags: LeafHead.Flags = isText ? .isText : []
        if layout.hasNulls { flags.insert(.hasNulls) }
        if layout.hasExternal { flags.insert(.hasExternal) }
        LeafHead(count: layout.count, shape: layout.form.rawValue, flags: flags, nullCount: nullCount).store(start)
        start.setLittle(TextLeaf.blobLengthOffset, UInt64(layout.blobLength))
    }

    private func writeGroups(_ extents: UnsafeBufferPointer<TextColumnBuilder.Extent>) {
        var group = start + layout.tableOffset
        var offset: UInt32 = 0
        for first in stride(from: 0, to: extents.count, by: TextLeaf.groupRows) {
            group.setLittle(0, UInt16(truncatingIfNeeded: offset))
            for at in 0..<TextLeaf.groupRows {
                let length = first + at < extents.count ? extents[first + at].length : 0
                group.setLittle(2 + at, UInt8(truncatingIfNeeded: length))
                offset += length
            }
            group += TextLeaf.groupBytes
        }
    }

    private func writeEnds(_ extents: UnsafeBufferPointer<TextColumnBuilder.Extent>) {
        let table = start + layout.tableOffset
        var offset: UInt32 = 0
        for row in extents.indices {
            offset += extents[row].length
            table.setLittle(row * 2, UInt16(truncatingIfNeeded: offset))
        }
        for row in extents.count..<(extents.count + 3) & ~3 { table.setLittle(row * 2, 0 as UInt16) }
    }

    /// Copies values; adjacent values in the heap are copied in one run.
    private func writeBlob(_ extents: UnsafeBufferPointer<TextColumnBuilder.Extent>, _ heap: UnsafeRawBufferPointer) {
        guard let source = heap.baseAddress else { return }
        var target = start + layout.blobOffset
        var runStart = 0
        var runEnd = 0
        for extent in extents where extent.length > 0 {
            if Int(extent.start) != runEnd {
                target.copyMemory(from: source + runStart, byteCount: runEnd - runStart)
                target += runEnd - runStart
                runStart = Int(extent.start)
            }
            runEnd = Int(extent.start + extent.length)
        }
        target.copyMemory(from: source + runStart, byteCount: runEnd - runStart)
    }
}
