/// Changes one value in a transaction's own copy of a leaf, if its encoding allows it.
enum LeafEditing {
    /// Returns false and changes nothing if the leaf must be encoded again.
    ///
    /// Safe: the block is pending, so its bytes are the transaction's own; its structure was checked when it was copied.
    static func set(_ value: Value, at row: Int, in block: MutableBlock) -> Bool {
        let body = block.body
        guard row < LeafHead(UnsafeRawPointer(body)).count else { return false }
        switch (block.view.kind, value) {
        case (.integerLeaf, .int(let number)): return PackedIntegers.set(number, at: row, in: body)
        case (.integerLeaf, .link(let key)): return PackedIntegers.set(key.rawValue, at: row, in: body)
        case (.integerLeaf, .bool(let flag)): return PackedIntegers.set(flag ? 1 : 0, at: row, in: body)
        case (.integerLeaf, .null): return PackedIntegers.setNull(at: row, in: body)
        case (.doubleLeaf, .double(let number)): RealLeaf.set(number, at: row, in: body)
        case (.floatLeaf, .float(let number)): RealLeaf.set(number, at: row, in: body)
        case (.doubleLeaf, .null), (.floatLeaf, .null): return RealLeaf.setNull(at: row, in: body)
        case (.dateLeaf, .date(let date)):
            return DateLeaf.set(seconds: date.seconds, nanoseconds: date.nanoseconds, at: row, in: body)
        case (.dateLeaf, .null): return DateLeaf.setNull(at: row, in: body)
        case (.fixedLeaf, .null): return FixedLeaf.setNull(at: row, in: body)
        default: return false
        }
        return true
    }
}
