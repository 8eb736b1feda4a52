import Platform

/// Determines which versions a file holds, from the header pages and the trees' verifier alone.
///
/// 1. After a reboot all that is read comes from the disk: the durable version is the newest slot that `confirmed`
///    names, or whose blocks born after its base are intact. None of it is written again, because that could tear it.
/// 2. Under the same boot (a V record of that boot shows it) what is read may be in the cache only: a slot that is not
///    confirmed is written again and flushed, while the other one stays as it is, before it counts as durable.
///    The same holds if this process cannot tell the boot, or the writing process could not: then nothing shows that it
///    is another one.
/// 3. V above it is adopted if every block born after the durable version is intact; it is written again and flushed.
/// 4. After a failed flush of this boot only confirmed slots count, of that session and before.
/// 5. Numbers above the highest one seen anywhere are new; that of a lost version too.
/// 6. What `confirmed` names was on the disk, and its slot is overwritten only after `confirmed` names another one. If
///    no root as new is found, the root was destroyed afterwards: an older version opens, and the loss is reported.
///    This does not apply to a file that is certainly a copy, which may mix pages of different versions. Before a
///    writer overwrites `confirmed`, it records which version was lost; that record stays until it is acknowledged.
/// 7. A root that uses a feature unknown to this code ends recovery before anything is judged: blocks would count as
///    damaged, and an older version as the newest.
struct Recovery {
    let file: DataFile
    let identifier: FileIdentifier
    let place: FilePlace
    let verifier: any RootVerifier

    /// The records of the header pages, unverified.
    private struct Findings {
        var slots: [(index: Int, record: DurableRecord)] = []
        var volatiles: [(index: Int, record: VolatileRecord)] = []
        var confirmed: ConfirmedRecord?
        var inUse: InUseRecord?
        var poison: PoisonRecord?
        var lost: LostRecord?

        var roots: [Root] { slots.map(\.record.root) + volatiles.map(\.record.root) }
    }

    /// The result of recovery.
    struct Outcome {
        /// The newest valid slot; `durableSlot` is its index, `isConfirmed` whether it is known to be on the disk.
        var durable: DurableRecord
        var durableSlot: Int
        var isConfirmed: Bool
        var isSameBoot: Bool
        /// Whether it may be the same boot: a reading or writing process could not tell the boot. In that case too, a
        /// slot that is not confirmed may be in the cache only.
        var mayBeSameBoot: Bool
        /// A newer commit to adopt, and its slot of V.
        var adopted: (slot: Int, record: VolatileRecord)?
        /// The slot of the next V: not the one that holds the newest valid record.
        var freeVolatileSlot = 0
        /// The highest version seen.
        var highestVersion: UInt64
        /// The version that was durable and is newer than all versions found, or 0 (6).
        var lostVersion: UInt64 = 0
        /// Whether only `confirmed` shows the loss yet.
        var isNewlyLost = false
        var sessionNumber: UInt64

        var newest: Root { adopted?.record.root ?? durable.root }
    }

    func run() throws(FreeholdError) -> Outcome {
        let findings = read()
        for root in findings.roots { try root.requireKnownFeatures(forWriting: file.isWritable, file.path) }
        let length = UInt64(try file.length())
        let copying = copying(findings.inUse)
        guard let chosen = try choose(findings, length, copying) else {
            throw copying == .certain ? copied() : damaged(findings, length, copying)
        }
        var outcome = chosen
        let newestVolatile = findings.volatiles.max { $0.record.root.version < $1.record.root.version }
        outcome.freeVolatileSlot = newestVolatile.map { 1 - $0.index } ?? 0
        for candidate in findings.volatiles.sorted(by: { $0.record.root.version > $1.record.root.version }) {
            let root = candidate.record.root
            guard root.version > chosen.durable.root.version, root.length <= length,
                !isPoisoned(candidate.record.session, findings),
                !chosen.isSameBoot || candidate.record.place.mayBeSameBoot(as: place)
            else { continue }
            if verify(root, bornAfter: copying == .none ? chosen.durable.root.version : 0) {
                outcome.adopted = (candidate.index, candidate.record)
                break
            }
        }
        if let lost = findings.lost, lost.file == identifier, !lost.isAcknowledged { outcome.lostVersion = lost.version }
        if let confirmed = findings.confirmed, copying != .certain, confirmed.version > outcome.newest.version {
            // The record keeps the highest number that is taken.
            outcome.lostVersion = max(confirmed.version, findings.lost?.numberTaken(in: identifier, above: chosen.highestVersion) ?? 0)
            outcome.isNewlyLost = true
        }
        guard !file.mapping.hasFaulted else {
            throw FreeholdError(.io, "reading the file failed; check the disk it lies on", path: file.path)
        }
        return outcome
    }

