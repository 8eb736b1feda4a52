/// The destination of a commit's bytes: the data file, as the space floor needs it.
protocol CommitSink: AnyObject {
    /// Number of bytes of the file that exist and are initialised; never less than the newest version's length.
    var length: UInt64 { get }
    /// Writes all bytes at `offset`, which is at most `length`; a write past the end makes the file longer.
    func write(_ bytes: UnsafeRawBufferPointer, at offset: UInt64) throws(FreeholdError)
    /// Fills the file with zeros from its present end to `length`, if it is shorter.
    func grow(to length: UInt64) throws(FreeholdError)
}
