extension Database {
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
