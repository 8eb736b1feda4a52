import CShims
import Platform

/// A file that may be damaged anywhere, open for reading only: nothing of it is believed before it is checked.
///
/// 1. Nothing is ever written to it, and nobody can begin a session on it meanwhile.
/// 2. Blocks are reached in two ways only: by a reference (`access`), whose checksum vouches for them, or by their own
///    looks (`block(at:)`), which vouch for no more than that reading them is safe.
///
/// Safe throughout: offsets are compared with the length before they are followed; the tables belong to this object.
final class DamagedFile {
    let data: DataFile
    let access: BlockAccess
    /// Bytes of the file.
    let length: Int
    private let verifier: BlockVerifier
    private let touched: UnsafeMutableRawPointer
    private let touchedBytes: Int
    private let liveness: any File

    var path: String { data.path }
    var pageCount: Int { (length + BlockLayout.page - 1) / BlockLayout.page }

    init(_ path: String, _ system: any System) throws(FreeholdError) {
        liveness = try Self.openAlone(path, system)
        let reserve = max(FileLayout.pages(holding: try Self.length(of: liveness)), 16 * FileLayout.page)
        let liveness = liveness
        let (file, identity) = try translating("open the damaged file") { () throws(SystemError) in
            (try system.openFile(path, .readOnly), try liveness.status().identity)
        }
        data = try DataFile(file, identity: identity, system: system, isWritable: false, reserve: reserve, leastReserve: reserve)
        let length = try data.length(), data = data
        self.length = length
        verifier = BlockVerifier(path: path, measure: { UInt64(length) }, validate: BlockStructure.complaint,
                                 isMappingIntact: { !data.mapping.hasFaulted })
        let pages = data.mappedLength / BlockLayout.page
        touchedBytes = pages * MemoryLayout<TouchedPage>.stride
        guard let touched = ReservedMemory.reserve(byteCount: touchedBytes) else {
            throw FreeholdError(.outOfMemory, "no address space for a salvage; raise the process's limit (ulimit -v)", path: path)
        }
        self.touched = touched
        access = BlockAccess(base: data.base, touched: touched.assumingMemoryBound(to: TouchedPage.self),
                             pageLimit: UInt64(pages), verifier: Unmanaged.passUnretained(verifier), pending: nil)
    }

    /// Refuses an encrypted file: blocks that nobody refers to cannot be told in it.
    func requirePlain() throws(FreeholdError) {
        guard header?.isEncrypted != true else {
            throw FreeholdError(
                .unsupportedFormat, "the file is encrypted, and an encrypted file cannot be salvaged; restore it from a backup", path: path)
        }
    }

    deinit {
        ReservedMemory.release(touched, byteCount: touchedBytes)
        liveness.close()
    }

    /// A descriptor whose lock keeps sessions from beginning; throws `.inUse` if there is one.
    private static func openAlone(_ path: String, _ system: any System) throws(FreeholdError) -> any File {
        let file = try translating("open the damaged file") { () throws(SystemError) in try system.openFile(path, .readOnly) }
        let isAlone = try translating("lock a byte of the file") { () throws(SystemError) in
            let isTaken = try file.tryLock(byte: LivenessByte.session, exclusive: false)
            return isTaken ? !(try file.isLocked(byte: LivenessByte.session)) : false
        }
        if isAlone { return file }
        file.close()
        throw FreeholdError(.inUse, "the file is open; close it in all processes before it is salvaged", path: path)
    }

    private static func length(of file: any File) throws(FreeholdError) -> Int {
        try translating("measure the file") { () throws(SystemError) in try file.length() }
    }

    // MARK: roots

    /// The header, if either copy can be read.
    var header: FileHeader? { FileLayout.headerCopies.lazy.compactMap { self.record(FileHeader.self, at: $0) }.first }

    /// The record that names the durable version, and whether it is confirmed.
    var durable: (root: Root, isConfirmed: Bool)? {
        let slots = FileLayout.durableSlots.compactMap { record(DurableRecord.self, at: $0) }
        let confirmed = record(ConfirmedRecord.self, at: FileLayout.confirmed)
        if let slot = slots.first(where: { confirmed?.confirms($0) == true }) { return (slot.root, true) }
        return slots.max { $0.root.version < $1.root.version }.map { ($0.root, false) }
    }

    /// The newest committed version, as its own record says.
    var volatile: VolatileRecord? {
        FileLayout.volatileSlots.compactMap { record(VolatileRecord.self, at: $0) }.max { $0.root.version < $1.root.version }
    }

    /// Every root a record names, newest first.
    var roots: [Root] {
        let all = FileLayout.volatileSlots.compactMap { record(VolatileRecord.self, at: $0)?.root }
            + FileLayout.durableSlots.compactMap { record(DurableRecord.self, at: $0)?.root }
        return all.sorted { $0.version > $1.version }
    }

    private func record<Record: HeaderRecord>(_ type: Record.Type, at offset: Int) -> Record? {
        offset + Record.byteCount <= length ? data.read(type, at: offset) : nil
    }

    // MARK: blocks by their looks

    /// A reference to the block that seems to begin at a granule, whoever points to it; nil if the bytes there make none.
    /// Its birth is not known from the block itself: it is the caller's guess.
    func block(at granule: Int, birth: UInt64 = 0) -> BlockReference? {
        let offset = granule * BlockLayout.granule
        guard offset + BlockLayout.references <= length else { return nil }
        let view = BlockView(start: access.base + offset)
        guard view.kind != nil, view.bodyLength < 1 << 16 else { return nil }
        let granules = BlockLayout.granules(references: view.referenceCount, body: view.bodyLength)
        let bytes = granules * BlockLayout.granule
        guard granules <= BlockLayout.maximumGranules, offset + bytes <= length, isPadded(view, to: bytes),
              (0..<view.referenceCount).allSatisfy({ isPlausible(view.reference($0)) }),
              BlockStructure.complaint(about: view) == nil else { return nil }
        return BlockReference(location: UInt64(granule) << 16 | UInt64(granules), birth: birth,
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
