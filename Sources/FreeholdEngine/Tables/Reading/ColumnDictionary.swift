import CShims

/// The strings that the codes of one column represent.
///
/// ```
/// dictionary block: count = strings, first key = column; references: text leaves of 256 strings each, the last one with the rest
/// ```
/// 1. Codes are never reused or changed: a leaf written long ago keeps its meaning.
/// 2. A write transaction adds strings in memory first; `write` creates blocks from them at its end.
///
/// Safe throughout: leaf views are checked on first touch; a code beyond the strings known is an error.
final class ColumnDictionary {
    static let leafStrings = 256
    static let maximumStrings = 4096
    /// The maximum length of a string that gets a code: one leaf's worth of such strings, with their lengths and the
    /// leaf's head, fits a block.
    static let maximumStringBytes = 254

    private let access: BlockAccess
    /// The reference of the dictionary block in the file, or null.
    let reference: BlockReference
    /// The number of strings in blocks.
    private let storedCount: Int
    /// Strings added by this transaction, concatenated.
    private let added = ByteBuffer()
    // Safe (all exclusivity below): one thread uses a dictionary, and nothing here re-enters it.
    @exclusivity(unchecked) private var addedEnds: [Int] = []
    @exclusivity(unchecked) private var cells: [UInt16] = []

    init(_ reference: BlockReference, in access: BlockAccess) throws(FreeholdError) {
        self.access = access
        self.reference = reference
        if reference.isNull {
            storedCount = 0
        } else {
            let view = try access.view(reference)
            guard view.kind == .dictionary else {
                throw FreeholdError(.corrupt, "the block at byte \(reference.byteOffset) should be a string dictionary")
            }
            storedCount = view.count
        }
    }

    var count: Int { storedCount + addedEnds.count }
    var isChanged: Bool { !addedEnds.isEmpty }
    /// The number of strings added by this transaction.
    var addedCount: Int { addedEnds.count }

    /// Forgets the strings added after the first `count`.
    func truncate(toAdded count: Int) {
        if addedEnds.count == count { return }
        addedEnds.removeSubrange(count...)
        added.truncate(to: addedEnds.last ?? 0)
        cells.removeAll()
    }

    /// The bytes of the string that a code represents.
    func bytes(_ code: Int64) throws(FreeholdError) -> UnsafeRawBufferPointer {
        guard code >= 0, code < count else {
            throw FreeholdError(.corrupt, "a dictionary of \(count) strings is asked for string \(code); run `freehold check`")
        }
        let place = Int(code)
        if place >= storedCount {
            let index = place - storedCount
            let start = index == 0 ? 0 : addedEnds[index - 1]
            return UnsafeRawBufferPointer(start: added.start + start, count: addedEnds[index] - start)
        }
        let block = try access.view(reference)
        guard place / Self.leafStrings < block.referenceCount else { throw damaged() }
        let view = try access.view(block.reference(place / Self.leafStrings))
        guard view.kind == .textLeaf else { throw damaged() }
        let leaf = TextLeaf(view.body)
        guard !leaf.isCodes, place % Self.leafStrings < leaf.count else { throw damaged() }
        return leaf[place % Self.leafStrings]
    }

    /// The error in a dictionary's head, or nil; its leaves are checked when a string is looked up.
    static func complaint(about view: BlockView) -> String? {
        guard view.count <= maximumStrings else { return "it claims \(view.count) strings" }
        return view.referenceCount == (view.count + leafStrings - 1) / leafStrings ? nil : "its leaves are not as many as its strings need"
    }

    private func damaged() -> FreeholdError {
        FreeholdError(.corrupt, "a string dictionary's blocks do not fit together; run `freehold check`")
    }

    /// The code of a string, or nil if it has none.
    func code(of text: UnsafeRawBufferPointer) throws(FreeholdError) -> Int64? {
        if cells.isEmpty { try fillCells(capacity: max(64, count * 4)) }
        var cell = start(text)
        while cells[cell] != 0 {
            let code = Int64(cells[cell]) - 1
            if Self.equal(try bytes(code), text) { return code }
            cell = (cell + 1) & (cells.count - 1)
        }
        return nil
    }

    /// Compares bytes in bulk: `elementsEqual` compares byte by byte through iterators, which took a sixth of an
    /// import's time.
    private static func equal(_ left: UnsafeRawBufferPointer, _ right: UnsafeRawBufferPointer) -> Bool {
        guard left.count == right.count, let first = left.baseAddress, let second = right.baseAddress else {
            return left.isEmpty && right.isEmpty
        }
        return freehold_shim_compare(first, second, left.count) == 0
    }

    /// Adds a string that has no code yet.
    func add(_ text: UnsafeRawBufferPointer) throws(FreeholdError) -> Int64 {
        added.append(text)
        addedEnds.append(added.count)
        if count * 2 > cells.count { try fillCells(capacity: max(cells.count, count) * 4) } else { try insert(Int64(count - 1)) }
        return Int64(count - 1)
    }

    private func fillCells(capacity: Int) throws(FreeholdError) {
        var size = 64
        while size < capacity { size *= 2 }
        cells = Array(repeating: 0, count: size)
        for code in 0..<count { try insert(Int64(code)) }
    }

    private func insert(_ code: Int64) throws(FreeholdError) {
        var cell = start(try bytes(code))
        while cells[cell] != 0 { cell = (cell + 1) & (cells.count - 1) }
        cells[cell] = UInt16(code + 1)
    }

    /// A hash over 8 bytes at a time. Both halves of each product are used: the low half alone does not depend on the
    /// last characters, which is where strings like "city-17" differ.
    ///
    /// Wraps by design.
    private func start(_ text: UnsafeRawBufferPointer) -> Int {
        var hash = UInt64(text.count) &* 0x9E37_79B9_7F4A_7C15
        var offset = 0
        while offset + 8 <= text.count {
            hash = Self.mix(hash ^ text.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
            offset += 8
        }
        var rest: UInt64 = 0
        while offset < text.count {
            rest = rest << 8 | UInt64(text[offset])
            offset += 1
        }
        return Int(truncatingIfNeeded: Self.mix(hash ^ rest)) & (cells.count - 1)
    }

    @inline(__always) private static func mix(_ word: UInt64) -> UInt64 {
        let product = word.multipliedFullWidth(by: 0xFF51_AFD7_ED55_8CCD)
        return product.high ^ product.low
    }

    /// Creates the blocks that hold all strings; leaves that are already full are kept.
    func write(table: UInt32, column: Int, in pending: PendingBlocks) throws(FreeholdError) -> BlockReference {
        let full = storedCount / Self.leafStrings
        let leaves = (count + Self.leafStrings - 1) / Self.leafStrings
        let (new, block) = pending.make(.dictionary, table: table, firstKey: Int64(column), count: count, references: leaves, body: 0)
        if !reference.isNull {
            let old = try pending.access.view(reference)
            for index in 0..<old.referenceCount {
                if index < full { block.setReference(index, old.reference(index)) } else { pending.free(old.reference(index)) }
            }
            pending.free(reference)
        }
        let builder = TextColumnBuilder(isText: true)
        for leaf in full..<leaves {
            builder.removeAll()
            for code in leaf * Self.leafStrings..<min((leaf + 1) * Self.leafStrings, count) {
                builder.append(try bytes(Int64(code)))
            }
            let (made, body) = pending.make(.textLeaf, table: table, count: builder.count, body: builder.encodedLength())
            builder.encode(into: body.body)
            block.setReference(leaf, made)
        }
        return new
    }
}
