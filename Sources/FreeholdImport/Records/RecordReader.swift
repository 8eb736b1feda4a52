/// Reads one record after another from a text, keeping no more of it than the record at hand.
public protocol RecordReader: AnyObject {
    /// The next record; nil at the end of the text.
    /// - Throws: what is wrong and where. After an error of kind `.record` the next call goes on behind the bad record;
    ///   after any other it returns nil.
    func next() throws(ImportError) -> ImportedRecord?

    /// How many bytes were taken from the text so far.
    var bytesRead: Int { get }
}
