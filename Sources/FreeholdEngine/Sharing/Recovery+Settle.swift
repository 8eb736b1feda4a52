import Platform

extension Recovery {
    /// Makes the versions that were found durable, so that the session begins with D = newest.
    ///
    /// The first writes of a boot are `confirmed` and a V record of that boot. All that was read until then came from
    /// the disk; what is read later need not. A later opener can tell by that V.
    /// - Returns: the durable slot's record, and the slot of the newest V.
    func settle(_ outcome: Outcome) throws(FreeholdError) -> (DurableRecord, volatileSlot: UInt64) {
        var durable = outcome.durable
        var volatileSlot = outcome.adopted.map { UInt64($0.slot) } ?? UInt64(1 - outcome.freeVolatileSlot)
        if !outcome.isConfirmed, outcome.mayBeSameBoot {
            try flush(durable, slot: outcome.durableSlot, outcome)
        }
        if !outcome.isSameBoot {
            if !outcome.isConfirmed, !outcome.mayBeSameBoot { try file.write(ConfirmedRecord(durable), at: FileLayout.confirmed) }
            let record = VolatileRecord(
                file: identifier, root: outcome.newest, place: place, session: outcome.sessionNumber)
            try file.write(record, at: FileLayout.volatileSlots[outcome.freeVolatileSlot])
            volatileSlot = UInt64(outcome.freeVolatileSlot)
        }
        if let adopted = outcome.adopted?.record {
            durable = DurableRecord(
                file: identifier, root: adopted.root, base: durable.root.version, session: outcome.sessionNumber)
            try flush(durable, slot: 1 - outcome.durableSlot, outcome)
        }
        return (durable, volatileSlot)
    }

    /// Writes the blocks born after the slot's base once more, then the slot, flushes, and confirms.
    private func flush(_ record: DurableRecord, slot: Int, _ outcome: Outcome) throws(FreeholdError) {
        try rewriteBlocks(of: record.root, bornAfter: record.base)
        try file.write(record, at: FileLayout.durableSlots[slot])
        do { try file.synchronize() } catch {
            // If even this cannot be written, the next opener learns it from the blocks themselves.
            let poison = PoisonRecord(place: place, session: outcome.sessionNumber, highestVersion: outcome.highestVersion)
            try? file.write(poison, at: FileLayout.poison)
            throw FreeholdError(error, "make recovered commits durable")
        }
        try file.write(ConfirmedRecord(record), at: FileLayout.confirmed)
    }

    /// Makes the kernel write these blocks again: after a failed flush that no process noticed, it counts them as
    /// written.
    ///
    /// - Parameter mayGoOn: called before each block; an error that it throws ends the rewriting.
    func rewriteBlocks(
        of root: Root, bornAfter birth: UInt64, while mayGoOn: @escaping () throws(FreeholdError) -> Void = {}
    ) throws(FreeholdError) {
        var failure: FreeholdError?
        let isIntact = verifier.verify(root, bornAfter: birth, in: file) { reference, bytes in
            guard failure == nil else { return }
            do throws(FreeholdError) {
                try mayGoOn()
                try file.write(bytes, at: Int(reference.byteOffset))
            } catch { failure = error }
        }
        if let failure { throw failure }
        guard isIntact else {
            throw FreeholdError(
                .io, "blocks of version \(root.version) were lost before they reached the disk; open the database again "
                    + "to go on from the last durable version", path: file.path)
        }
    }
}
