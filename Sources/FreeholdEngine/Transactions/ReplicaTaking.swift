import Platform

// A file pushes only under an identity that no other file has. A process that opens it for writing compares what the file says of itself
// with the inode and with the sidecar (`SyncSidecar`); if they do not fit, it gives the file another identity:
//
// ```
// sidecar of the new identity ──► durable commit with the new identity ──► open
// ```
// 1. Killed in between, the next process finds a sidecar of another replica, and begins again.
// 2. What is pending keeps the replica and epoch that it was written under (`SyncBody.slots`): the server may know it.
// 3. It compares again under the writer lock, since another process may have done the same meanwhile.

extension DatabaseCore {
    /// Gives a file with synced classes another identity if it may not be the one that has the present one. A process that may not
    /// write leaves it as it is.
    func confirmIdentity(timeoutMilliseconds: Int) throws(FreeholdError) {
        guard session.keepsSyncSidecar, session.memory.visible.read().writeFeatures & FormatFeatures.sync != 0 else { return }
        let snapshot = try Snapshot(core: self)
        defer { snapshot.end() }
        guard let body = try snapshot.syncState(), try !isAtHome(body, version: snapshot.root.version) else { return }
        let lease = try beginWrite(timeoutMilliseconds: timeoutMilliseconds)
        let transaction: WriteTransaction
        do throws(FreeholdError) { transaction = try WriteTransaction(core: self, lease: lease) } catch {
            session.abandonWrite(lease)
            throw error
        }
        guard let body = try SyncBody(transaction.base, in: transaction.pending.access),
              try !isAtHome(body, version: lease.newest.version) else { return transaction.rollback() }
        try transaction.sync.takeIdentity()
        try transaction.commit(.full)
    }

    /// Whether the file is the one that has its identity.
    private func isAtHome(_ body: SyncBody, version: UInt64) throws(FreeholdError) -> Bool {
        guard body.home == session.file.identity.hash, let sidecar = try session.syncSidecar() else { return false }
        return sidecar.replica == body.replica && sidecar.sealed < body.epoch && sidecar.closed <= version
    }
}

extension SyncDeclarations {
    /// Gives the file an identity of its own; what is pending is inherited from the present one.
    func takeIdentity() throws(FreeholdError) {
        let body = try body(), access = transaction.pending.access
        transaction.capturesSync = false
        let captured = transaction.schema.presentTables.filter { transaction.schema.isCaptured(Int($0.number)) }
        var isUsed = body.epoch > 1 || body.identities > 0
        for stored in captured where !isUsed {
            isUsed = try PendingTrees(TableRoot(transaction.base.table(Int(stored.number)), in: access)).hasOwn(in: access)
        }
        var made = try isUsed ? copied(body) : body
        if !isUsed {
            // Nothing was written under the present identity, so nobody has to know of it.
            made.replica = .random(transaction.core.session.system)
            made.home = transaction.core.session.file.identity.hash
        }
        try transaction.core.session.write(transaction.core.session.newSidecar(made.replica))
        transaction.changedSync = made
        for stored in captured where isUsed {
            let writer = try transaction.writer(Int(stored.number)), known = PendingTrees(writer.state.root)
            if known.isSettled { continue }
            try writer.open(keepingRows: true)
            // Identities, neighbours and absent links name no slot: their trees stay.
            var own = PendingTrees()
            (own.changes, own.deletions, own.sums) = (known.changes, known.deletions, known.sums)
            let shifted = try own.copied(from: access, shift: 1, table: stored.number, to: writer.pending)
            for (_, tree) in own.all { try writer.pending.freeTree(tree) }
            var made = known.settled
            (made.changes, made.deletions, made.sums) = (shifted.changes, shifted.deletions, shifted.sums)
            made.neighbours = known.neighbours
            made.store(in: &writer.state.root)
        }
    }

    /// The state of sync for a file with the same pending changes, with an identity of its own.
    func copied(_ body: SyncBody) throws(FreeholdError) -> SyncBody {
        guard body.slots.count < SyncBody.maximumSlots else {
            throw FreeholdError(.valueTooLarge, "the file has had \(body.slots.count) identities without a server's answer; sync it first, "
                + "from the file that it is a copy of", path: transaction.core.path)
        }
        let session = transaction.core.session
        return body.copied(as: .random(session.system), home: session.file.identity.hash)
    }
}