    private func read() -> Findings {
        var findings = Findings()
        for (index, offset) in FileLayout.durableSlots.enumerated() {
            if let record = file.read(DurableRecord.self, at: offset), record.file == identifier {
                findings.slots.append((index, record))
            }
        }
        for (index, offset) in FileLayout.volatileSlots.enumerated() {
            if let record = file.read(VolatileRecord.self, at: offset), record.file == identifier {
                findings.volatiles.append((index, record))
            }
        }
        findings.confirmed = file.read(ConfirmedRecord.self, at: FileLayout.confirmed)
        findings.inUse = file.read(InUseRecord.self, at: FileLayout.inUse)
        findings.poison = file.read(PoisonRecord.self, at: FileLayout.poison)
        findings.lost = file.read(LostRecord.self, at: FileLayout.lost)
        return findings
    }

    private func choose(
        _ findings: Findings, _ length: UInt64, _ copying: Copying
    ) throws(FreeholdError) -> Outcome? {
        var shown = findings.roots.map(\.version) + [findings.poison?.highestVersion ?? 0, findings.confirmed?.version ?? 0]
        if let lost = findings.lost { shown.append(lost.numberTaken(in: identifier, above: shown.max() ?? 0)) }
        var sessions = findings.slots.map(\.record.session) + findings.volatiles.map(\.record.session)
        sessions += [findings.inUse?.session ?? 0, findings.poison?.session ?? 0]
        let isSameBoot = findings.volatiles.contains { $0.record.place.isSameBoot(as: place) }
        let mayBeSameBoot = findings.volatiles.contains { $0.record.place.mayBeSameBoot(as: place) }
        for slot in findings.slots.sorted(by: { $0.record.root.version > $1.record.root.version }) {
            let record = slot.record
            let isConfirmed = findings.confirmed?.confirms(record) ?? false
            if !isConfirmed && (isPoisoned(record.session, findings) || isForWriters(record, findings)) { continue }
            if isConfirmed && copying != .certain {
                guard record.root.length <= length else {
                    throw FreeholdError(
                        .truncated, "the file has \(length) bytes, its durable version \(record.root.version) needs "
                            + "\(record.root.length); restore it from a backup", path: file.path)
                }
            }
            if !isConfirmed || copying != .none {
                let isWhole = record.root.length <= length && verify(record.root, bornAfter: copying == .none ? record.base : 0)
                if !isWhole, isConfirmed, copying == .possible { throw damaged(findings, length, copying) }
                guard isWhole else { continue }
            }
            return Outcome(
                durable: record, durableSlot: slot.index, isConfirmed: isConfirmed, isSameBoot: isSameBoot,
                mayBeSameBoot: mayBeSameBoot, adopted: nil, highestVersion: shown.max() ?? 0,
                sessionNumber: min(sessions.max() ?? 0, .max - 1) + 1)
        }
        return nil
    }

    private func verify(_ root: Root, bornAfter birth: UInt64) -> Bool {
        root.length <= UInt64(file.mappedLength) && verifier.verify(root, bornAfter: birth, in: file)
    }

    private func isPoisoned(_ session: UInt64, _ findings: Findings) -> Bool {
        guard let poison = findings.poison, poison.place.mayBeSameBoot(as: place) else { return false }
        return session <= poison.session
    }

    /// Whether an unconfirmed slot that may be in the cache only is left to writers, which can write it again: a reader
    /// takes the confirmed one. This applies if the file system is mounted anew, or is a snapshot of the other one, and
    /// only if that shows: in the same place a writer may come and write it (`SessionOpener.examine`).
    private func isForWriters(_ record: DurableRecord, _ findings: Findings) -> Bool {
        if file.isWritable || !findings.slots.contains(where: { findings.confirmed?.confirms($0.record) ?? false }) { return false }
        let possible = findings.volatiles.filter { $0.record.place.mayBeSameBoot(as: place) }
        return !possible.isEmpty && possible.allSatisfy { $0.record.place.device != place.device }
    }

    /// Whether the bytes may be a copy that was made while the file was open, and mix pages of different versions.
    private enum Copying {
        case none
        /// All that is found is verified whole, as in a copy; but a failure counts as damage.
        case possible
        case certain
    }

    /// Tells whether the file is a copy: a copy holds the "in use" record of another inode. Device numbers may change
    /// from boot to boot, and when the file system is mounted anew: a copy on another device with the same inode number
    /// is less likely.
    private func copying(_ record: InUseRecord?) -> Copying {
        guard let record, record.isInUse else { return .none }
        if record.place.inode != place.inode { return .certain }
        return record.place.device == place.device || !record.place.isOfSameBoot(as: place) ? .none : .possible
    }

    private func copied() -> FreeholdError {
        FreeholdError(
            .copiedWhileOpen, "the file was copied while it was open, and the copy mixes moments; make copies with "
                + "`freehold copy`", path: file.path)
    }

    private func damaged(_ findings: Findings, _ length: UInt64, _ copying: Copying) -> FreeholdError {
        if file.mapping.hasFaulted { return FreeholdError(.io, "reading the file failed; check the disk it lies on", path: file.path) }
        let copy = copying == .possible ? "; if it is a copy that was made while it was open, make another one with `freehold copy`" : ""
        let what = findings.slots.isEmpty
            ? "neither of its two durable roots can be read" : "blocks of its newest durable roots are missing or damaged"
        return FreeholdError(
            .corrupt, "\(what) (the file has \(length) bytes); restore it from a backup or run `freehold salvage`\(copy)",
            path: file.path)
    }
}
