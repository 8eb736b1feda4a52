import Platform

// A version that was durable and whose root was destroyed since. `confirmed` is what tells, and the first writer overwrites it; so it first
// writes a record of its own, which every later session finds, until somebody acknowledges the loss.

extension Recovery {
    /// Writes down which version was lost, before `confirmed` is overwritten.
    func keepLostVersion(_ outcome: Outcome) throws(FreeholdError) {
        guard outcome.isNewlyLost else { return }
        try LostRecord(file: identifier, version: outcome.lostVersion).write(durablyTo: file)
    }
}

extension LostRecord {
    fileprivate func write(durablyTo file: DataFile) throws(FreeholdError) {
        try file.write(self, at: FileLayout.lost)
        do { try file.synchronize() } catch { throw FreeholdError(error, "write down which version was lost") }
    }
}

extension Session {
    /// The version that was durable once and is lost; nil as a rule.
    var lostVersion: UInt64? {
        let version = memory.lostVersion.load()
        return version == 0 ? nil : version
    }

    /// What `Recovery.keepLostVersion` does, in a session that a reader began. The caller owns the writer lock.
    ///
    /// - Parameter newest: the newest root, compared with the file.
    func keepLostVersion(above newest: Root) throws(FreeholdError) {
        guard memory.lostVersion.load() != 0, let confirmed = file.read(ConfirmedRecord.self, at: FileLayout.confirmed),
            confirmed.version > newest.version
        else { return }
        try LostRecord(file: header.file, version: confirmed.version).write(durablyTo: file)
    }

    /// Ends the report of a lost version, for all processes and later sessions. The caller owns the writer lock.
    func acknowledgeLostVersion() throws(FreeholdError) {
        guard lostVersion != nil else { return }
        try LostRecord(file: header.file, version: 0).write(durablyTo: file)
        memory.lostVersion.store(0)
    }
}
