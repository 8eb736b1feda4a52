extension Database {
    /// Waits until all commits survive a power cut, also those with `.processCrash`: leads a flush, or shares the one
    /// under way.
    ///
    /// ```swift
    /// for batch in batches { try database.write(durability: .processCrash) { try insert(batch, $0) } }
    /// try database.flush()
    /// ```
    /// - Throws: `.notYetDurable` if it did not end in time; the next flush covers it. `.io` if the disk failed.
    ///   `.readOnly`.
    public func flush() throws(FreeholdError) {
        let session = try core().session
        try session.checkValid()
        guard session.isWritable else { throw FreeholdError(.readOnly, "the database is open for reading only", path: path) }
        try session.member.checkNotPoisoned()
        try session.flusher.waitUntilDurable(session.memory.newest.read().root)
    }
}
