import Platform
import Synchronization

/// The lock file as mapped by one process.
///
/// 1. Only the first opener creates it, always as a new inode: a process that still has an older one mapped does no
///    harm.
/// 2. Tables grow a page at a time, under a byte lock of this file, because initialising writes zeros.
/// 3. Pages are written before they are used, so a full disk shows in that write and not as a fault. The exceptions are
///    file systems where each change of a page goes to a new place (btrfs), and a file that is cut short. After a fault
///    all of the memory is private to this process and reads as zeros, including its slot's state: the lease is lost.
///    Storage is not allocated beforehand: a session that ends before the file reaches the disk then costs the disk
///    nothing.
/// 4. Without a lock file (read-only media) the same memory is private to the process.
///
/// Safe throughout: the mapping lives as long as this object.
final class LockFile: Sendable {
    let system: any System
    let memory: LockMemory
    /// Device and inode of the file; nil for private memory.
    let identity: FileIdentity?
    private let backing: Backing
    private let growing: LocalLock
    private let keepsMapping = Atomic<Int>(0)
    private let isDistrusted = Atomic(false)
    /// Whether its owner, permissions or hard links, as they were when it was opened, allow other users to write it.
    let isOpenToOthers: Bool

    private enum Backing: @unchecked Sendable {
        case file(any File, FileIdentity, Mapping)
        case memory(UnsafeMutableRawPointer)
    }

    /// Held while a table grows.
    private static let growByte = 0
    /// Held by a read-only opener while it decides whether there is a session, and begins one if not.
    static let beginByte = 1

    private init(_ backing: Backing, _ system: any System, isOpenToOthers: Bool = false) {
        self.isOpenToOthers = isOpenToOthers
        self.backing = backing
        self.system = system
        switch backing {
        case .file(_, let identity, let mapping):
            self.identity = identity
            memory = LockMemory(base: mapping.base)
        case .memory(let base):
            identity = nil
            memory = LockMemory(base: base)
        }
        growing = LocalLock(system)
    }

    deinit {
        switch backing {
        case .file(let file, _, let mapping):
            // After a fault, mutexes that were held leave their thread's list of robust mutexes pointing here.
            if keepsMapping.load(ordering: .relaxed) == 0, !mapping.hasFaulted { system.unmap(mapping) }
            file.close()
        case .memory(let base): base.deallocate()
        }
    }

    /// Switches the session to byte locks, for good, since other users may write into the file. A robust mutex holds
    /// addresses of the process that has it locked; a user who can change them can make the C library write anywhere.
    /// This process touches no mutex from now on, whatever the file says.
    func distrust() {
        isDistrusted.store(true, ordering: .relaxed)
        memory.usesByteLocks.storeInOrder(1)
    }

    /// Whether a page of the file could not be read or written: this process then shares nothing with the others any
    /// more.
    var hasFaulted: Bool {
        guard case .file(_, _, let mapping) = backing else { return false }
        return mapping.hasFaulted
    }

    /// Whether the session uses byte locks instead of mutexes.
    var usesByteLocks: Bool { isDistrusted.load(ordering: .relaxed) || memory.usesByteLocks.loadInOrder() != 0 }

    /// Leaves the memory mapped for good.
    func keepMapping() { keepsMapping.store(1, ordering: .relaxed) }

    /// Closes the descriptor; the memory stays mapped until the last reference is released.
    func close() {
        if case .file(let file, _, _) = backing { file.close() }
    }

    /// Creates memory private to this process, in place of a file.
    static func inPrivateMemory(_ system: any System) -> LockFile {
        let base = UnsafeMutableRawPointer.allocate(byteCount: LockLayout.reserve, alignment: LockLayout.page)
        base.initializeMemory(as: UInt8.self, repeating: 0, count: LockLayout.initialLength)
        return LockFile(.memory(base), system).begun()
    }

    /// Creates a lock file where there is none; nil if there is one. Until it is ready the caller must hold the session
    /// byte exclusively, so that no process that finds the file joins.
    static func createFirst(
        _ path: String, like status: FileStatus, _ system: any System
    ) throws(FreeholdError) -> LockFile? {
        do { return try make(path, like: status, system) } catch {
            if error.code == ErrorNumber.exists { return nil }
            throw FreeholdError(error, "make the lock file")
        }
    }

    /// Creates a new lock file beside an existing one. `install` puts it in its place once it is ready.
    static func create(_ path: String, like status: FileStatus, _ system: any System) throws(FreeholdError) -> LockFile {
        do {
            let path = newPath(path)
            if try system.status(of: path) != nil { try system.removeFile(path) }
            return try make(path, like: status, system)
        } catch { throw FreeholdError(error, "make the lock file") }
    }

    private static func make(_ path: String, like status: FileStatus, _ system: any System) throws(SystemError) -> LockFile {
        let file = try system.openFile(path, .createExclusive(permissions: status.permissions & 0o666))
        do {
            let made = try file.status()
            if made.permissions != status.permissions || made.groupID != status.groupID {
                try file.setPermissions(like: status)
            }
            try file.write([UInt8](repeating: 0, count: LockLayout.initialLength), at: 0)
            return LockFile(.file(file, made.identity, try map(file)), system).begun()
        } catch {
            // An unfinished file would only keep others waiting for it.
            try? system.removeFile(path)
            throw error
        }
    }

    /// Sets the counts of a new lock file to the lines that its first pages hold.
    private func begun() -> LockFile {
        memory.processCount.store(UInt64(LockLayout.linesPerPage))
        memory.cellCount.store(UInt64(LockLayout.linesPerPage))
        return self
    }

