extension WriteTransaction {
    /// Overwrites a part of a string or data property, and goes on behind its end. Of a long value only the blocks that hold the
    /// part are written: the cost follows the part, not the value.
    ///
    /// ```swift
    /// try transaction.write(patch, to: key, in: images, pixels, at: 1 << 30)
    /// ```
    /// A null property becomes what is written. Whoever holds an older version goes on seeing that one's bytes.
    /// - Parameter offset: the byte to begin at, at most the present length.
    /// - Throws: `.noSuchObject`; `.valueTooLarge` beyond 4 GiB; `.typeMismatch` for other types; `.invalidArgument` for a place
    ///   behind the end, for what would cut a character of a string in two or is not UTF-8 there, and for a value that this very
    ///   transaction took over from a `LargeValueWriter`.
    public func write(_ bytes: UnsafeRawBufferPointer, to key: ObjectKey, in table: Table, _ column: Column, at offset: Int) throws(FreeholdError) {
        try change(key, in: table, column, .write(bytes, offset: offset))
    }

    /// Overwrites a part of a string or data property with the bytes of an array.
    public func write(_ bytes: [UInt8], to key: ObjectKey, in table: Table, _ column: Column, at offset: Int) throws(FreeholdError) {
        try withBytes(bytes) { bytes throws(FreeholdError) in try write(bytes, to: key, in: table, column, at: offset) }
    }

    /// Appends bytes to a string or data property; errors as for `write`.
    public func append(_ bytes: UnsafeRawBufferPointer, to key: ObjectKey, in table: Table, _ column: Column) throws(FreeholdError) {
        try change(key, in: table, column, .write(bytes, offset: nil))
    }

    /// Appends the bytes of an array to a string or data property.
    public func append(_ bytes: [UInt8], to key: ObjectKey, in table: Table, _ column: Column) throws(FreeholdError) {
        try withBytes(bytes) { bytes throws(FreeholdError) in try append(bytes, to: key, in: table, column) }
    }

    /// Truncates a string or data property to its first `count` bytes; errors as for `write`.
    public func truncate(_ key: ObjectKey, in table: Table, _ column: Column, to count: Int) throws(FreeholdError) {
        try change(key, in: table, column, .truncate(count))
    }

    private func change(_ key: ObjectKey, in table: Table, _ column: Column, _ change: PartChange) throws(FreeholdError) {
        let writer = try own(table), index = try writer.state.index(of: column)
        try require(key, of: table, writer, has: index)
        try writer.parts.change(key.rawValue, index, part: change)
    }

    private func withBytes(_ bytes: [UInt8], _ body: (UnsafeRawBufferPointer) throws(FreeholdError) -> Void) throws(FreeholdError) {
        // Safe: the pointer is used up before the call returns.
        try bytes.withUnsafeBytes { buffer in Result { () throws(FreeholdError) in try body(buffer) } }.get()
    }
}
