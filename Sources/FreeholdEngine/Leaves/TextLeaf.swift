/// Strings or data of one leaf: a reader over its bytes that returns values in place.
///
/// ```
/// offset  bytes
///      0      8  head; shape = form: 0 short, 1 ends, 2 codes
/// forms short and ends
///      8      4  blob length
///     12      4  zero
///     16    8·n  null bitmap, if any
///      …    8·n  external bitmap, if any
///      …         short: for every 16 rows their blob offset (2 bytes) and 16 lengths of a byte
///                ends: for every row the blob offset behind it (2 bytes), then zeros up to a multiple of 8
///      …         blob: the values in row order
/// form codes
///      8         packed integers: positions in the column's dictionary, with the leaf's nulls
/// ```
/// 1. The short form costs 18 bytes for 16 rows; it serves when no value is longer than 255 bytes.
/// 2. A null row's value is empty.
/// 3. An external row's value in the blob is 10 bytes: its length (8) and which of the block's references leads to it (2).
/// 4. Offsets rise from 0 to the blob length without gaps, so no row can point outside.
///
/// Safe throughout: a reader is created over bytes that `validatedLength` has accepted, which has walked all offsets;
/// reading a row past the count is a caller's error (checked in debug builds).
struct TextLeaf {
    enum Form: UInt8 {
        case short = 0
        case ends = 1
        case codes = 2
    }

    static let blobLengthOffset = 8
    static let headerLength = 16
    static let codesOffset = 8
    static let groupRows = 16
    static let groupBytes = 18
    static let externalEntryLength = 10

    let start: UnsafeRawPointer
    let head: LeafHead
    let hasNulls: Bool
    let nulls: UnsafeRawPointer
    /// Groups or ends; for codes the packed integers.
    let table: UnsafeRawPointer
    let blob: UnsafeRawPointer

    @inline(__always) init(_ start: UnsafeRawPointer) {
        let head = LeafHead(start)
        self.start = start
        self.head = head
        if head.shape == Form.codes.rawValue {
            table = start + Self.codesOffset
            hasNulls = LeafHead(table).hasNulls
            nulls = table + PackedIntegers.headerLength
            blob = table
            return
        }
        hasNulls = head.hasNulls
        nulls = start + Self.headerLength
        let bitmaps = head.nullBytes + (head.flags.contains(.hasExternal) ? Bitmap.byteCount(head.count) : 0)
        table = start + (Self.headerLength + bitmaps)
        blob = table + Self.tableBytes(head.count, form: head.shape)
    }

    @inline(__always) var count: Int { head.count }
    @inline(__always) var isText: Bool { head.flags.contains(.isText) }
    @inline(__always) var isCodes: Bool { head.shape == Form.codes.rawValue }
    @inline(__always) var hasExternal: Bool { head.flags.contains(.hasExternal) }
    var nullCount: Int { isCodes ? codes.nullCount : head.nullCount }
    var form: Form { Form(rawValue: head.shape) ?? .short }

    /// The dictionary positions of a leaf in the form codes.
    @inline(__always) var codes: PackedIntegers { PackedIntegers(start + Self.codesOffset) }

    @inline(__always) func isNull(_ row: Int) -> Bool {
        assert(row >= 0 && row < count, "a row of this leaf")
        return hasNulls && Bitmap.contains(row, in: nulls)
    }

    @inline(__always) func isExternal(_ row: Int) -> Bool {
        hasExternal && Bitmap.contains(row, in: start + (Self.headerLength + head.nullBytes))
    }

    /// A row's bytes, valid as long as the leaf's. Not for the form codes; for an external row, its entry.
    @inline(__always) subscript(row: Int) -> UnsafeRawBufferPointer {
        let (offset, length) = extent(row)
        return UnsafeRawBufferPointer(start: blob + offset, count: length)
    }

    /// The length and the reference number of an external row's value.
    func external(_ row: Int) -> (length: UInt64, reference: Int) {
        assert(isExternal(row), "an external row")
        let entry = blob + extent(row).offset
        return (entry.little(0), Int(entry.little(8, as: UInt16.self)))
    }

    @inline(__always) func extent(_ row: Int) -> (offset: Int, length: Int) {
        assert(row >= 0 && row < count && !isCodes, "a row of this leaf")
        if head.shape == Form.short.rawValue { return shortExtent(row) }
        let offset = row == 0 ? 0 : Int(table.little(row &* 2 &- 2, as: UInt16.self))
        return (offset, Int(table.little(row &* 2, as: UInt16.self)) &- offset)
    }

    /// The length in bytes of a row's value.
    @inline(__always) func length(_ row: Int) -> Int {
        if head.shape != Form.short.rawValue { return extent(row).length }
        return Int(table.little((row &>> 4) &* Self.groupBytes &+ 2 &+ (row & 15), as: UInt8.self))
    }

    /// Adds the lengths of the group's earlier rows, eight at a time.
    @inline(__always) private func shortExtent(_ row: Int) -> (offset: Int, length: Int) {
        let group = table + (row &>> 4) &* Self.groupBytes
        let at = row & 15
        let shift = UInt64(truncatingIfNeeded: at &* 8)
        let first: UInt64 = group.little(2) & (at < 8 ? (1 &<< shift) &- 1 : ~0)
        let second: UInt64 = at < 8 ? 0 : group.little(10) & ((1 &<< shift) &- 1)
        let lanes: UInt64 = 0x00FF_00FF_00FF_00FF
        let pairs = (first & lanes) &+ (first &>> 8 & lanes) &+ (second & lanes) &+ (second &>> 8 & lanes)
        let before = Int(truncatingIfNeeded: (pairs &* 0x0001_0001_0001_0001) &>> 48)
        return (Int(group.little(0, as: UInt16.self)) &+ before, Int(group.little(2 &+ at, as: UInt8.self)))
    }

    var blobLength: Int { isCodes ? 0 : Int(start.little(Self.blobLengthOffset, as: UInt32.self)) }
    var byteCount: Int { isCodes ? Self.codesOffset + codes.byteCount : (blob - start) + blobLength }

    @inline(__always) static func tableBytes(_ count: Int, form: UInt8) -> Int {
        form == Form.short.rawValue ? (count + 15) >> 4 * groupBytes : (count * 2 + 7) & ~7
    }
}