    /// Puts the new lock file in its place, replacing any existing file.
    static func install(_ path: String, _ system: any System) throws(FreeholdError) {
        try translating("put the lock file in its place") { () throws(SystemError) in
            try system.renameFile(newPath(path), to: path)
        }
    }

    /// Creates an empty lock file, by which read-only openers decide which of them begins the session. An existing one
    /// stays.
    /// - Returns: whether there was none.
    static func createEmpty(_ path: String, like status: FileStatus, _ system: any System) throws(FreeholdError) -> Bool {
        do {
            let file = try system.openFile(path, .createExclusive(permissions: status.permissions & 0o666))
            try file.setPermissions(like: status)
            try file.setLength(LockLayout.initialLength)
            file.close()
            return true
        } catch {
            guard error.code == ErrorNumber.exists else { throw FreeholdError(error, "make the lock file") }
            return false
        }
    }

    /// Removes the unfinished lock file of a process that died while it created one. The caller shares the session
    /// byte, so no writer begins a session meanwhile.
    ///
    /// Several read-only openers may come here at once, and only one of them may remove the file; the others would
    /// remove the lock file that the first one then creates. So each takes the begin byte of that very file, and checks
    /// again.
    static func removeUnfinished(_ path: String, _ system: any System) throws(FreeholdError) {
        do {
            let file = try system.openFile(path, .readWrite)
            defer { file.close() }
            let identity = try file.status().identity
            guard try file.tryLock(byte: beginByte, exclusive: true), try system.status(of: path)?.identity == identity,
                try file.length() < LockLayout.initialLength
            else { return }
            try system.removeFile(path)
        } catch {
            guard error.code == ErrorNumber.notFound else { throw FreeholdError(error, "remove an unfinished lock file") }
        }
    }

    /// The name of a new lock file until it is ready. Only one process at a time creates one.
    static func newPath(_ path: String) -> String { path + ".new" }

    /// Opens an existing lock file. Nil if there is none, if it is too short to be one, or if it is a symbolic link:
    /// the target of a link does not belong to the database.
    static func open(_ path: String, _ system: any System) throws(FreeholdError) -> LockFile? {
        let file: any File
        do { file = try system.openFile(path, .readWriteUnlinked) } catch {
            if error.code == ErrorNumber.notFound || error.code == ErrorNumber.isLink { return nil }
            throw FreeholdError(error, "open the lock file")
        }
        do {
            let status = try file.status()
            guard status.length >= LockLayout.initialLength else {
                file.close()
                return nil
            }
            return LockFile(.file(file, status.identity, try map(file)), system, isOpenToOthers: Self.isOpenToOthers(status, system))
        } catch {
            file.close()
            throw FreeholdError(error, "map the lock file")
        }
    }

    /// Whether users other than this one and the superuser, who may write everything anyway, may write the file.
    private static func isOpenToOthers(_ status: FileStatus, _ system: any System) -> Bool {
        (status.userID != system.userID && status.userID != 0) || status.permissions & 0o022 != 0 || status.linkCount != 1
    }

    private static func map(_ file: any File) throws(SystemError) -> Mapping {
        try file.map(reserve: LockLayout.reserve, minimum: LockLayout.reserve, writable: true, dontFork: true)
    }

    /// Makes sure that line `index` of `table` is initialised. `count` is the number of its initialised lines.
    func makeLine(_ index: Int, ofTable table: LockTable, count: SharedWord) throws(FreeholdError) {
        guard index >= Int(clamping: count.loadInOrder()) else { return }
        guard growing.acquire(timeoutMilliseconds: 10_000) else { throw growthBlocked() }
        defer { growing.release() }
        guard try lock(Self.growByte, timeoutMilliseconds: 10_000) else { throw growthBlocked() }
        defer { unlock(Self.growByte) }
        while index >= Int(clamping: count.loadInOrder()) {
            let lines = Int(clamping: count.loadInOrder())
            try clearPage(at: table.offset(lines))
            count.storeInOrder(UInt64(lines + LockLayout.linesPerPage))
        }
    }

    private func clearPage(at offset: Int) throws(FreeholdError) {
        switch backing {
        case .file(let file, _, _):
            try translating("extend the lock file") { () throws(SystemError) in
                try file.write([UInt8](repeating: 0, count: LockLayout.page), at: offset)
            }
        case .memory(let base):
            (base + offset).initializeMemory(as: UInt8.self, repeating: 0, count: LockLayout.page)
        }
    }

    private func lock(_ byte: Int, timeoutMilliseconds: Int) throws(FreeholdError) -> Bool {
        guard case .file(let file, _, _) = backing else { return true }
        return try translating("lock the lock file") { () throws(SystemError) in
            try file.lock(byte: byte, exclusive: true, timeoutMilliseconds: timeoutMilliseconds)
        }
    }

    private func unlock(_ byte: Int) {
        // A lock that cannot be released goes with the descriptor.
        if case .file(let file, _, _) = backing { try? file.unlock(byte: byte) }
    }

    /// Takes the byte under which read-only openers decide which of them begins the session.
    func lockBeginning(timeoutMilliseconds: Int) throws(FreeholdError) -> Bool {
        try lock(Self.beginByte, timeoutMilliseconds: timeoutMilliseconds)
    }

    func unlockBeginning() { unlock(Self.beginByte) }

    private func growthBlocked() -> FreeholdError {
        FreeholdError(
            .busy, "another process has been extending the lock file for ten seconds; if it is stopped, continue or "
                + "end it")
    }
}
