import Platform

/// One reader's hold on a version.
struct VersionHolder: Sendable, Equatable {
    var version: UInt64
    var process: ProcessIdentity
    /// Time since the version was first seen held, in nanoseconds; 0 if no scan has seen it before.
    var heldNanoseconds: UInt64
    /// Number of the process's cells that hold it.
    var cells: Int
    /// Whether all of them are parked.
    var isParked: Bool
}

/// The versions that are held, and the readers that hold them.
struct HeldVersions: Sendable {
    let member: Membership
    let cells: ReaderCells

    private var memory: LockMemory { member.memory }

    /// The versions that allocation, hole punching and truncation must leave whole: readers' pins and D, F, visible
    /// and newest. Ascending, each once.
    ///
    /// A version moves from newest to F to D, from newest by `rising` to visible, and from visible to a pin: every
    /// word is read before the ones its version can move to, and the pins last, so none slips by.
    ///
    /// - Parameter mayRevoke: whether to revoke a parked version from its holder. Only for the owner of the writer
    ///   lock.
    func versions(revoking mayRevoke: (UInt64) -> Bool = { _ in false }) -> [UInt64] {
        var held = [memory.newest.version, memory.flushing.version, memory.rising.loadInOrder(), memory.durable.version]
        let visible = memory.visible.version
        held.append(visible)
        appendPins(to: &held, above: visible, revoking: mayRevoke)
        held.sort()
        var last: UInt64 = 0
        held.removeAll { version in
            defer { last = version }
            return version == 0 || version == last
        }
        assert(zip(held, held.dropFirst()).allSatisfy { $0 < $1 }, "held versions ascend, each once")
        return held
    }

    /// The length of the longest held version in bytes, or nil if it is unknown for one of them. Newest is always among them.
    func longestLength() -> UInt64? {
        let words = [memory.newest.read().root, memory.durable.read().root, memory.flushing.read().root, memory.visible.read()]
        var longest = words[0].length
        for version in versions() {
            guard let length = words.first(where: { $0.version == version })?.length
                ?? memory.ring.entry(of: version)?.length, length <= UInt64(member.mappedLength)
            else { return nil }
            longest = max(longest, length)
        }
        return longest
    }

    /// The readers that hold versions, with the version of each, oldest first.
    func holders() -> [VersionHolder] {
        let now = member.system.monotonicNanoseconds
        var found: [VersionHolder] = []
        for index in 0..<cells.count {
            let cell = cells.cell(index)
            let word = cell.standing, version = ReaderCell.version(in: word), isParked = ReaderCell.isParked(word)
            guard version != 0, let process = member.slots.process(of: cell.owner.loadInOrder()) else { continue }
            if cell.isOwnCommit(word), version <= memory.visible.version { continue }
            let held = cell.noteHeld(version, now: now)
            if let place = found.firstIndex(where: { $0.version == version && $0.process == process }) {
                found[place].cells += 1
                found[place].isParked = found[place].isParked && isParked
                found[place].heldNanoseconds = max(found[place].heldNanoseconds, held)
            } else {
                found.append(VersionHolder(version: version, process: process, heldNanoseconds: held, cells: 1, isParked: isParked))
            }
        }
        return found.sorted { ($0.version, $0.process.id) < ($1.version, $1.process.id) }
    }

    /// Appends the pins of all cells, and scans again if a pin moved to another cell meanwhile (`pin(_:sharing:)`): it
    /// may have moved from a cell not yet read to one already read.
    private func appendPins(to held: inout [UInt64], above visible: UInt64, revoking mayRevoke: (UInt64) -> Bool) {
        let count = held.count
        for pass in 1... {
            let moved = memory.movedPins.loadInOrder()
            held.removeSubrange(count...)
            appendPinsOnce(to: &held, above: visible, revoking: mayRevoke)
            if memory.movedPins.loadInOrder() == moved { break }
            if pass >= Self.patientPasses { memory.scanWaits.store(1) }
        }
        // This also clears what a process killed in its scan has left.
        if memory.scanWaits.loadRelaxed() != 0 { memory.scanWaits.store(0) }
    }

    /// Number of passes before a scan asks the readers that move pins to let it go first.
    private static let patientPasses = 8

    private func appendPinsOnce(to held: inout [UInt64], above visible: UInt64, revoking mayRevoke: (UInt64) -> Bool) {
        for index in 0..<cells.count {
            let cell = cells.cell(index)
            let word = cell.standing
            var version = ReaderCell.version(in: word)
            // A version left in a cell without an owner is not held.
            guard version != 0, cell.owner.loadRelaxed() != 0 else { continue }
            if ReaderCell.isParked(word), version < visible, mayRevoke(version) {
                if cell.revoke(word) { continue }
                // The owner resumed this version or pinned another one, and holds that.
                version = cell.pinned
                if version == 0 { continue }
            }
            if version < visible {
                _ = cell.noteHeld(version, now: nil, member.system)
                if cell.isOwnCommit(word) { continue }
            }
            held.append(version)
        }
    }
}

extension ReaderCell {
    /// Notes when the version was first seen held here, and returns for how long that has been.
    func noteHeld(_ version: UInt64, now: UInt64) -> UInt64 {
        if seenVersion.loadRelaxed() == version {
            let since = seenSince.loadRelaxed()
            return now > since ? now - since : 0
        }
        seenSince.storeRelaxed(now)
        seenVersion.store(version)
        return 0
    }

    /// Notes that the version is held, for a scan without a time at hand: reads the clock only if there is something to
    /// note.
    func noteHeld(_ version: UInt64, now: UInt64?, _ system: any System) -> UInt64 {
        if now == nil, seenVersion.loadRelaxed() == version { return 0 }
        return noteHeld(version, now: now ?? system.monotonicNanoseconds)
    }
}
