import CShims
import Platform

/// A file that may be damaged anywhere, open for reading only: nothing in it is trusted before it is checked.
///
/// 1. Nothing is ever written to it, and no session can begin on it meanwhile.
/// 2. Blocks are reached in two ways only: by a reference (`access`), whose checksum verifies them, or by their form
///    (`block(at:)`), which guarantees only that reading them is safe. In an encrypted file the tag before the block
///    verifies all of it, its place and its birth.
/// 3. Decrypted blocks stay in memory until `rest`, which releases it: no view outlives it.
///
/// Safe throughout: offsets are compared with the length before they are followed; the tables belong to this object.
final class DamagedFile {
    let data: DataFile
    let access: BlockAccess
    /// The length of the file in bytes.
    let length: Int
    private let verifier: BlockVerifier
    private let touched: UnsafeMutableRawPointer
    private let touchedBytes: Int
    private let liveness: any File
    private let shadow: Shadow?
    private let finder: ShadowOpener?
    /// The header, if a copy of it can be read.
    let header: FileHeader?

    /// Whether blocks can be identified for certain, which only encryption allows.
    var isEncrypted: Bool { finder != nil }

    var path: String { data.path }
    var pageCount: Int { (length + BlockLayout.page - 1) / BlockLayout.page }

    /// - Parameter key: the key of an encrypted file; throws `.keyMissing`, `.wrongKey` or `.notEncrypted` if it does
    ///   not fit the file, and `.corrupt` if every copy of what the key opens is destroyed: nothing else can be read
    ///   then.
    init(_ path: String, key: EncryptionKey? = nil, decryptedBytesLimit: Int = 256 << 20, _ system: any System) throws(FreeholdError) {
        liveness = try Self.openAlone(path, system)
        let reserve = max(FileLayout.pages(holding: try Self.length(of: liveness)), 16 * FileLayout.page)
        let liveness = liveness
        let (file, identity) = try translating("open the damaged file") { () throws(SystemError) in
            (try system.openFile(path, .readOnly), try liveness.status().identity)
        }
        let cipher: FileCipher?
        (header, cipher) = try Self.unlock(file, key, system)
        data = try DataFile(
            file, identity: identity, system: system, isWritable: false, cipher: cipher, reserve: reserve, leastReserve: reserve)
        let length = try data.length(), data = data
        self.length = length
        let pages = data.mappedLength / BlockLayout.page
        touchedBytes = pages * MemoryLayout<TouchedPage>.stride
        guard let space = ReservedMemory.reserve(byteCount: touchedBytes) else { throw Self.noSpace(path) }
        touched = space
        let table = space.assumingMemoryBound(to: TouchedPage.self)
        if let cipher {
            let byteCount = (pages + 1) * BlockLayout.page
            guard let memory = SecretMemory(byteCount: byteCount, atLeast: byteCount), let shadow = Shadow(
                cipher, file: data.base, touched: table, memory: memory, pageLimit: pages, limit: decryptedBytesLimit, isCareful: true)
            else {
                ReservedMemory.release(space, byteCount: touchedBytes)
                throw Self.noSpace(path)
            }
            (self.shadow, finder) = (shadow, ShadowOpener(cipher))
        } else {
            (shadow, finder) = (nil, nil)
        }
        verifier = BlockVerifier(path: path, shadow: shadow, measure: { UInt64(length) }, validate: BlockStructure.complaint,
                                 isMappingIntact: { !data.mapping.hasFaulted })
        access = BlockAccess(base: shadow.map { UnsafeRawPointer($0.memory.base) } ?? data.base, touched: table,
                             pageLimit: UInt64(pages), verifier: Unmanaged.passUnretained(verifier), pending: nil)
        for root in roots { try root.requireKnownFeatures(forWriting: false, path) }
    }

    private static func noSpace(_ path: String) -> FreeholdError {
        FreeholdError(.outOfMemory, "too little address space for a salvage; raise the process's limit (ulimit -v)", path: path)
    }

    /// Reads the header, and the cipher that opens the blocks.
    private static func unlock(
        _ file: any File, _ key: EncryptionKey?, _ system: any System
    ) throws(FreeholdError) -> (FileHeader?, FileCipher?) {
        let page = try translating("read the file") { () throws(SystemError) in try FirstPage(ofDamaged: file) }
        guard let header = page.header else {
            if key == nil, page.keyRecords.isEmpty { return (nil, nil) }
            throw FreeholdError(
                .corrupt, "all copies of the header are destroyed, and an encrypted file cannot be read without it; "
                    + "restore it from a backup", path: file.path)
        }
        if let refusal = header.refusal(forWriting: false) { throw FreeholdError(.unsupportedFormat, refusal, path: file.path) }
        return (header, try page.cipher(header, key, system, path: file.path))
    }

    /// Releases the memory of decrypted blocks if there is much of it. Returns true if earlier views of blocks are
    /// invalid now.
    func rest() -> Bool { shadow?.rest() ?? false }

