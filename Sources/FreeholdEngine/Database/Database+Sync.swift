extension Database {
    /// Takes the lease of the one process that syncs this file.
    ///
    /// The lease ends with its `release`, with the object, and with the process. It does not keep the database open. An agent that waits
    /// for it asks again, once a second.
    ///
    /// - Returns: nil if another process, or another part of this one, holds it.
    /// - Throws: `.readOnly`, `.closed`, `.forked`, `.leaseLost`; `.fileReplaced` if the path leads to another file by now.
    public func takeSyncLease() throws(FreeholdError) -> SyncLease? { try SyncLease.take(core().session.member) }

    /// Whether an agent syncs the file at the moment: a process that lives has its lease.
    public var hasSyncAgent: Bool { get throws(FreeholdError) { try SyncLease.isTaken(core().session.member) } }

    /// Notes, before anything of it is sent, that an epoch has been sealed: then a file that is put back to before is noticed. Makes the
    /// seal durable, too.
    ///
    /// - Throws: `.invalidArgument` if the epoch is still open.
    // Allowed: for the programs that sync a file.
    package func noteSealed(_ epoch: UInt64) throws(FreeholdError) {
        try flush()
        let transaction = try beginWrite()
        defer { transaction.rollback() }
        let session = transaction.core.session
        guard let body = try SyncBody(transaction.base, in: transaction.pending.access), epoch < body.epoch else {
            throw FreeholdError(.invalidArgument, "epoch \(epoch) is not sealed", path: path)
        }
        var sidecar = try session.syncSidecar() ?? session.newSidecar(body.replica)
        // One of another replica was put there meanwhile, and says nothing of this file.
        if sidecar.replica != body.replica { sidecar = session.newSidecar(body.replica) }
        if sidecar.sealed >= epoch { return }
        sidecar.sealed = epoch
        try session.write(sidecar, isDurable: true)
    }
}
