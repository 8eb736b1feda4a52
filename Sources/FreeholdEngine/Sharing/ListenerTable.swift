// Safe throughout: places stay below the count of initialised lines.
import Platform

/// The listeners of a session: each has a line in the lock file and a FIFO of its own, so that none steals or misses
/// a byte.
///
/// ```
///  0  owner's token, 0 while the line is free      8  armed      16  number of the FIFO
/// ```
/// 1. A FIFO gets a byte only if its line is armed; notifying disarms the line. A listener arms, then reads the
///    version: a version that becomes visible after that read finds the line armed.
/// 2. A full or abandoned FIFO needs no byte.
struct ListenerTable {
    let lockFile: LockFile
    let folder: String

    /// A line, and the number that tells one life of the line from its other lives.
    struct Place: Hashable {
        let index: Int
        let number: UInt64
    }

    private var memory: LockMemory { lockFile.memory }
    var count: Int { Int(min(memory.listenerCount.loadInOrder(), UInt64(LockLayout.listenerLimit))) }

    private func word(_ index: Int, _ offset: Int) -> SharedWord {
        assert(index >= 0 && index < LockLayout.listenerLimit, "line \(index) lies beyond the table")
        return SharedWord(memory.base + LockLayout.listeners.offset(index), offset)
    }
    func owner(_ index: Int) -> SharedWord { word(index, 0) }
    func armed(_ index: Int) -> SharedWord { word(index, 8) }
    func number(_ index: Int) -> SharedWord { word(index, 16) }

    func pipePath(_ place: Place) -> String { "\(folder)/listener-\(place.index)-\(place.number)" }

    /// Whether a file name in the folder has the form of a pipe's name.
    static func isPipeName(_ name: String) -> Bool {
        let parts = name.split(separator: "-", omittingEmptySubsequences: false)
        return parts.count == 3 && parts[0] == "listener" && parts[1...].allSatisfy { !$0.isEmpty && $0.utf8.allSatisfy { (0x30...0x39).contains($0) } }
    }

    /// Whether the line still belongs to this listener.
    func isCurrent(_ place: Place) -> Bool { owner(place.index).load() != 0 && number(place.index).load() == place.number }

    func claim(_ token: UInt64) throws(FreeholdError) -> Place {
        for index in 0..<LockLayout.listenerLimit {
            try lockFile.makeLine(index, ofTable: LockLayout.listeners, count: memory.listenerCount)
            guard owner(index).replace(0, with: token) else { continue }
            let place = Place(index: index, number: try renumber(index, token))
            if memory.isLive(token) { return place }
            _ = owner(index).replace(token, with: 0)
            throw lostLease()
        }
        throw FreeholdError(
            .inUse, "\(LockLayout.listenerLimit) listeners are open in all processes together; close some", path: folder)
    }

    /// Gives a line its next number. It uses a compare-and-swap and checks the owner again: a process that was stopped
    /// meanwhile, and counted as dead, must not renumber the line of its present owner.
    func renumber(_ index: Int, _ token: UInt64) throws(FreeholdError) -> UInt64 {
        while true {
            let before = number(index).loadInOrder(), next = before &+ 1  // Safe: a number only tells lives of one line apart.
            guard owner(index).loadInOrder() == token else { throw lostLease() }
            if number(index).replace(before, with: next) { return next }
        }
    }

    private func lostLease() -> FreeholdError {
        FreeholdError(.leaseLost, "others have counted this process as dead; close the database and open it again", path: folder)
    }

    func release(_ place: Place, of token: UInt64, _ system: any System) {
        armed(place.index).storeInOrder(0)
        giveBack(place, of: token, system)
    }

    private func giveBack(_ place: Place, of token: UInt64, _ system: any System) {
        // Removes nothing through a link in the folder's place. What is left is removed with the session.
        let path = pipePath(place)
        if let names = try? system.listDirectory(folder), names.contains(where: { path == "\(folder)/\($0)" }) { try? system.removeFile(path) }
        _ = owner(place.index).replace(token, with: 0)
    }

    /// Releases the lines of a dead process, or of this one. The number is read first: a line that another process
    /// takes meanwhile gets another number. The line stays armed, for the same reason; that costs one lookup of a pipe
    /// that does not exist.
    func releaseAll(of token: UInt64, _ system: any System) {
        for index in 0..<count {
            let number = number(index).loadInOrder()
            if owner(index).loadInOrder() == token { giveBack(Place(index: index, number: number), of: token, system) }
        }
    }

    /// Disarms all armed lines and returns their places.
    func takeArmed() -> [Place] {
        memory.listenersArmed.storeInOrder(0)
        var found: [Place] = []
        for index in 0..<count where armed(index).loadInOrder() != 0 && armed(index).exchange(0) != 0 {
            found.append(Place(index: index, number: number(index).load()))
        }
        return found
    }

    func arm(_ place: Place) {
        armed(place.index).storeInOrder(1)
        memory.listenersArmed.storeInOrder(1)
    }
}