    /// The number of decrypted bytes in memory.
    // Allowed: tests check that it is bounded.
    var decryptedBytes: Int { shadow?.residentBytes ?? 0 }

    deinit {
        ReservedMemory.release(touched, byteCount: touchedBytes)
        liveness.close()
    }

    /// Opens a descriptor whose lock prevents sessions from beginning; throws `.inUse` if there is a session.
    private static func openAlone(_ path: String, _ system: any System) throws(FreeholdError) -> any File {
        let file = try translating("open the damaged file") { () throws(SystemError) in try system.openFile(path, .readOnly) }
        let isAlone = try translating("lock a byte of the file") { () throws(SystemError) in
            let isTaken = try file.tryLock(byte: LivenessByte.session, exclusive: false)
            return isTaken ? !(try file.isLocked(byte: LivenessByte.session)) : false
        }
        if isAlone { return file }
        file.close()
        throw FreeholdError(.inUse, "the file is open; close it in all processes before salvaging it", path: path)
    }

    private static func length(of file: any File) throws(FreeholdError) -> Int {
        try translating("measure the file") { () throws(SystemError) in try file.length() }
    }

    // MARK: roots

    /// The root in the record of the durable version, and whether it is confirmed.
    var durable: (root: Root, isConfirmed: Bool)? {
        let slots = FileLayout.durableSlots.compactMap { record(DurableRecord.self, at: $0) }
        let confirmed = record(ConfirmedRecord.self, at: FileLayout.confirmed)
        if let slot = slots.first(where: { confirmed?.confirms($0) == true }) { return (slot.root, true) }
        return slots.max { $0.root.version < $1.root.version }.map { ($0.root, false) }
    }

    /// Whether the header pages still show that the file is, or was, a database.
    var isDatabase: Bool { header != nil || !roots.isEmpty }

    /// The newest committed version, as its own record says.
    var volatile: VolatileRecord? {
        FileLayout.volatileSlots.compactMap { record(VolatileRecord.self, at: $0) }.max { $0.root.version < $1.root.version }
    }

    /// Every root that a record names, newest first.
    var roots: [Root] {
        let all = FileLayout.volatileSlots.compactMap { record(VolatileRecord.self, at: $0)?.root }
            + FileLayout.durableSlots.compactMap { record(DurableRecord.self, at: $0)?.root }
        return all.sorted { $0.version > $1.version }
    }

    private func record<Record: HeaderRecord>(_ type: Record.Type, at offset: Int) -> Record? {
        offset + Record.byteCount <= length ? data.read(type, at: offset) : nil
    }

    // MARK: blocks by their looks

    /// A reference to a block of one of these kinds that seems to begin at a granule, whatever refers to it; nil if the
    /// bytes there do not form one. The birth of an unencrypted block is not known from the block itself, and is 0.
    func block(at granule: Int, of kinds: Set<BlockKind>) -> BlockReference? {
        let offset = granule * BlockLayout.granule
        guard offset + BlockLayout.references <= length else { return nil }
        if let finder {
            let rest = UnsafeRawBufferPointer(start: data.base + offset, count: length - offset)
            return (try? finder.reference(toBlockAt: granule, in: rest, isWanted: kinds.contains)).flatMap { $0 }
        }
        let kind = (access.base + offset).load(as: UInt8.self)
        return BlockKind(rawValue: kind).map(kinds.contains) == true ? plainBlock(at: granule, offset) : nil
    }

    private func plainBlock(at granule: Int, _ offset: Int) -> BlockReference? {
        let view = BlockView(start: access.base + offset)
        guard view.kind != nil, view.bodyLength < 1 << 16 else { return nil }
        let granules = BlockLayout.granules(references: view.referenceCount, body: view.bodyLength)
        let bytes = granules * BlockLayout.granule
        guard granules <= BlockLayout.maximumGranules, offset + bytes <= length, isPadded(view, to: bytes),
              (0..<view.referenceCount).allSatisfy({ isPlausible(view.reference($0)) }),
              BlockStructure.complaint(about: view) == nil else { return nil }
        return BlockReference(location: UInt64(granule) << 16 | UInt64(granules), birth: 0,
                              check: freehold_shim_checksum(view.start, bytes), tag: 0)
    }

    private func isPadded(_ view: BlockView, to bytes: Int) -> Bool {
        let used = BlockLayout.references + view.referenceCount * BlockReference.byteCount + view.bodyLength
        return (used..<bytes).allSatisfy { view.start.load(fromByteOffset: $0, as: UInt8.self) == 0 }
    }

    private func isPlausible(_ reference: BlockReference) -> Bool {
        reference.isNull || !reference.isPending && (1...BlockLayout.maximumGranules).contains(reference.granuleCount)
            && reference.byteOffset >= UInt64(FileLayout.firstData) && reference.birth > 0 && reference.birth < Root.versionLimit
    }
}
