/// A value of a row.
enum SQLiteCell: Sendable {
    case null
    case int(Int64)
    case real(Double)
    /// UTF-8, whatever the encoding of the database; bytes that are not valid in it stay as they are.
    case text([UInt8])
    case blob([UInt8])
    /// A string or blob of more than `SourceLimits.shortBytes`, or of a large record. A string that is not valid UTF-8 is
    /// given as its bytes.
    case long(SourceBytes)
}

/// A value of a row where it lies, valid until another value or row is read.
enum SQLiteField {
    case null
    case int(Int64)
    case real(Double)
    /// Text in the encoding of the database.
    case text(UnsafeRawBufferPointer)
    case blob(UnsafeRawBufferPointer)
    /// Text in the encoding of the database, or a blob, that is not in memory as a whole: its range in the record.
    case spilled(isText: Bool, Range<Int>)
    /// The row was written before the column was added.
    case missing
}
