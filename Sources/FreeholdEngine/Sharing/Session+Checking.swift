import Platform

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

/// The roots that this process has found in the file: they need not be looked up again.
struct CheckedRoots {
    var newest = Root.none
    var place = RootPlace.durable
    var durable = Root.none
}

/// The record of the file that holds a root: a slot of V, or only a durable slot.
enum RootPlace {
    case volatile(Int)
    case durable
}

extension Session {
    /// Maximum number of version numbers skipped between two commits: a higher floor was never set by this code.
    static let mostSkipped: UInt64 = 1 << 24

    /// The newest root and the version floor, after both and the durable root have been compared with the file. The
    /// caller owns the writer lock.
    @discardableResult
    func checkedNewest() throws(FreeholdError) -> (root: Root, floor: UInt64) {
        try checkDurable()
        let newest = memory.newest.read().root
        if newest != state.withLock({ $0.checked.newest }) {
            guard let place = place(of: newest) else { throw damagedLockFile() }
            noteChecked(newest, in: place)
        }
        let floor = memory.versionFloor.load()
        guard isPlausible(floor: floor, above: newest.version) else { throw damagedLockFile() }
        return (newest, floor)
    }

    /// Compares the durable root with the file's durable slots.
    func checkDurable() throws(FreeholdError) {
        while true {
            let (durable, sequence) = memory.durable.read()
            if durable == state.withLock({ $0.checked.durable }) { return }
            let isFound = slotHolding(durable) != nil
            // Another flush may have ended meanwhile, and have begun the next one (2).
            guard memory.durable.isStill(sequence) else { continue }
            guard isFound else { throw damagedLockFile() }
            state.withLock { $0.checked.durable = durable }
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
        state.withLock { ($0.checked.newest, $0.checked.place) = (newest, place) }
    }

    /// The slot of V to write next: not the one that holds the newest root.
    var freeVolatileSlot: Int {
        if case .volatile(let slot) = state.withLock({ $0.checked.place }) { return 1 - slot }
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
