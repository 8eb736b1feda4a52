import Platform
import Synchronization

/// The lock file as one process has it mapped.
///
/// 1. Only the first opener makes it, always as a new inode: whoever still has an older one mapped harms nobody.
/// 2. Tables grow a page at a time, under a byte lock of this file, because initialising writes zeros.
/// 3. What is mapped was written before, so a full disk shows in that write and not as a fault, but where each change of a page goes to a
///    new place (btrfs), and where the file is cut short. After a fault all of the memory is this process's own and reads as zeros, its slot's
///    state too: the lease is lost. The storage is not asked for beforehand: a session that ends before the file reaches the disk then costs
///    the disk nothing.
/// 4. Without one (read-only media) the same memory is private to the process.
///
/// Safe throughout: the mapping lives as long as this object.
final class LockFile: Sendable {
    let system: any System
    let memory: LockMemory
    /// Which inode it is; nil if it is private memory.
    let identity: FileIdentity?
    private let backing: Backing
    private let growing: LocalLock
    private let keepsMapping = Atomic<Int>(0)
    private let isDistrusted = Atomic(false)
    /// Whether other users may write it by its owner, its permissions or its names, as they were when it was opened.
    let isOpenToOthers: Bool

    private enum Backing: @unchecked Sendable {
        case file(any File, FileIdentity, Mapping)
        case memory(UnsafeMutableRawPointer)
    }

    /// Held while a table grows.
    private static let growByte = 0
    /// Held by a read-only opener while it decides whether there is a session and makes one if not.
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

    /// Turns the session to byte locks, for good, since other users may write into the file: a robust mutex holds addresses of the process
    /// that has it locked, and whoever can change them has the C library write where he wants. This process touches no mutex from now on,
    /// whatever the file says.
    func distrust() {
        isDistrusted.store(true, ordering: .relaxed)
        memory.usesByteLocks.storeInOrder(1)
    }

    /// Whether the file could not give or take a page: this process shares nothing with the others any more.
    var hasFaulted: Bool {
        guard case .file(_, _, let mapping) = backing else { return false }
        return mapping.hasFaulted
    }

    /// Whether byte locks rule, rather than mutexes.
    var usesByteLocks: Bool { isDistrusted.load(ordering: .relaxed) || memory.usesByteLocks.loadInOrder() != 0 }

    /// Leaves the memory mapped for good.
    func keepMapping() { keepsMapping.store(1, ordering: .relaxed) }

    /// Drops the descriptor; the memory stays until the last reference goes.
    func close() {
        if case .file(let file, _, _) = backing { file.close() }
    }

    /// Memory of this process alone, in the place of a file.
    static func inPrivateMemory(_ system: any System) -> LockFile {
        let base = UnsafeMutableRawPointer.allocate(byteCount: LockLayout.reserve, alignment: LockLayout.page)
        base.initializeMemory(as: UInt8.self, repeating: 0, count: LockLayout.initialLength)
        return LockFile(.memory(base), system).begun()
    }

    /// Makes a lock file where there is none; nil if there is one. Until it is ready its maker must have the session
    /// byte exclusively, so that nobody who finds it joins.
    static func createFirst(
        _ path: String, like status: FileStatus, _ system: any System
    ) throws(FreeholdError) -> LockFile? {
        do { return try make(path, like: status, system) } catch {
            if error.code == ErrorNumber.exists { return nil }
            throw FreeholdError(error, "make the lock file")
        }
    }

    /// Makes a new lock file beside one that is there. It gets its place by `install`, once it is ready.
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
            // What is not finished would only keep others waiting for it.
            try? system.removeFile(path)
            throw error
        }
    }

    /// A new one, with what its first pages hold of the tables.
    private func begun() -> LockFile {
        memory.processCount.store(UInt64(LockLayout.linesPerPage))
        memory.cellCount.store(UInt64(LockLayout.linesPerPage))
        return self
    }

    /// Puts the new lock file in the place of whatever is there.
    static func install(_ path: String, _ system: any System) throws(FreeholdError) {
        try translating("put the lock file in its place") { () throws(SystemError) in
            try system.renameFile(newPath(path), to: path)
        }
    }

    /// Makes an empty lock file, for read-only openers to decide by who begins the session; one that is there stays.
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

    /// Removes what a process left that died while it made a lock file. The caller takes part in the session byte, so no
    /// writer begins a session meanwhile.
    ///
    /// Read-only openers may meet here, and only one of them may remove what the name leads to; the others would remove
    /// the lock file that the first one then makes. So they take the begin byte of that very file, and look again.
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

    /// The name a new lock file has until it is ready. Only one process at a time makes one.
    static func newPath(_ path: String) -> String { path + ".new" }

    /// Opens an existing one; nil if there is none, or one too short to be one, or a symbolic link: what that leads to is not the database's.
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

    /// The superuser may write everything anyway.
    private static func isOpenToOthers(_ status: FileStatus, _ system: any System) -> Bool {
        (status.userID != system.userID && status.userID != 0) || status.permissions & 0o022 != 0 || status.linkCount != 1
    }

    private static func map(_ file: any File) throws(SystemError) -> Mapping {
        try file.map(reserve: LockLayout.reserve, minimum: LockLayout.reserve, writable: true, dontFork: true)
    }

    /// Makes sure that line `index` of the table at `table`, whose initialised lines `count` tells, is initialised.
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

    /// Takes the byte under which read-only openers decide who begins the session.
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
