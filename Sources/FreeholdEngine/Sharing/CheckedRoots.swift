import Platform
import Synchronization

// Nothing from the lock file enters the data file unchecked: otherwise a program that may write the lock file, by
// mistake or on purpose, could write the database through it. Every root on which a commit or a flush is based is
// compared with the records of the data file itself.
//
// 1. Newest is in a V record or, where nothing has been committed since the session began, in a durable slot. Durable
//    is in a slot.
// 2. A record is overwritten only after the word that names it has moved on. So a record that is missing while the word
//    is unchanged was never there.
// 3. The compared value is the one that is used: a second read of a word may give another value.
// 4. The slot of V to be written, and the number of the next version, follow from what was compared, not from words of the lock file alone.

/// The roots in the lock file, compared with the records of the data file, and the records that a commit or a flush
/// writes next.
final class CheckedRoots: Sendable {
    private let member: Membership
    /// The roots that this process has found in the file: they need not be looked up again.
    private let found = Mutex(Found())

    private struct Found {
        var newest = Root.none
        var place = RootPlace.durable
        var durable = Root.none
    }

    init(_ member: Membership) { self.member = member }

    private var memory: LockMemory { member.memory }
    private var file: DataFile { member.file }
    private var header: FileHeader { member.header }

    /// Maximum number of version numbers skipped between two commits: a higher floor was never set by this code.
    static let mostSkipped: UInt64 = 1 << 24

    /// The newest root and the version floor, after both and the durable root have been compared with the file. The
    /// caller owns the writer lock.
    @discardableResult
    func newest() throws(FreeholdError) -> (root: Root, floor: UInt64) {
        try checkDurable()
        let newest = memory.newest.read().root
        if newest != found.withLock({ $0.newest }) {
            guard let place = place(of: newest) else { throw member.damagedLockFile() }
            noteChecked(newest, in: place)
        }
        let floor = memory.versionFloor.load()
        guard isPlausible(floor: floor, above: newest.version) else { throw member.damagedLockFile() }
        return (newest, floor)
    }

    /// Compares the durable root with the file's durable slots.
    func checkDurable() throws(FreeholdError) {
        while true {
            let (durable, sequence) = memory.durable.read()
            if durable == found.withLock({ $0.durable }) { return }
            let isFound = slotHolding(durable) != nil
            // Another flush may have ended meanwhile, and have begun the next one (2).
            guard memory.durable.isStill(sequence) else { continue }
            guard isFound else { throw member.damagedLockFile() }
            found.withLock { $0.durable = durable }
            return
        }
    }

    /// The record of the file that holds a root; nil if none does.
    func place(of root: Root) -> RootPlace? {
        for (slot, offset) in FileLayout.volatileSlots.enumerated() {
            if let record = file.read(VolatileRecord.self, at: offset), record.root == root, record.file == header.file { return .volatile(slot) }
        }
        return slotHolding(root) == nil ? nil : .durable
    }

    /// Remembers that the file has `newest`, and where.
    func noteChecked(_ newest: Root, in place: RootPlace) {
        assert(newest.isPlausible, "a record of the file with a root that cannot be")
        found.withLock { ($0.newest, $0.place) = (newest, place) }
    }

    /// The slot of V to write next: not the one that holds the newest root.
    var freeVolatileSlot: Int {
        if case .volatile(let slot) = found.withLock({ $0.place }) { return 1 - slot }
        return memory.volatileSlot.load() == 0 ? 1 : 0
    }

    /// The highest version that this session may have shown to any reader, as far as the file confirms it.
    var highestVersion: UInt64 {
        let volatiles = FileLayout.volatileSlots.compactMap { file.read(VolatileRecord.self, at: $0)?.root.version }
        let durables = FileLayout.durableSlots.compactMap { file.read(DurableRecord.self, at: $0)?.root.version }
        let inFile = (volatiles + durables).max() ?? 0
        let claimed = max(memory.newest.version, memory.versionFloor.load())
        return isPlausible(floor: claimed, above: inFile) ? max(claimed, inFile) : inFile
    }

