import Platform

// Lost versions: a version that was durable and whose root was destroyed since. `confirmed` shows it, and the first
// writer overwrites `confirmed`. So that writer first writes a record of its own, which every later session finds,
// until the loss is acknowledged.

extension Recovery {
    /// Records which version was lost, before `confirmed` is overwritten. If that fails nothing else was written, and
    /// the next opener finds the same as this one: it writes all again that is not confirmed.
    func keepLostVersion(_ outcome: Outcome) throws(FreeholdError) {
        guard outcome.isNewlyLost else { return }
        try file.write(LostRecord(file: identifier, version: outcome.lostVersion), at: FileLayout.lost)
        do { try file.synchronize() } catch { throw FreeholdError(error, "write down which version was lost") }
    }
}

extension Session {
    /// The version that was durable and is lost; nil as a rule.
    var lostVersion: UInt64? {
        let version = member.memory.lostVersion.load()
        return version == 0 ? nil : version
    }

    /// Records which version was lost, in a session that a reader began (as `Recovery.keepLostVersion` does in others).
    /// The caller owns the writer lock.
    ///
    /// - Parameter newest: the newest root, compared with the file.
    func keepLostVersion(above newest: Root) throws(FreeholdError) {
        guard lostVersion != nil, let confirmed = member.file.read(ConfirmedRecord.self, at: FileLayout.confirmed), confirmed.version > newest.version
        else { return }
        let before = member.file.read(LostRecord.self, at: FileLayout.lost)?.numberTaken(in: member.header.file, above: confirmed.version) ?? 0
        try member.file.write(LostRecord(file: member.header.file, version: max(confirmed.version, before)), at: FileLayout.lost)
        try flusher.synchronizeOutsideFlush()
    }

    /// Ends the report of a lost version, for all processes and later sessions. Its number stays in the record: no other version gets it.
    func acknowledgeLostVersion(_ lease: WriteLease) throws(FreeholdError) {
        guard let lost = lostVersion else { return }
        try requireUnderWay(lease)
        try member.file.write(LostRecord(file: member.header.file, version: lost, isAcknowledged: true), at: FileLayout.lost)
        try flusher.synchronizeOutsideFlush()
        member.memory.lostVersion.store(0)
    }

    /// Takes over the report of a lost version from `source`, from which this file is created. The commit that follows
    /// makes it durable.
    func inheritLostVersion(of source: Session) throws(FreeholdError) {
        guard let lost = source.lostVersion else { return }
        try member.file.write(LostRecord(file: member.header.file, version: lost), at: FileLayout.lost)
        member.memory.lostVersion.store(lost)
    }
}

extension LostRecord {
    /// The number that no other version of the file gets, or 0. A compacted copy has numbers of its own, and reports
    /// the version that its source lost: a number far above its own has no meaning for it.
    func numberTaken(in identifier: FileIdentifier, above version: UInt64) -> UInt64 {
        file == identifier && self.version <= version + CheckedRoots.mostSkipped ? self.version : 0
    }
}
