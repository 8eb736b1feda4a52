import Platform

/// A copy of one held version, page by page: the same blocks at the same places, holes where that version has nothing.
///
/// 1. What is copied does not change while it is held: a page is written again only when no held version sees it.
/// 2. The copy's blocks are all compared with their checksums, in the copy, before it gets its name.
/// 3. It names its root as durable and confirmed, and belongs to no session. An encrypted file's blocks are copied as they stand,
///    under the same key.
struct Backup {
    let source: Database
    let path: String
    let system: any System

    private static let chunkBytes = 1 << 20

    func run(progress: ((_ done: UInt64, _ total: UInt64) -> Void)?) throws -> BackupReport {
        let snapshot = try source.snapshot()
        defer { snapshot.end() }
        let core = snapshot.core, root = snapshot.root
        let map = try SpaceMap.load(version: root.version, root: TopBlock(root.top, in: core.access).space, length: root.length,
                                    access: core.access, path: path)
        var done: UInt64 = 0
        let total = UInt64(map.usedPages * BlockLayout.page)
        let permissions = try core.session.file.file.status().permissions
        try NewFile(path: path, what: "a backup", system: system, permissions: permissions).make { temporary in
            let file = try system.openFile(temporary, .readWrite)
            defer { file.close() }
            try file.setLength(Int(root.length))
            try copyFirstPage(from: core.session.file.file, to: file)
            try copyPages(of: map, from: core.session.file.file, to: file) { count in
                done += UInt64(count)
                progress?(done, total)
            }
            let data = try open(temporary, root, core.session.file.cipher)
            guard TreeVerifier().verify(root, bornAfter: 0, in: data) else { throw damaged(root) }
            try finish(data, root, core.session)
        }
        return BackupReport(version: Version(root.version), copiedBytes: done, fileLength: root.length)
    }

    /// Safe: parts of a buffer of `chunkBytes`, of which a run of pages takes no more.
    private func copyPages(of map: SpaceMap, from source: any File, to file: any File, copied: (Int) -> Void) throws {
        var page = SpaceMap.headerPages
        var buffer = [UInt8](repeating: 0, count: Self.chunkBytes)
        while page < map.table.count {
            let start = page
            while page < map.table.count, page - start < Self.chunkBytes / BlockLayout.page, PageMark.isLive(map.table.mark(page)) { page += 1 }
            let bytes = (page - start) * BlockLayout.page
            if bytes == 0 {
                page += 1
                continue
            }
            try buffer.withUnsafeMutableBytes { whole in
                let part = UnsafeMutableRawBufferPointer(rebasing: whole[..<bytes])
                guard try source.read(into: part, at: start * BlockLayout.page) == bytes else {
                    throw FreeholdError(.truncated, "the file ends before page \(page); run `freehold check`", path: self.source.path)
                }
                try file.write(UnsafeRawBufferPointer(part), at: start * BlockLayout.page)
            }
            copied(bytes)
        }
    }

    /// The header, and the wrapped key of an encrypted file.
    private func copyFirstPage(from source: any File, to file: any File) throws {
        let page = try FirstPage(of: source)
        try file.write(page.bytes, at: 0)
        if page.header?.isEncrypted == true { try file.write(page.spare, at: FileLayout.spareHeader) }
    }

    private func open(_ temporary: String, _ root: Root, _ cipher: FileCipher?) throws -> DataFile {
        let file = try system.openFile(temporary, .readWrite), reserve = max(Int(root.length), 1 << 16)
        return try DataFile(file, identity: file.status().identity, system: system, isWritable: true, cipher: cipher, reserve: reserve,
                            leastReserve: reserve)
    }

    private func damaged(_ root: Root) -> FreeholdError {
        FreeholdError(.corrupt, "a block of version \(root.version) does not match its checksum, so no backup was written; "
            + "run `freehold check`", path: source.path)
    }

    private func finish(_ data: DataFile, _ root: Root, _ session: Session) throws {
        var root = root
        root.lastFull = root.version
        let slot = DurableRecord(file: session.header.file, root: root, base: 0, session: 0)
        try data.write(slot, at: FileLayout.durableSlots[0])
        try data.write(ConfirmedRecord(slot), at: FileLayout.confirmed)
        if let lost = session.lostVersion { try data.write(LostRecord(file: session.header.file, version: lost), at: FileLayout.lost) }
        do { try data.synchronize() } catch { throw FreeholdError(error, "flush the backup") }
    }
}

/// The result of a backup.
public struct BackupReport: Sendable {
    /// The version that was copied.
    public let version: Version
    /// The number of bytes copied; the rest of the backup's length is holes.
    public let copiedBytes: UInt64
    public let fileLength: UInt64
}

extension Database {
    /// Writes a backup to `path`, which must not exist: a consistent copy of the newest version. Every block of it is
    /// verified and flushed before the copy gets its name. Others read and write meanwhile.
    ///
    /// It costs a read and a write of what the version holds, and keeps that version held for that time. The backup is
    /// a database like the source, and as sparse; `copy` makes a compact one.
    ///
    /// - Parameter progress: called from time to time with the bytes copied and all bytes to copy.
    @discardableResult
    public func backup(to path: String, progress: ((_ done: UInt64, _ total: UInt64) -> Void)? = nil) throws -> BackupReport {
        try backup(to: path, on: LinuxSystem.shared, progress: progress)
    }

    func backup(to path: String, on system: any System, progress: ((_ done: UInt64, _ total: UInt64) -> Void)? = nil) throws -> BackupReport {
        try Backup(source: self, path: path, system: system).run(progress: progress)
    }
}