    private func isPlausible(floor: UInt64, above version: UInt64) -> Bool {
        floor <= version || (floor - version <= Self.mostSkipped && floor < Root.versionLimit - 1)
    }

    /// The slot that does not hold D.
    func freeDurableSlot(_ durable: Root) -> Int {
        let first = file.read(DurableRecord.self, at: FileLayout.durableSlots[0])
        return first?.root.version == durable.version ? 1 : 0
    }

    /// The record of the durable slot that holds a root; nil if none does.
    func slotHolding(_ root: Root) -> DurableRecord? {
        FileLayout.durableSlots.lazy.compactMap { self.file.read(DurableRecord.self, at: $0) }
            .first { $0.root == root && $0.file == self.header.file }
    }

    /// Writes the commit point: one complete record in the slot that does not hold the newest valid one.
    func writeVolatileRecord(_ root: Root) throws(FreeholdError) {
        let slot = freeVolatileSlot
        assert(slot == 0 || slot == 1, "V has two slots")
        let record = VolatileRecord(file: header.file, root: root, place: member.place, session: member.sessionNumber)
        let offset = FileLayout.volatileSlots[slot]
        #if FREEHOLD_POINTS
            // A killed process leaves whole records only; here the halves are made visible to tests.
            try record.withBytes(at: offset, file.cipher) { bytes throws(FreeholdError) in
                try file.write(UnsafeRawBufferPointer(rebasing: bytes[..<(bytes.count / 2)]), at: offset)
            }
            point("commit.rootHalfWritten", member.system)
        #endif
        try file.write(record, at: offset)
        memory.volatileSlot.store(UInt64(slot))
        noteChecked(root, in: .volatile(slot))
    }

    /// The newest record of V that this session has written, whether or not the ring has it.
    func newestOfThisSession() -> (slot: Int, root: Root)? {
        var best: (slot: Int, root: Root)?
        for (slot, offset) in FileLayout.volatileSlots.enumerated() {
            guard let record = file.read(VolatileRecord.self, at: offset), isOfThisSession(record),
                record.root.version > best?.root.version ?? 0
            else { continue }
            best = (slot, record.root)
        }
        return best
    }

    private func isOfThisSession(_ record: VolatileRecord) -> Bool {
        record.file == header.file && record.place == member.place && record.session == member.sessionNumber
    }

    /// The version a slot of V claims, unchecked.
    func peekVolatileVersion(_ slot: Int) -> UInt64 {
        // Safe: page 3 is part of every file that was opened.
        UInt64(littleEndian: file.base.loadUnaligned(
            fromByteOffset: FileLayout.volatileSlots[slot] + VolatileRecord.rootOffset, as: UInt64.self))
    }
}

/// The record of the file that holds a root: a slot of V, or only a durable slot.
enum RootPlace {
    case volatile(Int)
    case durable
}

extension SessionOpener {
    /// Whether the data file confirms the session number in the lock file: all records written by a joining process
    /// carry it.
    func isSessionOfFile(_ number: UInt64, _ lockFile: LockFile, _ file: DataFile, _ header: FileHeader) -> Bool {
        let inUse = file.read(InUseRecord.self, at: FileLayout.inUse)
        if lockFile.memory.inUseWritten.loadInOrder() != 0, let inUse { return inUse.isInUse && inUse.session == number }
        // A reader began the session: it numbered it above the numbers in the file, and wrote nothing.
        var known = [inUse?.session ?? 0, file.read(PoisonRecord.self, at: FileLayout.poison)?.session ?? 0]
        for offset in FileLayout.durableSlots {
            if let record = file.read(DurableRecord.self, at: offset), record.file == header.file { known.append(record.session) }
        }
        for offset in FileLayout.volatileSlots {
            if let record = file.read(VolatileRecord.self, at: offset), record.file == header.file { known.append(record.session) }
        }
        let highest = known.max() ?? 0
        return number == highest || (highest < .max && number == highest + 1)
    }
}
