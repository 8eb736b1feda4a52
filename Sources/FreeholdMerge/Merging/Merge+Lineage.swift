import FreeholdEngine

/// Which of two writes a file made first, where that is known without stamps: a clock that ran ahead is no witness, since the server and
/// the device replace its stamps.
///
///     replica 1:  epoch 3 ── 4 ── 5 ── 6
///                              └ copied while 5 was open: replica 2 has all before, and a part of 5
extension Merge {
    enum Lineage {
        case before, after, unknown
    }

    /// A file's later write is above its earlier one, whatever its clock said then.
    func stamp(_ entry: SyncEntry, old: StoredWrite?) throws(FreeholdError) -> SyncStamp {
        let stamp = stamps(entry)
        guard let old, !shortcuts.contains(.keepsOwnOrderBroken), try lineage(entry, old) == .after else { return stamp }
        return max(stamp, old.stamp.successor)
    }

    /// Whether a write is after the one that is there; the larger replica is, of equal stamps.
    func isLater(_ stamp: SyncStamp, _ entry: SyncEntry, than old: StoredWrite) throws(FreeholdError) -> Bool {
        if !shortcuts.contains(.keepsOwnOrderBroken), try lineage(entry, old) == .before { return false }
        if stamp != old.stamp { return stamp > old.stamp }
        let replica = context.numbers[Int(entry.replica)]
        if replica == old.replica { return false }
        return try store.replica(replica) > store.replica(old.replica)
    }

    private func lineage(_ entry: SyncEntry, _ old: StoredWrite) throws(FreeholdError) -> Lineage {
        let replica = context.numbers[Int(entry.replica)]
        if shortcuts.contains(.ignoresLineage) {
            return entry.replica == 0 && replica == old.replica && entry.epoch > old.epoch ? .after : .unknown
        }
        if replica == old.replica {
            if entry.epoch != old.epoch { return entry.epoch > old.epoch ? .after : .before }
            // A copied file has brought a part of the epoch: the original's is the same, or goes on from there.
            if entry.replica == 0 { return .after }
            // An element that was inserted and moved in one epoch is both in one batch.
            if old.transaction == context.transaction { return .unknown }
            return entry.epoch <= context.applied[Int(entry.replica)] ? .before : .unknown
        }
        if try store.ancestors(of: replica).contains(where: { $0.replica == old.replica && $0.has(old.epoch, old.given) }) { return .after }
        if try store.ancestors(of: old.replica).contains(where: { $0.replica == replica && $0.has(entry.epoch, entry.stamp) }) {
            return .before
        }
        return .unknown
    }

    /// Notes what the writer's file was before; each of these was what stands before it in the list.
    func noteLineage() throws(FreeholdError) {
        guard !context.push.inherited.isEmpty else { return }
        var before: [SyncAncestor] = []
        for one in context.push.inherited {
            let number = context.numbers[Int(one.replica)]
            if !before.isEmpty, try store.ancestors(of: number).isEmpty { try store.save(before, of: number) }
            before.append(SyncAncestor(replica: number, openEpoch: one.openEpoch, last: one.last))
        }
        try store.save(before, of: context.writer)
    }
}

extension SyncAncestor {
    /// Whether a file that took another identity had a write: one of an epoch that was sealed, or of the open one up to its last stamp.
    fileprivate func has(_ epoch: UInt64, _ given: SyncStamp) -> Bool { epoch < openEpoch || (epoch == openEpoch && given <= last) }
}
