/// Reads records from a text one after another, with only the current record in memory.
public protocol RecordReader: AnyObject {
    /// The next record; nil at the end of the text.
    /// - Throws: the error with its position. After an error of kind `.record` the next call continues after the bad
    ///   record; after any other it returns nil.
    func next() throws(ImportError) -> ImportedRecord?

    /// Number of bytes consumed so far.
    var bytesRead: Int { get }
}
